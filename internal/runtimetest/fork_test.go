package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// A fork at any record can be resumed like the original, which is not changed.
func TestForkFromEveryRecord(t *testing.T) {
	for _, name := range []string{"journeys", "scopes", "no graph"} {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			s := scriptNamed(t, name)
			clock := qedtest.NewClock()
			ctx := qed.WithClock(t.Context(), clock.Now)
			want := s.tell(t, ctx)
			st := qedtest.Restore(t, want.moments[len(want.moments)-1].Log)
			log := qedtest.Log(t, st, "t")
			for i, rec := range log {
				turn := 0
				for rec.Seq > int64(len(want.moments[want.ends[turn]-1].Log)) {
					turn++
				}
				t.Run(fmt.Sprintf("%d %s", i+1, rec.Kind), func(t *testing.T) {
					to := fmt.Sprint("copy ", i)
					if err := qed.Fork(ctx, st, "t", rec.Seq, to); err != nil {
						t.Fatal(err)
					}
					l := &qedtest.Ledger{}
					c := converse(t, s.agent(t, l), st, nil)
					c.ctx, c.thread = ctx, to
					copied := qedtest.Log(t, st, to)
					switch {
					case isOver(copied):
						c.fails(qed.Turn{}, qed.ErrQuestionClosed)
					case unknown(copied):
						c.fails(qed.Turn{}, qed.ErrUnresolved)
					default:
						a, err := c.try(qed.Turn{})
						if a, err = s.answer(c, a, err); err != nil || a.Text != want.answers[turn].Text {
							t.Errorf("answer %q, %v, want %q", a.Text, err, want.answers[turn].Text)
						}
					}
					a, err := c.try(qed.Turn{Text: "another way"})
					inScope := s.name == "scopes" && unknown(copied) // whichever turn it is
					if inScope != errors.Is(err, qed.ErrUnresolved) || !inScope && (err != nil || !a.Saved) {
						t.Errorf("a new turn: %+v, %v", a, err)
					}
					if !reflect.DeepEqual(log, qedtest.Log(t, st, "t")) {
						t.Error("the thread changed")
					}
				})
			}
		})
	}
}

// A fork of an interrupted thread accepts replies at once, without waiting for
// a lease, and so does the original.
func TestForkOfAnInterruptedThread(t *testing.T) {
	var l qedtest.Ledger
	st := new(store.InMemory)
	c := converse(t, walks(t, row(parallel(&l, "a", "b")), nil), st, nil)
	asked := c.turn(qed.Turn{Text: "go", User: "ann"})
	if err := qed.Fork(t.Context(), store.ForUser(st, "", "ann"), "t", 0, "copy"); err != nil {
		t.Fatal(err)
	}
	copied := *c
	copied.thread = "copy"
	copied.fails(qed.Turn{Replies: qedtest.Choose(t, asked, `"A"`, `"B"`), User: "bob"}, qed.ErrQuestionClosed)
	if a := copied.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"A"`, `"B"`), User: "ann"}); a.Text != "send use aA use bB" {
		t.Errorf("the copy: %+v", a)
	}
	if a := c.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"C"`, `"D"`), User: "ann"}); a.Text != "send use aC use bD" {
		t.Errorf("the thread: %+v", a)
	}
}

