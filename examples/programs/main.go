// Programs has five small programs to begin with. Each is one function in a file of its
// own, and a demonstration that calls it.
//
//	go run ./examples/programs              # all of them
//	go run ./examples/programs sql          # a terminal for an SQLite database
//	go run ./examples/programs mailing      # a graph behind HTTP that asks for approval
//	go run ./examples/programs harbour      # a planner with tools of its own, behind a router
//	go run ./examples/programs tenants      # a guard for two tenants behind HTTP
//	go run ./examples/programs relay        # tools of an MCP server, served by MCP again
//
// Without a model each replays recorded replies: the model's words are recorded,
// everything else really runs. OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in
// the environment or in a .env file, name the model.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

func main() { command.Main("programs", run) }

// A demo shows one of the programs.
type demo struct {
	name, title string
	run         func(ctx context.Context, model llm.Model, out io.Writer) error
	recorded    func() []llmtest.Rule // the replies of a model
}

var demos = []demo{
	{"sql", "A terminal for an SQLite database", showSQL, recordedSQL},
	{"mailing", "A graph behind HTTP that asks for approval", showMailing, recordedMailing},
	{"harbour", "A planner with tools of its own, behind a router", showHarbour, recordedHarbour},
	{"tenants", "A guard for two tenants behind HTTP", showTenants, nil},
	{"relay", "Tools of an MCP server, served by MCP again", showRelay, recordedRelay},
}

func run(ctx context.Context, args []string, _ io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("programs", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprintf(flags.Output(), "Usage: programs [%s]\n", names("|")) }
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	wanted := demos
	if flags.NArg() > 0 {
		i := slices.IndexFunc(demos, func(d demo) bool { return d.name == flags.Arg(0) })
		if i < 0 || flags.NArg() > 1 {
			return fmt.Errorf("name one of the programs: %s", names(", "))
		}
		wanted = demos[i : i+1]
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	model, live, err := provider.Open(conf)
	if err != nil {
		return err
	}
	if !live {
		fmt.Fprintf(out, "No model is configured (%s): its replies are recorded, everything else really runs.\n",
			settings.ModelVariables)
	}
	for _, d := range wanted {
		if !live && d.recorded != nil {
			model = llmtest.New(d.recorded()...)
		}
		fmt.Fprintf(out, "\n%s (%s)\n", d.title, d.name)
		if err := d.run(ctx, model, out); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return nil
}

func names(separator string) string {
	var all []string
	for _, d := range demos {
		all = append(all, d.name)
	}
	return strings.Join(all, separator)
}
