// Qed-joingraph makes the join graph of a database: the relationships that it declares,
// those of an application's models, those that names and data suggest, and a person's
// corrections. It prints a report, and writes the graph for the -graph flag of
// qed-serve:
//
//	qed-joingraph -dsn mysql://owner@127.0.0.1:3306/app -models associations.json -out graph.json
//
// Run it with the account of the tables' owner: one that reads views sees no keys of the
// tables behind them. The programs in joinpath/joingraph/export of the module write the
// models of an application. With -count the database counts matching rows. It returns only these counts, and three rows
// for each doubtful join, which the report shows. With -validate the configured model
// (OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY) judges the joins that nobody
// declared; -verdicts saves its verdicts for the next run. -h lists all flags.
package main

import (
	"context"
	"io"
	"os"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/graph"
)

func main() {
	command.Main("qed-joingraph", func(ctx context.Context, args []string, _ io.Reader, out io.Writer) error {
		return graph.Run(ctx, args, out, os.Stderr, nil)
	})
}
