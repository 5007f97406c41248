// Package llmtest has models for tests that need no provider.
//
//   - [New] and [Scripted] return a scripted model. It gives the replies of its
//     rules and fails on every other request.
//   - [Record] writes the replies of a real model to a file (a cassette), and
//     [Replay] answers from that file.
//
// The package does not import package testing, so programs can use it as well.
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
	"github.com/qedkit/qed/retry"
)

// ErrUnexpected matches the error for a request that a [Model] or a cassette has no
// reply for.
var ErrUnexpected = errors.New("llmtest: unexpected request")

// A Rule has the replies to the requests that meet all of its conditions. The zero
// Rule has no conditions.
type Rule struct {
	// Name is the [llm.Request.Name] of the requests. Empty means any.
	Name string `json:"name,omitempty"`

	// Contains are texts. Each of them must occur in the text of one of the
	// messages: see [llm.Message.Text].
	Contains []string `json:"contains,omitempty"`

	// Match is a condition of your own. Nil means none. It may be called for
	// requests that another rule answers.
	Match func(*llm.Request) bool `json:"-"`

	// Replies are given in order, one per request. After the last one, the rule
	// no longer applies.
	Replies []Reply `json:"replies"`

	// Repeat makes the rule give its last reply again and again.
	Repeat bool `json:"repeat,omitempty"`
}

// A Reply is a scripted reply. If JSON is not nil, its JSON encoding replaces Text.
type Reply struct {
	Text      string         `json:"text,omitempty"`
	JSON      any            `json:"json,omitempty"`
	ToolCalls []llm.ToolCall `json:"tool_calls,omitempty"`
	Parts     []llm.Part     `json:"parts,omitempty"` // such as reasoning

	// Usage is the usage that the reply reports. Calls is at least 1.
	Usage llm.Usage `json:"usage,omitzero"`

	// Delay is the time until the reply begins.
	Delay time.Duration `json:"delay,omitempty"`

	// Err is returned after the text was streamed.
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

// New returns a model that answers by the first rule whose conditions are met and
// that has a reply left.
func New(rules ...Rule) *Model {
	m := &Model{}
	for _, r := range rules {
		m.rules = append(m.rules, &scripted{Rule: r})
	}
	return m
}

// Generate answers by the rules. If no rule applies, the error matches
// [ErrUnexpected], and its text has the request and why rules with similar
// conditions do not apply.
func (m *Model) Generate(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, contextError(err)
	}
	reply, err := m.choose(req)
	if err != nil {
		return nil, err
	}
	if !retry.Sleep(ctx, reply.Delay) {
		return nil, contextError(ctx.Err())
	}
	text := reply.Text
	if reply.JSON != nil {
		raw, err := json.Marshal(reply.JSON)
		if err != nil {
			return nil, fmt.Errorf("llmtest: the reply to request %q: %w", req.Name, err)
		}
		text = string(raw)
	}
	if err := streamText(ctx, text, stream); err != nil {
		return nil, err
	}
	if reply.Err != nil {
		return nil, reply.Err
	}
	resp := &llm.Response{
		Message: llm.Message{
			Role: llm.RoleAssistant, Content: text, Parts: reply.Parts, ToolCalls: reply.ToolCalls,
		}.Clone(),
		FinishReason: llm.FinishStop,
		Usage:        reply.Usage,
		Model:        "scripted",
	}
	if len(reply.ToolCalls) > 0 {
		resp.FinishReason = llm.FinishToolCalls
	}
	resp.Usage.Calls = max(resp.Usage.Calls, 1)
	return resp, nil
}

func (m *Model) choose(req *llm.Request) (Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, req.Clone())
	for _, r := range m.rules {
		if r.mismatch(req) != "" {
			continue
		}
		reply := r.Replies[min(r.used, len(r.Replies)-1)]
		r.used++
		return reply, nil
	}
	err := m.unexpectedError(req)
	m.unexpected = append(m.unexpected, err)
	return Reply{}, err
}

// mismatch returns why r does not apply to req, or an empty string if it does.
func (r *scripted) mismatch(req *llm.Request) string {
	if r.Name != "" && r.Name != req.Name {
		return fmt.Sprintf("requires the name %q", r.Name)
	}
	for _, text := range r.Contains {
		if !slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return strings.Contains(m.Text(), text) }) {
			return fmt.Sprintf("requires a message that contains %q", text)
		}
	}
	switch {
	case r.Match != nil && !r.Match(req):
		return "requires that its Match returns true"
	case len(r.Replies) == 0:
		return "has no replies"
	case r.used >= len(r.Replies) && !r.Repeat:
		return fmt.Sprintf("has no reply left of its %d", len(r.Replies))
	}
	return ""
}

// unexpected returns the error for a request that no rule applies to.
func (m *Model) unexpectedError(req *llm.Request) error {
	var b strings.Builder
	fmt.Fprintf(&b, "request %q, which ends in %s", req.Name, lastMessage(req))
	shown := 0
	for _, near := range []bool{true, false} {
		for i, r := range m.rules {
			if (r.Name == "" || r.Name == req.Name) == near && shown < 5 {
				fmt.Fprintf(&b, "\n\trule %d %s", i, r.mismatch(req))
				shown++
			}
		}
	}
	if len(m.rules) > shown {
		fmt.Fprintf(&b, "\n\tand %d more rules", len(m.rules)-shown)
	}
	return fmt.Errorf("%w: %s", ErrUnexpected, b.String())
}

// Requests returns copies of all requests so far, in order.
func (m *Model) Requests() []*llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]*llm.Request, len(m.requests))
	for i, r := range m.requests {
		list[i] = r.Clone()
	}
	return list
}

// Check returns an error if a request was unexpected or a reply was never used. It
// also finds errors of Generate that the program under test ignored.
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

// TB has the methods of a *testing.T that [Scripted] uses.
type TB interface {
	Helper()
	Cleanup(func())
	Error(args ...any)
}

// Scripted returns a model like [New]. The test fails if [Model.Check] returns an
// error at its end.
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
