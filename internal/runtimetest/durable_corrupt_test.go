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

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// teller is an agent that answers with all that it can read of its thread, and
// asks if the text says so.
func teller(t testing.TB) qed.Agent {
	var l qedtest.Ledger
	r := compile(t, row(
		func(ctx context.Context, s trail) (trail, error) {
			text, err := memo(qed.WithNamespace(ctx, "task"), &l, "task")
			s.Seen = append(s.Seen, text)
			return s, err
		},
		func(ctx context.Context, s trail) (trail, error) {
			if s.Seen[0] != "ask" {
				return s, nil
			}
			replies, err := qed.Each(ctx, []string{"p", "q"}, func(s string) string { return s }, func(ctx context.Context, name string) (string, error) {
				return qed.Interrupt[string](ctx, question.Question{Text: name + "?"})
			})
			s.Seen = append(s.Seen, replies...)
			return s, err
		},
		func(ctx context.Context, s trail) (trail, error) {
			if err := qed.Remember(ctx, "turns", len(s.Seen)); err != nil {
				return s, err
			}
			handle, err := qed.Save(ctx, s.N)
			if err != nil {
				return s, err
			}
			n, err := qed.Remembered[int](ctx, "turns", 0)
			if err != nil {
				return s, err
			}
			kept, err := qed.Load[int](ctx, handle)
			s.Seen = append(s.Seen, fmt.Sprint(n, kept))
			return s, err
		},
	), nil)
	return qed.NewAgent(r,
		func(_ context.Context, s trail, turn qed.Turn) (trail, error) {
			s = trail{N: s.N + 1, Seen: []string{turn.Text}}
			for _, m := range turn.History {
				s.Seen = append(s.Seen, m.Content)
			}
			return s, nil
		},
		func(_ context.Context, s trail) (qed.Answer, error) {
			return qed.Answer{Text: strings.Join(s.Seen, ",") + fmt.Sprint(s.N)}, nil
		}, nil)
}

// tellerLogs are the logs of threads of a teller: one that is answered, one
// that is interrupted, one with a reply to one of two questions, and one whose
// process died.
func tellerLogs(t testing.TB) map[string][]store.Record {
	t.Helper()
	st := new(store.InMemory)
	c := converse(t, teller(t), st, nil)
	c.say("one")
	c.say("two")
	logs := map[string][]store.Record{"over": qedtest.Log(t, st, "t")}
	asked := c.say("ask")
	logs["asks"] = qedtest.Log(t, st, "t")
	c.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"P"`, "")})
	logs["half answered"] = qedtest.Log(t, st, "t")
	c.resume()
	asked = c.resume()
	c.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"Q"`)})
	log := qedtest.Log(t, st, "t")
	logs["crashed"] = log[:len(log)-4]
	return logs
}

// turnsOf are turns of every kind, for a thread with a log.
func turnsOf(log []store.Record) map[string]qed.Turn {
	turns := map[string]qed.Turn{"text": {Text: "three"}, "empty": {}}
	var replies []question.Reply
	for _, rec := range log {
		var d struct{ Question question.Question }
		if rec.Kind == store.Question && json.Unmarshal(rec.Data, &d) == nil {
			replies = append(replies, qedtest.Reply(d.Question, `"R"`))
		}
	}
	if len(replies) > 0 {
		turns["reply"] = qed.Turn{Replies: replies[len(replies)-1:]}
	}
	return turns
}

// outcome is the result of a turn on a log.
type outcome struct {
	answer qed.Answer
	err    error
	fresh  bool // it emitted the warning state_discarded
}

func takes(t testing.TB, st store.Store, turn qed.Turn) outcome {
	t.Helper()
	c := converse(t, teller(t), st, nil)
	c.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
	events, answer, err := c.listen(turn)
	if _, panicked := errors.AsType[*qed.PanicError](err); panicked {
		t.Errorf("a panic: %v", err)
	}
	return outcome{answer, err, warnings(events, "state_discarded") > 0}
}

func (o outcome) text() string {
	if len(o.answer.Questions) == 0 {
		return o.answer.Text
	}
	var questions []string // concurrent questions have no order
	for _, q := range o.answer.Questions {
		questions = append(questions, q.ID+q.Text)
	}
	slices.Sort(questions)
	return strings.Join(questions, "; ")
}

