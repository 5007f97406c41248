package serve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/question"
)

// uiFormat is the UI message stream of the AI SDK, version 1.
type uiFormat struct{}

// askTool is the client-side tool that stands for a question.
const askTool = "ask_user"

// regenerate is the trigger of a request for another answer to a message. Its turn
// replaces the one that the message had, like that of a message that was edited.
const regenerate = "regenerate-message"

// A uiRequest is what useChat sends. Hosts and their pages add members of their own,
// so unknown ones are accepted.
type uiRequest struct {
	ID        string      `json:"id"`
	Messages  []uiMessage `json:"messages"`
	Trigger   string      `json:"trigger"`
	MessageID string      `json:"messageId"` // of a message that is edited or generated again
}

type uiMessage struct {
	ID    string   `json:"id"`
	Role  string   `json:"role"`
	Parts []uiPart `json:"parts"`
}

type uiPart struct {
	Type       string          `json:"type"`
	Text       string          `json:"text"`
	ToolCallID string          `json:"toolCallId"`
	State      string          `json:"state"`
	Output     json.RawMessage `json:"output"`
}

func (uiFormat) read(_ *Handler, c Caller, body []byte) (*request, error) {
	var in uiRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, badRequest("the body must be JSON as useChat sends it: %s", problem(err))
	}
	if len(in.Messages) == 0 {
		return nil, badRequest("the body has no messages")
	}
	turn := qed.Turn{Thread: in.ID}
	last := len(in.Messages) - 1
	if role := in.Messages[last].Role; role != "user" && role != "assistant" && role != "system" {
		return nil, badRequest("the last message has the role %q, and only system, user and assistant are accepted", role)
	}
	if in.Messages[last].Role == "assistant" && in.Trigger != regenerate {
		turn.Replies = repliesIn(in.Messages[last].Parts)
		if len(turn.Replies) == 0 {
			return nil, badRequest("the last message is the assistant's and answers no question")
		}
	} else {
		for last >= 0 && in.Messages[last].Role != "user" {
			last--
		}
		if last < 0 {
			return nil, badRequest("the body has no message of the user")
		}
		text, err := textIn(in.Messages[last].Parts)
		if err != nil {
			return nil, err
		}
		turn.Text = text
		for _, m := range in.Messages[:last+1] {
			if m.Role == "user" {
				turn.Shown = append(turn.Shown, m.ID)
			}
		}
		if in.Trigger != regenerate && in.MessageID == "" {
			turn.ID = in.Messages[last].ID
		}
		if strings.TrimSpace(turn.Text) == "" {
			return nil, badRequest("the message is empty")
		}
	}
	enc, header := uiFormat{}.encoder("", "")
	return &request{turn: turn, caller: c, encoder: enc, header: header}, nil
}

// repliesIn returns the replies in the last step of a message: the steps before it
// have those of earlier turns.
func repliesIn(parts []uiPart) []question.Reply {
	var replies []question.Reply
	for _, p := range parts {
		switch {
		case p.Type == "step-start":
			replies = nil
		case p.Type == "tool-"+askTool && p.State == "output-available":
			replies = append(replies, question.Reply{Question: p.ToolCallID, Value: p.Output})
		}
	}
	return replies
}

// textIn returns the text of a message of the user. Parts of a page's own data say
// nothing to the agent.
func textIn(parts []uiPart) (string, error) {
	var text []string
	for _, p := range parts {
		switch kind, _, _ := strings.Cut(p.Type, "-"); kind {
		case "text":
			text = append(text, p.Text)
		case "data", "source", "reasoning", "step", "tool", "dynamic":
		default:
			return "", badRequest("a part of the message has the type %q, and only text is accepted", p.Type)
		}
	}
	return strings.Join(text, "\n"), nil
}

func (uiFormat) encoder(string, string) (encoder, http.Header) {
	return &uiEncoder{}, http.Header{"X-Vercel-Ai-Ui-Message-Stream": {"v1"}}
}

