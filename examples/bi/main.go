// Bi answers questions about the shipments of a freight company. It plans a request
// as tasks, runs them one after the other, asks the user when something is not
// clear, and remembers what it did. It prints every step: the intent of a message,
// the question as it is rewritten, the plan, each task, what is remembered of it, and
// the answer.
//
// Without a model it replays recorded conversations, and without a cluster a
// recording of Elasticsearch: planning, checking, asking and computing really run.
// Questions about one thing go to a GraphQL server, which the program starts itself.
// With ELASTICSEARCH_URL it makes indices of its own on that cluster and searches
// there; with a model it takes any question.
//
//	go run ./examples/bi                           # all conversations, or your own questions
//	go run ./examples/bi -scenario 3               # one of them
//	go run ./examples/bi -scenario 5 -out chart.json
//	go run ./examples/bi "Which carrier was late last week?"
//	ELASTICSEARCH_URL=http://localhost:9200 go run ./examples/bi
//
// The date is 2025-01-15. The same indices hold the shipments of another company; no
// query finds them, whatever the model writes.
//
// OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a
// .env file, name the model. See .env.example for all settings.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

func main() { command.Main("bi", run) }

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	show := chat.NewPrinter(out)
	var replay llm.Model
	if !o.own() {
		replay = llmtest.New(shipping.Replay(shipping.Scenarios()...)...)
	}
	model, live, err := provider.OrReplay(conf, show.Note, replay)
	if errors.Is(err, settings.ErrNoModel) {
		return fmt.Errorf("%w,\nor leave out the question and -user to replay the recorded conversations", err)
	}
	if err != nil {
		return err
	}
	engine, note, err := cluster.Open(ctx, conf.Search, shipping.Recording, shipping.Fill)
	if err != nil {
		return err
	}
	defer engine.Close()
	show.Note("%s", note)
	server, err := shipping.Serve(ctx)
	if err != nil {
		return err
	}
	defer server.Close()

	options := &todoagent.Options{
		Store:    &store.InMemory{},
		Settings: conf.Agent.Settings,
	}
	// Each user has an agent of their own, with their own names for ports.
	newAgent := func(user shipping.User) (qed.Agent, error) {
		return shipping.NewAgent(model, engine, server.URL, user, options)
	}
	s := &session{show: show, store: options.Store, out: o.out}
	ctx = qed.WithClock(ctx, func() time.Time { return shipping.Now })
	if live && o.scenarios == nil {
		agent, err := newAgent(o.user)
		if err != nil {
			return err
		}
		ask := func(text string) (bool, error) { return s.ask(ctx, agent, o.user, "bi", text) }
		if err := chat.Converse(ctx, in, show, o.question, ask); err != nil {
			return err
		}
		return s.writeChart()
	}
	if o.scenarios == nil {
		o.scenarios = shipping.Scenarios()
	}
	for _, scenario := range o.scenarios {
		agent, err := newAgent(scenario.User)
		if err != nil {
			return err
		}
		show.Note("\nScenario %d, the user is %s. %s.", scenario.Number, scenario.User.Name, scenario.Title)
		thread := fmt.Sprintf("scenario-%d", scenario.Number)
		s.remembered = 0
		for _, t := range scenario.Turns {
			show.Question(t.Text)
			if _, err := s.ask(ctx, agent, scenario.User, thread, t.Text); err != nil {
				return fmt.Errorf("scenario %d: %w", scenario.Number, err)
			}
		}
	}
	return s.writeChart()
}

// session asks agents, prints their turns, and keeps the last chart.
type session struct {
	show  *chat.Printer
	store store.Store
	out   string // the file for the last chart; empty: none

	remembered int           // the number of the last memory entry that was printed
	chart      *qed.Artifact // the last one
}

// ask runs a turn, and prints what the thread remembers of it. It reports whether the agent
// asks back.
func (s *session) ask(ctx context.Context, agent qed.Agent, user shipping.User, thread, text string) (open bool, err error) {
	turn := qed.Turn{Thread: thread, User: user.Name, Tenant: shipping.Company, Text: text}
	answer, err := chat.Ask(ctx, agent, s.show, turn)
	if err != nil {
		return false, err
	}
	for i := range answer.Artifacts {
		s.chart = &answer.Artifacts[i]
		if s.out == "" {
			s.show.Hint("-out chart.json writes it to a file, which vega.github.io/editor draws")
		}
	}
	entries, err := todoagent.Entries(ctx, store.ForUser(s.store, shipping.Company, user.Name), thread, 0)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if e.TurnID > s.remembered {
			s.show.Memory(fmt.Sprintf("%d %s, %s: %s", e.TurnID, e.TodoKey, e.Status, e.AgentAction))
			s.remembered = e.TurnID
		}
	}
	return len(answer.Questions) > 0, nil
}

// writeChart writes the last chart to the file of -out.
func (s *session) writeChart() error {
	switch {
	case s.out == "":
		return nil
	case s.chart == nil:
		return errors.New("no chart was drawn, so -out has nothing to write: -scenario 5 draws one")
	}
	if err := os.WriteFile(s.out, s.chart.Data, 0o644); err != nil {
		return err
	}
	s.show.Note("\n%s (%s) is in %s.", s.chart.Name, strings.TrimSpace(s.chart.MediaType), s.out)
	return nil
}
