package router_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed"
)

// told returns the events of a turn but the last, as lines, and the answer or the error.
func told(ctx context.Context, a qed.Agent) (lines []string, answer qed.Answer, err error) {
	for event, e := range a.Run(ctx, qed.Turn{Text: "q", User: "u", Tenant: "c"}) {
		switch d := event.Data.(type) {
		case qed.Completed:
			answer = d.Answer
		case qed.Failed:
			err = e
		default:
			lines = append(lines, fmt.Sprintf("%s %T%v", event.Path, d, d))
		}
	}
	return lines, answer, err
}

// reply returns a reply to a question, whose value is JSON.
func reply(q qed.Question, value string) qed.Reply {
	return qed.Reply{Question: q.ID, Value: json.RawMessage(value)}
}

// choose returns replies to the questions of an answer, in the order of their texts; an empty value leaves a question open.
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
