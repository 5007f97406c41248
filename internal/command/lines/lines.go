// Package lines answers lines of JSON with lines of JSON. It is the input and
// output of programs that run as a filter or as a coprocess.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// MaxLength is the maximal length of a line, in bytes.
const MaxLength = 8 << 20

// Bad is the error code of a line that the program cannot read.
const Bad = "bad_line"

// Line is a line of the input, without the white space around it.
type Line struct {
	Number  int // from 1; blank lines count
	Text    []byte
	TooLong bool // longer than MaxLength; Text is empty
}

// Says returns a message about the line, which begins with its number.
func (l Line) Says(format string, args ...any) string {
	return fmt.Sprintf("line %d ", l.Number) + fmt.Sprintf(format, args...)
}

// Answer reads lines and writes the answer to each before it reads the next. It
// skips blank lines. It returns at the end of the input, when ctx is done, or with
// the error of a failed read or write.
func Answer(ctx context.Context, in io.Reader, out io.Writer, answer func(Line) any) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	encoder := json.NewEncoder(out) // writes each answer as one line
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		text, tooLong, err := read(reader)
		if err != nil && err != io.EOF {
			return err
		}
		if len(text) > 0 || tooLong {
			a := answer(Line{Number: number, Text: text, TooLong: tooLong})
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := encoder.Encode(a); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// read reads a line. It returns the last line together with io.EOF.
func read(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > MaxLength; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimSpace(line), tooLong, err
		}
	}
}
