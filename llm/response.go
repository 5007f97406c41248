package llm

import (
	"bytes"
	"slices"
)

// Response is the reply of a [Model].
type Response struct {
	Message      Message      `json:"message"`
	FinishReason FinishReason `json:"finish_reason"`
	Usage        Usage        `json:"usage"`

	// Model is the name of the model that replied, as the provider reports it.
	Model string `json:"model,omitempty"`
}

// FinishReason is why a reply ended.
type FinishReason string

const (
	FinishStop      FinishReason = "stop"       // the reply is complete
	FinishToolCalls FinishReason = "tool_calls" // the model waits for the results of its tool calls
	FinishLength    FinishReason = "length"     // a limit cut the reply off; only in [Error.Partial]
	FinishRefusal   FinishReason = "refusal"    // the model or a filter declined; only in [Error.Partial]
)

// Usage is what calls of a model consumed. The token counts are 0 if the
// provider does not report them.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	Calls        int `json:"calls"`
}

// Add adds other to u.
func (u *Usage) Add(other Usage) {
	u.InputTokens += other.InputTokens
	u.OutputTokens += other.OutputTokens
	u.Calls += other.Calls
}

// clone returns a copy of r that shares no memory with it.
func (r *Response) clone() *Response {
	c := *r
	c.Message.ToolCalls = slices.Clone(r.Message.ToolCalls)
	for i := range c.Message.ToolCalls {
		call := &c.Message.ToolCalls[i]
		call.Arguments = bytes.Clone(call.Arguments)
	}
	return &c
}

// withUsage returns a shallow copy of r with another Usage, or nil if r is nil.
// The original may be shared, for example by [Cache].
func (r *Response) withUsage(usage Usage) *Response {
	if r == nil {
		return nil
	}
	c := *r
	c.Usage = usage
	return &c
}
