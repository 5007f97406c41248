package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Role is the author of a [Message].
type Role string

const (
	RoleSystem    Role = "system"    // instructions of the program
	RoleUser      Role = "user"      // what the user wrote
	RoleAssistant Role = "assistant" // a reply of the model
	RoleTool      Role = "tool"      // the result of a tool call
)

// Message is one entry of a conversation. Its Role is required.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content,omitempty"`

	// ToolCalls are the calls that a message of [RoleAssistant] asks for.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`

	// ToolCallID is the [ToolCall.ID] that a message of [RoleTool] has the
	// result of.
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// ToolCall is a request of the model to call a tool. Arguments is valid JSON, as
// the model wrote it; it was not checked against the tool's schema.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Tool describes a tool to a model. InputSchema is the JSON Schema of its
// arguments. Nil means that it takes none.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
}

// Request is one call of a [Model]. A Model must not modify or retain it.
type Request struct {
	// Name is the purpose of the call, such as "select_tables". Traces and
	// scripted models use it. It is not sent to the provider.
	Name string `json:"name,omitempty"`

	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`

	// Format is the form that the reply must have. Nil means text.
	Format *Format `json:"format,omitempty"`

	// Temperature is the sampling temperature. Nil means the provider's default.
	Temperature *float64 `json:"temperature,omitempty"`

	// MaxOutputTokens limits the length of the reply. 0 means the provider's
	// default.
	MaxOutputTokens int `json:"max_output_tokens,omitempty"`
}

// Hash returns a hash of everything that is sent to the provider: requests that
// differ only in Name have the same Hash. It returns an error if JSON inside the
// request is malformed.
func (r *Request) Hash() (string, error) {
	sent := *r
	sent.Name = ""
	text, err := json.Marshal(&sent)
	if err != nil {
		return "", fmt.Errorf("llm: request %q: %w", r.Name, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Format asks for structured output: a reply that is one JSON object.
type Format struct {
	// Name is the name of the object. It consists of ASCII letters, digits,
	// underscores and dashes. Empty means "reply".
	Name string `json:"name,omitempty"`

	// Schema is the JSON Schema of the object.
	Schema json.RawMessage `json:"schema,omitempty"`

	Mode FormatMode `json:"mode,omitempty"`
}

// FormatMode is how a provider enforces a [Format].
type FormatMode string

const (
	// SchemaMode sends the schema, and the provider constrains the reply to it.
	// It is the default.
	SchemaMode FormatMode = ""

	// JSONMode makes the provider constrain the reply to JSON, but not to the
	// schema, which is not sent: the prompt has to describe it, as that of
	// [GenerateObject] does. Some local servers support nothing more.
	JSONMode FormatMode = "json"
)