// A uiChunk is one frame. A member that is not used is left out: clients refuse
// null.
type uiChunk struct {
	Type             string `json:"type"`
	ID               string `json:"id,omitempty"`
	Delta            string `json:"delta,omitempty"`
	ErrorText        string `json:"errorText,omitempty"`
	ToolCallID       string `json:"toolCallId,omitempty"`
	ToolName         string `json:"toolName,omitempty"`
	Input            any    `json:"input,omitempty"`
	Output           any    `json:"output,omitempty"`
	ProviderExecuted bool   `json:"providerExecuted,omitempty"`
	Dynamic          bool   `json:"dynamic,omitempty"`
	SourceID         string `json:"sourceId,omitempty"`
	URL              string `json:"url,omitempty"`
	Title            string `json:"title,omitempty"`
	MediaType        string `json:"mediaType,omitempty"`
	Data             any    `json:"data,omitempty"`
	Transient        bool   `json:"transient,omitempty"`
	Metadata         any    `json:"providerMetadata,omitempty"`
	FinishReason     string `json:"finishReason,omitempty"`
}

type uiEncoder struct {
	text  text
	open  string // "text" or "reasoning": the part that is being written
	parts int
	calls openCalls
}

func (u *uiEncoder) start(f *frames) {
	f.add(uiChunk{Type: "start"})
	f.add(uiChunk{Type: "start-step"})
}

func (u *uiEncoder) event(f *frames, e qed.Event) {
	switch d := e.Data.(type) {
	case qed.Token:
		u.text.token(d)
		switch {
		case d.Discard:
			u.discard(f)
		case d.Channel == qed.ChannelFinal:
			u.piece(f, "text", d.Content)
		case d.Channel == qed.ChannelReasoning:
			u.piece(f, "reasoning", d.Content)
		}
	case qed.ToolStarted:
		u.close(f)
		id := u.calls.begin(e.Path, d)
		f.add(uiChunk{Type: "tool-input-start", ToolCallID: id, ToolName: d.Tool, ProviderExecuted: true, Dynamic: true})
		f.add(uiChunk{Type: "tool-input-available", ToolCallID: id, ToolName: d.Tool,
			Input: argumentsOf(d), ProviderExecuted: true, Dynamic: true})
	case qed.ToolFinished:
		if id, ok := u.calls.end(e.Path, d); ok {
			u.result(f, id, d)
		}
	case qed.Completed:
		u.completed(f, d.Answer)
	case qed.Failed:
		u.failed(f, d)
	case qed.Interrupted: // the answer has the questions
	default:
		u.other(f, e)
	}
}

// piece writes a piece of the text or of the reasoning.
func (u *uiEncoder) piece(f *frames, part, content string) {
	if u.open != part {
		u.close(f)
		u.parts++
		u.open = part
		f.add(uiChunk{Type: part + "-start", ID: strconv.Itoa(u.parts)})
	}
	f.add(uiChunk{Type: part + "-delta", ID: strconv.Itoa(u.parts), Delta: content})
}

func (u *uiEncoder) close(f *frames) { u.end(f, nil) }

// discard ends the part that is being written, and marks it for the page: the
// protocol has no way to remove a part.
func (u *uiEncoder) discard(f *frames) {
	u.end(f, map[string]any{"qed": map[string]any{"discarded": true}})
}

func (u *uiEncoder) end(f *frames, metadata any) {
	if u.open != "" {
		f.add(uiChunk{Type: u.open + "-end", ID: strconv.Itoa(u.parts), Metadata: metadata})
		u.open = ""
	}
}

func (u *uiEncoder) result(f *frames, id string, d qed.ToolFinished) {
	if d.Error != "" {
		f.add(uiChunk{Type: "tool-output-error", ToolCallID: id, ErrorText: d.Error, ProviderExecuted: true, Dynamic: true})
		return
	}
	f.add(uiChunk{Type: "tool-output-available", ToolCallID: id, Output: resultOf(d), ProviderExecuted: true, Dynamic: true})
}

// endCalls ends the calls that have no result: useChat waits for one of each.
func (u *uiEncoder) endCalls(f *frames) {
	for _, id := range u.calls.left() {
		f.add(uiChunk{Type: "tool-output-error", ToolCallID: id, ErrorText: "no result", ProviderExecuted: true, Dynamic: true})
	}
}

