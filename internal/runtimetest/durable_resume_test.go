package runtimetest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// A text may answer the open question of a run that crashed, failed or was
// stopped after it asked, as it may answer that of a run that waits.
func TestTextAnswersTheQuestionOfACrashedRun(t *testing.T) {
	for _, how := range []string{"crashed", "failed", "stopped"} {
		for _, text := range []string{"2", "How many ships are late?"} {
			t.Run(how+" "+text, func(t *testing.T) {
				var l qedtest.Ledger
				hinder := true
				ctx, cancel := context.WithCancel(t.Context())
				agent := does(func(ctx context.Context, text string) (string, error) {
					if _, err := once(ctx, &l, "send "+text); err != nil {
						return "", err
					}
					a, err := qed.Each(ctx, []string{"a", "b"}, func(s string) string { return s }, func(ctx context.Context, name string) (string, error) {
						v, err := qed.Interrupt[string](ctx, question.Question{Text: name + "?", Choices: []question.Choice{{Text: "x"}, {Text: "y"}}})
						if err == nil && hinder {
							hinder = false
							if how == "stopped" {
								cancel()
							}
							err = errBoom
						}
						return v, err
					})
					return strings.Join(a, ""), err
				})
				st := new(store.InMemory)
				c := converse(t, agent, st, nil)
				asked := c.say("go")
				c.ctx = ctx
				if _, err := c.try(qed.Turn{Replies: qedtest.Choose(t, asked, `1`, "")}); err == nil {
					t.Fatal("no error")
				}
				log := qedtest.Log(t, st, "t")
				if how == "crashed" {
					log = log[:len(log)-1]
				}
				c = converse(t, agent, qedtest.Restore(t, log), nil)
				c.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
				a := c.say(text)
				if text == "2" && a.Text != "xy" || text != "2" && len(a.Questions) != 2 {
					t.Errorf("answer = %+v", a)
				}
			})
		}
	}
}

// A resumed run reads the last state of each graph, however many there were.
func TestResumeReadsTheLastStates(t *testing.T) {
	const steps = 40
	large := strings.Repeat("x", 10_000)
	type loop struct {
		N     int
		Text  string
		Inner int
	}
	run := func(name string, node func(context.Context, loop) (loop, error)) *qed.Runner[loop] {
		g := qed.NewGraph[loop](name)
		g.Node("work", node, nil)
		g.Edge(qed.Start, "work")
		g.Route("work", func(s loop) string {
			if s.N >= steps {
				return qed.End
			}
			return "work"
		}, "work", qed.End)
		return compile(t, g, &qed.CompileOptions{MaxSteps: 2 * steps})
	}
	dies := true
	inner := run("inner", func(ctx context.Context, s loop) (loop, error) {
		if s.N++; dies && s.N == steps-1 {
			return s, errBoom
		}
		s.Text = large
		return s, nil
	})
	outer := run("outer", func(ctx context.Context, s loop) (loop, error) {
		s.N++
		s.Text = large
		if s.N < steps-1 {
			return s, nil
		}
		in, err := inner.Run(ctx, loop{})
		s.Inner += in.N
		return s, err
	})
	agent := qed.NewAgent(outer,
		func(_ context.Context, _ loop, _ qed.Turn) (loop, error) { return loop{}, nil },
		func(_ context.Context, s loop) (qed.Answer, error) {
			return qed.Answer{Text: fmt.Sprint(s.N, s.Inner)}, nil
		}, nil)
	st := new(store.InMemory)
	converse(t, agent, st, nil).fails(qed.Turn{Text: "go"}, errBoom)
	dies = false
	read := map[string]int{}
	counting := &qedtest.Store{Store: st, OnRecords: func(ctx context.Context, r store.Range, do func(context.Context) qedtest.Records) qedtest.Records {
		return func(yield func(store.Record, error) bool) {
			for rec, err := range do(ctx) {
				if rec.Kind == store.Checkpoint {
					read[rec.Address]++
				}
				if !yield(rec, err) {
					return
				}
			}
		}
	}}
	if _, err := qed.Inspect(t.Context(), counting, "t"); err != nil || len(read) > 0 {
		t.Errorf("to inspect the thread, states were read: %v, %v", read, err)
	}
	if a := converse(t, agent, counting, nil).resume(); a.Text != fmt.Sprint(steps, 2*steps) {
		t.Errorf("answer = %+v", a)
	}
	for address, n := range read {
		if address == "outer" && n != 1 {
			t.Errorf("%d states of the outer graph were read", n)
		}
	}
	if len(read) > 3 {
		t.Errorf("states were read of %v", read)
	}
}
