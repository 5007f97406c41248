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
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// sender is an agent that sends messages, by a call and by a tool.
func sender(t testing.TB, l *qedtest.Ledger) qed.Agent {
	return does(func(ctx context.Context, text string) (string, error) {
		a, err := qed.StepOnce(ctx, "send", map[string]string{"to": text}, func(context.Context) (string, error) { l.Do("send"); return "sent to " + text, nil })
		if err != nil {
			return "", err
		}
		type in struct {
			To string `json:"to"`
		}
		tool := qed.NewTool("post", "", func(_ context.Context, in in) (string, error) { l.Do("post"); return "posted to " + in.To, nil })
		results, err := registry(t, nil, tool).Do(ctx, call("post", `{"to":"`+text+`"}`))
		if err != nil {
			return "", err
		}
		return a + ", " + results[0].Message().Content, nil
	})
}

// died returns a talk on a thread whose process died in its n-th at-most-once
// call.
func died(t testing.TB, agent func(*qedtest.Ledger) qed.Agent, n int, l *qedtest.Ledger) *talk {
	t.Helper()
	st := new(store.InMemory)
	converse(t, agent(new(qedtest.Ledger)), st, nil).turn(qed.Turn{Text: "ann"})
	c := converse(t, agent(l), qedtest.Restore(t, cut(t, qedtest.Log(t, st, "t"), store.Called, n)), nil)
	c.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
	return c
}

