// Joingraph is the program cmd/qed-joingraph. Without -dsn it reads the example company's
// database, which declares most of its keys:
//
//	go run ./examples/joingraph -count
package main

import (
	"context"
	"io"
	"os"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/graph"
)

func main() {
	command.Main("joingraph", func(ctx context.Context, args []string, _ io.Reader, out io.Writer) error {
		return run(ctx, args, out, os.Stderr)
	})
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	return graph.Run(ctx, args, out, progress, fieldservice.Database())
}
