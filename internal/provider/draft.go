package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/qedkit/qed/llm"
)

// MaxCalls is the highest number of tool calls in a reply. Every piece of a
// streamed reply searches them for the call that it belongs to.
const MaxCalls = 1000

// A Draft is a reply while it arrives.
type Draft struct {
	Text    []byte
	Refusal []byte // the reason of the model or the provider for declining
	Calls   []DraftCall
	Usage   llm.Usage
	Model   string

	reasoning []reasoned

	// FinishReason is [llm.FinishLength], [llm.FinishRefusal], or [llm.FinishStop]
	// for all other reasons; tool calls and a Refusal refine the latter. It is
	// empty until the reply has ended.
	FinishReason llm.FinishReason

	// Limit is the message for [llm.FinishLength]. Empty means that the reply
	// reached its token limit.
	Limit string
}

// A DraftCall is a tool call while it arrives.
type DraftCall struct {
	Index     int64 // the number that the server gave it
	ID, Name  string
	Arguments []byte
}

// Last returns the last call with this index, or nil.
func (d *Draft) Last(index int64) *DraftCall {
	for i := len(d.Calls) - 1; i >= 0; i-- {
		if d.Calls[i].Index == index {
			return &d.Calls[i]
		}
	}
	return nil
}

// Add appends a call with this index.
func (d *Draft) Add(index int64) *DraftCall {
	d.Calls = append(d.Calls, DraftCall{Index: index})
	return &d.Calls[len(d.Calls)-1]
}

// Counts are the token counts that a server reports. Input and Output are totals.
type Counts struct {
	Input, Cached, CacheWrite, Output, Reasoning int64
}

// Usage returns the counts as the usage of one call. They are limited so that
// sums cannot overflow, and that a part is not more than its total.
func (n Counts) Usage() llm.Usage {
	count := func(n int64, most int) int { return int(min(max(n, 0), int64(most))) }
	u := llm.Usage{InputTokens: count(n.Input, math.MaxInt32), OutputTokens: count(n.Output, math.MaxInt32), Calls: 1}
	u.CachedTokens = count(n.Cached, u.InputTokens)
	u.CacheWriteTokens = count(n.CacheWrite, u.InputTokens-u.CachedTokens)
	u.ReasoningTokens = count(n.Reasoning, u.OutputTokens)
	return u
}

// response returns the draft as a response, without the tool calls whose arguments
// are not JSON. It reports whether there were none of those.
func (d *Draft) response() (*llm.Response, bool) {
	resp := &llm.Response{
		Message:      llm.Message{Role: llm.RoleAssistant, Content: string(d.Text)},
		FinishReason: cmp.Or(d.FinishReason, llm.FinishStop),
		Usage:        d.Usage,
		Model:        d.Model,
	}
	resp.Usage.Calls = 1
	ok := true
	given := map[string]bool{}
	for i, next := 0, 0; i < len(d.Calls); i++ {
		t := d.Calls[i]
		arguments := json.RawMessage(t.Arguments)
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}")
		}
		if !json.Valid(arguments) {
			ok = false
			continue
		}
		// Some servers send no id, or the same id twice, but require one in the answer.
		for next = max(next, i); t.ID == "" || given[t.ID]; next++ {
			t.ID = fmt.Sprintf("call_%d", next)
		}
		given[t.ID] = true
		resp.Message.ToolCalls = append(resp.Message.ToolCalls,
			llm.ToolCall{ID: t.ID, Name: t.Name, Arguments: arguments})
	}
	switch {
	case resp.FinishReason == llm.FinishLength:
	case len(d.Refusal) > 0 || resp.FinishReason == llm.FinishRefusal:
		resp.FinishReason = llm.FinishRefusal
	case len(d.Calls) > 0: // some servers report "stop"
		resp.FinishReason = llm.FinishToolCalls
	}
	return resp, ok
}

// Partial returns the part of the reply that has arrived, or nil.
func (d *Draft) Partial() *llm.Response {
	if len(d.Text) == 0 && len(d.Refusal) == 0 && len(d.Calls) == 0 && d.Usage == (llm.Usage{}) {
		return nil
	}
	resp, _ := d.response()
	if d.FinishReason == "" {
		resp.FinishReason = ""
	}
	return resp
}

// Finish returns the response of a complete draft, or an error if the reply was
// cut off, refused or malformed.
func (c *Call) Finish(d *Draft) (*llm.Response, error) {
	resp, valid := d.response()
	e := &llm.Error{Provider: c.provider, Partial: resp}
	switch {
	case resp.FinishReason == llm.FinishLength:
		e.Kind = llm.ErrTruncated
		e.Message = cmp.Or(d.Limit, "the reply reached its token limit: raise Request.MaxOutputTokens, or ask for less")
	case resp.FinishReason == llm.FinishRefusal:
		e.Kind = llm.ErrRefusal
		e.Message = "the model or a filter of the provider declined"
		if len(d.Refusal) > 0 {
			e.Message = "the model declined: " + c.clean(string(d.Refusal))
		}
	case !valid:
		e.Kind = llm.ErrInvalidOutput
		e.Message = "the model called a tool with arguments that are not JSON"
	default:
		var err error
		if resp.Message.Parts, err = c.reasoningParts(d); err != nil {
			return nil, c.ProtocolError("the reasoning in the reply is not JSON")
		}
		return resp, nil
	}
	return nil, e
}
