// Package chat has what the example chats share: the database that is asked, the
// lines that a user types, what he is shown of a turn, and what is replayed where
// no model is configured.
package chat

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

	"github.com/qedkit/qed/examples/internal/terminal"
	"github.com/qedkit/qed/llm"
)

// Main runs a program until it is over, or is interrupted. A reader of the output
// that goes away ends it like an interrupt: nothing more is asked, and the example's
// database is removed.
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
		text = cause.Error() // where it was interrupted is not what a person asks
	case errors.Is(err, llm.ErrAuth):
		text += "\nThe key is that of OPENAI_API_KEY or ANTHROPIC_API_KEY"
	}
	fmt.Fprintln(os.Stderr, name+":", terminal.Visible(text))
	stop()
	os.Exit(1)
}

// Parse reads a command line. A flag that is none is told once, and where all are.
func Parse(flags *flag.FlagSet, args []string) error {
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	flags.SetOutput(nil)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.Usage()
		return err
	case err != nil:
		return fmt.Errorf("%w (-h lists what there is)", err)
	case flags.NArg() == 0:
		return nil
	}
	for _, word := range flags.Args()[1:] {
		if name := strings.TrimLeft(word, "-"); name != word && flags.Lookup(name) != nil {
			return fmt.Errorf("%s stands behind %q, where it is no flag: flags come first", word, flags.Arg(0))
		}
	}
	return nil
}
