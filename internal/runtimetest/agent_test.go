package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// told returns the events of a turn without the last one, as lines, and the answer
// or the error.
func told(ctx context.Context, a qed.Agent) (lines []string, answer qed.Answer, err error) {
	for event, e := range a.Run(ctx, qed.Turn{Text: "q", User: "u", Tenant: "c"}) {
		switch d := event.Data.(type) {
		case qed.Completed:
			answer = d.Answer
		case qed.Failed:
			err = e
		case qed.NodeFinished:
			d.Millis = 0
			lines = append(lines, fmt.Sprintf("%s %T%v", event.Path, d, d))
		default:
			lines = append(lines, fmt.Sprintf("%s %T%v", event.Path, d, d))
		}
	}
	return lines, answer, err
}

func say(words ...string) qed.AgentFunc {
	return func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		for _, w := range words {
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: w})
		}
		return qed.Answer{Text: fmt.Sprint(words, turn.Text, turn.User), Usage: llm.Usage{InputTokens: 3, OutputTokens: 4}}, nil
	}
}

// A model streams pieces without a text, such as that with its tool calls. The
// reader of the events gets none of them.
func TestEmptyTokensAreNotEmitted(t *testing.T) {
	got, _, err := told(t.Context(), say("", "one", "", "two", ""))
	want := []string{" qed.Token{final one false}", " qed.Token{final two false}"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
}

func TestEventsOfAGraph(t *testing.T) {
	inner := compile(t, row(func(ctx context.Context, s trail) (trail, error) {
		qed.Emit(ctx, qed.QueryWritten{Language: "sql", Query: "SELECT 1", Attempt: 1})
		withValue, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		qed.Emit(withValue, qed.QueryExecuted{Query: "SELECT 1", Rows: 1})
		return s, nil
	}), nil)
	attempts := 0
	g := qed.NewGraph[trail]("g")
	g.Node("sql", inner.Run, nil)
	g.Node("flaky", func(_ context.Context, s trail) (trail, error) {
		if attempts++; attempts == 1 {
			return s, errors.New("boom")
		}
		return s, nil
	}, &qed.NodeOptions{Attempts: 2})
	g.Edge(qed.Start, "sql")
	g.Route("sql", func(trail) string { return "flaky" }, "flaky")
	g.Edge("flaky", qed.End)
	a := qed.NewAgent(compile(t, g, nil), func(_ context.Context, s trail, turn qed.Turn) (trail, error) { return s, nil },
		func(context.Context, trail) (qed.Answer, error) { return qed.Answer{Text: "done"}, nil }, nil)

	want := []string{
		"sql qed.NodeStarted{1}",
		"sql/a qed.NodeStarted{1}",
		"sql/a qed.QueryWritten{sql SELECT 1 1 }",
		"sql/a qed.QueryExecuted{SELECT 1 1 false 0}",
		"sql/a qed.NodeFinished{1 0  false}",
		"sql qed.NodeFinished{1 0  false}",
		"sql qed.EdgeTaken{flaky}",
		"flaky qed.NodeStarted{1}",
		"flaky qed.NodeFinished{1 0 qed: graph g, node flaky: boom false}",
		"flaky qed.NodeStarted{2}",
		"flaky qed.NodeFinished{2 0  false}",
	}
	got, answer, err := told(t.Context(), a)
	if diff := cmp.Diff(want, got); diff != "" || err != nil || answer.Text != "done" {
		t.Errorf("%v, %v: %s", answer, err, diff)
	}
}

// The events of an agent that is asked within a run become events of that run.
func TestAsk(t *testing.T) {
	ask := func(inner qed.Agent) qed.Agent {
		type said struct{ Text, User string }
		g := qed.NewGraph[said]("g")
		g.Node("ask", func(ctx context.Context, s said) (said, error) {
			answer, err := qed.Ask(ctx, inner, qed.Turn{Text: s.Text, User: s.User})
			s.Text = answer.Text
			return s, err
		}, nil)
		g.Edge(qed.Start, "ask")
		g.Edge("ask", qed.End)
		return qed.NewAgent(compile(t, g, nil), func(_ context.Context, _ said, turn qed.Turn) (said, error) { return said{turn.Text, turn.User}, nil },
			func(_ context.Context, s said) (qed.Answer, error) { return qed.Answer{Text: s.Text}, nil }, nil)
	}
	for name, inner := range map[string]qed.Agent{"ours": say("a", "b"), "foreign": foreign{say("a", "b")}} {
		t.Run(name, func(t *testing.T) {
			got, answer, err := told(t.Context(), ask(inner))
			want := []string{
				"ask qed.NodeStarted{1}",
				"ask qed.Token{final a false}",
				"ask qed.Token{final b false}",
				"ask qed.NodeFinished{1 0  false}",
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil || answer.Text != "[a b]qu" {
				t.Errorf("%v, %v: %s", answer, err, diff)
			}
			answer, err = qed.Ask(t.Context(), inner, qed.Turn{Text: "q", User: "u"})
			if err != nil || answer.Text != "[a b]qu" {
				t.Errorf("alone: %v, %v", answer, err)
			}
		})
	}
}

// foreign is an Agent that is written without this package's help.
type foreign struct{ a qed.AgentFunc }

func (f foreign) Run(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	return f.a.Run(ctx, turn)
}

type silent struct{}

func (silent) Run(context.Context, qed.Turn) iter.Seq2[qed.Event, error] {
	return func(func(qed.Event, error) bool) {}
}

func TestFailures(t *testing.T) {
	boom := errors.New("boom")
	fails := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, boom })
	panics := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { panic(boom) })
	for name, a := range map[string]qed.Agent{"error": fails, "panic": panics, "foreign": foreign{fails}} {
		if _, err := qed.Ask(t.Context(), a, qed.Turn{}); !errors.Is(err, boom) {
			t.Errorf("%s: Ask gives %v", name, err)
		}
		n := 0
		for event, err := range a.Run(t.Context(), qed.Turn{}) {
			n++
			if failed, ok := event.Data.(qed.Failed); !ok || !errors.Is(err, boom) || failed.Message == "" || strings.Contains(failed.Message, "boom") {
				t.Errorf("%s: Run gives %v, %v", name, event, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d events", name, n)
		}
	}
	if _, err := qed.Ask(t.Context(), silent{}, qed.Turn{}); !errors.Is(err, qed.ErrNoAnswer) {
		t.Errorf("an agent without an answer: %v", err)
	}
}

func TestNewAgent(t *testing.T) {
	boom := errors.New("boom")
	r := compile(t, row(visit("a"), func(ctx context.Context, s trail) (trail, error) { return s, boom }), nil)
	begin := func(_ context.Context, s trail, turn qed.Turn) (trail, error) {
		if turn.Text == "" {
			return s, errors.New("nothing is asked")
		}
		return s, nil
	}
	answer := func(context.Context, trail) (qed.Answer, error) { return qed.Answer{Text: "all"}, nil }
	if _, err := qed.Ask(t.Context(), qed.NewAgent(r, begin, answer, nil), qed.Turn{}); err == nil || errors.Is(err, boom) {
		t.Errorf("begin fails: %v", err)
	}
	if _, err := qed.Ask(t.Context(), qed.NewAgent(r, begin, answer, nil), qed.Turn{Text: "q"}); !errors.Is(err, boom) {
		t.Errorf("the graph fails: %v", err)
	}
	partial := qed.NewAgent(r, begin, answer, &qed.AgentOptions[trail]{OnError: func(_ context.Context, s trail, err error) (qed.Answer, error) {
		if !errors.Is(err, boom) {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: fmt.Sprint(s.Seen), Partial: true, PartialReason: "b failed"}, nil
	}})
	got, err := qed.Ask(t.Context(), partial, qed.Turn{Text: "q"})
	if diff := cmp.Diff(qed.Answer{Text: "[a]", Partial: true, PartialReason: "b failed"}, got); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := qed.Ask(ctx, partial, qed.Turn{Text: "q"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled turn: %v", err)
	}
}

// waits emits one event, and then waits until its turn is cancelled.
func waits(told chan<- error) qed.AgentFunc {
	return func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		qed.Emit(ctx, qed.Token{Content: "hello"})
		<-ctx.Done()
		for range 1000 { // a reader that has left blocks nobody
			qed.Emit(ctx, qed.Token{Content: "nobody hears"})
		}
		told <- context.Cause(ctx)
		return qed.Answer{}, ctx.Err()
	}
}

func TestLeavingTheRange(t *testing.T) {
	t.Run("break", func(t *testing.T) {
		noLeak(t)
		told := make(chan error, 1)
		for range waits(told).Run(t.Context(), qed.Turn{}) {
			break
		}
		select {
		case cause := <-told:
			if !errors.Is(cause, context.Canceled) {
				t.Errorf("the cause is %v", cause)
			}
		default:
			t.Error("the range was left before the run was over")
		}
	})
	t.Run("panic", func(t *testing.T) {
		noLeak(t)
		told := make(chan error, 1)
		defer func() {
			if v := recover(); v != "the listener's" {
				t.Errorf("recovered %v", v)
			}
			if len(told) != 1 {
				t.Error("the range was left before the run was over")
			}
		}()
		for range waits(told).Run(t.Context(), qed.Turn{}) {
			panic("the listener's")
		}
	})
	t.Run("cancel", func(t *testing.T) {
		noLeak(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last error
		for _, err := range waits(make(chan error, 1)).Run(ctx, qed.Turn{}) {
			cancel()
			last = err
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("got %v", last)
		}
	})
}

// No event is lost or doubled, and the events of one goroutine stay in order.
func TestEmitFromManyGoroutines(t *testing.T) {
	noLeak(t)
	a := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() {
				for i := range 500 {
					qed.Emit(ctx, qed.QueryExecuted{Query: fmt.Sprint(g), Rows: i})
				}
			})
		}
		all.Wait()
		return qed.Answer{}, nil
	})
	next := map[string]int{}
	for event := range a.Run(t.Context(), qed.Turn{}) {
		if d, ok := event.Data.(qed.QueryExecuted); ok {
			if d.Rows != next[d.Query] {
				t.Fatalf("goroutine %s told %d, want %d", d.Query, d.Rows, next[d.Query])
			}
			next[d.Query]++
		}
	}
	for g, n := range next {
		if n != 500 {
			t.Errorf("%d events of goroutine %s", n, g)
		}
	}
	if len(next) != 8 {
		t.Errorf("%d goroutines were heard", len(next))
	}
}

func TestSlowReaderHoldsTheRunBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emitted := 0
		a := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
			for ; emitted < 1000; emitted++ {
				qed.Emit(ctx, qed.Token{Content: "word"})
			}
			return qed.Answer{}, nil
		})
		read := 0
		for range a.Run(t.Context(), qed.Turn{}) {
			synctest.Wait() // the run continues as far as it can
			if read++; emitted > read+2*64 {
				t.Fatalf("%d events were told when %d were read", emitted, read)
			}
		}
		if read != 1001 {
			t.Errorf("%d events", read)
		}
	})
}

func TestEmitWhereNobodyListens(t *testing.T) {
	qed.Emit(t.Context(), qed.Token{Content: "word"})
	var kept context.Context
	keep := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		kept = ctx
		qed.Emit(ctx, qed.Completed{}) // the runtime's own: ignored
		qed.Emit(ctx, qed.Failed{})
		return qed.Answer{Text: "real"}, nil
	})
	lines, answer, err := told(t.Context(), keep)
	if len(lines) != 0 || answer.Text != "real" || err != nil {
		t.Errorf("got %v, %v, %v", lines, answer, err)
	}
	for range 1000 {
		qed.Emit(kept, qed.Token{Content: "word"}) // after the run
	}
}

func TestStats(t *testing.T) {
	for event := range say().Run(t.Context(), qed.Turn{}) {
		if d := event.Data.(qed.Completed); d.Answer.Usage.InputTokens+d.Answer.Usage.OutputTokens != 7 {
			t.Errorf("%+v tokens", d.Answer.Usage)
		}
	}
}

