package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// An at-most-once call is not made again, however it ended.
func TestAtMostOnce(t *testing.T) {
	for name, after := range map[string]func(context.Context) error{
		"budget": func(ctx context.Context) error {
			return budget.Spend(budget.With(ctx, budget.Limits{Rows: 1}), budget.Limits{Rows: 2})
		},
		"nobody to ask": func(context.Context) error { return qed.ErrCannotInterrupt },
		"a call within that was not done": func(ctx context.Context) error {
			_, err := qed.StepOnce(ctx, "audit", nil, func(context.Context) (int, error) { return 0, qed.SafeToRetry(errBoom) })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var l qedtest.Ledger
			c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
				return qed.StepOnce(ctx, "pay", nil, func(ctx context.Context) (string, error) {
					l.Do("pay")
					return "", after(ctx)
				})
			}), new(store.InMemory), nil)
			for _, turn := range []qed.Turn{{Text: "go"}, {}, {}} {
				if a, err := c.try(turn); err == nil {
					t.Errorf("answer = %+v", a)
				}
			}
			l.Want(t, map[string]int{"pay": 1})
		})
	}
	t.Run("the turn was cancelled meanwhile", func(t *testing.T) {
		var l qedtest.Ledger
		ctx, cancel := context.WithCancel(t.Context())
		c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
			return qed.StepOnce(ctx, "order", nil, func(context.Context) (string, error) {
				l.Do("order")
				cancel()
				return "order 77", nil
			})
		}), new(store.InMemory), nil)
		c.ctx = ctx
		c.fails(qed.Turn{Text: "go"}, context.Canceled)
		c.ctx = t.Context()
		if a := c.resume(); a.Text != "order 77" {
			t.Errorf("answer = %+v", a)
		}
		l.Want(t, map[string]int{"order": 1})
	})
}

// The parts of an agent record separately: if begin is left out, because the
// run is resumed from a state, answer does not find the records of begin.
func TestPartsOfAnAgent(t *testing.T) {
	var l qedtest.Ledger
	notify := func(ctx context.Context, what string) (string, error) {
		return qed.StepOnce(ctx, "notify", what, func(context.Context) (string, error) { l.Do(what); return what, nil })
	}
	g := qed.NewGraph[trail]("g")
	g.Node("ask", func(ctx context.Context, s trail) (trail, error) {
		_, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		return s, err
	}, nil)
	g.Node("before", func(_ context.Context, s trail) (trail, error) { return s, nil }, nil)
	g.Edge(qed.Start, "before")
	g.Edge("before", "ask")
	g.Edge("ask", qed.End)
	agent := qed.NewAgent(compile(t, g, nil),
		func(ctx context.Context, s trail, _ qed.Turn) (trail, error) {
			_, err := notify(ctx, "begun")
			return s, err
		},
		func(ctx context.Context, _ trail) (qed.Answer, error) {
			text, err := notify(ctx, "finished")
			return qed.Answer{Text: text}, err
		}, nil)
	c := converse(t, agent, new(store.InMemory), nil)
	if a := c.reply(c.say("go"), `"good"`); a.Text != "finished" {
		t.Errorf("answer = %+v", a)
	}
	l.Want(t, map[string]int{"begun": 1, "finished": 1})
}

// Different namespaces and names never share a record.
func TestNamespacesDoNotCollide(t *testing.T) {
	var l qedtest.Ledger
	send := func(ctx context.Context, name, what string) error {
		_, err := qed.StepOnce(ctx, name, nil, func(context.Context) (int, error) { l.Do(what); return 1, nil })
		return err
	}
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		_, err := qed.Step(qed.WithNamespace(ctx, "task"), "1", nil, func(ctx context.Context) (int, error) { return 1, send(ctx, "send", "of the memo") })
		return "", errors.Join(err, send(qed.WithNamespace(ctx, "task/1"), "send", "of the scope"))
	}), new(store.InMemory), nil)
	c.say("go")
	l.Want(t, map[string]int{"of the memo": 1, "of the scope": 1})
}

