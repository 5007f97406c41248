package serve

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// aguiFormat is the Agent-User Interaction Protocol (AG-UI), version 1.
type aguiFormat struct{}

type aguiRequest struct {
	Thread   string        `json:"threadId"`
	Run      string        `json:"runId"`
	Messages []aguiMessage `json:"messages"`
	Tools    []any         `json:"tools"`
	Context  []any         `json:"context"`
	Resume   []struct {
		Interrupt string          `json:"interruptId"`
		Status    string          `json:"status"`
		Payload   json.RawMessage `json:"payload"`
	} `json:"resume"`
}

type aguiMessage struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// abortWords close every open question: see [question.Parser].
const abortWords = "never mind"

func (aguiFormat) read(_ *Handler, c Caller, body []byte) (*request, error) {
	var in aguiRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, badRequest("the body must be a RunAgentInput of AG-UI: %s", problem(err))
	}
	if in.Thread == "" || in.Run == "" {
		return nil, badRequest("the body needs threadId and runId")
	}
	if err := store.CheckThread(in.Run); err != nil { // it has the same form
		return nil, badRequest("the runId must have at most 256 bytes, of printable characters")
	}
	if len(in.Tools)+len(in.Context) > 0 {
		return nil, badRequest("tools and context of the page are not supported: the agent has its own tools; " +
			"write into the message what it must know")
	}
	turn := qed.Turn{Thread: in.Thread, ID: in.Run}
	for _, entry := range in.Resume {
		switch {
		case entry.Status == "cancelled":
			turn.Text = abortWords
		case entry.Status != "resolved" || len(entry.Payload) == 0:
			return nil, badRequest("an entry of resume needs a payload and the status resolved, or the status cancelled")
		default:
			turn.Replies = append(turn.Replies, question.Reply{Question: entry.Interrupt, Value: entry.Payload})
		}
	}
	switch {
	case turn.Text != "":
		turn.Replies = nil
	case len(turn.Replies) == 0:
		if len(in.Messages) == 0 || in.Messages[len(in.Messages)-1].Role != "user" {
			return nil, badRequest("the last message must be the user's")
		}
		text, err := contentText(in.Messages[len(in.Messages)-1].Content, false)
		if err != nil {
			return nil, err
		}
		turn.Text = text
		for _, m := range in.Messages {
			if m.Role == "user" {
				turn.Shown = append(turn.Shown, m.ID)
			}
		}
	}
	enc, _ := aguiFormat{}.encoder(in.Thread, in.Run)
	return &request{turn: turn, caller: c, run: in.Run, encoder: enc}, nil
}

// contentText returns the text of a message: a string, or a list of parts. In an earlier
// message a part that is no text is left out, and the text says so.
func contentText(content json.RawMessage, earlier bool) (string, error) {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(content, &parts); err != nil {
		return "", badRequest("the content of a message must be a text or a list of parts")
	}
	var texts []string
	for _, p := range parts {
		switch {
		case p.Type == "text" || p.Type == "input_text" || p.Type == "output_text":
			texts = append(texts, p.Text)
		case earlier:
			texts = append(texts, "("+p.Type+" left out)")
		default:
			return "", badRequest("a part of the message has the type %q, and only text is accepted", p.Type)
		}
	}
	return strings.Join(texts, "\n"), nil
}

func (aguiFormat) encoder(thread, id string) (encoder, http.Header) {
	return &aguiEncoder{thread: thread, run: id}, nil
}

// An aguiEvent is one frame.
type aguiEvent struct {
	Type       string       `json:"type"`
	ThreadID   string       `json:"threadId,omitempty"`
	RunID      string       `json:"runId,omitempty"`
	MessageID  string       `json:"messageId,omitempty"`
	Role       string       `json:"role,omitempty"`
	Delta      string       `json:"delta,omitempty"`
	ToolCallID string       `json:"toolCallId,omitempty"`
	ToolName   string       `json:"toolCallName,omitempty"`
	Content    string       `json:"content,omitempty"`
	Name       string       `json:"name,omitempty"`
	Value      any          `json:"value,omitempty"`
	Snapshot   any          `json:"snapshot,omitempty"`
	Message    string       `json:"message,omitempty"`
	Code       string       `json:"code,omitempty"`
	Result     any          `json:"result,omitempty"`
	Outcome    *aguiOutcome `json:"outcome,omitempty"`
	Usage      []aguiUsage  `json:"usage,omitempty"`
}

type aguiOutcome struct {
	Type       string          `json:"type"`
	Interrupts []aguiInterrupt `json:"interrupts,omitempty"`
}

type aguiInterrupt struct {
	ID       string         `json:"id"`
	Reason   string         `json:"reason"`
	Message  string         `json:"message,omitempty"`
	Schema   any            `json:"responseSchema,omitempty"`
	Metadata map[string]any `json:"metadata"`
}

type aguiUsage struct {
	Input  int `json:"inputTokens"`
	Output int `json:"outputTokens"`
}

type aguiEncoder struct {
	thread, run string
	text        text
	open        string // "TEXT" or "REASONING": the message that is being written
	messages    int
	calls       openCalls
}

func (a *aguiEncoder) start(f *frames) {
	f.add(aguiEvent{Type: "RUN_STARTED", ThreadID: a.thread, RunID: a.run})
}

