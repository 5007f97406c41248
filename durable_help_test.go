package qed_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// ledger counts the calls that were really made, however often a run is
// resumed.
type ledger struct {
	mu   sync.Mutex
	done map[string]int
	note func(what string) // may be nil
}

// do counts a call, and returns how often it was made.
func (l *ledger) do(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done == nil {
		l.done = map[string]int{}
	}
	l.done[what]++
	if l.note != nil {
		l.note(what)
	}
	return l.done[what]
}

func (l *ledger) count() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.done)
}

// want fails the test unless exactly these calls were made.
func (l *ledger) want(t testing.TB, want map[string]int) {
	t.Helper()
	if got := l.count(); !maps.Equal(got, want) {
		t.Errorf("done %v, want %v", got, want)
	}
}

// clock is a time that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2025, 1, 15, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// watched is a store whose calls go through functions that can fail, wait or
// watch. do makes the real call. A nil function does nothing.
type watched struct {
	store.Store
	append  func(ctx context.Context, recs []store.Record, do func(context.Context) error) error
	records func(ctx context.Context, r store.Range, do func(context.Context) iter.Seq2[store.Record, error]) iter.Seq2[store.Record, error]
	trim    func(ctx context.Context, do func(context.Context) error) error
}

func (w *watched) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	do := func(ctx context.Context) error { return w.Store.Append(ctx, thread, after, recs...) }
	if w.append == nil {
		return do(ctx)
	}
	return w.append(ctx, recs, do)
}

func (w *watched) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	do := func(ctx context.Context) iter.Seq2[store.Record, error] { return w.Store.Records(ctx, thread, r) }
	if w.records == nil {
		return do(ctx)
	}
	return w.records(ctx, r, do)
}

func (w *watched) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	do := func(ctx context.Context) error { return w.Store.Trim(ctx, thread, before, kinds...) }
	if w.trim == nil {
		return do(ctx)
	}
	return w.trim(ctx, do)
}

// failing returns the records of a store that fails.
func failing(err error) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) { yield(store.Record{}, err) }
}

// has reports whether one of recs is of a kind.
func has(recs []store.Record, kind store.Kind) bool {
	return slices.ContainsFunc(recs, func(r store.Record) bool { return r.Kind == kind })
}

// records returns the log of a thread.
func records(t testing.TB, s store.Store, thread string) []store.Record {
	t.Helper()
	var log []store.Record
	for rec, err := range s.Records(context.Background(), thread, store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, rec)
	}
	return log
}

// kinds returns how many records a log has of each kind.
func kinds(log []store.Record) map[store.Kind]int {
	n := map[store.Kind]int{}
	for _, rec := range log {
		n[rec.Kind]++
	}
	return n
}

// restore returns a store in which the thread t has a log. Records are numbered
// from 1 without gaps.
func restore(t testing.TB, log []store.Record) *store.InMemory {
	t.Helper()
	s := new(store.InMemory)
	if err := s.Append(t.Context(), "t", 0, log...); err != nil {
		t.Fatal(err)
	}
	return s
}

// A moment is the state of the thread t and the ledger after an append.
type moment struct {
	log  []store.Record
	done map[string]int
}

// snapshots is a store that records every moment.
type snapshots struct {
	store.Store
	t  testing.TB
	l  *ledger
	mu sync.Mutex

	moments []moment
}

func (s *snapshots) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := s.l.count()
	if err := s.Store.Append(ctx, thread, after, recs...); err != nil {
		return err
	}
	s.moments = append(s.moments, moment{records(s.t, s.Store, thread), done})
	return nil
}

// reply returns a reply to a question, whose value is JSON.
func reply(q qed.Question, value string) qed.Reply {
	return qed.Reply{Question: q.ID, Value: json.RawMessage(value)}
}

// choose returns replies to the questions of an answer, in the order of their
// texts; an empty value leaves a question open.
func choose(t testing.TB, a qed.Answer, values ...string) []qed.Reply {
	t.Helper()
	if len(a.Questions) != len(values) {
		t.Fatalf("questions = %v, want %d", a.Questions, len(values))
	}
	slices.SortFunc(a.Questions, func(x, y qed.Question) int { return strings.Compare(x.Text, y.Text) })
	var replies []qed.Reply
	for i, v := range values {
		if v != "" {
			replies = append(replies, reply(a.Questions[i], v))
		}
	}
	return replies
}