func (u *uiEncoder) other(f *frames, e qed.Event) {
	name, data := named(e)
	transient := false
	switch e.Data.(type) {
	case qed.NodeStarted, qed.NodeFinished, qed.EdgeTaken:
		transient = true // a progress display, not a part of the message
	}
	f.add(uiChunk{Type: "data-" + name, Data: data, Transient: transient})
}

func (u *uiEncoder) completed(f *frames, a qed.Answer) {
	reason := "stop"
	if len(a.Questions) == 0 {
		if rest := u.text.rest(a); rest != "" {
			u.piece(f, "text", rest)
		}
	}
	u.close(f)
	u.endCalls(f)
	for i, c := range a.Citations {
		chunk := uiChunk{Type: "source-document", SourceID: strconv.Itoa(i + 1), Title: c.Title, MediaType: "text/plain"}
		if to, err := url.Parse(c.Location); err == nil && to.Host != "" && (to.Scheme == "http" || to.Scheme == "https") {
			chunk = uiChunk{Type: "source-url", SourceID: strconv.Itoa(i + 1), Title: c.Title, URL: c.Location}
		} else if chunk.Title == "" {
			chunk.Title = strconv.Itoa(i + 1)
		}
		f.add(chunk)
	}
	f.add(uiChunk{Type: "data-answer", Data: a})
	for _, q := range a.Questions {
		reason = "tool-calls"
		f.add(uiChunk{Type: "tool-input-start", ToolCallID: q.ID, ToolName: askTool})
		f.add(uiChunk{Type: "tool-input-available", ToolCallID: q.ID, ToolName: askTool, Input: q})
	}
	u.finish(f, reason)
}

func (u *uiEncoder) failed(f *frames, d qed.Failed) {
	u.close(f)
	u.endCalls(f)
	if d.Code == "canceled" {
		f.add(uiChunk{Type: "abort"})
		f.end("[DONE]")
		return
	}
	f.add(uiChunk{Type: "error", ErrorText: d.Message})
	u.finish(f, "error")
}

func (u *uiEncoder) finish(f *frames, reason string) {
	f.add(uiChunk{Type: "finish-step"})
	f.add(uiChunk{Type: "finish", FinishReason: reason})
	f.end("[DONE]")
}

// named returns the kind of an event, and its data.
func named(e qed.Event) (name string, data any) {
	if own, ok := e.Data.(qed.CustomEvent); ok {
		return own.Kind, jsonOr(string(own.JSON))
	}
	return e.Kind(), e.Data
}

// argumentsOf returns the arguments of a call: {} if there are none.
func argumentsOf(d qed.ToolStarted) json.RawMessage {
	if len(d.Arguments) == 0 || !json.Valid(d.Arguments) {
		return json.RawMessage(`{}`)
	}
	return d.Arguments
}

func resultOf(d qed.ToolFinished) json.RawMessage {
	switch {
	case d.Interrupted:
		return json.RawMessage(`{"interrupted":true}`)
	case d.Result == "":
		return json.RawMessage(`{}`)
	}
	return jsonOr(d.Result) // a long one is cut, and is a text then
}

// openCalls are the calls of tools that have not ended. The calls of a planner have
// no ids: they get some.
type openCalls struct {
	ids   []openCall
	begun map[string]int // how often an id was used
}

type openCall struct{ path, tool, id, own string }

// begin returns the id of a call that begins. A resumed run may report a call
// again.
func (o *openCalls) begin(path string, d qed.ToolStarted) string {
	own := cmp.Or(d.ID, "call")
	if o.begun == nil {
		o.begun = map[string]int{}
	}
	o.begun[own]++
	id := own
	if n := o.begun[own]; n > 1 || d.ID == "" {
		id = fmt.Sprintf("%s-%d", own, n)
	}
	o.ids = append(o.ids, openCall{path, d.Tool, id, d.ID})
	return id
}

func (o *openCalls) end(path string, d qed.ToolFinished) (string, bool) {
	for i, c := range o.ids {
		if c.tool == d.Tool && c.own == d.ID && (d.ID != "" || c.path == path) {
			o.ids = append(o.ids[:i:i], o.ids[i+1:]...)
			return c.id, true
		}
	}
	return "", false
}

func (o *openCalls) left() []string {
	ids := lists.Map(o.ids, func(c openCall) string { return c.id })
	o.ids = nil
	return ids
}
