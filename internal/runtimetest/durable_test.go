package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// journeyState is the state of the journey.
type journeyState struct {
	Question string
	Turns    int
	Seen     []string
	City     string
	Time     time.Time
	Sums     []int
	Tool     string
}

// countingModel is a model that counts its calls, and replies with their names
// and the number of messages.
func countingModel(l *qedtest.Ledger) llm.Model {
	return qed.DurableModel(llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		l.Do("model " + req.Name)
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: fmt.Sprint("said ", req.Name, len(req.Messages))}, FinishReason: llm.FinishStop,
			Usage: llm.Usage{InputTokens: 10, OutputTokens: 5, Calls: 1}}, nil
	}))
}

// journey is an agent with everything that is recorded: models, repeatable
// calls and an at-most-once call, a loop, a fan-out with a question in each
// branch, Each, tools, a graph in a graph, attempts, saved values and entries.
func journey(t testing.TB, l *qedtest.Ledger) qed.Agent {
	t.Helper()
	model := countingModel(l)
	type none struct{}
	look := qed.NewTool("look", "looks", func(ctx context.Context, in none) (string, error) { l.Do("tool look"); return "seen", nil })
	look.Idempotent = true
	send := qed.NewTool("send", "sends", func(ctx context.Context, in none) (string, error) { l.Do("tool send"); return "sent", nil })
	fail := qed.NewTool("fail", "fails", func(ctx context.Context, in none) (string, error) {
		l.Do("tool fail")
		return "", errors.New("out of order")
	})
	tools := registry(t, nil, look, send, fail)

	inner := qed.NewGraph[journeyState]("inner")
	inner.Node("think", func(ctx context.Context, s journeyState) (journeyState, error) {
		resp, err := model.Generate(ctx, &llm.Request{Name: "think", Messages: []llm.Message{{Role: llm.RoleUser, Content: s.Question}}}, nil)
		if err != nil {
			return s, err
		}
		s.Seen = append(s.Seen, resp.Message.Content)
		return s, nil
	}, nil)
	inner.Edge(qed.Start, "think")
	inner.Edge("think", qed.End)

	g := qed.NewGraph[journeyState]("journey")
	g.Node("begin", func(ctx context.Context, s journeyState) (journeyState, error) {
		s.Time = qed.Now(ctx)
		n, err := qed.Step(ctx, "price", s.Question, func(ctx context.Context) (int, error) { l.Do("price"); return 7, nil })
		s.Sums = append(s.Sums, n)
		return s, err
	}, nil)
	g.Node("inner", compile(t, inner, nil).Run, nil)
	g.Node("flaky", func(ctx context.Context, s journeyState) (journeyState, error) {
		_, err := qed.Step(ctx, "shaky", nil, func(ctx context.Context) (int, error) {
			if l.Do("shaky") == 1 { // so that a call that is repeated succeeds
				return 0, errors.New("shaking")
			}
			return 1, nil
		})
		return s, err
	}, &qed.NodeOptions{Attempts: 3})
	g.Node("loop", func(ctx context.Context, s journeyState) (journeyState, error) {
		n, err := qed.StepOnce(ctx, "count", len(s.Sums), func(ctx context.Context) (int, error) {
			l.Do(fmt.Sprint("count ", len(s.Sums)))
			return len(s.Sums), nil
		})
		s.Sums = append(s.Sums, n)
		return s, err
	}, nil)
	ask := func(name string) func(context.Context, journeyState) (string, error) {
		return func(ctx context.Context, s journeyState) (string, error) {
			if _, err := model.Generate(ctx, &llm.Request{Name: name}, nil); err != nil {
				return "", err
			}
			return qed.Interrupt[string](ctx, question.Question{Text: "Which " + name + "?", Choices: []question.Choice{{ID: "x", Text: "one"}, {ID: "y", Text: "two"}}})
		}
	}
	qed.FanOut(g, "ask", func(s journeyState, replies []string) (journeyState, error) {
		s.City = strings.Join(replies, "+")
		return s, nil
	}, qed.Branch[journeyState, string]{Name: "from", Run: ask("from")}, qed.Branch[journeyState, string]{Name: "to", Run: ask("to")})
	g.Node("each", func(ctx context.Context, s journeyState) (journeyState, error) {
		sums, err := qed.Each(ctx, []string{"a", "b/c", "ü"}, func(s string) string { return s }, func(ctx context.Context, item string) (int, error) {
			return qed.Step(ctx, "size", item, func(context.Context) (int, error) { l.Do("size " + item); return len(item), nil })
		})
		s.Sums = append(s.Sums, sums...)
		return s, err
	}, nil)
	g.Node("tools", func(ctx context.Context, s journeyState) (journeyState, error) {
		results, err := tools.Do(ctx, llm.ToolCall{ID: "1", Name: "look"}, llm.ToolCall{ID: "2", Name: "send"}, llm.ToolCall{ID: "3", Name: "fail"},
			llm.ToolCall{ID: "4", Name: "none"})
		for _, r := range results {
			s.Tool += r.Message().Content + ";"
		}
		return s, err
	}, nil)
	g.Node("keep", func(ctx context.Context, s journeyState) (journeyState, error) {
		handle, err := qed.Save(ctx, s.Sums)
		if err != nil {
			return s, err
		}
		if err := qed.Remember(ctx, "journeys", s.City); err != nil {
			return s, err
		}
		kept, err := qed.Load[[]int](ctx, handle)
		s.Seen = append(s.Seen, fmt.Sprint(kept))
		return s, err
	}, nil)
	g.Edge(qed.Start, "begin")
	g.Edge("begin", "inner")
	g.Edge("inner", "flaky")
	g.Edge("flaky", "loop")
	g.Route("loop", func(s journeyState) string {
		if len(s.Sums) < 4 {
			return "loop"
		}
		return "ask"
	}, "loop", "ask")
	g.Edge("ask", "each")
	g.Edge("each", "tools")
	g.Edge("tools", "keep")
	g.Edge("keep", qed.End)
	return qed.NewAgent(compile(t, g, nil),
		func(_ context.Context, s journeyState, turn qed.Turn) (journeyState, error) {
			return journeyState{Question: fmt.Sprint(turn.Text, len(turn.History)), Turns: s.Turns + 1}, nil
		},
		func(ctx context.Context, s journeyState) (qed.Answer, error) {
			n, err := qed.Remembered[string](ctx, "journeys", 0)
			if err != nil {
				return qed.Answer{}, err
			}
			s.Time = time.Time{}
			text, err := json.Marshal(s)
			return qed.Answer{Text: string(text) + fmt.Sprint(n)}, err
		}, nil)
}

