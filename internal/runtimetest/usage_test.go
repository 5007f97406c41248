package runtimetest_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// wrapped is an agent that is no AgentFunc: it passes on the events of another one.
type wrapped struct{ qed.Agent }

func (w wrapped) Run(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	return w.Agent.Run(ctx, turn)
}

// asking is an agent that asks another one in its Run, and reports twice the cost.
type asking struct{ agent qed.Agent }

func (a asking) Run(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	return func(yield func(qed.Event, error) bool) {
		answer, err := qed.Ask(ctx, a.agent, turn)
		answer.Usage.Add(answer.Usage)
		yield(qed.Event{Data: qed.Completed{Answer: answer}}, err)
	}
}

// The usage of an answer is that of all calls that were made for it, by any agent or task
// and also if the part of the run that made them failed.
func TestUsageOfATurn(t *testing.T) {
	one := llm.Usage{InputTokens: 7, OutputTokens: 2, Calls: 1}
	broken := errors.New("broken")
	model := qed.DurableModel(llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
		return &llm.Response{
			Message: llm.Message{Role: llm.RoleAssistant, Content: "x"}, FinishReason: llm.FinishStop, Usage: one,
		}, nil
	}))
	call := func(ctx context.Context) error {
		_, err := model.Generate(ctx, &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "go"}}}, nil)
		return err
	}
	caller := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: "x"}, call(ctx)
	})
	own := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: "x", Usage: one}, nil // of a model that the run does not know
	})
	around := func(inner qed.Agent) qed.Agent {
		return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
			if err := call(ctx); err != nil {
				return qed.Answer{}, err
			}
			return qed.Ask(ctx, inner, turn)
		})
	}
	limited := func(ctx context.Context, n int) (int, error) {
		if err := call(ctx); err != nil {
			return n, err
		}
		<-ctx.Done()
		return n, context.Cause(ctx)
	}
	g := qed.NewGraph[int]("g")
	g.Node("work", limited, nil)
	g.Node("finish", func(ctx context.Context, n int) (int, error) { return n, call(ctx) }, nil)
	g.Edge(qed.Start, "work")
	g.Edge("work", "finish")
	g.Edge("finish", qed.End)
	runner, err := g.Compile(&qed.CompileOptions{WrapUp: "finish"})
	if err != nil {
		t.Fatal(err)
	}
	wrapsUp := qed.NewAgent(runner, func(context.Context, int, qed.Turn) (int, error) { return 0, nil },
		func(context.Context, int) (qed.Answer, error) { return qed.Answer{Text: "x"}, nil }, nil)
	for name, test := range map[string]struct {
		agent qed.Agent
		calls int
	}{
		"a call":                      {caller, 1},
		"no call":                     {own, 1},
		"two agents":                  {around(caller), 2},
		"three agents":                {around(around(caller)), 3},
		"an agent with its own model": {around(own), 2},
		"a wrapped agent":             {around(wrapped{caller}), 2},
		"an agent that asks in Run":   {around(asking{caller}), 3},
		"a model made durable twice": {qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
			_, err := qed.DurableModel(model).Generate(ctx, &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "go"}}}, nil)
			return qed.Answer{Text: "x"}, err
		}), 1},
		"an agent whose events are read": {qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
			for _, err := range caller.Run(ctx, turn) {
				if err != nil {
					return qed.Answer{}, err
				}
			}
			return qed.Answer{Text: "x"}, call(ctx)
		}), 2},
		"a node that the limit ends":   {wrapsUp, 2},
		"a graph within another agent": {around(wrapsUp), 3},
		"an agent that fails": {qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
			_, err := qed.Ask(ctx, qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
				return qed.Answer{}, errors.Join(call(ctx), broken)
			}), turn)
			if !errors.Is(err, broken) {
				return qed.Answer{}, err
			}
			return qed.Answer{Text: "x"}, nil
		}), 1},
		"tasks at the same time": {qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
			keys := []string{"a", "b", "c", "d"}
			costs, err := qed.Each(ctx, keys, func(k string) string { return k }, func(ctx context.Context, k string) (llm.Usage, error) {
				ended, err := qed.RunTask(ctx, qed.Task{Key: k}, func(ctx context.Context) (int, error) { return 0, call(ctx) })
				return ended.Usage, err
			})
			if diff := cmp.Diff([]llm.Usage{one, one, one, one}, costs); diff != "" {
				t.Errorf("the tasks: %s", diff)
			}
			return qed.Answer{Text: "x"}, err
		}), 4},
	} {
		var want llm.Usage
		for range test.calls {
			want.Add(one)
		}
		for kind, agent := range map[string]qed.Agent{"": test.agent, ", durable": qed.Durable(test.agent, new(store.InMemory), nil)} {
			t.Run(name+kind, func(t *testing.T) {
				ctx := budget.With(t.Context(), budget.Limits{Time: 500 * time.Millisecond})
				answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t", Text: "go"})
				if diff := cmp.Diff(want, answer.Usage); diff != "" || err != nil {
					t.Errorf("%v, %s", err, diff)
				}
			})
		}
	}
}

// What an agent reports of models that the run does not know counts once, however often the
// run is resumed.
func TestReportedUsageOfAResumedRun(t *testing.T) {
	used := llm.Usage{InputTokens: 10, Calls: 1}
	inner := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		u, err := qed.Step(ctx, "remote", 1, func(context.Context) (llm.Usage, error) { return used, nil })
		return qed.Answer{Text: "x", Usage: u}, err
	})
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		if _, err := qed.Ask(ctx, inner, turn); err != nil {
			return qed.Answer{}, err
		}
		for range 3 {
			if _, err := qed.Interrupt[string](ctx, question.Question{Text: "Which?"}); err != nil {
				return qed.Answer{}, err
			}
		}
		return qed.Answer{Text: "done"}, nil
	}), new(store.InMemory), nil)
	turn := qed.Turn{Thread: "t", Text: "go"}
	for range 4 {
		answer, err := qed.Ask(t.Context(), agent, turn)
		if diff := cmp.Diff(used, answer.Usage); diff != "" || err != nil {
			t.Fatalf("%v, %s", err, diff)
		}
		if len(answer.Questions) > 0 {
			turn = qed.Turn{Thread: "t", Replies: []question.Reply{qedtest.Reply(answer.Questions[0], `"this"`)}}
		}
	}
}