// An unresolved call in a namespace fails later turns too, until it is
// resolved.
func TestUnresolvedInANamespace(t *testing.T) {
	var l qedtest.Ledger
	st := qedtest.NewSnapshots(t, &l)
	agent := does(func(ctx context.Context, _ string) (string, error) {
		return qed.StepOnce(qed.WithNamespace(ctx, "order/7"), "ship", nil, func(context.Context) (string, error) { l.Do("ship"); return "shipped", nil })
	})
	converse(t, agent, st, nil).say("go")
	i := slices.IndexFunc(st.Moments, func(m qedtest.Moment) bool { return m.Log[len(m.Log)-1].Kind == store.Called })
	died := qedtest.Restore(t, st.Moments[i].Log)
	c := converse(t, agent, died, nil)
	c.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
	c.fails(qed.Turn{Text: "again"}, qed.ErrUnresolved)
	thread, err := qed.Inspect(c.ctx, died, "t")
	if err != nil || len(thread.Unresolved) != 1 || thread.Unresolved[0].Name != "ship" {
		t.Fatalf("thread = %+v, %v", thread, err)
	}
	if err := qed.Settle(c.ctx, died, "t", thread.Unresolved[0].Address, json.RawMessage(`"was shipped"`), nil); err != nil {
		t.Fatal(err)
	}
	if a := c.resume(); a.Text != "was shipped" {
		t.Errorf("answer = %+v", a)
	}
	l.Want(t, map[string]int{"ship": 1})
}

// Several entries can be remembered in one namespace, and a resumed run adds
// none twice.
func TestRememberInANamespace(t *testing.T) {
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		for _, entry := range []string{"a", "b", "a"} {
			if err := qed.Remember(qed.WithNamespace(ctx, "s"), "notes", entry); err != nil {
				return "", err
			}
		}
		if _, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"}); err != nil {
			return "", err
		}
		entries, err := qed.Remembered[string](ctx, "notes", 0)
		return fmt.Sprint(entries), err
	}), new(store.InMemory), nil)
	if a := c.reply(c.say("go"), `"good"`); a.Text != "[a b]" {
		t.Errorf("answer = %+v", a)
	}
}

// With Restart, two agents of one run have separate states.
func TestRestartOfTwoAgents(t *testing.T) {
	g := qed.NewGraph[trail]("g")
	g.Node("ask", func(ctx context.Context, s trail) (trail, error) {
		value, err := qed.Interrupt[string](qed.WithNamespace(ctx, "ask/"+s.Seen[len(s.Seen)-1]), question.Question{Text: "value for " + s.Seen[len(s.Seen)-1] + "?"})
		s.Seen = append(s.Seen, value)
		return s, err
	}, nil)
	g.Edge(qed.Start, "ask")
	g.Edge("ask", qed.End)
	var c *talk
	sub := func(name string) qed.Agent {
		return qed.NewAgent(compile(t, g, nil),
			func(_ context.Context, s trail, _ qed.Turn) (trail, error) { return trail{Seen: []string{name}}, nil },
			func(_ context.Context, s trail) (qed.Answer, error) { return qed.Answer{Text: fmt.Sprint(s.Seen)}, nil },
			&qed.AgentOptions[trail]{RestartOnReply: true})
	}
	c = converse(t, qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		a, err := qed.Ask(ctx, sub("a"), turn)
		if err != nil {
			return a, err
		}
		b, err := qed.Ask(ctx, sub("b"), turn)
		return qed.Answer{Text: a.Text + b.Text}, err
	}), new(store.InMemory), nil)
	asked := c.say("go")
	asked = c.reply(asked, `"1"`)
	if a := c.reply(asked, `"2"`); a.Text != "[a 1][b 2]" {
		t.Errorf("answer = %+v", a)
	}
}

// A call in another order than before does not receive the result of another
// call.
func TestCallsInAnotherOrder(t *testing.T) {
	var l qedtest.Ledger
	turned := false
	tools := registry(t, nil,
		qed.NewTool("pay", "", func(context.Context, struct{}) (string, error) { l.Do("pay"); return "paid", nil }),
		qed.NewTool("mail", "", func(context.Context, struct{}) (string, error) { l.Do("mail"); return "mailed", nil }))
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		order := []string{"pay", "mail"}
		if turned {
			slices.Reverse(order)
		}
		for _, name := range order {
			if _, err := tools.Do(ctx, llm.ToolCall{Name: name}); err != nil {
				return "", err
			}
		}
		if !turned {
			turned = true
			return "", errBoom
		}
		return "", nil
	}), new(store.InMemory), nil)
	c.fails(qed.Turn{Text: "go"}, errBoom)
	c.fails(qed.Turn{}, qed.ErrNondeterministic)
	l.Want(t, map[string]int{"pay": 1, "mail": 1})
}