// TestEmitOwnStructsOnly emits values that have the method of EventData but are
// not structs of this package.
func TestEmitOwnStructsOnly(t *testing.T) {
	type token struct{ qed.Token }
	a := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		qed.Emit(ctx, qed.Completed{})
		qed.Emit(ctx, &qed.Completed{Answer: qed.Answer{Text: "forged"}})
		qed.Emit(ctx, struct{ qed.Completed }{})
		qed.Emit(ctx, (*qed.Token)(nil))
		qed.Emit(ctx, token{})
		qed.Emit(ctx, nil)
		qed.Emit(ctx, qed.Token{Content: "true"})
		return qed.Answer{}, nil
	})
	lines, _, err := told(t.Context(), a)
	if want := []string{" qed.Token{ true false}"}; err != nil || !cmp.Equal(lines, want) {
		t.Errorf("told %q, %v, want %q", lines, err, want)
	}
}

// TestEventsHaveTimes compares the times of events with the clock of the run.
func TestEventsHaveTimes(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ctx := qed.WithClock(t.Context(), func() time.Time { return now })
	n := 0
	for event, err := range say("a", "b").Run(ctx, qed.Turn{Text: "q"}) {
		if err != nil || !event.Time.Equal(now) {
			t.Errorf("%T at %v, %v", event.Data, event.Time, err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d events", n)
	}
}

func TestMessageTooLong(t *testing.T) {
	const limit = 32 << 10
	echo := qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: turn.Text}, nil
	})
	around := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		turn.Text = strings.Repeat(turn.Text, limit)
		return qed.Ask(ctx, echo, turn)
	})
	durable := qed.Durable(echo, &store.InMemory{}, nil)
	reply := []question.Reply{{Question: "q", Value: json.RawMessage(`"` + strings.Repeat("x", limit) + `"`)}}
	for name, tt := range map[string]struct {
		agent qed.Agent
		turn  qed.Turn
		want  error
	}{
		"the longest":             {echo, qed.Turn{Text: strings.Repeat("x", limit)}, nil},
		"one byte more":           {echo, qed.Turn{Text: strings.Repeat("x", limit+1)}, qed.ErrMessageTooLong},
		"replies count":           {echo, qed.Turn{Text: "x", Replies: reply}, qed.ErrMessageTooLong},
		"a durable agent":         {durable, qed.Turn{Thread: "t", Text: strings.Repeat("x", limit+1)}, qed.ErrMessageTooLong},
		"a higher limit":          {qed.WithMaxMessage(durable, limit+1), qed.Turn{Thread: "u", Text: strings.Repeat("x", limit+1)}, nil},
		"a lower limit":           {qed.WithMaxMessage(echo, 3), qed.Turn{Text: "four"}, qed.ErrMessageTooLong},
		"a turn of another agent": {around, qed.Turn{Text: "xx"}, nil},
	} {
		_, err := qed.Ask(t.Context(), tt.agent, tt.turn)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		for e, err := range tt.agent.Run(t.Context(), tt.turn) {
			if failed, ok := e.Data.(qed.Failed); ok && (!errors.Is(err, tt.want) || failed.Code != "message_too_long") {
				t.Errorf("%s: event %+v with %v, want %v", name, failed, err, tt.want)
			}
		}
	}
}
