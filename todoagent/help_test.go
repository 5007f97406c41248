package todoagent_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// ledger counts the calls that were really made, across resumed runs.
type ledger struct {
	mu   sync.Mutex
	done map[string]int
	note func(what string) // nil: nobody else
}

// do counts a call, and returns the count.
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

// want fails the test unless exactly these calls were counted.
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

// restore returns a store in which the thread t has a log. The records keep
// their numbers if none is missing.
func restore(t testing.TB, log []store.Record) *store.InMemory {
	t.Helper()
	s := new(store.InMemory)
	if err := s.Append(t.Context(), "t", 0, log...); err != nil {
		t.Fatal(err)
	}
	return s
}

// A moment is the thread t and the ledger after an append.
type moment struct {
	log  []store.Record
	done map[string]int
}

// snapshots is a store that keeps every moment.
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

type vectors func(texts []string) ([][]float32, error)

func (v vectors) Embed(_ context.Context, texts []string) ([][]float32, error) { return v(texts) }

// callTool calls a tool through a registry that has only this tool.
func callTool(ctx context.Context, t *testing.T, tool qed.Tool, arguments string) (map[string]any, error) {
	t.Helper()
	registry := qed.NewRegistry(nil)
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	results, err := registry.Do(ctx, llm.ToolCall{ID: "1", Name: tool.Name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Err != nil {
		return nil, results[0].Err
	}
	var result map[string]any
	if err := json.Unmarshal(results[0].Output, &result); err != nil {
		t.Fatal(err)
	}
	return result, nil
}

func compile[S any](t testing.TB, g *qed.Graph[S], opt *qed.CompileOptions) *qed.Runner[S] {
	t.Helper()
	r, err := g.Compile(opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