// A question that is changed by JSON is the same question when the reply comes.
func TestQuestionsThatJSONChanges(t *testing.T) {
	for name, ask := range map[string]func(context.Context) (string, error){
		"draft": func(ctx context.Context) (string, error) {
			a, err := qed.Interrupt[question.Approval[map[string]string]](ctx, question.Question{Text: "Well?", Draft: json.RawMessage(`{"sql": "a < b & c"}`)})
			return string(a.Decision), err
		},
		"text": func(ctx context.Context) (string, error) {
			return qed.Interrupt[string](ctx, question.Question{Text: "Malm\xf6?"})
		},
		"no options": func(ctx context.Context) (string, error) {
			return qed.Interrupt[string](ctx, question.Question{Text: "?", Choices: []question.Choice{}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := converse(t, does(func(ctx context.Context, _ string) (string, error) { return ask(ctx) }), new(store.InMemory), nil)
			if a := c.reply(c.say("go"), `"approve"`); a.Text != "approve" {
				t.Errorf("answer = %+v", a)
			}
		})
	}
}

// An ID that differs from another by spaces, or looks like a number, is the
// chosen one.
func TestIDsOfChoicesAreExact(t *testing.T) {
	options := []question.Choice{{ID: "x", Text: "Delete"}, {ID: "1 ", Text: "Keep"}, {ID: "x ", Text: "Wait"}}
	for _, want := range options {
		c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
			return qed.Interrupt[string](ctx, question.Question{Text: "Well?", Choices: options})
		}), new(store.InMemory), nil)
		c.say("go")
		if a := c.say(want.Text); a.Text != want.ID {
			t.Errorf("%s gave %q", want.Text, a.Text)
		}
	}
}

// If parsing a message fails after a while, the question stays open.
func TestSlowParsing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		st := new(store.InMemory)
		agent := does(func(ctx context.Context, _ string) (string, error) {
			return qed.Interrupt[string](ctx, question.Question{Text: "Colour?"})
		})
		c := converse(t, agent, st, &qed.DurableOptions{ParseReplies: func(_ context.Context, open []question.Question, _ string) (question.Parsed, error) {
			if down {
				time.Sleep(20 * time.Second)
				return question.Parsed{}, errBoom
			}
			return question.Parsed{Intent: question.IntentAnswer, Replies: []question.Reply{qedtest.Reply(open[0], `"blue"`)}}, nil
		}})
		c.say("go")
		before := qedtest.Log(t, st, "t")
		c.fails(qed.Turn{Text: "blue"}, errBoom)
		if diff := cmp.Diff(before, qedtest.Log(t, st, "t")); diff != "" {
			t.Errorf("the thread was changed: %s", diff)
		}
		down = false
		if a := c.say("blue"); a.Text != "blue" {
			t.Errorf("answer = %+v", a)
		}
	})
}

// Only the questions of the last answer accept a reply.
func TestQuestionsOfAnEarlierAnswer(t *testing.T) {
	first := true
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		if first {
			_, err := qed.Each(ctx, []string{"a", "b"}, func(s string) string { return s }, func(ctx context.Context, s string) (string, error) {
				return qed.Interrupt[string](ctx, question.Question{Text: s + "?", Choices: []question.Choice{{Text: "yes"}, {Text: "no"}}})
			})
			return "", err
		}
		return qed.Interrupt[string](ctx, question.Question{Text: "c?", Choices: []question.Choice{{Text: "yes"}, {Text: "no"}}})
	}), new(store.InMemory), nil)
	asked := c.say("go")
	first = false
	asked = c.turn(qed.Turn{Replies: []question.Reply{qedtest.Reply(asked.Questions[0], `"yes"`)}})
	if len(asked.Questions) != 1 || asked.Questions[0].Text != "c?" {
		t.Fatalf("asked %+v", asked.Questions)
	}
	if thread, err := qed.Inspect(t.Context(), c.store, "t"); err != nil || len(thread.Questions) != 1 {
		t.Errorf("thread = %+v, %v", thread, err)
	}
	if a := c.say("yes"); a.Text != "yes" {
		t.Errorf("answer = %+v", a)
	}
}

