// Package command runs the programs of this module: it reads their command lines,
// ends them with signals, and prints their errors.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/qedkit/qed/llm"
)

// Main runs a program and exits with status 1 if it fails. Ctrl-C, SIGTERM and a
// closed output cancel the context, so that run can clean up.
func Main(name string, run func(ctx context.Context, args []string, in io.Reader, out io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	text := err.Error()
	switch cause := context.Cause(ctx); {
	case cause != nil && (errors.Is(err, context.Canceled) || errors.Is(err, cause)):
		text = cause.Error() // the signal, without the call that it interrupted
	case errors.Is(err, llm.ErrAuth):
		text += "\nCheck OPENAI_API_KEY or ANTHROPIC_API_KEY."
	}
	fmt.Fprintln(os.Stderr, name+":", Visible(text))
	stop()
	os.Exit(1)
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