// A fork of a trimmed thread has other numbers, and can be resumed.
func TestForkOfATrimmedThread(t *testing.T) {
	for _, half := range []bool{false, true} {
		var l qedtest.Ledger
		st := new(store.InMemory)
		agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
			if turn.Text != "ask" {
				_, err := memo(ctx, &l, "look")
				return qed.Answer{Text: turn.Text}, err
			}
			replies, err := qed.Each(ctx, []string{"a", "b"}, func(s string) string { return s }, func(ctx context.Context, name string) (string, error) {
				if _, err := once(ctx, &l, name); err != nil {
					return "", err
				}
				return qed.Interrupt[string](ctx, question.Question{Text: name + "?"})
			})
			return qed.Answer{Text: fmt.Sprint(len(turn.History), replies)}, err
		})
		c := converse(t, agent, st, &qed.DurableOptions{KeepRuns: 1})
		for i := range 3 {
			c.say(fmt.Sprint("turn ", i))
		}
		asked := c.say("ask")
		if half {
			asked = c.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"A"`, "")})
		}
		if log := qedtest.Log(t, st, "t"); log[len(log)-1].Seq == int64(len(log)) {
			t.Fatal("nothing was trimmed")
		}
		if err := qed.Fork(t.Context(), st, "t", 0, "copy"); err != nil {
			t.Fatal(err)
		}
		c.thread = "copy"
		again := c.resume()
		if diff := cmp.Diff(len(asked.Questions), len(again.Questions)); diff != "" {
			t.Errorf("the copy asks %v, the thread asked %v", again.Questions, asked.Questions)
		}
		values := []string{`"A"`, `"B"`}
		if half {
			values = values[1:]
		}
		if a := c.reply(asked, values...); a.Text != "6 [A B]" {
			t.Errorf("answer = %+v", a)
		}
		l.Want(t, map[string]int{"look": 3, "a": 1, "b": 1})
	}
}

// A fork does not use the records that the original discarded, and has its
// summaries.
func TestForkKeepsTheFloor(t *testing.T) {
	st := new(store.InMemory)
	agent := qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: fmt.Sprint(turn.Text, " after ", len(turn.History))}, nil
	})
	c := converse(t, agent, st, nil)
	c.say("one")
	log := qedtest.Log(t, st, "t")
	log[len(log)-1].Data = json.RawMessage("torn")
	st = qedtest.Restore(t, log)
	c = converse(t, agent, st, nil)
	if a := c.say("two"); a.Text != "two after 0" {
		t.Fatalf("answer = %+v", a)
	}
	if err := qed.Fork(t.Context(), st, "t", 0, "copy"); err == nil {
		c.thread = "copy"
		if a := c.say("three"); a.Text != "three after 2" {
			t.Errorf("answer = %+v", a)
		}
	} else if !errors.Is(err, store.ErrCorrupt) {
		t.Error(err)
	}
}

// A fork includes the records that were appended together with the last one,
// whatever the clock says.
func TestForkWithAStoppedClock(t *testing.T) {
	noon := time.Date(2025, 1, 15, 12, 0, 0, 0, time.UTC)
	ctx := qed.WithClock(t.Context(), func() time.Time { return noon })
	var l qedtest.Ledger
	st := qedtest.NewSnapshots(t, &l)
	c := converse(t, ordinary(t, &l), st, nil)
	c.ctx = ctx
	c.say("one")
	c.say("two")
	log := qedtest.Log(t, st, "t")
	for _, m := range st.Moments {
		n := len(m.Log)
		to := fmt.Sprint("copy ", n)
		if err := qed.Fork(ctx, st.Store, "t", int64(n), to); err != nil {
			t.Fatal(err)
		}
		copied := qedtest.Log(t, st, to)
		if m.Log[n-1].Kind != store.Ended {
			copied = copied[:len(copied)-1] // the record that ends the copy
		}
		if len(copied) != n {
			t.Errorf("the copy up to number %d of %d, %s, has %d", n, len(log), m.Log[n-1].Kind, len(copied))
		}
	}
}

func TestForkRefuses(t *testing.T) {
	st := new(store.InMemory)
	c := converse(t, does(func(context.Context, string) (string, error) { return "answer", nil }), st, nil)
	c.say("go")
	broken := qedtest.Restore(t, qedtest.Log(t, st, "t"))
	rec := qedtest.Log(t, st, "t")[0]
	rec.Data = json.RawMessage("{")
	if err := broken.Append(t.Context(), "broken", 0, rec); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		store  store.Store
		thread string
		at     int64
		to     string
		want   error
	}{
		{"no thread", st, "none", 0, "copy", fs.ErrNotExist},
		{"no such record", st, "t", 100, "copy", fs.ErrNotExist},
		{"a negative number", st, "t", -1, "copy", fs.ErrNotExist},
		{"onto itself", st, "t", 0, "t", fs.ErrExist},
		{"no id", st, "t", 0, "", store.ErrInvalidThread},
		{"no id to read", st, "", 0, "copy", store.ErrInvalidThread},
		{"a record that cannot be read", broken, "broken", 0, "copy", store.ErrCorrupt},
		{"a store that fails", &qedtest.Store{Store: st, OnAppend: func(context.Context, []store.Record, func(context.Context) error) error { return errDown }}, "t", 0, "copy", errDown},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := qed.Fork(t.Context(), test.store, test.thread, test.at, test.to); !errors.Is(err, test.want) {
				t.Errorf("error = %v, want %v", err, test.want)
			}
			if n := len(qedtest.Log(t, st, "copy")); n > 0 {
				t.Errorf("%d records were copied", n)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	st := new(store.InMemory)
	c := converse(t, does(func(_ context.Context, text string) (string, error) { return "re " + text, nil }), st, nil)
	for i := range 3 {
		c.say(fmt.Sprint(i))
	}
	all := []llm.Message{
		{Role: llm.RoleUser, Content: "0"}, {Role: llm.RoleAssistant, Content: "re 0"},
		{Role: llm.RoleUser, Content: "1"}, {Role: llm.RoleAssistant, Content: "re 1"},
		{Role: llm.RoleUser, Content: "2"}, {Role: llm.RoleAssistant, Content: "re 2"},
	}
	for _, n := range []int{0, 1, 2, 5, 6, 7} {
		want := all
		if n > 0 {
			want = all[max(0, len(all)-n):]
		}
		got, err := qed.Messages(t.Context(), st, "t", n)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%d: %v: %s", n, err, diff)
		}
	}
	if got, err := qed.Messages(t.Context(), st, "none", 0); err != nil || len(got) != 0 {
		t.Errorf("of no thread: %v, %v", got, err)
	}
	if _, err := qed.Messages(t.Context(), st, "", 0); !errors.Is(err, store.ErrInvalidThread) {
		t.Errorf("of no id: %v", err)
	}
	log := qedtest.Log(t, st, "t")
	i := slices.IndexFunc(log, func(r store.Record) bool { return r.Kind == store.Message })
	log[i].Data = json.RawMessage("torn")
	if _, err := qed.Messages(t.Context(), qedtest.Restore(t, log), "t", 0); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("of a thread that cannot be read: %v", err)
	}
}
