// Package llm says what a language model is to qed: a conversation goes in, one message comes out.
//
// A [Model] is one method. It streams when it is given somewhere to stream to, so nothing is lost behind a
// [Middleware]. [Object] asks a model for a Go value instead of text. Failures are an [*Error] with a [Kind].
//
// Every type here is a plain struct that reads back from its own JSON, so a conversation can be stored.
// Providers are packages of their own, such as llm/openai; llm/llmtest has scripted and recorded models for tests.
package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Role says who a [Message] comes from.
type Role string

const (
	System    Role = "system"    // instructions of the program
	User      Role = "user"      // what is asked
	Assistant Role = "assistant" // what the model said
	ToolRole  Role = "tool"      // what a tool returned
)

// Message is one entry of a conversation. The zero Message is not valid: it lacks a Role.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content,omitempty"`

	// ToolCalls are what an [Assistant] message wants done.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`

	// ToolCallID is, in a [ToolRole] message, the [ToolCall.ID] that it answers.
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// ToolCall is a model's wish to have a tool called.
// Arguments is what the model wrote: it is valid JSON, and nothing more is known of it.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Tool is what a model is told of a tool. Input is the JSON Schema of its arguments; nil means that it takes none.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
}

// Request is what a model is asked. A model must not change it or keep it.
type Request struct {
	// Name says what the call is for, such as "select_tables". Traces and scripted models use it; it is never sent.
	Name string `json:"name,omitempty"`

	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`

	// Format is the form that the reply must have. Nil means text.
	Format *Format `json:"format,omitempty"`

	// Temperature is how freely the model chooses its words. Nil means the provider's default.
	Temperature *float64 `json:"temperature,omitempty"`

	// MaxTokens limits the length of the reply. Zero means the provider's default.
	MaxTokens int `json:"max_tokens,omitempty"`
}

// Key identifies what is sent: two requests have the same Key when they differ in Name at most.
// It fails where the JSON within the request is malformed.
func (r *Request) Key() (string, error) {
	sent := *r
	sent.Name = ""
	text, err := json.Marshal(&sent)
	if err != nil {
		return "", fmt.Errorf("llm: request %q: %w", r.Name, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Format asks for a reply that is one JSON object.
type Format struct {
	// Name names the object for the model, in letters, digits, underscores and dashes. Empty means "reply".
	Name string `json:"name,omitempty"`

	// Schema is the JSON Schema of the object.
	Schema json.RawMessage `json:"schema,omitempty"`

	Mode Mode `json:"mode,omitempty"`
}

// Mode is how a provider is told of a [Format].
type Mode string

const (
	// SchemaMode, the default, has the provider hold the reply to the schema.
	SchemaMode Mode = ""

	// JSONMode has the provider hold the reply to JSON only, which is all that some local models can do.
	// The schema is not sent: the prompt has to describe it, as [Object] does.
	JSONMode Mode = "json"
)

// Delta is the next piece of a reply's text.
type Delta struct {
	Text string `json:"text"`
}

// Finish says why a reply ended.
type Finish string

const (
	FinishStop      Finish = "stop"       // the model had said all
	FinishToolCalls Finish = "tool_calls" // it waits for its tools
	FinishLength    Finish = "length"     // it was cut off: seen only in [Error.Partial]
	FinishRefusal   Finish = "refusal"    // it, or a filter, declined: seen only in [Error.Partial]
)

// Usage is what calls cost. The zero value is no use; a provider that reports no tokens leaves them zero.
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

// Response is a model's reply.
type Response struct {
	Message Message `json:"message"`
	Finish  Finish  `json:"finish"`
	Usage   Usage   `json:"usage"`

	// Model is the name of the model that replied, as the provider gives it.
	Model string `json:"model,omitempty"`
}

// A Model replies to a conversation.
//
// When stream is not nil, it is called with the pieces of the reply's text in order, on the goroutine that called
// Generate and before Generate returns; together they are the Content of the returned Message.
// Generate returns a nil Response exactly when it returns an error. What arrived before a reply broke off is in
// [Error.Partial]. A cancelled context gives an error that matches [context.Canceled].
//
// A Model is safe for concurrent use, and leaves no goroutine behind.
type Model interface {
	Generate(ctx context.Context, req *Request, stream func(Delta)) (*Response, error)
}

// ModelFunc is a function as a [Model].
type ModelFunc func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error)

// Generate calls f.
func (f ModelFunc) Generate(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
	return f(ctx, req, stream)
}

// Middleware makes a [Model] that does something around another.
type Middleware func(Model) Model

// Wrap puts mw around m. The first of mw is the outermost: it sees a request first and its reply last.
func Wrap(m Model, mw ...Middleware) Model {
	for i := len(mw) - 1; i >= 0; i-- {
		m = mw[i](m)
	}
	return m
}

// An Embedder turns texts into vectors, one for each text and in their order.
// All vectors of one Embedder have the same length. It is safe for concurrent use.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
