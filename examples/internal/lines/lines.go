// Package lines answers lines of JSON with lines of JSON: what programs share that
// stand beside another process, as a filter or a co-process.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
)

// MaxLength bounds what is kept of a line, in bytes.
const MaxLength = 8 << 20

// Bad is the code of a line that is not what the program reads.
const Bad = "bad_line"

// Line is a line that was read, without the white space around it.
type Line struct {
	Number  int // the first is 1; blank ones count
	Text    []byte
	TooLong bool // it is longer than MaxLength, and nothing of it is kept
}

// Answer reads line after line and writes the answer to each, in the same order and
// before the next is read. Blank lines are passed over. It ends with the lines or
// the context, and returns what went wrong in reading or writing.
func Answer(ctx context.Context, in io.Reader, out io.Writer, answer func(Line) any) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	encoder := json.NewEncoder(out) // writes each answer in one piece, as a line
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		text, tooLong, err := read(reader)
		if err != nil && err != io.EOF {
			return err
		}
		if len(text) > 0 || tooLong {
			a := answer(Line{number, text, tooLong})
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

// read reads a line. The last one may come together with io.EOF.
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