// A talk is a conversation on one thread with an agent.
type talk struct {
	t      testing.TB
	ctx    context.Context
	agent  qed.Agent
	store  store.Store
	thread string
}

// converse begins a talk on the thread t with an agent that is durable in st.
func converse(t testing.TB, a qed.Agent, st store.Store, opt *qed.DurableOptions) *talk {
	return &talk{t, t.Context(), qed.Durable(a, st, opt), st, "t"}
}

// try takes a turn.
func (c *talk) try(turn qed.Turn) (qed.Answer, error) {
	turn.Thread = c.thread
	return qed.Ask(c.ctx, c.agent, turn)
}

// turn takes a turn, which must succeed.
func (c *talk) turn(turn qed.Turn) qed.Answer {
	c.t.Helper()
	a, err := c.try(turn)
	if err != nil {
		c.t.Fatalf("turn %+v: %v", turn, err)
	}
	return a
}

func (c *talk) say(text string) qed.Answer {
	c.t.Helper()
	return c.turn(qed.Turn{Text: text})
}

// reply replies to the questions of an answer, in the order of their texts.
func (c *talk) reply(asked qed.Answer, values ...string) qed.Answer {
	c.t.Helper()
	return c.turn(qed.Turn{Replies: choose(c.t, asked, values...)})
}

// resume takes an empty turn.
func (c *talk) resume() qed.Answer {
	c.t.Helper()
	return c.turn(qed.Turn{})
}

// fails takes a turn, whose error must match.
func (c *talk) fails(turn qed.Turn, target error) error {
	c.t.Helper()
	a, err := c.try(turn)
	if !errors.Is(err, target) {
		c.t.Fatalf("turn %+v: answer %+v, error %v, want %v", turn, a, err, target)
	}
	return err
}

// listen takes a turn and returns its events as well. Nothing may follow the
// end.
func (c *talk) listen(turn qed.Turn) (events []qed.Event, answer qed.Answer, err error) {
	c.t.Helper()
	turn.Thread = c.thread
	over := false
	for event, e := range c.agent.Run(c.ctx, turn) {
		if over {
			c.t.Errorf("after the end: %v", event)
		}
		switch d := event.Data.(type) {
		case qed.Completed:
			over, answer = true, d.Answer
		case qed.Failed:
			over, err = true, e
		default:
			events = append(events, event)
		}
	}
	if !over {
		c.t.Error("the events have no end")
	}
	return events, answer, err
}

// ofKind returns the data of the events of one type.
func ofKind[D qed.EventData](events []qed.Event) (found []D) {
	for _, e := range events {
		if d, ok := e.Data.(D); ok {
			found = append(found, d)
		}
	}
	return found
}

// does is an agent that answers with what f returns for the text of a turn.
func does(f func(ctx context.Context, text string) (string, error)) qed.Agent {
	return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		text, err := f(ctx, turn.Text)
		return qed.Answer{Text: text}, err
	})
}

// walks is an agent of a graph over trails, which answers with the names in the
// trail.
func walks(t testing.TB, g *qed.Graph[trail], opt *qed.AgentOptions[trail]) qed.Agent {
	t.Helper()
	return qed.NewAgent(compile(t, g, nil),
		func(_ context.Context, s trail, turn qed.Turn) (trail, error) { return trail{}, nil },
		func(_ context.Context, s trail) (qed.Answer, error) {
			return qed.Answer{Text: strings.Join(s.Seen, " ")}, nil
		},
		opt)
}

// noting is a node that adds what f returns to the trail.
func noting(f func(ctx context.Context) (string, error)) step {
	return func(ctx context.Context, s trail) (trail, error) {
		text, err := f(ctx)
		s.Seen = append(s.Seen, text)
		return s, err
	}
}

// memo makes a recorded call that returns its name.
func memo(ctx context.Context, l *ledger, name string) (string, error) {
	return qed.Step(ctx, name, nil, func(context.Context) (string, error) { l.do(name); return name, nil })
}

var errBoom = errors.New("boom")
