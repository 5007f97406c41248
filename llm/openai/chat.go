package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// complete calls the chat completions API. The reply is decoded into types of this
// package, because servers have forms of their own for nearly everything in it.
func (m *Model) complete(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
	params, err := chatParams(m.server, req)
	if err != nil {
		return nil, err
	}
	call, end := m.server.Begin(ctx, req)
	defer end()
	if stream == nil {
		raw, err := post[json.RawMessage](call, "chat/completions", params)
		if err != nil {
			return nil, err
		}
		return wholeChat(call, raw)
	}
	params.StreamOptions.IncludeUsage = param.NewOpt(true)
	resp, err := post[*http.Response](call, "chat/completions", params, streams...)
	if err != nil {
		return nil, err
	}
	return streamedChat(call, resp, stream)
}

// post sends a request and decodes its response.
func post[T any](call *provider.Call, path string, params any, opts ...option.RequestOption) (reply T, err error) {
	client := sdk.Client{Options: sdkOptions(call)} // NewClient reads environment variables
	if err = client.Post(call.Ctx, path, params, &reply, opts...); err != nil {
		err = call.Error(err, nil)
	}
	return reply, err
}

// streams are the options of a request for a streamed reply.
var streams = []option.RequestOption{
	option.WithJSONSet("stream", true), option.WithHeader("Accept", provider.EventStream),
}

// A completion has the members of a reply, or of a piece of one, that this package
// reads.
type completion struct {
	Model   word                  `json:"model"`
	Choices provider.List[choice] `json:"choices"`
	Usage   chatUsage             `json:"usage"`
	Error   json.RawMessage       `json:"error"` // some gateways report one with status 200
}

type number = provider.Number

type choice struct {
	Index   number          `json:"index"`
	Reason  word            `json:"finish_reason"`
	Message chatMessage     `json:"message"` // of a whole reply
	Delta   chatMessage     `json:"delta"`   // of a piece; some servers repeat the whole message with the last one
	Error   json.RawMessage `json:"error"`   // OpenRouter
}

type chatUsage struct {
	Input         number  `json:"prompt_tokens"`
	InputDetails  details `json:"prompt_tokens_details"`
	Output        number  `json:"completion_tokens"`
	Total         number  `json:"total_tokens"`
	OutputDetails details `json:"completion_tokens_details"`
}

type details struct {
	Cached     number `json:"cached_tokens"`
	CacheWrite number `json:"cache_write_tokens"`
	Reasoning  number `json:"reasoning_tokens"`
}

// UnmarshalJSON implements [json.Unmarshaler]. Some servers send a list.
func (d *details) UnmarshalJSON(raw []byte) error {
	type plain details
	if raw[0] != '{' {
		return nil
	}
	return json.Unmarshal(raw, (*plain)(d))
}

func (u chatUsage) usage() llm.Usage {
	// At some servers, such as those of Gemini and Grok, only the total has the
	// tokens of the reasoning.
	if hidden := u.Total - u.Input - u.Output; u.Input > 0 && hidden > 0 {
		u.Output += hidden
		u.OutputDetails.Reasoning = max(u.OutputDetails.Reasoning, hidden)
	}
	return provider.Counts{
		Input:      int64(u.Input),
		Cached:     int64(u.InputDetails.Cached),
		CacheWrite: int64(u.InputDetails.CacheWrite),
		Output:     int64(u.Output),
		Reasoning:  int64(u.OutputDetails.Reasoning),
	}.Usage()
}

// A chatMessage is the message of a reply, or a piece of it.
type chatMessage struct {
	Content json.RawMessage         `json:"content"` // a text or a list of parts
	Refusal word                    `json:"refusal"`
	Calls   provider.List[chatCall] `json:"tool_calls"`
	Call    *chatFunction           `json:"function_call"` // the older form
	members
}

type chatCall struct {
	Index    *number      `json:"index"`
	ID       word         `json:"id"`
	Function chatFunction `json:"function"`
	callMembers
}

type chatFunction struct {
	Name      word `json:"name"`
	Arguments word `json:"arguments"`

	Parameters word `json:"parameters"` // what some models write in place of arguments
}

// wholeChat converts a reply that was not streamed.
func wholeChat(c *provider.Call, raw json.RawMessage) (*llm.Response, error) {
	d := newDraft(c, nil)
	n, err := d.read(raw)
	switch {
	case err != nil:
		return nil, c.Error(err, d.Partial())
	case n == 0:
		return nil, c.ProtocolError("the reply has no choices")
	}
	return d.finish()
}

