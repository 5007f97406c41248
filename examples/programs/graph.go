package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

type mailing struct {
	Request  string
	Facts    []string
	Draft    string
	Drafts   int
	Decision question.Decision
}

// Mailing writes a mail from two sources, and again until it is short enough. It asks
// for approval before it sends the mail. user returns the user of a request from its
// verified token.
func Mailing(
	model llm.Model, st store.Store, send func(context.Context, string) error, user func(*http.Request) string,
) (http.Handler, error) {
	durable := qed.DurableModel(model)
	source := func(name string) qed.Branch[mailing, string] {
		return qed.Branch[mailing, string]{Name: name, Run: func(ctx context.Context, s mailing) (string, error) {
			return llm.GenerateText(ctx, durable, "From the "+name+": "+s.Request)
		}}
	}
	g := qed.NewGraph[mailing]("mailing")
	qed.FanOut(g, "collect", func(s mailing, facts []string) (mailing, error) {
		s.Facts = facts
		return s, nil
	}, source("orders"), source("stock"))
	g.Node("write", func(ctx context.Context, s mailing) (_ mailing, err error) {
		s.Drafts++
		s.Draft, err = llm.GenerateText(ctx, durable, fmt.Sprintf("Write draft %d of at most 40 letters about %q.", s.Drafts, s.Facts))
		return s, err
	}, nil)
	g.Node("send", func(ctx context.Context, s mailing) (mailing, error) {
		reply, err := qed.Approve(ctx, "Send this?", s.Draft)
		if s.Decision = reply.Decision; err != nil || s.Decision == question.Reject {
			return s, err
		}
		_, err = qed.StepOnce(ctx, "mail", reply.Value, func(ctx context.Context) (bool, error) {
			return true, send(ctx, reply.Value)
		})
		return s, err
	}, nil)
	g.Edge(qed.Start, "collect")
	g.Edge("collect", "write")
	g.Route("write", func(s mailing) string {
		if len(s.Draft) > 40 && s.Drafts < 3 {
			return "write"
		}
		return "send"
	}, "write", "send")
	g.Edge("send", qed.End)
	runner, err := g.Compile(nil)
	if err != nil {
		return nil, err
	}
	agent := qed.Durable(qed.NewAgent(runner, func(_ context.Context, _ mailing, turn qed.Turn) (mailing, error) {
		return mailing{Request: turn.Text}, nil
	}, func(_ context.Context, s mailing) (qed.Answer, error) {
		return qed.Answer{Text: fmt.Sprintf("%s after %d drafts.", s.Decision, s.Drafts)}, nil
	}, nil), st, nil)

	return serve.New(agent, &serve.Options{
		Store: st,
		Caller: func(r *http.Request) (context.Context, serve.Caller, error) {
			return budget.With(r.Context(), budget.Limits{ModelCalls: 10}), serve.Caller{User: user(r)}, nil
		},
	}), nil
}
