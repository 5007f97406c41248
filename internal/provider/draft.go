package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/qedkit/qed/llm"
)

// MaxCalls bounds the tool calls of a reply. Of a streamed one, each piece looks for the call that it belongs to.
const MaxCalls = 1000

// Draft is a reply while it comes in.
type Draft struct {
	Text    []byte
	Refusal []byte // why the model declined, in its own or the provider's words
	Calls   []DraftCall
	Usage   llm.Usage
	Model   string

	// Finish is [llm.FinishLength], [llm.FinishRefusal], or for all else [llm.FinishStop], which tool calls and a
	// Refusal make more precise. It is empty where no end has come.
	Finish llm.Finish

	// Limit is which limit was reached at FinishLength. Empty means that on the reply's tokens.
	Limit string
}

// DraftCall is a tool call while it comes in.
type DraftCall struct {
	Index     int64 // its place, as the server counts
	ID, Name  string
	Arguments []byte
}

// Last returns the last call of this index, nil where there is none.
func (d *Draft) Last(index int64) *DraftCall {
	for i := len(d.Calls) - 1; i >= 0; i-- {
		if d.Calls[i].Index == index {
			return &d.Calls[i]
		}
	}
	return nil
}

// Open appends a call of this index.
func (d *Draft) Open(index int64) *DraftCall {
	d.Calls = append(d.Calls, DraftCall{Index: index})
	return &d.Calls[len(d.Calls)-1]
}

// Tokens is a count that a server gave, within what a reply can cost: sums of it stay right.
func Tokens(n int64) int { return int(min(max(n, 0), math.MaxInt32)) }

// response is the draft as it stands. Tool calls whose arguments are no JSON are left out, and make it false.
func (d *Draft) response() (*llm.Response, bool) {
	resp := &llm.Response{
		Message: llm.Message{Role: llm.Assistant, Content: string(d.Text)},
		Finish:  cmp.Or(d.Finish, llm.FinishStop),
		Usage:   d.Usage,
		Model:   d.Model,
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
		for next = max(next, i); t.ID == "" || given[t.ID]; next++ { // some servers give none, or one twice, and need one back
			t.ID = fmt.Sprintf("call_%d", next)
		}
		given[t.ID] = true
		resp.Message.ToolCalls = append(resp.Message.ToolCalls, llm.ToolCall{ID: t.ID, Name: t.Name, Arguments: arguments})
	}
	switch {
	case resp.Finish == llm.FinishLength:
	case len(d.Refusal) > 0 || resp.Finish == llm.FinishRefusal:
		resp.Finish = llm.FinishRefusal
	case len(d.Calls) > 0: // some servers say that the model stopped
		resp.Finish = llm.FinishToolCalls
	}
	return resp, ok
}

// Partial is what has come in so far; nil when nothing has.
func (d *Draft) Partial() *llm.Response {
	if len(d.Text) == 0 && len(d.Refusal) == 0 && len(d.Calls) == 0 && d.Usage == (llm.Usage{}) {
		return nil
	}
	resp, _ := d.response()
	if d.Finish == "" {
		resp.Finish = ""
	}
	return resp
}

// Finish turns a complete draft into a response, or into the error that it amounts to.
func (c *Call) Finish(d *Draft) (*llm.Response, error) {
	resp, argumentsOK := d.response()
	e := &llm.Error{Provider: c.provider, Partial: resp}
	switch {
	case resp.Finish == llm.FinishLength:
		e.Kind = llm.ErrTruncated
		e.Message = cmp.Or(d.Limit, "the reply reached its limit of tokens: raise Request.MaxTokens, or ask for less")
	case resp.Finish == llm.FinishRefusal:
		e.Kind = llm.ErrRefusal
		e.Message = "the model, or a filter of the provider, declined"
		if len(d.Refusal) > 0 {
			e.Message = "the model declined: " + c.clean(string(d.Refusal))
		}
	case !argumentsOK:
		e.Kind = llm.ErrInvalidOutput
		e.Message = "the model called a tool with arguments that are not JSON"
	default:
		return resp, nil
	}
	return nil, e
}