// The question is asked again if its reply is ambiguous.
func TestDuplicateDecisions(t *testing.T) {
	for _, value := range []string{`{"decision":"reject","decision":"approve"}`, `{"decision":"reject","DECISION":"approve"}`, `["approve"]`, `null`} {
		c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
			a, err := qed.Interrupt[question.Approval[string]](ctx, question.Question{Text: "Well?", Draft: json.RawMessage(`"x"`)})
			return string(a.Decision), err
		}), new(store.InMemory), nil)
		again := c.reply(c.say("go"), value)
		if len(again.Questions) != 1 || again.Questions[0].Problem == "" {
			t.Errorf("%s: answer = %+v", value, again)
		}
	}
}

// A run that failed with an unknown error makes its repeatable calls again.
func TestFailedRunTriesAgain(t *testing.T) {
	var l qedtest.Ledger
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		text, err := qed.Step(ctx, "look", nil, func(context.Context) (string, error) {
			if l.Do("look") == 1 {
				return "", errBoom
			}
			return "seen", nil
		})
		if err != nil {
			return "", errors.New("it did not work") // without the cause
		}
		return text, nil
	}), new(store.InMemory), nil)
	if _, err := c.try(qed.Turn{Text: "go"}); err == nil {
		t.Error("no error")
	}
	if a := c.resume(); a.Text != "seen" {
		t.Errorf("answer = %+v", a)
	}
}

// An id that is not valid UTF-8 is refused, and a text is the same when the run
// is resumed.
func TestInvalidUTF8(t *testing.T) {
	c := converse(t, does(func(_ context.Context, text string) (string, error) { return text, nil }), new(store.InMemory), nil)
	for _, turn := range []qed.Turn{{Text: "go", User: "u\xff"}, {Text: "go", Tenant: "u\xff"}} {
		if _, err := c.try(turn); !errors.Is(err, qed.ErrWrongUser) {
			t.Errorf("error = %v", err)
		}
	}
	if a := c.say("Malm\xf6"); a.Text != "Malm\ufffd" {
		t.Errorf("answer = %q", a.Text)
	}
}

// Concurrent branches that reach the same namespace do its work once.
func TestNamespaceOfSeveralBranches(t *testing.T) {
	var l qedtest.Ledger
	slow := &qedtest.Store{Store: new(store.InMemory)}
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		var here sync.WaitGroup
		here.Add(4)
		got, err := qed.Each(ctx, []string{"a", "b", "c", "d"}, func(s string) string { return s }, func(ctx context.Context, _ string) (string, error) {
			here.Done()
			return qed.StepOnce(qed.WithNamespace(ctx, "order/7"), "ship", nil, func(context.Context) (string, error) {
				here.Wait()
				return fmt.Sprint("shipment ", l.Do("ship")), nil
			})
		})
		return fmt.Sprint(got), err
	}), slow, nil)
	if a := c.say("go"); a.Text != "[shipment 1 shipment 1 shipment 1 shipment 1]" {
		t.Errorf("answer = %+v", a)
	}
	l.Want(t, map[string]int{"ship": 1})
}

// An agent that answers although a call is unresolved does not hide that from
// the next turn, and OnError does not receive the error.
func TestUnresolvedIsNotHidden(t *testing.T) {
	var l qedtest.Ledger
	st := qedtest.NewSnapshots(t, &l)
	agent := does(func(ctx context.Context, _ string) (string, error) {
		text, err := qed.StepOnce(ctx, "pay", nil, func(context.Context) (string, error) { l.Do("pay"); return "paid", nil })
		if err != nil {
			return "something went wrong", nil
		}
		return text, nil
	})
	converse(t, agent, st, nil).say("go")
	i := slices.IndexFunc(st.Moments, func(m qedtest.Moment) bool { return m.Log[len(m.Log)-1].Kind == store.Called })
	c := converse(t, agent, qedtest.Restore(t, st.Moments[i].Log), nil)
	c.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
	c.resume()
	messages, err := qed.Messages(t.Context(), c.store, "t", 1)
	if err != nil || len(messages) != 1 || !strings.Contains(messages[0].Content, "pay") {
		t.Errorf("messages = %v, %v", messages, err)
	}
}
