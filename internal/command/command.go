// Package command runs the programs of this module: it reads their command lines,
// ends them with signals, and prints their errors.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/qedkit/qed/llm"
)

// Main runs a program and exits with status 1 if it fails. Ctrl-C, SIGTERM and an
// output that cannot be written cancel the context, so that run can clean up. If the
// reader of the output has left, the exit is without a message, as that of a filter.
//
// A server is different: it gives its output to [Log].
func Main(name string, run func(ctx context.Context, args []string, in io.Reader, out io.Writer) error) {
	// Without this, a write to a closed output kills the process before it can clean up.
	// To ask for the signal instead would be wrong: then each socket whose peer has left
	// sends it too.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	err := run(ctx, os.Args[1:], os.Stdin, &output{os.Stdout, fail})
	cause := context.Cause(ctx)
	if unwritten := new(*fs.PathError); err == nil && errors.As(cause, unwritten) {
		err = *unwritten
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	text := err.Error()
	switch {
	case errors.Is(cause, syscall.EPIPE):
		os.Exit(1)
	case cause != nil && (errors.Is(err, context.Canceled) || errors.Is(err, cause)):
		text = cause.Error() // the signal or the failed write, without the call that it interrupted
	case errors.Is(err, llm.ErrAuth):
		text += "\nCheck OPENAI_API_KEY or ANTHROPIC_API_KEY."
	}
	fmt.Fprintln(os.Stderr, name+":", Visible(text))
	os.Exit(1)
}

// An output is standard output. The first write that fails ends the program.
type output struct {
	file *os.File
	fail context.CancelCauseFunc
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if err != nil {
		o.fail(err)
	}
	return n, err
}

// Stat returns what the output is, such as a terminal.
func (o *output) Stat() (fs.FileInfo, error) { return o.file.Stat() }

// Log returns the output of a program as the log of a server, which stays up if its log
// cannot be written.
func Log(out io.Writer) io.Writer {
	if o, ok := out.(*output); ok {
		return o.file
	}
	return out
}

// Flags returns the flags of a program. Its usage has its arguments, such as "[question]",
// and more after the flags.
func Flags(name, arguments string, more ...string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "Usage: %s\n\n", strings.TrimSpace(name+" [flags] "+arguments))
		flags.PrintDefaults()
		for _, text := range more {
			fmt.Fprint(flags.Output(), "\n"+text)
		}
	}
	return flags
}

// Parse reads a command line. It prints nothing but the usage, for -h: an error is
// printed once, by [Main]. A flag after the first argument is an error.
func Parse(flags *flag.FlagSet, args []string) error {
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	flags.SetOutput(nil)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.Usage()
		return err
	case err != nil:
		return fmt.Errorf("%w (-h lists the flags)", err)
	case flags.NArg() == 0:
		return nil
	}
	for _, word := range flags.Args()[1:] {
		if name := strings.TrimLeft(word, "-"); name != word && flags.Lookup(name) != nil {
			return fmt.Errorf("%s comes after %q and is not read as a flag: flags come first", word, flags.Arg(0))
		}
	}
	return nil
}

// Once defines a flag for a file that is an error if it is set twice: of two policies, or of two filters, one
// would say what may be read, and the other one would be dropped. The last value of any
// other flag wins.
func Once(flags *flag.FlagSet, to *string, name, usage string) {
	flags.Func(name, usage, func(text string) error {
		if *to != "" {
			return errors.New("it is set twice")
		}
		*to = text
		return nil
	})
}
