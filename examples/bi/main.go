// Bi answers questions about the shipments of a freight company: it plans a request as
// tasks, does one after the other, asks where something is not clear, and remembers.
// It shows every step on the way: what a message is taken for, the question as it is
// rewritten, the plan, each task, what is remembered of it, and the answer.
//
// Without a model it holds recorded conversations, without an engine it replays a
// recording of Elasticsearch: planning, checking, asking and computing really run. What
// is asked of a single thing goes to a GraphQL server that the program starts itself.
// With ELASTICSEARCH_URL it makes indices of its own on that cluster and searches there;
// with a provider it takes any question.
//
//	go run ./examples/bi                           # all conversations, or your own questions
//	go run ./examples/bi -scenario 3               # one of them
//	go run ./examples/bi -scenario 5 -out chart.json
//	go run ./examples/bi "Which carrier was late last week?"
//	ELASTICSEARCH_URL=http://localhost:9200 go run ./examples/bi
//
// It is 2025-01-15 there. The shipments of another company lie in the same indices; no
// query reaches them, whatever the model writes.
//
// OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a .env
// file, make it talk to a model. See .env.example for everything that can be set.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

func main() { chat.Main("bi", run) }

const usage = `Usage: bi [-scenario number|all] [-user ana|ben] [-out file] [question]

-scenario: one of the recorded conversations, or all. Without it and without a question:
  all of them, or your own questions where there is a model.
-user: who asks questions of your own. Ana, if it is not said, means the Port of Miami by
  "Miami"; ben is asked which port he means.
-out: the file that the last chart is written to, as Vega-Lite, which vega.github.io/editor shows.
ELASTICSEARCH_URL: the cluster to search instead of a recording.
OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY: the model to ask instead of a transcript.`

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	asked, err := read(args)
	if err != nil {
		return err
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	model, live, err := conf.Provider()
	if err != nil {
		return err
	}
	show := chat.NewPrinter(out)
	switch {
	case live:
		show.Note("Talking to %s.", conf.Model)
	case asked.question != "" || asked.named:
		return errors.New("no model is configured, and questions of your own need one: set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY.\n" +
			"Without a question and -user the recorded conversations are held")
	default:
		show.Note("No model is configured (OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY), so this replays transcripts:\nthe model's words are replayed; planning, checking, asking and computing really run.")
		model = llmtest.New(shipping.Replay(shipping.Scenarios()...)...)
	}
	engine, where, err := cluster.Open(ctx, conf.Search, shipping.Recording, shipping.Fill)
	if err != nil {
		return err
	}
	defer engine.Close()
	if where == "" {
		show.Note("No cluster is configured (ELASTICSEARCH_URL), so a recording of Elasticsearch answers the searches of the transcripts,\nand no others.")
	} else {
		show.Note("Searching %s and %s on %s.", shipping.ShipmentIndex, shipping.ContainerIndex, where)
	}
	server, err := shipping.Serve(ctx)
	if err != nil {
		return err
	}
	defer server.Close()

	ctx = qed.WithClock(ctx, func() time.Time { return shipping.Now })
	d := desk{model: model, engine: engine, graphQL: server.URL, show: show, out: asked.out, opt: todoagent.Options{
		Store:    &store.InMemory{},
		Settings: llm.Settings{Temperature: conf.Agent.Temperature, JSONMode: conf.Agent.JSONMode},
	}}
	switch {
	case len(asked.scenarios) > 0:
		err = d.hold(ctx, asked.scenarios)
	case asked.question != "":
		err = d.answer(ctx, asked.user, asked.question)
	case live:
		err = d.converse(ctx, asked.user, in)
	default:
		err = d.hold(ctx, shipping.Scenarios())
	}
	if err != nil {
		return err
	}
	return d.write()
}

// asked is what the command line asks for.
type asked struct {
	scenarios []shipping.Scenario
	user      shipping.User
	named     bool // the user is, on the command line
	out       string
	question  string
}

func read(args []string) (asked, error) {
	var a asked
	var scenario, user string
	flags := flag.NewFlagSet("bi", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprintln(flags.Output(), usage) }
	flags.StringVar(&scenario, "scenario", "", "")
	flags.StringVar(&user, "user", shipping.Ana.Name, "")
	flags.StringVar(&a.out, "out", "", "")
	if err := chat.Parse(flags, args); err != nil {
		return a, err
	}
	a.question = strings.Join(flags.Args(), " ")
	flags.Visit(func(f *flag.Flag) { a.named = a.named || f.Name == "user" })
	if scenario != "" && a.named {
		return a, fmt.Errorf("-scenario %s says who asks: leave out -user, or -scenario", scenario)
	}
	if scenario != "" && a.question != "" {
		return a, fmt.Errorf("-scenario %s has its own questions: leave out %q, or -scenario", scenario, a.question)
	}
	switch user {
	case shipping.Ana.Name:
		a.user = shipping.Ana
	case shipping.Ben.Name:
		a.user = shipping.Ben
	default:
		return a, fmt.Errorf("-user %q is nobody: take %s or %s", user, shipping.Ana.Name, shipping.Ben.Name)
	}
	if err := writable(a.out); err != nil {
		return a, err
	}
	var err error
	a.scenarios, err = choose(scenario)
	return a, err
}

// writable says before anything is asked that a file cannot be written.
func writable(file string) error {
	if file == "" {
		return nil
	}
	folder := filepath.Dir(file)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("-out %s: there is no folder %s", file, folder)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("-out %s is a folder: name a file in it, such as %s", file, filepath.Join(file, "chart.json"))
	}
	return nil
}

// choose returns the scenarios of a number; none where nothing is said.
func choose(number string) ([]shipping.Scenario, error) {
	all := shipping.Scenarios()
	switch number {
	case "":
		return nil, nil
	case "all":
		return all, nil
	}
	var known strings.Builder
	for _, s := range all {
		if number == fmt.Sprint(s.Number) {
			return []shipping.Scenario{s}, nil
		}
		fmt.Fprintf(&known, "\n  %d  %s", s.Number, s.Title)
	}
	return nil, fmt.Errorf("there is no -scenario %q. Take all, or one of:%s", number, known.String())
}
