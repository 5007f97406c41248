package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// counting answers each message with a number of its own, remembers it, and asks
// which crew if the message has a question mark.
func counting() qed.Agent {
	n := 0
	return does(func(ctx context.Context, text string) (string, error) {
		if err := qed.Remember(ctx, "said", text); err != nil {
			return "", err
		}
		if strings.HasSuffix(text, "?") {
			crew, err := qed.Interrupt[string](ctx, question.Question{
				Text: "Which crew?", Choices: []question.Choice{{ID: "n", Text: "North"}, {ID: "s", Text: "South"}},
			})
			if err != nil {
				return "", err
			}
			text = crew
		}
		n++
		return fmt.Sprint(text, " ", n), nil
	})
}

// shown takes a turn with a message that follows others.
func (c *talk) shown(text string, ids ...string) qed.Answer {
	c.t.Helper()
	return c.turn(qed.Turn{Text: text, Shown: ids})
}

// has checks what everybody reads of the conversation.
func (c *talk) has(want ...string) {
	c.t.Helper()
	messages, err := qed.Messages(c.ctx, c.store, c.thread, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	var said []string
	for _, m := range messages {
		said = append(said, m.Content)
	}
	if diff := cmp.Diff(want, said); diff != "" {
		c.t.Errorf("messages: %s", diff)
	}
	last, err := qed.Messages(c.ctx, c.store, c.thread, 2)
	if err != nil || len(last) != min(2, len(want)) || last[len(last)-1].Content != want[len(want)-1] {
		c.t.Errorf("the last messages are %v, %v", last, err)
	}
	entries, err := qed.History(c.ctx, c.store, c.thread, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	var heard []string
	for _, e := range entries {
		heard = append(heard, e.Message, e.Answer.Text)
	}
	if diff := cmp.Diff(want, heard); diff != "" {
		c.t.Errorf("history: %s", diff)
	}
}

// The conversation has what the client shows.
func TestShown(t *testing.T) {
	type step struct {
		text string
		ids  string // separated by spaces
	}
	for name, test := range map[string]struct {
		steps []step
		want  []string
	}{
		"follows":          {[]step{{"a", "1"}, {"b", "1 2"}, {"c", "1 2 3"}}, []string{"a", "a 1", "b", "b 2", "c", "c 3"}},
		"the last again":   {[]step{{"a", "1"}, {"b", "1 2"}, {"b", "1 2"}, {"b", "1 2"}}, []string{"a", "a 1", "b", "b 4"}},
		"the first edited": {[]step{{"a", "1"}, {"b", "1 2"}, {"c", "1"}}, []string{"c", "c 3"}},
		"and continued":    {[]step{{"a", "1"}, {"b", "1 2"}, {"c", "1"}, {"d", "1 4"}}, []string{"c", "c 3", "d", "d 4"}},
		"a shorter list":   {[]step{{"a", "1"}, {"b", "1 2"}, {"c", "1 2 3"}, {"d", "1 4"}}, []string{"a", "a 1", "d", "d 4"}},
		"another branch": {
			[]step{{"a", "1"}, {"b", "1 2"}, {"c", "1 3"}, {"d", "1 2 4"}}, []string{"a", "a 1", "b", "b 2", "d", "d 4"},
		},
		"the last alone":      {[]step{{"a", "1"}, {"b", "2"}, {"c", "3"}}, []string{"a", "a 1", "b", "b 2", "c", "c 3"}},
		"the end of the list": {[]step{{"a", "1"}, {"b", "1 2"}, {"c", "2 3"}}, []string{"a", "a 1", "b", "b 2", "c", "c 3"}},
		"unknown ids":         {[]step{{"a", "1"}, {"b", "x 2"}, {"c", "y z 3"}}, []string{"a", "a 1", "b", "b 2", "c", "c 3"}},
		"no ids":              {[]step{{"a", ""}, {"b", ""}, {"c", "3"}}, []string{"a", "a 1", "b", "b 2", "c", "c 3"}},
		"each again": {
			[]step{{"a", "1"}, {"a", "1"}, {"b", "1 2"}, {"b", "1 2"}, {"c", "1 2 3"}, {"c", "1 2 3"}},
			[]string{"a", "a 2", "b", "b 4", "c", "c 6"},
		},
		"a reply again": {[]step{{"a?", "1"}, {"North", "1 2"}, {"South", "1 2"}}, []string{"a?", "Which crew?\n1. North\n2. South", "South", "s 2"}},
		"a request that closed a question becomes a reply": {
			[]step{{"a?", "1"}, {"b", "1 2"}, {"South", "1 2"}}, []string{"a?", "Which crew?\n1. North\n2. South", "South", "s 2"},
		},
		"the message that asked": {[]step{{"a?", "1"}, {"North", "1 2"}, {"b", "1"}}, []string{"b", "b 2"}},
		"an open question":       {[]step{{"a?", "1"}, {"b", "1"}}, []string{"b", "b 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := converse(t, counting(), new(store.InMemory), nil)
			for _, s := range test.steps {
				c.shown(s.text, strings.Fields(s.ids)...)
			}
			c.has(test.want...)
			var texts []string
			for i := 0; i < len(test.want); i += 2 {
				if text := test.want[i]; text != "North" && text != "South" { // a reply is no new run
					texts = append(texts, text)
				}
			}
			if said, err := qed.Entries[string](c.ctx, c.store, c.thread, "said", 0); err != nil || !slices.Equal(said, texts) {
				t.Errorf("remembered %q, %v, want %q", said, err, texts)
			}
			if err := qed.Fork(c.ctx, c.store, c.thread, 0, "copy"); err != nil {
				t.Fatal(err)
			}
			c.thread = "copy"
			c.has(test.want...)
		})
	}
}

// Later turns are not told what was replaced, and the ids of messages are read back.
func TestShownHistory(t *testing.T) {
	var history []string
	agent := qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
		history = nil
		for _, m := range turn.History {
			history = append(history, m.Content)
		}
		return qed.Answer{Text: "re: " + turn.Text}, nil
	})
	st := new(store.InMemory)
	c := converse(t, agent, st, nil)
	c.shown("a", "1")
	c.shown("b", "1", "2")
	c.shown("c", "1", "2")
	if diff := cmp.Diff([]string{"a", "re: a"}, history); diff != "" {
		t.Error(diff)
	}
	c.turn(qed.Turn{ID: "run", Text: "d", Shown: []string{"1", "2", "3"}})
	if diff := cmp.Diff([]string{"a", "re: a", "c", "re: c"}, history); diff != "" {
		t.Error(diff)
	}
	entries, err := qed.History(t.Context(), st, "t", 2)
	if err != nil || len(entries) != 2 || entries[0].MessageID != "2" || entries[1].MessageID != "3" || entries[1].ID != "run" {
		t.Errorf("%+v, %v", entries, err)
	}
	c.fails(qed.Turn{Text: "e", Shown: []string{"1", strings.Repeat("x", 300)}}, qed.ErrInvalidTurnID)
}

