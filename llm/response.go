package llm

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

	// CachedTokens were read from the provider's cache, and CacheWriteTokens were
	// written to it. Both are part of InputTokens.
	CachedTokens     int `json:"cached_tokens,omitempty"`
	CacheWriteTokens int `json:"cache_write_tokens,omitempty"`

	// ReasoningTokens are the part of OutputTokens that is not in the reply.
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`

	// Cost is what the calls cost, in the currency of [Prices]. It is 0 without
	// that Middleware.
	Cost float64 `json:"cost,omitempty"`
}

// Add adds other to u.
func (u *Usage) Add(other Usage) {
	u.InputTokens += other.InputTokens
	u.OutputTokens += other.OutputTokens
	u.Calls += other.Calls
	u.CachedTokens += other.CachedTokens
	u.CacheWriteTokens += other.CacheWriteTokens
	u.ReasoningTokens += other.ReasoningTokens
	u.Cost += other.Cost
}

// withUsage returns a shallow copy of r with another Usage, or nil if r is nil.
// The original may be shared.
func (r *Response) withUsage(usage Usage) *Response {
	if r == nil {
		return nil
	}
	c := *r
	c.Usage = usage
	return &c
}
