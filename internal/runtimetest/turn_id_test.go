package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// payer asks for an approval and pays once it has it. "free" needs none.
func payer(l *qedtest.Ledger, fail *error) qed.Agent {
	pay := func(ctx context.Context, text string) (string, error) {
		return qed.StepOnce(ctx, "pay", text, func(context.Context) (string, error) {
			l.Do("pay " + text)
			return "paid " + text, nil
		})
	}
	return does(func(ctx context.Context, text string) (string, error) {
		if !strings.HasPrefix(text, "free") {
			said, err := qed.Approve(ctx, "Pay?", text)
			if err != nil {
				return "", err
			}
			if said.Decision == question.Reject {
				return "not paid", nil
			}
		}
		paid, err := pay(ctx, text)
		if err == nil && *fail != nil {
			return "", *fail
		}
		return paid, err
	})
}

// A turn with the id of another one is the same turn.
func TestTurnID(t *testing.T) {
	var l qedtest.Ledger
	var fail error
	st := new(store.InMemory)
	c := converse(t, payer(&l, &fail), st, nil)

	first := c.turn(qed.Turn{ID: "1", Text: "free a"})
	again := c.turn(qed.Turn{ID: "1", Text: "free a"})
	if !again.Repeated || first.Repeated || again.Text != "paid free a" || !again.Saved {
		t.Errorf("first %+v, then %+v", first, again)
	}
	c.fails(qed.Turn{ID: "1", Text: "free b"}, qed.ErrTurnReused)
	c.fails(qed.Turn{ID: "1", Replies: []question.Reply{{Question: "q", Value: json.RawMessage(`1`)}}}, qed.ErrTurnReused)
	c.fails(qed.Turn{ID: "\x00", Text: "free b"}, qed.ErrInvalidTurnID)
	c.fails(qed.Turn{ID: strings.Repeat("x", 257), Text: "free b"}, qed.ErrInvalidTurnID)
	agent := qed.Durable(payer(&l, &fail), st, nil)
	if _, err := qed.Ask(t.Context(), agent, qed.Turn{ID: "1", Text: "free b"}); !errors.Is(err, qed.ErrInvalidTurnID) {
		t.Errorf("without a thread: %v", err)
	}
	if a := c.turn(qed.Turn{ID: "1"}); !a.Repeated || a.Text != "paid free a" {
		t.Errorf("asked for the answer: %+v", a)
	}

	// A turn that failed is resumed: what was paid is not paid again.
	fail = errBoom
	c.fails(qed.Turn{ID: "2", Text: "free c"}, errBoom)
	fail = nil
	if a := c.turn(qed.Turn{ID: "2", Text: "free c"}); a.Text != "paid free c" || a.Repeated {
		t.Errorf("resumed: %+v", a)
	}
	// Without an id, a turn is a new one.
	c.turn(qed.Turn{Text: "free a"})
	// A turn that a later one gave up is not taken again.
	fail = errBoom
	c.fails(qed.Turn{ID: "3", Text: "free d"}, errBoom)
	fail = nil
	c.turn(qed.Turn{ID: "4", Text: "free e"})
	c.fails(qed.Turn{ID: "3", Text: "free d"}, qed.ErrTurnGivenUp)
	// Another user, and another thread, have ids of their own.
	c.turn(qed.Turn{ID: "1", User: "bob", Text: "free f"})
	other := *c
	other.thread = "u"
	other.turn(qed.Turn{ID: "1", Text: "free g"})
	l.Want(t, map[string]int{
		"pay free a": 2, "pay free c": 1, "pay free d": 1, "pay free e": 1, "pay free f": 1, "pay free g": 1,
	})

	history, err := qed.History(t.Context(), st, "t", 0)
	var ids []string
	for _, e := range history {
		ids = append(ids, e.ID+" "+string(e.Status))
	}
	want := []string{"1 answered", "2 failed", "2 answered", " answered", "3 failed", "4 answered"}
	if diff := cmp.Diff(want, ids); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}