// Resolve records the outcome of a call, and the run can be resumed.
func TestResolve(t *testing.T) {
	for _, test := range []struct {
		name   string
		call   int
		result json.RawMessage
		failed error
		want   string // the answer; empty if the turn fails
		done   map[string]int
	}{
		{"it returned", 1, json.RawMessage(`"sent by hand"`), nil, `sent by hand, "posted to ann"`, map[string]int{"post": 1}},
		{"it was not made", 1, nil, nil, `sent to ann, "posted to ann"`, map[string]int{"send": 1, "post": 1}},
		{"it failed", 1, nil, errBoom, "", nil},
		{"the tool returned", 2, json.RawMessage(`"posted by hand"`), nil, `sent to ann, "posted by hand"`, nil},
		{"the tool was not called", 2, nil, nil, `sent to ann, "posted to ann"`, map[string]int{"post": 1}},
		{"the tool failed", 2, nil, errBoom, `sent to ann, error: boom`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l qedtest.Ledger
			c := died(t, func(l *qedtest.Ledger) qed.Agent { return sender(t, l) }, test.call, &l)
			c.fails(qed.Turn{}, qed.ErrUnresolved)
			thread, err := qed.Inspect(c.ctx, c.store, "t")
			if err != nil || thread.Status != store.StatusFailed || len(thread.Unresolved) != 1 {
				t.Fatalf("thread = %+v, %v", thread, err)
			}
			unknown := thread.Unresolved[0]
			if name := []string{"send", "post"}[test.call-1]; unknown.Name != name || !strings.Contains(string(unknown.Input), `"to":"ann"`) {
				t.Errorf("unknown: %+v, want %s with its input", unknown, name)
			}
			if err := qed.Settle(c.ctx, c.store, "t", unknown.Address, test.result, test.failed); err != nil {
				t.Fatal(err)
			}
			if thread, err := qed.Inspect(c.ctx, c.store, "t"); err != nil || len(thread.Unresolved) > 0 {
				t.Errorf("thread = %+v, %v", thread, err)
			}
			if err := qed.Settle(c.ctx, c.store, "t", unknown.Address, test.result, test.failed); !errors.Is(err, qed.ErrQuestionClosed) {
				t.Errorf("settled twice: %v", err)
			}
			a, err := c.try(qed.Turn{})
			if test.want == "" {
				if _, ok := errors.AsType[*qed.CallError](err); !ok || !strings.Contains(err.Error(), "boom") {
					t.Errorf("error = %v", err)
				}
			} else if err != nil || a.Text != test.want {
				t.Errorf("answer = %+v, %v, want %q", a, err, test.want)
			}
			l.Want(t, test.done)
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	var l qedtest.Ledger
	agent := func(l *qedtest.Ledger) qed.Agent { return sender(t, l) }
	c := died(t, agent, 1, &l)
	thread, err := qed.Inspect(c.ctx, c.store, "t")
	if err != nil || thread.Status != store.StatusCrashed || len(thread.Unresolved) != 1 {
		t.Fatalf("thread = %+v, %v", thread, err)
	}
	address := thread.Unresolved[0].Address
	ok := json.RawMessage(`"x"`)
	answered := new(store.InMemory)
	converse(t, sender(t, &l), answered, nil).say("ann")
	for _, test := range []struct {
		name            string
		ctx             context.Context
		store           store.Store
		thread, address string
		result          json.RawMessage
		want            error // nil means any
	}{
		{"while it may run", t.Context(), c.store, "t", address, ok, qed.ErrBusy},
		{"another call", c.ctx, c.store, "t", "none", ok, qed.ErrQuestionClosed},
		{"no call", c.ctx, c.store, "t", "", ok, qed.ErrQuestionClosed},
		{"no thread", c.ctx, c.store, "none", address, ok, qed.ErrQuestionClosed},
		{"no id", c.ctx, c.store, "", address, ok, store.ErrInvalidThread},
		{"a run that is over", c.ctx, answered, "t", address, ok, qed.ErrQuestionClosed},
		{"no JSON", c.ctx, c.store, "t", address, json.RawMessage(`x`), nil},
		{"a store that fails", c.ctx, &qedtest.Store{Store: c.store, OnAppend: func(context.Context, []store.Record, func(context.Context) error) error { return errDown }}, "t", address, ok, errDown},
	} {
		before := len(qedtest.Log(t, c.store, "t"))
		err := qed.Settle(test.ctx, test.store, test.thread, test.address, test.result, nil)
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if now := len(qedtest.Log(t, c.store, "t")); now != before {
			t.Errorf("%s: %d records were added", test.name, now-before)
		}
	}
}

// A complete run is not changed by resolving its calls.
func TestResolveInACompleteRun(t *testing.T) {
	var l qedtest.Ledger
	agent := walks(t, one(noting(func(ctx context.Context) (string, error) {
		return qed.StepOnce(ctx, "send", nil, func(ctx context.Context) (string, error) {
			l.Do("send")
			<-ctx.Done()
			return "", ctx.Err()
		})
	}), &qed.NodeOptions{Timeout: time.Millisecond}), &qed.AgentOptions[trail]{OnError: func(context.Context, trail, error) (qed.Answer, error) {
		return qed.Answer{Text: "it may have been sent", Partial: true}, nil
	}})
	st := new(store.InMemory)
	c := converse(t, agent, st, nil)
	c.say("go")
	log := qedtest.Log(t, st, "t")
	i := slices.IndexFunc(log, func(r store.Record) bool { return r.Kind == store.Called })
	if err := qed.Settle(t.Context(), st, "t", log[i].Address, json.RawMessage(`"x"`), nil); err == nil {
		if a, err := c.try(qed.Turn{}); !errors.Is(err, qed.ErrQuestionClosed) {
			t.Errorf("an answered run was resumed: %+v, %v", a, err)
		}
	} else if !errors.Is(err, qed.ErrQuestionClosed) {
		t.Error(err)
	}
	l.Want(t, map[string]int{"send": 1})
}

// A call that is safe to retry is made again: by the next attempt, the next
// empty turn, and after a crash.
func TestSafeToRetry(t *testing.T) {
	send := func(l *qedtest.Ledger, fails int) func(ctx context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			return qed.StepOnce(ctx, "send", nil, func(context.Context) (string, error) {
				if l.Do("send") <= fails {
					return "", fmt.Errorf("sending: %w", qed.SafeToRetry(errBoom))
				}
				return "sent", nil
			})
		}
	}
	t.Run("attempts", func(t *testing.T) {
		var l qedtest.Ledger
		c := converse(t, walks(t, one(noting(send(&l, 2)), &qed.NodeOptions{Attempts: 3}), nil), new(store.InMemory), nil)
		if a := c.say("go"); a.Text != "sent" {
			t.Errorf("answer = %+v", a)
		}
		l.Want(t, map[string]int{"send": 3})
	})
	t.Run("empty turns", func(t *testing.T) {
		var l qedtest.Ledger
		c := converse(t, walks(t, one(noting(send(&l, 2)), nil), nil), new(store.InMemory), nil)
		c.fails(qed.Turn{Text: "go"}, errBoom)
		c.fails(qed.Turn{}, errBoom)
		if a := c.resume(); a.Text != "sent" {
			t.Errorf("answer = %+v", a)
		}
		l.Want(t, map[string]int{"send": 3})
	})
	t.Run("tool", func(t *testing.T) {
		var l qedtest.Ledger
		tool := qed.NewTool("send", "", func(context.Context, struct{}) (string, error) {
			if l.Do("send") == 1 {
				return "", qed.SafeToRetry(errBoom)
			}
			return "sent", nil
		})
		c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
			first := registryDo(ctx, t, tool)
			second := registryDo(ctx, t, tool)
			return fmt.Sprint(first, second), nil
		}), new(store.InMemory), nil)
		if a := c.say("go"); a.Text != "boom<nil>" && a.Text != "boom <nil>" {
			t.Errorf("answer = %+v", a)
		}
		l.Want(t, map[string]int{"send": 2})
	})
	t.Run("outside a durable run", func(t *testing.T) {
		var l qedtest.Ledger
		if _, err := send(&l, 1)(t.Context()); !errors.Is(err, errBoom) {
			t.Errorf("error = %v", err)
		}
		if qed.SafeToRetry(nil) != nil {
			t.Error("no error is one")
		}
	})
	t.Run("another failure", func(t *testing.T) {
		var l qedtest.Ledger
		c := converse(t, walks(t, one(noting(func(ctx context.Context) (string, error) {
			return qed.StepOnce(ctx, "send", nil, func(context.Context) (string, error) { l.Do("send"); return "", errBoom })
		}), &qed.NodeOptions{Attempts: 3}), nil), new(store.InMemory), nil)
		for _, text := range []string{"go", ""} {
			if _, err := c.try(qed.Turn{Text: text}); err == nil {
				t.Error("no error")
			}
		}
		l.Want(t, map[string]int{"send": 1})
	})
}