// thinker is an agent of a graph that calls a model, sends something, and asks.
func thinker(t testing.TB, l *qedtest.Ledger, name string) qed.Agent {
	t.Helper()
	model := countingModel(l)
	g := row(noting(func(ctx context.Context) (string, error) {
		resp, err := model.Generate(ctx, &llm.Request{Name: name}, nil)
		if err != nil {
			return "", err
		}
		return resp.Message.Content, nil
	}), noting(func(ctx context.Context) (string, error) {
		if _, err := once(ctx, l, name+" sends"); err != nil {
			return "", err
		}
		return qed.Interrupt[string](ctx, question.Question{Text: name + "?"})
	}), noting(func(ctx context.Context) (string, error) { return memo(ctx, l, name+" looks") }))
	return walks(t, g, nil)
}

// A conversation is a script: the messages to an agent, and the replies to its
// questions, by their texts.
type conversation struct {
	name    string
	agent   func(t testing.TB, l *qedtest.Ledger) qed.Agent
	says    []string
	replies map[string]string

	concurrent bool // calls are concurrent: some that a crash interrupted may be made again
}

// answer replies to questions until there is an answer.
func (s *conversation) answer(c *talk, a qed.Answer, err error) (qed.Answer, error) {
	for err == nil && len(a.Questions) > 0 {
		var replies []question.Reply
		for _, q := range a.Questions {
			value, ok := s.replies[q.Text]
			if !ok {
				c.t.Fatalf("asked %q", q.Text)
			}
			replies = append(replies, qedtest.Reply(q, value))
		}
		a, err = c.try(qed.Turn{Replies: replies})
	}
	return a, err
}

// within asks a in a node, within a node of another graph, and in an agent
// without a graph.
func within(t testing.TB, l *qedtest.Ledger, agents ...func(testing.TB, *qedtest.Ledger, string) qed.Agent) qed.Agent {
	var nodes []step
	for i, a := range agents {
		name := fmt.Sprint("agent", i)
		inner := a(t, l, name)
		nodes = append(nodes, noting(func(ctx context.Context) (string, error) {
			answer, err := qed.Ask(ctx, inner, qed.Turn{Text: "from within"})
			return answer.Text, err
		}))
	}
	return walks(t, row(compile(t, row(nodes...), nil).Run), nil)
}

