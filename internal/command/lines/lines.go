// Package lines answers lines of JSON with lines of JSON. It is the input and
// output of programs that run as a filter or as a coprocess.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
)

// The exit statuses of a [Program].
const (
	OK     = 0
	Failed = 1
	Usage  = 2
)

// A Program checks the lines of its input.
type Program struct {
	Flags *flag.FlagSet // its name is that of the program
	Usage string        // what comes before the flags
	Input string        // what the lines are, such as "statements"

	// Needed is the name of a flag that must be set: the file with the rules. Rules is
	// its value.
	Needed string
	Rules  *string

	// Open is called when the flags are read. The answer to a line comes with whether
	// the line was refused.
	Open func() (answer func(Line) (a any, refused bool), err error)

	// Read returns the lines that the arguments of the program stand for, if it has any.
	// Without Read it has none.
	Read func(args []string) (lines io.Reader, err error)

	// Write returns where the answers go and what ends the output. Without Write they go to
	// the output of the program.
	Write func(out io.Writer) (answers io.Writer, end func() error)
}

// Run runs the program and returns its exit status.
func (p *Program) Run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	say := func(format string, args ...any) {
		fmt.Fprintf(errs, p.Flags.Name()+": "+format+"\n", args...)
	}
	p.Flags.SetOutput(errs)
	fail := p.Flags.Bool("fail", false, "exit with status 1 if one of the "+p.Input+" is refused")
	p.Flags.Usage = func() {
		fmt.Fprint(errs, p.Usage, "\n\n")
		p.Flags.PrintDefaults()
	}
	switch err := p.Flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return OK
	case err != nil:
		return Usage
	}
	switch {
	case *p.Rules == "":
		say("-%s is missing: name the JSON file with the %s", p.Needed, p.Needed)
		return Usage
	case p.Flags.NArg() > 0 && p.Read == nil:
		say("unexpected argument %q: %s are read from standard input", p.Flags.Arg(0), p.Input)
		return Usage
	}
	check, err := p.Open()
	if err != nil {
		say("%v", err)
		return Usage
	}
	if p.Flags.NArg() > 0 {
		if in, err = p.Read(p.Flags.Args()); err != nil {
			say("%v", err)
			return Usage
		}
	}
	end := func() error { return nil }
	if p.Write != nil {
		out, end = p.Write(out)
	}
	refusals := 0
	err = Answer(ctx, in, out, func(line Line) any {
		a, refused := check(line)
		if refused {
			refusals++
		}
		return a
	})
	if err == nil {
		err = end()
	}
	switch {
	case err != nil:
		say("%v", err)
		return Failed
	case refusals > 0 && *fail:
		say("%s refused: %d", p.Input, refusals)
		return Failed
	}
	return OK
}

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