// History returns the turns of a conversation.
func TestHistory(t *testing.T) {
	st := new(store.InMemory)
	long := qed.Table{Columns: []qed.Column{{Name: "n"}}}
	for i := range 100 {
		if err := long.Append(i); err != nil {
			t.Fatal(err)
		}
	}
	c := converse(t, qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		switch turn.Text {
		case "fail":
			return qed.Answer{}, errBoom
		case "ask":
			v, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
			return qed.Answer{Text: v}, err
		}
		return qed.Answer{Text: "re " + turn.Text, Table: &long}, nil
	}), st, nil)
	if got, err := qed.History(t.Context(), st, "t", 0); err != nil || len(got) > 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	c.say("one")
	c.try(qed.Turn{Text: "fail"})
	c.try(qed.Turn{}) // resumes it
	c.reply(c.say("ask"), `"good"`)
	lines := func(n int) (lines []string) {
		entries, err := qed.History(t.Context(), st, "t", n)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			text := e.Error
			if e.Answer != nil {
				text = e.Answer.Text
				if e.Answer.Table != nil && (len(e.Answer.Table.Rows) > 10 || !e.Answer.Table.Truncated) {
					t.Errorf("%d rows, truncated %v", len(e.Answer.Table.Rows), e.Answer.Table.Truncated)
				}
			}
			if e.Turn.Thread != "t" || e.Time.IsZero() {
				t.Errorf("entry %+v", e)
			}
			to := fmt.Sprint("copy ", n, e.Seq)
			if err := qed.Fork(t.Context(), st, "t", e.Seq, to); err != nil {
				t.Error(err)
			}
			lines = append(lines, fmt.Sprintf("%s %q: %s %s", e.Turn.Text, e.Message, e.Status, text))
		}
		return lines
	}
	want := []string{
		`one "one": answered re one`, `fail "fail": failed boom`, `fail "": failed boom`,
		`ask "ask": interrupted Well?`, `ask "good": answered good`,
	}
	for _, n := range []int{0, 1, 2, 3, 4, 9} {
		expected := want
		if n > 0 {
			expected = want[max(0, len(want)-n):]
		}
		if diff := cmp.Diff(expected, lines(n)); diff != "" {
			t.Errorf("%d: %s", n, diff)
		}
	}
	if _, err := qed.History(t.Context(), st, "", 0); !errors.Is(err, store.ErrInvalidThread) {
		t.Errorf("of no id: %v", err)
	}
}

