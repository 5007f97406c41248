package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	Role Role `json:"role"`

	// Content is the text. Of a reply it is the whole text.
	Content string `json:"content,omitempty"`

	// Parts are what the message has besides Content, such as images. They are
	// sent before Content, in order.
	Parts []Part `json:"parts,omitempty"`

	// ToolCalls are the calls that a message of [RoleAssistant] asks for.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`

	// ToolCallID is the [ToolCall.ID] that a message of [RoleTool] has the
	// result of.
	ToolCallID string `json:"tool_call_id,omitempty"`

	// CacheHint says that later requests will begin with the same messages, up
	// to and including this one, so the provider should cache them. Anthropic
	// bills the writing of a cache, and caches nothing without a hint; it
	// accepts four in a request, and the last four are sent. Other providers
	// decide themselves what they cache, so the hint is not sent to them.
	CacheHint bool `json:"cache_hint,omitempty"`
}

// Clone returns a copy of m that shares no memory with it.
func (m Message) Clone() Message {
	m.Parts = slices.Clone(m.Parts)
	for i := range m.Parts {
		m.Parts[i].Data = bytes.Clone(m.Parts[i].Data)
	}
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range m.ToolCalls {
		m.ToolCalls[i].Arguments = bytes.Clone(m.ToolCalls[i].Arguments)
	}
	return m
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
//
// A field that a provider has no equivalent for is refused: the error matches
// [ErrBadRequest] and names the field. Only a [Message.CacheHint] may be ignored.
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

	// ToolChoice says whether the model must call a tool.
	ToolChoice ToolChoice `json:"tool_choice,omitempty"`

	// Stop are texts that end the reply. They are not part of it.
	Stop []string `json:"stop,omitempty"`

	// Seed makes equal requests more likely to get equal replies. Nil means that
	// none is sent.
	Seed *int64 `json:"seed,omitempty"`

	// Extra has further members of the request's body, by their names in the API
	// of the provider, such as "reasoning" or "service_tier". A member that has
	// a field here, or that the provider's package sets itself, is refused.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// ToolChoice says whether the model must call a tool. Besides the constants
// there is one for each tool: see [ToolChoiceOf].
type ToolChoice string

const (
	ToolChoiceAuto     ToolChoice = ""         // the model decides
	ToolChoiceNone     ToolChoice = "none"     // no tool may be called
	ToolChoiceRequired ToolChoice = "required" // at least one tool must be called
)

const toolChoicePrefix = "tool:"

// ToolChoiceOf returns the ToolChoice with which the model must call the tool
// with this name.
func ToolChoiceOf(tool string) ToolChoice { return ToolChoice(toolChoicePrefix + tool) }

// Tool returns the name of the tool that must be called. It reports false for
// the constants.
func (c ToolChoice) Tool() (name string, ok bool) {
	return strings.CutPrefix(string(c), toolChoicePrefix)
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

// Clone returns a copy of r that shares no memory with it.
func (r *Request) Clone() *Request {
	c := *r
	c.Messages = slices.Clone(r.Messages)
	for i := range c.Messages {
		c.Messages[i] = c.Messages[i].Clone()
	}
	c.Tools = slices.Clone(r.Tools)
	for i := range c.Tools {
		c.Tools[i].InputSchema = bytes.Clone(c.Tools[i].InputSchema)
	}
	if r.Format != nil {
		c.Format = new(*r.Format)
		c.Format.Schema = bytes.Clone(r.Format.Schema)
	}
	if r.Temperature != nil {
		c.Temperature = new(*r.Temperature)
	}
	if r.Seed != nil {
		c.Seed = new(*r.Seed)
	}
	c.Stop = slices.Clone(r.Stop)
	c.Extra = maps.Clone(r.Extra)
	for name, value := range c.Extra {
		c.Extra[name] = bytes.Clone(value)
	}
	return &c
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