// If the process dies while a message is answered again, the turn is resumed from
// any of its records, and what it replaces stays replaced.
func TestShownCrash(t *testing.T) {
	for name, test := range map[string]struct{ first, second, edited string }{
		"a request": {"a", "b", "c"},
		"a reply":   {"a?", "North", "South"},
	} {
		t.Run(name, func(t *testing.T) {
			st := new(appends)
			c := converse(t, counting(), st, &qed.DurableOptions{Lease: time.Nanosecond}) // a crash is seen at once
			c.shown(test.first, "1")
			c.shown(test.second, "1", "2")
			before := len(st.heads)
			c.shown(test.edited, "1", "2")
			for _, n := range st.heads[before:] {
				copied := new(store.InMemory)
				var recs []store.Record
				for rec := range st.Records(t.Context(), "t", store.Range{To: n}) {
					recs = append(recs, rec)
				}
				if err := copied.Append(t.Context(), "t", 0, recs...); err != nil {
					t.Fatal(err)
				}
				c := converse(t, counting(), copied, nil)
				if _, err := c.try(qed.Turn{}); err != nil && !errors.Is(err, qed.ErrQuestionClosed) {
					t.Fatalf("after %d records: %v", n, err)
				}
				messages, err := qed.Messages(t.Context(), copied, "t", 0)
				if err != nil || len(messages) != 4 || messages[0].Content != test.first || messages[2].Content != test.edited {
					t.Errorf("after %d records: %v, %v", n, messages, err)
				}
			}
		})
	}
}

// appends is a store that has the number of the last record after each append.
type appends struct {
	store.InMemory
	mu    sync.Mutex
	heads []int64
}

func (s *appends) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heads = append(s.heads, after+int64(len(recs)))
	return s.InMemory.Append(ctx, thread, after, recs...)
}

// A reply after which a payment was made cannot be replaced: it would pay twice. A
// message that begins a run can: it is a new request.
func TestShownPayment(t *testing.T) {
	var l qedtest.Ledger
	var fail error
	c := converse(t, payer(&l, &fail), new(store.InMemory), nil)
	c.shown("10", "1")
	c.shown("yes", "1", "2")
	c.fails(qed.Turn{Text: "yes", Shown: []string{"1", "2"}}, qed.ErrTurnReused)
	c.fails(qed.Turn{Text: "no", Shown: []string{"1", "2"}}, qed.ErrTurnReused)
	l.Want(t, map[string]int{"pay 10": 1})
	if a := c.shown("10", "1"); len(a.Questions) != 1 {
		t.Errorf("%+v", a)
	}
	l.Want(t, map[string]int{"pay 10": 1})
}

// A call in a namespace is made at most once, also if its turn was replaced.
func TestShownNamespace(t *testing.T) {
	var l qedtest.Ledger
	agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		text, err := qed.StepOnce(qed.WithNamespace(ctx, "task"), "pay", "10", func(context.Context) (string, error) {
			l.Do("10")
			return "paid", nil
		})
		return qed.Answer{Text: text}, err
	})
	c := converse(t, agent, new(store.InMemory), nil)
	for range 3 {
		c.shown("pay", "1")
	}
	l.Want(t, map[string]int{"10": 1})
	c.has("pay", "paid")
}

// A summary of replaced messages is not used.
func TestShownSummary(t *testing.T) {
	model := llm.ModelFunc(func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
		text := "SUMMARY"
		if strings.Contains(req.Messages[0].Content, "secret") {
			text = "secret"
		}
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: text}}, nil
	})
	var history string
	agent := qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
		data, err := json.Marshal(turn.History)
		history = string(data)
		return qed.Answer{Text: "ok"}, err
	})
	c := converse(t, agent, new(store.InMemory), &qed.DurableOptions{Memory: &qed.Memory{Summarizer: model, Messages: 2}})
	c.shown("secret", "1")
	for i := range 4 {
		ids := []string{"1"}
		for j := range i + 1 {
			ids = append(ids, fmt.Sprint(j+2))
		}
		c.shown("more", ids...)
	}
	if !strings.Contains(history, "secret") {
		t.Fatalf("there is no summary: %s", history)
	}
	c.shown("other", "1")
	c.shown("last", "1", "2")
	if strings.Contains(history, "secret") || strings.Contains(history, "more") || !strings.Contains(history, "other") {
		t.Error(history)
	}
}