// A record that cannot be read is reported, or has no effect. It never changes
// the result otherwise.
func TestCorruptRecords(t *testing.T) {
	damage := map[string]func(rec *store.Record){
		"no data":   func(rec *store.Record) { rec.Data = nil },
		"null":      func(rec *store.Record) { rec.Data = json.RawMessage("null") },
		"no object": func(rec *store.Record) { rec.Data = json.RawMessage("[]") },
		"empty":     func(rec *store.Record) { rec.Data = json.RawMessage("{}") },
		"torn":      func(rec *store.Record) { rec.Data = rec.Data[:len(rec.Data)/2] },
	}
	for name, log := range tellerLogs(t) {
		for kind, turn := range turnsOf(log) {
			t.Run(name+"/"+kind, func(t *testing.T) {
				noLeak(t)
				want := takes(t, qedtest.Restore(t, log), turn)
				for i := range log {
					for how, spoil := range damage {
						if host := log[i].Kind == store.Memory || log[i].Kind == store.Saved; host && (how == "null" || how == "torn") {
							continue // that is a JSON number too
						}
						spoiled := slices.Clone(log)
						spoil(&spoiled[i])
						got := takes(t, qedtest.Restore(t, spoiled), turn)
						asksAgain := (log[i].Kind == store.Question || log[i].Kind == store.Reply) && len(got.answer.Questions) > 0
						if got.err == nil && !got.fresh && got.text() != want.text() && !asksAgain {
							t.Errorf("number %d, %s, %s: the answer is silently another: %q, want %q", i+1, log[i].Kind, how, got.text(), want.text())
						}
					}
					// The store reports that it cannot read the record, with no
					// more than its number.
					unreadable := &qedtest.Store{Store: qedtest.Restore(t, log), OnRecords: func(ctx context.Context, r store.Range, do func(context.Context) qedtest.Records) qedtest.Records {
						return func(yield func(store.Record, error) bool) {
							for rec, err := range do(ctx) {
								if rec.Seq == int64(i+1) {
									rec, err = store.Record{Seq: rec.Seq}, fmt.Errorf("reading: %w", store.ErrCorrupt)
								}
								if !yield(rec, err) || err != nil {
									return
								}
							}
						}
					}}
					got := takes(t, unreadable, turn)
					if got.err == nil && !got.fresh && got.text() != want.text() {
						t.Errorf("number %d, %s, unreadable: the answer is silently another: %q, want %q", i+1, log[i].Kind, got.text(), want.text())
					}
				}
			})
		}
	}
}

// Whatever a thread has, a turn with a text is answered in the end, and the
// thread can be used from there.
func TestCorruptThreadIsStartedAgain(t *testing.T) {
	for name, log := range tellerLogs(t) {
		t.Run(name, func(t *testing.T) {
			for i := range log {
				spoiled := slices.Clone(log)
				spoiled[i].Data = json.RawMessage("\x00")
				st := qedtest.Restore(t, spoiled)
				for n := range 3 {
					got := takes(t, st, qed.Turn{Text: fmt.Sprint("turn ", n)})
					if got.err != nil && !errors.Is(got.err, store.ErrCorrupt) {
						t.Errorf("number %d, %s: turn %d: %v", i+1, log[i].Kind, n, got.err)
					}
					if got.err == nil && n > 0 && !strings.Contains(got.text(), fmt.Sprint("turn ", n-1)) {
						t.Errorf("number %d, %s: turn %d does not have the one before: %q", i+1, log[i].Kind, n, got.text())
					}
				}
			}
		})
	}
}

// A damaged thread accepts no turn of another user.
func TestCorruptThreadOfAnotherUser(t *testing.T) {
	st := new(store.InMemory)
	c := converse(t, teller(t), st, nil)
	c.turn(qed.Turn{Text: "my secret", User: "ann"})
	log := qedtest.Log(t, store.ForUser(st, "", "ann"), "t")
	for i := range log {
		for _, data := range []string{"", "null", "{}", "[]", "\x00"} {
			spoiled := slices.Clone(log)
			spoiled[i].Data = json.RawMessage(data)
			got := takes(t, qedtest.Restore(t, spoiled), qed.Turn{Text: "what did she say?"})
			if i > 0 && !errors.Is(got.err, qed.ErrWrongUser) {
				t.Errorf("number %d, %s, %q: somebody else has ann's thread now: %v", i+1, log[i].Kind, data, got.err)
			}
			if strings.Contains(got.text(), "secret") {
				t.Errorf("number %d, %s, %q: somebody else got %q", i+1, log[i].Kind, data, got.text())
			}
		}
	}
}

// FuzzCorruptRecord writes any bytes into a record, and takes every kind of
// turn.
func FuzzCorruptRecord(f *testing.F) {
	logs := tellerLogs(f)
	for name, log := range logs {
		for i := 0; i < len(log); i += 3 {
			f.Add(name, i, "text", []byte(log[i].Data))
		}
		f.Add(name, len(log)-1, "text", []byte(`{"status":"running"}`))
		f.Add(name, len(log)-1, "empty", []byte(`{"fingerprint":"","node":"start","step":-1,"state":null}`))
	}
	f.Fuzz(func(t *testing.T, name string, i int, kind string, data []byte) {
		log := logs[name]
		turn, known := turnsOf(log)[kind]
		if i < 0 || i >= len(log) || !known {
			t.Skip("there is no such record or turn")
		}
		spoiled := slices.Clone(log)
		spoiled[i].Data = data
		st := qedtest.Restore(t, spoiled)
		takes(t, st, turn)
		takes(t, st, qed.Turn{Text: "and now?"})
	})
}
