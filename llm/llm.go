// Package llm calls language models: a conversation goes in, one message comes
// out.
//
// Create a model with a provider's package, such as [llm/openai] or [llm/anthropic],
// wrap it in middleware, and call Generate:
//
//	client, err := openai.New(&openai.Options{Model: "gpt-5.4-mini", APIKey: key})
//	if err != nil {
//		return err
//	}
//	model := llm.Wrap(client, llm.Retry(nil), llm.LimitConcurrency(4))
//	resp, err := model.Generate(ctx, &llm.Request{Messages: messages}, nil)
//
// [Stream] returns the reply in pieces, as it arrives. [GenerateObject] asks for a
// Go value instead of text. A failed call returns an [*Error], whose [ErrorKind]
// errors.Is finds.
//
// Every type of a conversation is a plain struct that can be stored as JSON and
// read back. Package [llm/llmtest] has scripted and recorded models for tests.
//
// [llm/anthropic]: https://pkg.go.dev/github.com/qedkit/qed/llm/anthropic
// [llm/llmtest]: https://pkg.go.dev/github.com/qedkit/qed/llm/llmtest
// [llm/openai]: https://pkg.go.dev/github.com/qedkit/qed/llm/openai
package llm

import (
	"context"
	"slices"
)

// A Model replies to a conversation. Programs that read a reply in pieces use
// [Stream].
//
//   - If stream is not nil, Generate calls it with the pieces of the reply's
//     text, in order, on its own goroutine and before it returns. The pieces
//     together, after the last Discard, are the Content of the returned message.
//   - Generate returns a nil Response if and only if it returns an error. The
//     part of the reply that arrived before a failure is in [Error.Partial].
//   - The error of a cancelled context matches [context.Canceled].
//
// A Model is safe for concurrent use and leaves no goroutine running.
type Model interface {
	Generate(ctx context.Context, req *Request, stream func(Delta)) (*Response, error)
}

// A Delta is one piece of the text of a streamed reply.
type Delta struct {
	Text string `json:"text"`

	// Discard says that all pieces so far are no part of the reply: they were
	// thoughts of the model, whose beginning the server had not marked. Text is
	// empty then.
	Discard bool `json:"discard,omitempty"`
}

// ModelFunc is a function that implements [Model].
type ModelFunc func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error)

// Generate calls f.
func (f ModelFunc) Generate(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
	return f(ctx, req, stream)
}

// A Middleware returns a [Model] that adds something to the calls of another.
type Middleware func(Model) Model

// Wrap applies mw to m. The first Middleware is the outermost: it sees a request
// first and its reply last.
func Wrap(m Model, mw ...Middleware) Model {
	for _, wrap := range slices.Backward(mw) {
		m = wrap(m)
	}
	return m
}