func conversations() []conversation {
	journeyReplies := map[string]string{"Which from?": "2", "Which to?": `"one"`}
	return []conversation{
		{"journey", journey, []string{"where?"}, journeyReplies, true},
		{"journeys", journey, []string{"where?", "and then?"}, journeyReplies, true},
		{"agents in nodes", func(t testing.TB, l *qedtest.Ledger) qed.Agent { return within(t, l, thinker, thinker) }, []string{"a", "b"},
			map[string]string{"agent0?": `"zero"`, "agent1?": `"one"`}, false},
		{"agents next to agents", func(t testing.TB, l *qedtest.Ledger) qed.Agent {
			return walks(t, one(noting(func(ctx context.Context) (string, error) {
				texts, err := qed.Each(ctx, []string{"p", "q/r"}, func(s string) string { return s }, func(ctx context.Context, name string) (string, error) {
					a, err := qed.Ask(ctx, thinker(t, l, name), qed.Turn{Text: name})
					return a.Text, err
				})
				return strings.Join(texts, ";"), err
			}), nil), nil)
		}, []string{"a"}, map[string]string{"p?": `"P"`, "q/r?": `"Q"`}, true},
		{"an agent as a tool", func(t testing.TB, l *qedtest.Ledger) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) {
				tool := agentTool("think", thinker(t, l, "tool"))
				results, err := registry(t, nil, tool).Do(ctx, call("think", `{"question":"why?"}`), call("think", `{"question":"how?"}`))
				if err != nil {
					return "", err
				}
				return results[0].Message().Content + results[1].Message().Content, nil
			})
		}, []string{"a", "b"}, map[string]string{"tool?": `"because"`}, false},
		{"agents as tools that may be repeated", func(t testing.TB, l *qedtest.Ledger) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) {
				tool := agentTool("think", thinker(t, l, "tool"))
				tool.Idempotent = true
				results, err := registry(t, nil, tool).Do(ctx, call("think", `{"question":"why?"}`), call("think", `{"question":"how?"}`))
				if err != nil {
					return "", err
				}
				return results[0].Message().Content + results[1].Message().Content, nil
			})
		}, []string{"a"}, map[string]string{"tool?": `"because"`}, true},
		{"scopes", func(t testing.TB, l *qedtest.Ledger) qed.Agent {
			plan := func(ctx context.Context) (string, error) {
				var done []string
				for _, id := range []string{"1", "2", "1"} {
					a, err := qed.Ask(qed.WithNamespace(ctx, "plan/"+id), thinker(t, l, "task"+id), qed.Turn{})
					if err != nil {
						return "", err
					}
					done = append(done, a.Text)
				}
				return strings.Join(done, ";"), nil
			}
			return walks(t, row(noting(plan), noting(plan)), nil)
		}, []string{"a", "b"}, map[string]string{"task1?": `"one"`, "task2?": `"two"`}, false},
		{"attempts", func(t testing.TB, l *qedtest.Ledger) qed.Agent {
			node := noting(func(ctx context.Context) (string, error) {
				if _, err := once(ctx, l, "send"); err != nil {
					return "", err
				}
				if _, err := qed.Step(ctx, "shaky", nil, func(context.Context) (int, error) {
					if l.Do("shaky") < 3 {
						return 0, errBoom
					}
					return 1, nil
				}); err != nil {
					return "", err
				}
				reply, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
				if err != nil {
					return "", err
				}
				_, err = qed.Step(ctx, "later", nil, func(context.Context) (int, error) {
					if l.Do("later") < 2 {
						return 0, errBoom
					}
					return 1, nil
				})
				return reply, err
			})
			g := qed.NewGraph[trail]("g")
			g.Node("a", node, &qed.NodeOptions{Attempts: 4})
			g.Edge(qed.Start, "a")
			g.Edge("a", qed.End)
			return walks(t, g, nil)
		}, []string{"a"}, map[string]string{"Well?": `"good"`}, false},
		{"no graph", func(t testing.TB, l *qedtest.Ledger) qed.Agent {
			return does(func(ctx context.Context, text string) (string, error) {
				for _, name := range []string{"a", "b", "a"} {
					if _, err := memo(ctx, l, name+text); err != nil {
						return "", err
					}
					if _, err := once(ctx, l, name+text); err != nil {
						return "", err
					}
				}
				a, err := qed.Interrupt[string](ctx, question.Question{Text: "First?"})
				if err != nil {
					return "", err
				}
				if err := qed.Remember(ctx, "said", a); err != nil {
					return "", err
				}
				b, err := qed.Interrupt[string](ctx, question.Question{Text: "Second?"})
				if err != nil {
					return "", err
				}
				said, err := qed.Remembered[string](ctx, "said", 0)
				return fmt.Sprint(a, b, said), err
			})
		}, []string{"a", "b"}, map[string]string{"First?": `"one"`, "Second?": `"two"`}, false},
	}
}

