package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

func ask(name string, texts ...string) *llm.Request {
	req := &llm.Request{Name: name}
	for _, t := range texts {
		req.Messages = append(req.Messages, llm.Message{Role: llm.RoleUser, Content: t})
	}
	return req
}

func TestRules(t *testing.T) {
	m := llmtest.New(
		llmtest.Rule{Name: "select", Contains: []string{"crew"}, Replies: []llmtest.Reply{{Text: "one"}, {Text: "two"}}},
		llmtest.Rule{Name: "select", Match: func(r *llm.Request) bool { return len(r.Messages) > 1 }, Replies: []llmtest.Reply{{JSON: map[string]int{"n": 1}}}},
		llmtest.Rule{Contains: []string{"any", "name"}, Replies: []llmtest.Reply{{Text: "again"}}, Repeat: true},
	)
	for _, test := range []struct {
		req  *llm.Request
		want string // empty: unexpected
	}{
		{ask("select", "the crew"), "one"},
		{ask("select", "a", "crew"), "two"},
		{ask("select", "a", "crew"), `{"n":1}`},
		{ask("select", "a", "crew"), ""},
		{ask("other", "crew"), ""},
		{ask("x", "any", "name"), "again"},
		{ask("y", "any name"), "again"},
		{ask(""), ""},
	} {
		resp, err := m.Generate(t.Context(), test.req, nil)
		switch {
		case test.want == "":
			if !errors.Is(err, llmtest.ErrUnexpected) || !strings.Contains(err.Error(), fmt.Sprintf("request %q", test.req.Name)) {
				t.Errorf("%v: got %v, want an error that names the request", test.req, err)
			}
		case err != nil || resp.Message.Content != test.want || resp.Usage.Calls != 1:
			t.Errorf("%v: got %+v, %v, want %q", test.req, resp, err, test.want)
		}
	}
	if n := len(m.Requests()); n != 8 {
		t.Errorf("%d requests were kept, want 8", n)
	}
}

func TestUnexpectedNamesSimilarRules(t *testing.T) {
	m := llmtest.New(
		llmtest.Rule{Name: "plan", Replies: []llmtest.Reply{{Text: "x"}}},
		llmtest.Rule{Name: "select", Contains: []string{"crew"}, Replies: []llmtest.Reply{{Text: "x"}}},
	)
	_, err := m.Generate(t.Context(), ask("select", "the customers"), nil)
	for _, want := range []string{`request "select"`, `"the customers"`, `rule 1 requires a message that contains "crew"`, `rule 0 requires the name "plan"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func TestReplies(t *testing.T) {
	broken := &llm.Error{Kind: llm.ErrTruncated}
	calls := []llm.ToolCall{{ID: "1", Name: "f", Arguments: []byte(`{}`)}}
	m := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{
		{Text: "in several pieces"},
		{ToolCalls: calls},
		{Text: "half an ", Err: broken},
		{JSON: func() {}},
	}})
	stream := func() (string, int, *llm.Response, error) {
		var b strings.Builder
		n := 0
		resp, err := m.Generate(t.Context(), ask("q"), func(d llm.Delta) { b.WriteString(d.Text); n++ })
		return b.String(), n, resp, err
	}
	if text, n, resp, err := stream(); text != "in several pieces" || n < 2 || err != nil || resp.Message.Content != text {
		t.Errorf("got %q in %d pieces, %v, %v", text, n, resp, err)
	}
	if _, n, resp, err := stream(); err != nil || n != 0 || resp.FinishReason != llm.FinishToolCalls || !cmp.Equal(resp.Message.ToolCalls, calls) {
		t.Errorf("got %+v, %v", resp, err)
	}
	if text, _, resp, err := stream(); text != "half an " || resp != nil || !errors.Is(err, llm.ErrTruncated) {
		t.Errorf("got %q, %v, %v", text, resp, err)
	}
	if _, _, _, err := stream(); err == nil {
		t.Error("a reply that is no JSON was given")
	}
}

func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "x", Delay: time.Hour}}, Repeat: true})
		began := time.Now()
		if _, err := m.Generate(t.Context(), ask("q"), nil); err != nil || time.Since(began) != time.Hour {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := m.Generate(ctx, ask("q"), nil); !errors.Is(err, llm.ErrTimeout) {
			t.Errorf("got %v, want a timeout", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		cancel()
		if _, err := m.Generate(ctx, ask("q"), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want a cancelled context", err)
		}
	})
}

func TestCheck(t *testing.T) {
	rule := llmtest.Rule{Name: "a", Replies: []llmtest.Reply{{Text: "x"}}}
	m := llmtest.New(rule)
	if err := m.Check(); err == nil || !strings.Contains(err.Error(), `rule 0 (name "a"`) {
		t.Errorf("got %v, want the rule that was not used", err)
	}
	if _, err := m.Generate(t.Context(), ask("a"), nil); err != nil {
		t.Fatal(err)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	m.Generate(t.Context(), ask("a"), nil)
	if err := m.Check(); !errors.Is(err, llmtest.ErrUnexpected) {
		t.Errorf("got %v, want the request that the program under test swallowed", err)
	}
}

type fakeTB struct {
	cleanups []func()
	failed   bool
}

func (f *fakeTB) Helper()           {}
func (f *fakeTB) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }
func (f *fakeTB) Error(...any)      { f.failed = true }

func TestScripted(t *testing.T) {
	for _, used := range []bool{true, false} {
		tb := &fakeTB{}
		m := llmtest.Scripted(tb, llmtest.Rule{Replies: []llmtest.Reply{{Text: "x"}}})
		if used {
			m.Generate(t.Context(), ask("q"), nil)
		}
		for _, fn := range tb.cleanups {
			fn()
		}
		if tb.failed == used {
			t.Errorf("used %v, failed %v", used, tb.failed)
		}
	}
}

// TestRequestsAreCopies: a caller may modify its request and the reply.
func TestRequestsAreCopies(t *testing.T) {
	m := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{ToolCalls: []llm.ToolCall{{ID: "1", Arguments: []byte(`{}`)}}}}, Repeat: true})
	req := ask("q", "before")
	req.Format = &llm.Format{Name: "f", Schema: []byte(`{}`)}
	resp, err := m.Generate(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages[0].Content, req.Format.Name = "after", "g"
	resp.Message.ToolCalls[0].Arguments[0] = 'x'
	m.Requests()[0].Messages[0].Content = "mine"
	if got := m.Requests()[0]; got.Messages[0].Content != "before" || got.Format.Name != "f" {
		t.Errorf("got %+v", got)
	}
	again, err := m.Generate(t.Context(), req, nil)
	if err != nil || string(again.Message.ToolCalls[0].Arguments) != "{}" {
		t.Errorf("got %s, %v", again.Message.ToolCalls[0].Arguments, err)
	}
}

func TestConcurrent(t *testing.T) {
	const n = 50
	m := llmtest.New(llmtest.Rule{Replies: make([]llmtest.Reply, n)})
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if _, err := m.Generate(t.Context(), ask("q"), func(llm.Delta) {}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := m.Check(); err != nil {
		t.Error(err)
	}
}
