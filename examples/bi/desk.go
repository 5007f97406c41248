package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/todoagent"
)

// A desk is where users ask: each has an agent of his own, as each has names of his own
// for things.
type desk struct {
	model   llm.Model
	engine  searchagent.Engine
	graphQL string
	show    *chat.Printer
	opt     todoagent.Options
	out     string // the file that the last chart is written to

	remembered int           // the number of the last memory entry that was shown
	chart      *qed.Artifact // the last one
}

// hold holds recorded conversations, each on a thread of its own.
func (d *desk) hold(ctx context.Context, scenarios []shipping.Scenario) error {
	for _, s := range scenarios {
		agent, err := d.agent(s.User)
		if err != nil {
			return err
		}
		d.show.Note("\nScenario %d, %s asks. %s.", s.Number, s.User.Name, s.Title)
		thread := fmt.Sprintf("scenario-%d", s.Number)
		d.remembered = 0
		for _, t := range s.Turns {
			d.show.Question(t.Text)
			if err := d.ask(ctx, agent, s.User, thread, t.Text); err != nil {
				return fmt.Errorf("scenario %d: %w", s.Number, err)
			}
		}
	}
	return nil
}

// answer answers one question.
func (d *desk) answer(ctx context.Context, user shipping.User, question string) error {
	agent, err := d.agent(user)
	if err != nil {
		return err
	}
	d.show.Question(question)
	return d.ask(ctx, agent, user, "bi", question)
}

// converse answers a user's questions as he types them.
func (d *desk) converse(ctx context.Context, user shipping.User, in io.Reader) error {
	agent, err := d.agent(user)
	if err != nil {
		return err
	}
	d.show.Note("Ask a question; an empty line ends.")
	return chat.Converse(ctx, in, d.show, func(text string) error { return d.ask(ctx, agent, user, "bi", text) })
}

func (d *desk) agent(user shipping.User) (qed.Agent, error) {
	opt := d.opt
	return shipping.NewAgent(d.model, d.engine, d.graphQL, user, &opt)
}

// ask shows a turn, and then what is remembered of it.
func (d *desk) ask(ctx context.Context, agent qed.Agent, user shipping.User, thread, text string) error {
	answer, err := chat.Ask(ctx, agent, d.show, qed.Turn{Thread: thread, User: user.Name, Tenant: shipping.Company, Text: text})
	if err != nil {
		return err
	}
	for i := range answer.Artifacts {
		d.chart = &answer.Artifacts[i]
		if d.out == "" {
			d.show.Hint("-out chart.json would write it to a file, which vega.github.io/editor shows")
		}
	}
	entries, err := todoagent.Entries(ctx, d.opt.Store, thread, 0)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.TurnID > d.remembered {
			d.show.Entry(e)
			d.remembered = e.TurnID
		}
	}
	return nil
}

// write writes the last chart to the file, where one is named.
func (d *desk) write() error {
	switch {
	case d.out == "":
		return nil
	case d.chart == nil:
		return errors.New("no chart was drawn, so -out has nothing to write: -scenario 5 draws one")
	}
	if err := os.WriteFile(d.out, d.chart.Data, 0o644); err != nil {
		return err
	}
	d.show.Note("\n%s (%s) is in %s.", d.chart.Name, strings.TrimSpace(d.chart.MediaType), d.out)
	return nil
}
