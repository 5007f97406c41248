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
	"syscall"

	"github.com/qedkit/qed/examples/internal/terminal"
)

// Main runs a program until it is over, or is interrupted. A reader of the output
// that goes away ends it like an interrupt: nothing more is asked, and the example's
// database is removed.
func Main(name string, run func(ctx context.Context, args []string, in io.Reader, out io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, name+":", terminal.Visible(err.Error()))
		}
		stop()
		os.Exit(1)
	}
}