// The same reply to an answered question gives its answer, and another one says what
// was answered, with and without ids.
func TestReplySentAgain(t *testing.T) {
	for _, id := range []string{"", "r"} {
		var l qedtest.Ledger
		var fail error
		st := new(store.InMemory)
		c := converse(t, payer(&l, &fail), st, nil)
		asked := c.turn(qed.Turn{ID: "1", Text: "10"})
		if a := c.turn(qed.Turn{ID: "1", Text: "10"}); len(a.Questions) != 1 || !a.Repeated {
			t.Fatalf("asked again: %+v", a)
		}
		yes := qed.Turn{ID: id, Replies: qedtest.Choose(t, asked, `{"decision":"approve"}`)}
		same := qed.Turn{ID: id, Replies: qedtest.Choose(t, asked, ` { "decision" : "approve" } `)}
		no := qed.Turn{Replies: qedtest.Choose(t, asked, `"reject"`)}
		fail = errBoom
		c.fails(yes, errBoom)
		fail = nil
		answered, _ := errors.AsType[*qed.AnsweredError](c.fails(no, qed.ErrQuestionClosed))
		if answered == nil || !strings.Contains(string(answered.Reply), "approve") {
			t.Errorf("another reply while the run can be resumed: %v", answered)
		}
		if a := c.turn(same); a.Text != "paid 10" || a.Repeated {
			t.Errorf("resumed: %+v", a)
		}
		for range 2 {
			if a := c.turn(same); a.Text != "paid 10" || !a.Repeated {
				t.Errorf("sent again: %+v", a)
			}
		}
		c.fails(no, qed.ErrQuestionClosed)
		if a := c.turn(qed.Turn{Text: "free"}); a.Text != "paid free" {
			t.Errorf("a new turn: %+v", a)
		}
		if a := c.turn(same); a.Text != "paid 10" || !a.Repeated {
			t.Errorf("sent again after a later turn: %+v", a)
		}
		l.Want(t, map[string]int{"pay 10": 1, "pay free": 1})
		history, err := qed.History(t.Context(), st, "t", 0)
		if err != nil || len(history) != 4 || len(history[1].Replies) != 1 || len(history[0].Replies) != 0 ||
			history[1].Replies[0].Question.Text != "Pay?" || !strings.Contains(string(history[1].Replies[0].Value), "approve") {
			t.Errorf("history = %+v, %v", history, err)
		}
	}
}

// After a crash at each record, the turns that were sent are sent again. Nothing is
// paid twice.
func TestSentAgainAfterCrash(t *testing.T) {
	var made qedtest.Ledger
	var fail error
	st := new(store.InMemory)
	c := converse(t, payer(&made, &fail), st, nil)
	asked := c.turn(qed.Turn{ID: "1", Text: "10"})
	c.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"approve"`)})
	log := qedtest.Log(t, st, "t")
	for n := range log {
		cutLog := log[:n]
		kinds := kindsOf(cutLog)
		if n > 0 && cutLog[n-1].Kind == store.Called {
			continue // the outcome of the call is not known, and the turn says so
		}
		done := map[string]int{}
		if kinds[store.Returned] > 0 {
			done["pay 10"] = 1
		}
		l := qedtest.NewLedger(done)
		c := converse(t, payer(l, &fail), qedtest.Restore(t, cutLog), nil)
		c.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
		asked := c.turn(qed.Turn{ID: "1", Text: "10"})
		for range 2 {
			if len(asked.Questions) > 0 {
				if a := c.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"approve"`)}); a.Text != "paid 10" {
					t.Errorf("after %d records: %+v", n, a)
				}
			}
		}
		l.Want(t, map[string]int{"pay 10": 1})
	}
}

// A turn that is sent again while it runs gets an error that says so.
func TestTurnRuns(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	agent := does(func(ctx context.Context, text string) (string, error) {
		close(began)
		<-end
		return text, nil
	})
	st := new(store.InMemory)
	c := converse(t, agent, st, nil)
	done := make(chan error)
	go func() {
		_, err := c.try(qed.Turn{ID: "1", Text: "one"})
		done <- err
	}()
	<-began
	other := converse(t, agent, st, nil) // another process
	for id, repeated := range map[string]bool{"1": true, "2": false} {
		busy, ok := errors.AsType[*qed.BusyError](other.fails(qed.Turn{ID: id, Text: "one"}, qed.ErrBusy))
		if !ok || busy.Repeated != repeated {
			t.Errorf("turn %s: %+v", id, busy)
		}
	}
	close(end)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if a := other.turn(qed.Turn{ID: "1", Text: "one"}); !a.Repeated || a.Text != "one" {
		t.Errorf("afterwards: %+v", a)
	}
}