// Failed has a code for the error that ended a turn.
func TestFailedCodes(t *testing.T) {
	for code, test := range map[string]struct {
		err error
	}{
		"busy": {qed.ErrBusy}, "wrong_user": {qed.ErrWrongUser}, "conflict": {store.ErrConflict}, "question_closed": {qed.ErrQuestionClosed}, "invalid_reply": {qed.ErrInvalidReply},
		"unresolved": {qed.ErrUnresolved}, "graph_changed": {qed.ErrGraphChanged}, "nondeterministic": {qed.ErrNondeterministic}, "budget": {budget.ErrExceeded}, "invalid_thread": {store.ErrInvalidThread},
		"corrupt": {store.ErrCorrupt}, "empty_turn": {qed.ErrEmptyTurn}, "canceled": {context.Canceled}, "timeout": {context.DeadlineExceeded}, "": {errBoom},
	} {
		for _, err := range []error{test.err, fmt.Errorf("it failed: %w", test.err)} {
			for event, got := range qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, err }).Run(t.Context(), qed.Turn{}) {
				failed, ok := event.Data.(qed.Failed)
				if !ok || failed.Code != code || !errors.Is(got, test.err) {
					t.Errorf("%v: %+v, want code %q", err, event, code)
				}
			}
		}
	}
	// A turn without a text on a thread that has nothing to resume.
	c := converse(t, does(nil), new(store.InMemory), nil)
	for event := range c.agent.Run(t.Context(), qed.Turn{Thread: "t"}) {
		if failed, ok := event.Data.(qed.Failed); !ok || failed.Code != "empty_turn" {
			t.Errorf("got %+v", event)
		}
	}
}

// The WrapUp node needs no edge that leads to it.
func TestWrapUpWithoutAnEdge(t *testing.T) {
	build := func(wrapUp string) (*qed.Runner[trail], error) {
		g := qed.NewGraph[trail]("g")
		g.Node("work", func(ctx context.Context, s trail) (trail, error) {
			s.Seen = append(s.Seen, "work")
			return s, budget.Spend(ctx, budget.Limits{ToolCalls: 100})
		}, nil)
		g.Node("sum up", func(ctx context.Context, s trail) (trail, error) {
			s.Seen = append(s.Seen, fmt.Sprint("over budget: ", errors.Is(qed.BudgetExceeded(ctx), budget.ErrExceeded)))
			return s, nil
		}, nil)
		g.Edge(qed.Start, "work")
		g.Edge("work", qed.End)
		g.Edge("sum up", qed.End)
		return g.Compile(&qed.CompileOptions{WrapUp: wrapUp})
	}
	r, err := build("sum up")
	if err != nil {
		t.Fatal(err)
	}
	ctx := budget.With(t.Context(), budget.Limits{ToolCalls: 10})
	s, err := r.Run(ctx, trail{})
	if diff := cmp.Diff([]string{"over budget: true"}, s.Seen); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
	if _, err := build(""); err == nil {
		t.Error("a node that nothing leads to is taken")
	}
	for _, none := range []string{"none", qed.Start, qed.End} {
		if _, err := build(none); err == nil {
			t.Errorf("WrapUp %q is taken", none)
		}
	}
}

// If this process could not record the end of a run, the thread accepts its
// next turn at once, unless another process resumed the run.
func TestRunWithoutARecordedEnd(t *testing.T) {
	inner := new(store.InMemory)
	down := false
	st := &qedtest.Store{Store: inner, OnAppend: func(ctx context.Context, recs []store.Record, do func(context.Context) error) error {
		if down {
			return errDown
		}
		return do(ctx)
	}}
	agent := does(func(ctx context.Context, text string) (string, error) {
		if text == "down" {
			down = true
		}
		return "answer", nil
	})
	c := converse(t, agent, st, nil)
	if a := c.say("down"); a.Saved {
		t.Fatalf("answer = %+v", a)
	}
	other := converse(t, agent, inner, nil) // of another process, which has to wait for the lease
	other.fails(qed.Turn{Text: "go"}, qed.ErrBusy)
	down = false
	if a := c.say("go"); !a.Saved {
		t.Errorf("answer = %+v", a)
	}

	c.say("down")
	down = false
	h := hold()
	taker := converse(t, h, inner, nil)
	taker.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
	done := make(chan error)
	go func() {
		_, err := taker.try(qed.Turn{})
		done <- err
	}()
	<-h.runs
	c.fails(qed.Turn{Text: "go"}, qed.ErrBusy)
	c.fails(qed.Turn{}, qed.ErrBusy)
	h.let <- true
	if err := <-done; err != nil {
		t.Errorf("the run that another process went on with: %v", err)
	}
}

// Reading a conversation of a nil store is an error, and no panic.
func TestNoStore(t *testing.T) {
	ctx := t.Context()
	for name, err := range map[string]error{
		"Look":        func() error { _, err := qed.Inspect(ctx, nil, "t"); return err }(),
		"History":     func() error { _, err := qed.History(ctx, nil, "t", 0); return err }(),
		"TodoEntries": func() error { _, err := todoagent.Entries(ctx, nil, "t", 0); return err }(),
		"Settle":      qed.Settle(ctx, nil, "t", "a", nil, nil),
		"Fork":        qed.Fork(ctx, nil, "t", 0, "u"),
	} {
		if err == nil || !strings.Contains(err.Error(), "Store is nil") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