func (a *aguiEncoder) event(f *frames, e qed.Event) {
	switch d := e.Data.(type) {
	case qed.Token:
		a.text.token(d)
		switch {
		case d.Discard:
			a.discard(f)
		case d.Channel == qed.ChannelFinal:
			a.piece(f, "TEXT", d.Content)
		case d.Channel == qed.ChannelReasoning:
			a.piece(f, "REASONING", d.Content)
		}
	case qed.ToolStarted:
		a.close(f)
		id := a.calls.begin(e.Path, d)
		f.add(aguiEvent{Type: "TOOL_CALL_START", ToolCallID: id, ToolName: d.Tool})
		f.add(aguiEvent{Type: "TOOL_CALL_ARGS", ToolCallID: id, Delta: string(argumentsOf(d))})
		f.add(aguiEvent{Type: "TOOL_CALL_END", ToolCallID: id})
	case qed.ToolFinished:
		if id, ok := a.calls.end(e.Path, d); ok {
			content := cmp.Or(d.Error, string(resultOf(d)))
			a.result(f, id, content)
		}
	case qed.Planned:
		f.add(aguiEvent{Type: "STATE_SNAPSHOT", Snapshot: map[string]any{"plan": d.Tasks}})
	case qed.Completed:
		a.completed(f, d.Answer)
	case qed.Failed:
		a.close(f)
		f.add(aguiEvent{Type: "RUN_ERROR", Message: d.Message, Code: d.Code})
	case qed.Interrupted: // the answer has the questions
	default:
		name, value := named(e)
		f.add(aguiEvent{Type: "CUSTOM", Name: name, Value: value})
	}
}

// message returns the id of the last message that was begun.
func (a *aguiEncoder) message() string { return a.run + "-" + strconv.Itoa(a.messages) }

// piece writes a piece of the text or of the reasoning.
func (a *aguiEncoder) piece(f *frames, kind, content string) {
	if a.open != kind {
		a.close(f)
		a.messages++
		a.open = kind
		if kind == "REASONING" {
			f.add(aguiEvent{Type: "REASONING_START", MessageID: a.message()})
			f.add(aguiEvent{Type: "REASONING_MESSAGE_START", MessageID: a.message(), Role: "reasoning"})
		} else {
			f.add(aguiEvent{Type: "TEXT_MESSAGE_START", MessageID: a.message(), Role: "assistant"})
		}
	}
	f.add(aguiEvent{Type: kind + "_MESSAGE_CONTENT", MessageID: a.message(), Delta: content})
}

// close ends the message that is being written.
func (a *aguiEncoder) close(f *frames) {
	if a.open == "" {
		return
	}
	f.add(aguiEvent{Type: a.open + "_MESSAGE_END", MessageID: a.message()})
	if a.open == "REASONING" {
		f.add(aguiEvent{Type: "REASONING_END", MessageID: a.message()})
	}
	a.open = ""
}

// discard ends the message that is being written, and names it for the page: the
// protocol has no way to remove a message.
func (a *aguiEncoder) discard(f *frames) {
	if a.open != "" {
		a.close(f)
		f.add(aguiEvent{Type: "CUSTOM", Name: "discarded", Value: map[string]any{"messageId": a.message()}})
	}
}

func (a *aguiEncoder) result(f *frames, id, content string) {
	a.messages++
	f.add(aguiEvent{Type: "TOOL_CALL_RESULT", MessageID: a.message(), ToolCallID: id, Content: content, Role: "tool"})
}

func replySchema(q question.Question) any {
	switch q.Kind {
	case question.KindChoice:
		ids := lists.Map(q.Choices, func(c question.Choice) string { return c.ID })
		return map[string]any{"type": "string", "enum": ids}
	case question.KindApproval:
		properties := map[string]any{
			"decision": map[string]any{"enum": []question.Decision{question.Approve, question.Edit, question.Reject}},
			"reason":   map[string]any{"type": "string"},
		}
		if q.Schema != nil {
			properties["value"] = q.Schema
		}
		return map[string]any{"type": "object", "properties": properties, "required": []string{"decision"}}
	case question.KindForm:
		return q.Schema
	}
	return map[string]any{"type": "string"}
}

func (a *aguiEncoder) completed(f *frames, answer qed.Answer) {
	if len(answer.Questions) == 0 {
		if rest := a.text.rest(answer); rest != "" {
			a.piece(f, "TEXT", rest)
		}
	}
	a.close(f)
	for _, id := range a.calls.left() {
		a.result(f, id, "no result")
	}
	outcome := &aguiOutcome{Type: "success"}
	for _, q := range answer.Questions {
		outcome.Type = "interrupt"
		outcome.Interrupts = append(outcome.Interrupts, aguiInterrupt{
			ID: q.ID, Reason: "question_" + string(q.Kind), Message: q.Text, Schema: replySchema(q),
			Metadata: map[string]any{"question": q},
		})
	}
	done := aguiEvent{
		Type: "RUN_FINISHED", ThreadID: a.thread, RunID: a.run, Result: answer, Outcome: outcome,
	}
	if u := answer.Usage; u.InputTokens+u.OutputTokens > 0 {
		done.Usage = []aguiUsage{{u.InputTokens, u.OutputTokens}}
	}
	f.add(done)
}