// A reading store counts the records that are read, and their bytes.
type readingStore struct {
	*store.InMemory
	records, bytes int
}

func (s *readingStore) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for rec, err := range s.InMemory.Records(ctx, thread, r) {
			s.records++
			s.bytes += len(rec.Data)
			if !yield(rec, err) {
				return
			}
		}
	}
}

// What Inspect reads, and what is read for a turn that was sent before, does not grow
// with the thread, whatever the last run is. Unresolved calls of old turns are found.
func TestInspectReadsTheEnd(t *testing.T) {
	rows := strings.Repeat("x", 10_000)
	agent := does(func(ctx context.Context, text string) (string, error) {
		ctx = qed.WithNamespace(ctx, "plan-"+text)
		for i := range 5 {
			if _, err := qed.StepOnce(ctx, fmt.Sprint("call", i), text, func(context.Context) (string, error) { return rows, nil }); err != nil {
				return "", err
			}
		}
		if strings.HasPrefix(text, "ask") {
			return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		}
		return text, nil
	})
	read := map[string][2]int{}
	for _, turns := range []int{3, 60} {
		st := new(store.InMemory)
		c := converse(t, agent, st, nil)
		for i := range turns {
			c.turn(qed.Turn{ID: fmt.Sprint(i), Text: fmt.Sprint(i)})
		}
		for _, last := range []string{"answered", "ask"} {
			if last == "ask" {
				c.turn(qed.Turn{ID: "ask", Text: "ask"})
			}
			counting := &readingStore{InMemory: st}
			thread, err := qed.Inspect(t.Context(), counting, "t")
			if err != nil || (len(thread.Questions) == 1) != (last == "ask") {
				t.Fatalf("%+v, %v", thread, err)
			}
			counting.check(t, read, last)
			counting = &readingStore{InMemory: st}
			again := converse(t, agent, counting, nil)
			if a := again.turn(qed.Turn{ID: "1", Text: "1"}); !a.Repeated {
				t.Errorf("%+v", a)
			}
			counting.check(t, read, last+" repeated")
		}
	}
}

// check compares what was read with what was read of a shorter thread.
func (s *readingStore) check(t *testing.T, before map[string][2]int, what string) {
	t.Helper()
	if short, ok := before[what]; ok && (s.records > short[0] || s.bytes > short[1]+100) {
		t.Errorf("%s: %d records with %d bytes are read, %v of a short thread", what, s.records, s.bytes, short)
	}
	before[what] = [2]int{s.records, s.bytes}
}

// Calls whose outcome is not known are found after any number of turns, and not any
// more when they are resolved.
func TestUnresolvedOfEarlierTurns(t *testing.T) {
	agent := does(func(ctx context.Context, text string) (string, error) {
		ctx = qed.WithNamespace(ctx, "plan")
		if text == "pay" {
			return qed.StepOnce(ctx, "pay", text, func(context.Context) (string, error) { return "paid", nil })
		}
		if strings.HasPrefix(text, "ask") {
			return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		}
		return text, nil
	})
	st := new(store.InMemory)
	converse(t, agent, st, nil).turn(qed.Turn{Text: "pay"})
	st = qedtest.Restore(t, cut(t, qedtest.Log(t, st, "t"), store.Called, 1))
	c := converse(t, agent, st, nil)
	c.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
	for i := range 5 {
		c.turn(qed.Turn{Text: fmt.Sprint("turn ", i)})
	}
	c.turn(qed.Turn{Text: "ask"})
	thread, err := qed.Inspect(t.Context(), st, "t")
	if err != nil || len(thread.Unresolved) != 1 || thread.Unresolved[0].Name != "pay" {
		t.Fatalf("%+v, %v", thread, err)
	}
	if err := qed.Settle(t.Context(), st, "t", thread.Unresolved[0].Address, json.RawMessage(`"paid"`), nil); err != nil {
		t.Fatal(err)
	}
	if thread, err := qed.Inspect(t.Context(), st, "t"); err != nil || len(thread.Unresolved) != 0 {
		t.Errorf("resolved: %+v, %v", thread, err)
	}
	c.turn(qed.Turn{Text: "ask"})
	if thread, err := qed.Inspect(t.Context(), st, "t"); err != nil || len(thread.Unresolved) != 0 {
		t.Errorf("after a further turn: %+v, %v", thread, err)
	}
}
