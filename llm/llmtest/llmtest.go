// Package llmtest has models that need no provider: a scripted one, which says what it was told to say and fails on
// every other request, and a cassette, which records a real model once and replays it.
//
// Neither needs package testing, so a program can run on them too.
package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/qedkit/qed/llm"
)

// ErrUnexpected is matched by the error for a request that a [Model] or a cassette has no reply for.
var ErrUnexpected = errors.New("llmtest: unexpected request")

// Rule says which requests it answers, and how. A request has to meet every condition; the zero Rule has none.
type Rule struct {
	// Name is the [llm.Request.Name] of the requests. Empty means any.
	Name string `json:"name,omitempty"`

	// Contains are texts that must all occur in the request's messages, in any of them.
	Contains []string `json:"contains,omitempty"`

	// Match decides about the rest. Nil means yes. It may run for requests that another rule then answers.
	Match func(*llm.Request) bool `json:"-"`

	// Replies are given one a request, in order. Then the rule answers no more, so that a later rule may.
	Replies []Reply `json:"replies"`

	// Repeat gives the last reply again and again.
	Repeat bool `json:"repeat,omitempty"`
}

// Reply is what a model says. Text is streamed; JSON, when not nil, takes its place and is written as JSON.
type Reply struct {
	Text      string         `json:"text,omitempty"`
	JSON      any            `json:"json,omitempty"`
	ToolCalls []llm.ToolCall `json:"tool_calls,omitempty"`

	// Usage is what the reply is said to cost. Its Calls is set to 1 where it is 0.
	Usage llm.Usage `json:"usage,omitzero"`

	// Delay is how long the model thinks before it says anything.
	Delay time.Duration `json:"delay,omitempty"`

	// Err ends the request, after the Text was streamed.
	Err error `json:"-"`
}

// Model is a scripted [llm.Model]. It is safe for concurrent use.
type Model struct {
	mu         sync.Mutex
	rules      []*scripted
	requests   []*llm.Request
	unexpected []error
}

type scripted struct {
	Rule
	used int
}

// New returns a model that answers by the first of rules that matches and has a reply left.
func New(rules ...Rule) *Model {
	m := &Model{}
	for _, r := range rules {
		m.rules = append(m.rules, &scripted{Rule: r})
	}
	return m
}

// Generate answers by the rules. Its error for a request that none of them answers matches [ErrUnexpected], names the
// request, and says of the rules that come near what they lack.
func (m *Model) Generate(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, ended(err)
	}
	reply, err := m.choose(req)
	if err != nil {
		return nil, err
	}
	if err := sleep(ctx, reply.Delay); err != nil {
		return nil, err
	}
	text := reply.Text
	if reply.JSON != nil {
		raw, err := json.Marshal(reply.JSON)
		if err != nil {
			return nil, fmt.Errorf("llmtest: the reply to request %q: %w", req.Name, err)
		}
		text = string(raw)
	}
	if err := speak(ctx, text, stream); err != nil {
		return nil, err
	}
	if reply.Err != nil {
		return nil, reply.Err
	}
	resp := &llm.Response{
		Message: llm.Message{Role: llm.Assistant, Content: text, ToolCalls: cloneCalls(reply.ToolCalls)},
		Finish:  llm.FinishStop,
		Usage:   reply.Usage,
		Model:   "scripted",
	}
	if len(reply.ToolCalls) > 0 {
		resp.Finish = llm.FinishToolCalls
	}
	resp.Usage.Calls = max(resp.Usage.Calls, 1)
	return resp, nil
}

func (m *Model) choose(req *llm.Request) (Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, cloneRequest(req))
	for _, r := range m.rules {
		if r.lacks(req) != "" {
			continue
		}
		reply := r.Replies[min(r.used, len(r.Replies)-1)]
		r.used++
		return reply, nil
	}
	err := m.describe(req)
	m.unexpected = append(m.unexpected, err)
	return Reply{}, err
}

// lacks says which of r's conditions req does not meet; empty when it meets all.
func (r *scripted) lacks(req *llm.Request) string {
	if r.Name != "" && r.Name != req.Name {
		return fmt.Sprintf("wants the name %q", r.Name)
	}
	for _, text := range r.Contains {
		if !slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return strings.Contains(m.Content, text) }) {
			return fmt.Sprintf("wants a message that contains %q", text)
		}
	}
	switch {
	case r.Match != nil && !r.Match(req):
		return "does not Match"
	case len(r.Replies) == 0:
		return "has no replies"
	case r.used >= len(r.Replies) && !r.Repeat:
		return fmt.Sprintf("has given its %d replies", len(r.Replies))
	}
	return ""
}

// describe is the error for a request that no rule answers.
func (m *Model) describe(req *llm.Request) error {
	var b strings.Builder
	fmt.Fprintf(&b, "request %q, which ends in %s", req.Name, lastMessage(req))
	shown := 0
	for _, near := range []bool{true, false} {
		for i, r := range m.rules {
			if (r.Name == "" || r.Name == req.Name) == near && shown < 5 {
				fmt.Fprintf(&b, "\n\trule %d %s", i, r.lacks(req))
				shown++
			}
		}
	}
	if len(m.rules) > shown {
		fmt.Fprintf(&b, "\n\tand %d rules more", len(m.rules)-shown)
	}
	return fmt.Errorf("%w: %s", ErrUnexpected, b.String())
}

// Requests returns copies of all requests so far, in order.
func (m *Model) Requests() []*llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]*llm.Request, len(m.requests))
	for i, r := range m.requests {
		list[i] = cloneRequest(r)
	}
	return list
}

// Check returns an error when a request was not expected or a reply was never used, and nil otherwise.
// It finds what a program under test swallowed.
func (m *Model) Check() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	errs := slices.Clone(m.unexpected)
	for i, r := range m.rules {
		if left := len(r.Replies) - r.used; left > 0 {
			errs = append(errs, fmt.Errorf("llmtest: rule %d (name %q, contains %q): %d of %d replies were never used",
				i, r.Name, r.Contains, left, len(r.Replies)))
		}
	}
	return errors.Join(errs...)
}

// TB is what [Scripted] needs of a *testing.T.
type TB interface {
	Helper()
	Cleanup(func())
	Error(args ...any)
}

// Scripted is [New] for a test, which fails when [Model.Check] does at its end.
func Scripted(tb TB, rules ...Rule) *Model {
	tb.Helper()
	m := New(rules...)
	tb.Cleanup(func() {
		tb.Helper()
		if err := m.Check(); err != nil {
			tb.Error(err)
		}
	})
	return m
}
