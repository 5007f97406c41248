// Analyst explores a CSV, JSON or Excel file: it queries the rows, draws charts, checks its
// own findings, and writes a report on request. Every step is shown as it happens.
//
// Without arguments it makes a file of 60,000 service orders with planted faults.
// Without a model it replays a recorded analyst on that file: the model's words are
// recorded, everything else really runs.
//
//	go run ./examples/analyst                             # the orders, or the recorded questions
//	go run ./examples/analyst sales.csv                   # your own file
//	go run ./examples/analyst sales.csv "Which ...?"      # one question, and a report with -report
//	go run ./examples/analyst -about "one row per sale, amounts in EUR" sales.csv
//	go run ./examples/analyst -decimal , -dateorder dmy sales.csv  # where the notes ask for it
//	go run -tags duckdb ./examples/analyst -duckdb sales.parquet   # in DuckDB, which needs cgo
//
// Type a question, "report" for a report on all answers so far, "new" to start over,
// and an empty line to end. The charts are written to the folder of -out, as
// Vega-Lite, and each answer and report as Markdown and as a page that a browser shows
// without a network.
//
// OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a
// .env file, name the model.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/examples/analyst/orders"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func main() { command.Main("analyst", run) }

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := command.Flags("analyst", "[file [question]]")
	folder := flags.String("out", "analysis", "the `folder` for charts and pages")
	about := flags.String("about", "", "what the rows are, for the model")
	inDuckDB := flags.Bool("duckdb", false, "load the file into DuckDB instead of SQLite")
	var opt tabular.Options
	opt.Flags(flags)
	report := flags.Bool("report", false, "write a report after the question")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}

	// The data, in an embedded database.
	show := chat.NewPrinter(out)
	data, found, err := load(ctx, flags.Arg(0), opt, *inDuckDB)
	if err != nil {
		return err
	}
	defer data.Close()
	data.Description = *about
	show.Source(name(flags.Arg(0)), describe(found, data), nil)

	// The model: the configured one, or a recorded one for the orders.
	var replay llm.Model
	if flags.NArg() == 0 {
		replay = orders.Model(llmtest.New(orders.Transcript()...))
	}
	model, live, err := provider.OrReplay(conf, show.Note, replay)
	if err != nil {
		return err
	}

	// The analyst. A conversation has follow-up questions and one report.
	a, err := analyst.New(model, data, &analyst.Options{Settings: conf.Agent.Settings})
	if err != nil {
		return err
	}
	defer a.Close()
	c := &conversation{analyst: a, show: show, folder: *folder, notes: data.Notes}

	question := strings.Join(flags.Args()[min(1, flags.NArg()):], " ")
	switch {
	case live && question == "":
		show.Note(`Type "report" for a report, and "new" to start over.`)
		return chat.Converse(ctx, in, show, "", func(line string) (bool, error) { return false, c.line(ctx, line) })
	case live:
		show.Question(question)
		if err := c.line(ctx, question); err != nil || !*report {
			return err
		}
		return c.line(ctx, "report")
	}
	for _, line := range append(orders.Recorded, "report") {
		show.Question(line)
		if err := c.line(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// openDuckDB opens a file in DuckDB. It is nil in a build without the tag duckdb.
var openDuckDB func(ctx context.Context, path string, opt tabular.Options) (analyst.Data, tabular.Report, error)

// load returns the rows of a file, or the generated orders.
func load(ctx context.Context, path string, opt tabular.Options, inDuckDB bool) (analyst.Data, tabular.Report, error) {
	if inDuckDB {
		switch {
		case path == "":
			return analyst.Data{}, tabular.Report{}, errors.New("-duckdb needs a file")
		case openDuckDB == nil:
			return analyst.Data{}, tabular.Report{}, errors.New("-duckdb needs a build with -tags duckdb, and cgo")
		}
		return openDuckDB(ctx, path, opt)
	}
	open := orders.Open
	if path != "" {
		open = func(ctx context.Context) (*dataset.Dataset, error) { return dataset.Open(ctx, path, &opt) }
	}
	d, err := open(ctx)
	if err != nil {
		return analyst.Data{}, tabular.Report{}, err
	}
	data := analyst.Data{DB: d.DB, Policy: d.Policy, Dialect: sqlite.Dialect{}, Table: d.Table, Notes: d.Notes(), Close: d.Close}
	return data, d.Report, nil
}

func name(path string) string {
	if path == "" {
		return "Service orders of 2023 and 2024, generated"
	}
	return filepath.Base(path)
}

// describe returns what was loaded.
func describe(found tabular.Report, data analyst.Data) []string {
	lines := []string{fmt.Sprintf("%d rows: %s", found.Rows, strings.Join(data.Policy.Tables[data.Table], ", "))}
	for _, c := range found.Columns {
		line := fmt.Sprintf("%s: %s", c.Name, c.Type)
		if c.Missing > 0 {
			line += fmt.Sprintf(", %d missing", c.Missing)
		}
		if len(c.Examples) > 0 {
			line += ", such as " + strings.Join(c.Examples, " | ")
		}
		if c.Evidence != nil {
			line += fmt.Sprintf("; line %d shows it: %s", c.Evidence.Line, c.Evidence.Cell)
		}
		lines = append(lines, line)
	}
	return append(lines, data.Notes...)
}

// A conversation is a thread of questions about the data.
type conversation struct {
	analyst *analyst.Analyst
	show    *chat.Printer
	folder  string
	notes   []string // of the data

	number int // of the thread
	found  []*analyst.Exploration
}

// line does what a line says.
func (c *conversation) line(ctx context.Context, line string) error {
	switch line {
	case "report":
		return c.report(ctx)
	case "new":
		if err := c.analyst.EndSession(ctx, c.thread()); err != nil {
			return err
		}
		c.number, c.found = c.number+1, nil
		c.show.Note("The analysis starts over.")
		return nil
	}
	answer, err := chat.Ask(ctx, watched{c.analyst, c.show}, c.show, qed.Turn{Thread: c.thread(), Text: line})
	if err != nil {
		return err
	}
	found, err := analyst.ExplorationOf(answer)
	if err != nil {
		return err
	}
	c.found = append(c.found, found)
	used := found.Metadata
	c.show.Step("used", fmt.Sprintf("%d steps, %d tokens, %d ms", used.StepCount, used.TokensUsed, used.DurationMs))
	return c.write(ctx, "answer-"+strconv.Itoa(len(c.found)), line, found.Language, findings(found, c.notes), found.Charts)
}

func (c *conversation) thread() string { return "analysis-" + strconv.Itoa(c.number) }

// report writes a report on all questions of the conversation.
func (c *conversation) report(ctx context.Context) error {
	if len(c.found) == 0 {
		return errors.New("there is nothing to report yet: ask a question first")
	}
	report, err := c.analyst.Report(ctx, c.found...)
	if err != nil {
		return err
	}
	if len(report.Unproved) > 0 {
		c.show.Step("unproved", "not in the data: "+strings.Join(report.Unproved, ", "))
	}
	return c.write(ctx, "report", "Report", report.Language, report.Markdown, report.Charts)
}
