// Package qedtest has what the tests of durable runs share: a ledger of the calls
// that were made, a clock, stores that fail or record every append, and replies
// to questions.
package qedtest

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// A Ledger counts the calls that were really made, however often a run is
// resumed.
type Ledger struct {
	Note func(what string) // is called for every call; may be nil

	mu   sync.Mutex
	made map[string]int
}

// NewLedger returns a ledger of calls that were made before.
func NewLedger(made map[string]int) *Ledger { return &Ledger{made: maps.Clone(made)} }

// Do counts a call, and returns how often it was made.
func (l *Ledger) Do(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made == nil {
		l.made = map[string]int{}
	}
	l.made[what]++
	if l.Note != nil {
		l.Note(what)
	}
	return l.made[what]
}

// Count returns how often each call was made.
func (l *Ledger) Count() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.made)
}

// Want fails the test unless exactly these calls were made.
func (l *Ledger) Want(t testing.TB, want map[string]int) {
	t.Helper()
	if got := l.Count(); !maps.Equal(got, want) {
		t.Errorf("calls made: %v, want %v", got, want)
	}
}

// A Clock is a time that tests set.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows the 15th of January 2025, 12:00 UTC.
func NewClock() *Clock { return &Clock{now: time.Date(2025, 1, 15, 12, 0, 0, 0, time.UTC)} }

// Now returns the time. It is a millisecond later with every call.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

// Pass moves the clock forward.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A Store is a store whose calls go through functions that can fail, wait or
// watch. do makes the real call. A nil function makes it at once.
type Store struct {
	store.Store
	OnAppend  func(ctx context.Context, recs []store.Record, do func(context.Context) error) error
	OnRecords func(ctx context.Context, r store.Range, do func(context.Context) Records) Records
	OnTrim    func(ctx context.Context, do func(context.Context) error) error
}

// Records are the records that a store returns.
type Records = iter.Seq2[store.Record, error]

// Append calls OnAppend.
func (s *Store) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	do := func(ctx context.Context) error { return s.Store.Append(ctx, thread, after, recs...) }
	if s.OnAppend == nil {
		return do(ctx)
	}
	return s.OnAppend(ctx, recs, do)
}

// Records calls OnRecords.
func (s *Store) Records(ctx context.Context, thread string, r store.Range) Records {
	do := func(ctx context.Context) Records { return s.Store.Records(ctx, thread, r) }
	if s.OnRecords == nil {
		return do(ctx)
	}
	return s.OnRecords(ctx, r, do)
}

// Trim calls OnTrim.
func (s *Store) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	do := func(ctx context.Context) error { return s.Store.Trim(ctx, thread, before, kinds...) }
	if s.OnTrim == nil {
		return do(ctx)
	}
	return s.OnTrim(ctx, do)
}

// Failing returns the records of a store that fails.
func Failing(err error) Records {
	return func(yield func(store.Record, error) bool) { yield(store.Record{}, err) }
}

// Log returns the records of a thread.
func Log(t testing.TB, s store.Store, thread string) []store.Record {
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

// Restore returns a store in which the thread t has a log. Records are numbered
// from 1 without gaps.
func Restore(t testing.TB, log []store.Record) *store.InMemory {
	t.Helper()
	s := new(store.InMemory)
	if err := s.Append(t.Context(), "t", 0, log...); err != nil {
		t.Fatal(err)
	}
	return s
}

// A Moment is the state of a thread and of a ledger after an append.
type Moment struct {
	Log  []store.Record
	Made map[string]int
}

// Snapshots is a store that records every moment.
type Snapshots struct {
	store.Store
	Moments []Moment

	t      testing.TB
	ledger *Ledger
	mu     sync.Mutex
}

// NewSnapshots returns an empty store that records every moment.
func NewSnapshots(t testing.TB, l *Ledger) *Snapshots {
	return &Snapshots{Store: new(store.InMemory), t: t, ledger: l}
}

// Append appends recs and records the moment.
func (s *Snapshots) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	made := s.ledger.Count()
	if err := s.Store.Append(ctx, thread, after, recs...); err != nil {
		return err
	}
	s.Moments = append(s.Moments, Moment{Log: Log(s.t, s.Store, thread), Made: made})
	return nil
}

// Reply returns a reply to a question, whose value is JSON.
func Reply(q question.Question, value string) question.Reply {
	return question.Reply{Question: q.ID, Value: json.RawMessage(value)}
}

// Choose returns replies to the questions of an answer, in the order of their
// texts. An empty value leaves a question open.
func Choose(t testing.TB, a qed.Answer, values ...string) []question.Reply {
	t.Helper()
	if len(a.Questions) != len(values) {
		t.Fatalf("questions = %v, want %d", a.Questions, len(values))
	}
	slices.SortFunc(a.Questions, func(x, y question.Question) int { return strings.Compare(x.Text, y.Text) })
	var replies []question.Reply
	for i, v := range values {
		if v != "" {
			replies = append(replies, Reply(a.Questions[i], v))
		}
	}
	return replies
}