func streamedChat(c *provider.Call, resp *http.Response, stream func(llm.Delta)) (*llm.Response, error) {
	d := newDraft(c, stream)
	marked, err := c.Stream(resp.Body, d.Draft, func(data []byte) (bool, error) {
		_, err := d.read(data)
		return false, err
	})
	switch {
	case err != nil:
		return nil, err
	case d.FinishReason == "" && (!marked || d.Empty()):
		// Some servers send no reason, but the end mark after a complete reply.
		return nil, c.TruncatedError(nil, d.Partial())
	}
	return d.finish()
}

// A chatDraft is a reply while it arrives.
type chatDraft struct {
	*provider.Draft
	call *provider.Call
	kept kept

	deltas bool // the reply arrives in deltas
}

func newDraft(c *provider.Call, stream func(llm.Delta)) *chatDraft {
	return &chatDraft{Draft: c.Draft(stream), call: c}
}

// read adds a piece of a reply, or a whole one, and returns how many choices it has.
// Servers report usage in a last piece without choices, in every piece as a running
// total, or not at all. Some report an error outside of the member for it.
func (d *chatDraft) read(data []byte) (choices int, err error) {
	var r completion
	if err := json.Unmarshal(data, &r); err != nil {
		return 0, err
	}
	if r.Model != "" {
		d.Model = string(r.Model)
	}
	if u := r.Usage.usage(); u.InputTokens > 0 || u.OutputTokens > 0 {
		d.Usage = u
	}
	if at := slices.IndexFunc(r.Choices, func(c choice) bool { return c.Index == 0 }); at >= 0 {
		if err := d.addChoice(&r.Choices[at]); err != nil {
			return 1, err
		}
		choices = 1
	}
	switch {
	case !provider.IsNull(r.Error):
		return choices, d.call.ReportedMember(r.Error)
	case choices == 0 && d.FinishReason == "" && d.call.Reports(data):
		return 0, d.call.ReportedError(data)
	}
	return choices, nil
}

func (d *chatDraft) addChoice(choice *choice) error {
	m := &choice.Delta
	if d.deltas = d.deltas || !m.empty(); !d.deltas {
		m = &choice.Message
	} else if len(d.Calls)+len(m.Calls) == 0 {
		m.Calls = choice.Message.Calls
	}
	if err := d.addMessage(m); err != nil {
		return err
	}
	d.End(string(choice.Reason))
	if !provider.IsNull(choice.Error) {
		d.Fail(d.call.ReportedMember(choice.Error))
	}
	return nil
}

// empty reports whether a message has nothing.
func (m *chatMessage) empty() bool {
	for _, raw := range m.all() {
		if len(*raw) > len(`""`) && !provider.IsNull(*raw) {
			return false
		}
	}
	return (provider.IsNull(m.Content) || string(m.Content) == `""`) && m.Refusal == "" && len(m.Calls) == 0 && m.Call == nil
}

func (d *chatDraft) addMessage(m *chatMessage) error {
	if err := d.kept.add(&m.members); err != nil {
		return err
	}
	if err := d.addContent(m.Content); err != nil {
		return err
	}
	d.Refusal = append(d.Refusal, m.Refusal...)
	if m.Call != nil && m.Call.Name+m.Call.Arguments != "" {
		m.Calls = append(m.Calls, chatCall{Function: *m.Call})
	}
	m.Calls = slices.DeleteFunc(m.Calls, func(c chatCall) bool { return c.ID+c.Function.Name+c.Function.Arguments == "" })
	pieces := make([]provider.DraftCall, len(m.Calls))
	for i, t := range m.Calls {
		pieces[i] = provider.DraftCall{
			ID: string(t.ID), Name: string(t.Function.Name), Arguments: []byte(cmp.Or(t.Function.Arguments, t.Function.Parameters)),
		}
		switch last := len(d.Calls) - 1; {
		case t.Index != nil:
			pieces[i].Index = int64(*t.Index)
		case last >= 0:
			pieces[i].Index = d.Calls[last].Index
		}
	}
	at, err := d.AddPieces(pieces)
	if err != nil {
		return err
	}
	for i := range m.Calls {
		d.kept.addCall(at[i], &m.Calls[i].callMembers)
	}
	return nil
}

func (d *chatDraft) finish() (*llm.Response, error) {
	if err := d.kept.addTo(d.Draft); err != nil {
		return nil, d.call.Error(err, d.Partial())
	}
	return d.call.Finish(d.Draft)
}

// A word is a text. A server that sends another value, such as the arguments of a call
// as an object, means the JSON of it.
type word string

// UnmarshalJSON keeps the parts of a rune that a server has cut: the next piece has the
// rest of it.
func (w *word) UnmarshalJSON(raw []byte) error {
	switch {
	case string(raw) == "null":
	case raw[0] == '"':
		text, err := provider.Unquote(raw)
		*w = word(text)
		return err
	default:
		*w = word(raw)
	}
	return nil
}