// A toldConversation is a conversation without a crash.
type toldConversation struct {
	moments []qedtest.Moment
	ends    []int // the number of moments after each turn
	answers []qed.Answer
	done    map[string]int
}

// tell has the conversation without a crash.
func (s *conversation) tell(t testing.TB, ctx context.Context) toldConversation {
	t.Helper()
	l := &qedtest.Ledger{}
	st := qedtest.NewSnapshots(t, l)
	c := converse(t, s.agent(t, l), st, nil)
	c.ctx = slowly(ctx)
	var told toldConversation
	for _, text := range s.says {
		a, err := c.try(qed.Turn{Text: text})
		if a, err = s.answer(c, a, err); err != nil || !a.Saved || a.Text == "" {
			t.Fatalf("without a crash: answer %+v, %v", a, err)
		}
		told.answers = append(told.answers, a)
		told.ends = append(told.ends, len(st.Moments))
	}
	told.moments, told.done = st.Moments, l.Count()
	return told
}

// resume resumes a turn after a crash that left a log, and has the rest of the
// conversation. The answers must be those of the conversation without a crash.
func (s *conversation) resume(c *talk, log []store.Record, turn int, l *qedtest.Ledger, want toldConversation) {
	t := c.t
	t.Helper()
	a, err := c.try(qed.Turn{})
	switch {
	case isOver(log):
		if !errors.Is(err, qed.ErrQuestionClosed) {
			t.Fatalf("the run was over: %+v, %v", a, err)
		}
	case unknown(log):
		if !errors.Is(err, qed.ErrUnresolved) {
			t.Fatalf("error = %v, want ErrUnresolved", err)
		}
		return
	default:
		if a, err = s.answer(c, a, err); err != nil {
			t.Fatal(err)
		}
		if a.Text != want.answers[turn].Text || !a.Saved {
			t.Errorf("answer %q, saved %v, want %q", a.Text, a.Saved, want.answers[turn].Text)
		}
	}
	for turn++; turn < len(s.says); turn++ {
		a, err := c.try(qed.Turn{Text: s.says[turn]})
		if a, err = s.answer(c, a, err); err != nil || a.Text != want.answers[turn].Text {
			t.Errorf("turn %d: answer %q, %v, want %q", turn, a.Text, err, want.answers[turn].Text)
		}
	}
	got := l.Count()
	if !s.concurrent {
		if diff := cmp.Diff(want.done, got); diff != "" {
			t.Error(diff)
		}
		return
	}
	for what, n := range want.done {
		if got[what] < n || got[what] > n+1 {
			t.Errorf("%s was done %d times, %d without a crash", what, got[what], n)
		}
	}
}

// A process dies after any record, and another one resumes the run: the answers
// are the same, and at-most-once calls are not repeated.
func TestResumeAfterEveryRecord(t *testing.T) {
	for _, s := range conversations() {
		t.Run(s.name, func(t *testing.T) {
			noLeak(t)
			clock := qedtest.NewClock()
			ctx := qed.WithClock(t.Context(), clock.Now)
			want := s.tell(t, ctx)
			for i, m := range want.moments {
				turn, _ := slices.BinarySearch(want.ends, i+1)
				last := m.Log[len(m.Log)-1]
				t.Run(fmt.Sprintf("%d %s %s", i, last.Kind, last.Address), func(t *testing.T) {
					clock.Pass(time.Hour)
					l := qedtest.NewLedger(m.Made)
					c := converse(t, s.agent(t, l), qedtest.Restore(t, m.Log), nil)
					c.ctx = ctx
					s.resume(c, m.Log, turn, l, want)
				})
			}
		})
	}
}

// isOver reports whether the last run of a log has ended.
func isOver(log []store.Record) bool {
	last := log[len(log)-1]
	var end struct{ Status string }
	return last.Kind == store.Ended && json.Unmarshal(last.Data, &end) == nil && end.Status == "answered"
}

// unknown reports whether a log has an unresolved call.
func unknown(log []store.Record) bool {
	open := map[string]bool{}
	for _, rec := range log {
		switch rec.Kind {
		case store.Called:
			open[rec.Address] = true
		case store.Returned:
			delete(open, rec.Address)
		}
	}
	return len(open) > 0
}
