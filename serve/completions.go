package serve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// completionFormat is the format of OpenAI's chat completions.
type completionFormat struct{}

const modelName = "qed" // of the agent

type completionRequest struct {
	Model    string              `json:"model"`
	Messages []completionMessage `json:"messages"`
	Stream   bool                `json:"stream"`
	Options  struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	N      *int              `json:"n"`
	Tools  []json.RawMessage `json:"tools"`
	Format struct {
		Type string `json:"type"`
	} `json:"response_format"`
	Metadata map[string]any `json:"metadata"`
}

type completionMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (completionFormat) read(h *Handler, c Caller, body []byte) (*request, error) {
	var in completionRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, badRequest("the body must be a request of chat completions: %s", problem(err))
	}
	switch {
	case in.Model != modelName:
		return nil, &Error{Status: http.StatusNotFound, Code: "model_not_found",
			Message: "the only model is " + modelName}
	case in.N != nil && *in.N != 1:
		return nil, badRequest("n must be 1")
	case len(in.Tools) > 0:
		return nil, badRequest("tools of the client are not supported: the agent has its own")
	case in.Format.Type != "" && in.Format.Type != "text":
		return nil, badRequest("response_format must be text: the agent writes text")
	case len(in.Messages) == 0 || in.Messages[len(in.Messages)-1].Role != "user":
		return nil, badRequest("the last message must be the user's")
	}
	messages, err := historyOf(in.Messages)
	if err != nil {
		return nil, err
	}
	last := len(messages) - 1
	turn := qed.Turn{Text: messages[last].Content}
	turn.Thread, _ = in.Metadata["conversation_id"].(string)
	turn.ID, _ = in.Metadata["turn_id"].(string)
	if turn.Thread == "" {
		turn.History = messages[:last]
	}
	if strings.TrimSpace(turn.Text) == "" {
		return nil, badRequest("the message is empty")
	}
	enc := &completionEncoder{
		id: "chatcmpl-" + rand.Text(), created: time.Now().Unix(), usage: in.Options.Usage,
	}
	req := &request{turn: turn, caller: c, encoder: enc}
	if !in.Stream {
		req.whole = enc.whole
	}
	return req, nil
}

// historyOf returns messages of a client. Only the user and the assistant have
// roles: instructions of the client have the rights of its user. Clients send the whole
// conversation with each message, so an image in an earlier one does not end it.
func historyOf(in []completionMessage) ([]llm.Message, error) {
	var messages []llm.Message
	for i, m := range in {
		text, err := contentText(m.Content, i < len(in)-1)
		if err != nil {
			return nil, err
		}
		switch m.Role {
		case "user", "system", "developer":
			messages = append(messages, llm.Message{Role: llm.RoleUser, Content: text})
		case "assistant":
			messages = append(messages, llm.Message{Role: llm.RoleAssistant, Content: text})
		default:
			return nil, badRequest(
				"a message has the role %q, and only system, developer, user and assistant are accepted", m.Role)
		}
	}
	return messages, nil
}

// encoder is not called: clients of this format do not read a turn again.
func (completionFormat) encoder(string, string) (encoder, http.Header) { return nil, nil }

type completionEncoder struct {
	id      string
	created int64
	usage   bool
	text    text
}

type completionChunk struct {
	ID      string             `json:"id"`
	Object  string             `json:"object"`
	Created int64              `json:"created"`
	Model   string             `json:"model"`
	Choices []completionChoice `json:"choices"`
	Usage   *completionUsage   `json:"usage,omitempty"`
}

type completionChoice struct {
	Index        int              `json:"index"`
	Delta        *completionDelta `json:"delta,omitempty"`
	Message      *completionDelta `json:"message,omitempty"`
	FinishReason *string          `json:"finish_reason"`
}

type completionDelta struct {
	Role      string  `json:"role,omitempty"`
	Content   *string `json:"content,omitempty"`
	Reasoning string  `json:"reasoning_content,omitempty"`
}

type completionUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func usageOf(u llm.Usage) *completionUsage {
	return &completionUsage{u.InputTokens, u.OutputTokens, u.InputTokens + u.OutputTokens}
}

var stopped = "stop"

func (c *completionEncoder) chunk(choices ...completionChoice) completionChunk {
	if choices == nil {
		choices = []completionChoice{}
	}
	return completionChunk{ID: c.id, Object: "chat.completion.chunk", Created: c.created, Model: modelName, Choices: choices}
}

func (c *completionEncoder) start(f *frames) {
	empty := ""
	f.add(c.chunk(completionChoice{Delta: &completionDelta{Role: "assistant", Content: &empty}}))
}

func (c *completionEncoder) event(f *frames, e qed.Event) {
	switch d := e.Data.(type) {
	case qed.Token:
		c.text.token(d)
		switch {
		case d.Discard:
		case d.Channel == qed.ChannelFinal:
			c.piece(f, d.Content)
		case d.Channel == qed.ChannelReasoning:
			f.add(c.chunk(completionChoice{Delta: &completionDelta{Reasoning: d.Content}}))
		}
	case qed.Completed:
		d.Answer.Text = withReason(d.Answer)
		if rest := c.text.rest(d.Answer); rest != "" {
			c.piece(f, rest)
		}
		f.add(c.chunk(completionChoice{Delta: &completionDelta{}, FinishReason: &stopped}))
		if c.usage {
			last := c.chunk()
			last.Usage = usageOf(d.Answer.Usage)
			f.add(last)
		}
		f.end("[DONE]")
	case qed.Failed:
		e := failure(d, statusOf(d.Code))
		f.add(map[string]any{"error": errorBody{e.Message, e.kind(), e.Code}})
		f.end("[DONE]")
	}
}

// piece writes a piece of the text. The format has one text alone, so an empty line
// ends one that is discarded.
func (c *completionEncoder) piece(f *frames, content string) {
	if c.text.discarded {
		c.text.discarded = false
		content = "\n\n" + content
	}
	f.add(c.chunk(completionChoice{Delta: &completionDelta{Content: &content}}))
}

// withReason returns the text of an answer with the reasons why it is partial that are
// not in it: the format has no other member for them.
func withReason(a qed.Answer) string {
	reason := a.PartialReason
	for _, paragraph := range slices.Backward(strings.Split(a.Text, "\n\n")) {
		reason = strings.TrimSpace(strings.TrimSuffix(reason, paragraph))
	}
	switch {
	case a.Text == "":
		return reason
	case strings.Contains(a.Text, reason):
		return a.Text
	}
	return a.Text + "\n\n" + reason
}

// whole writes the response that is not streamed.
func (c *completionEncoder) whole(w http.ResponseWriter, a qed.Answer) {
	text := withReason(a)
	reply := completionChunk{ID: c.id, Object: "chat.completion", Created: c.created, Model: modelName,
		Choices: []completionChoice{{
			Message: &completionDelta{Role: "assistant", Content: &text}, FinishReason: &stopped,
		}},
		Usage: usageOf(a.Usage),
	}
	writeJSON(w, http.StatusOK, reply)
}

func (h *Handler) models(_ context.Context, _ Caller, w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{
		"id": modelName, "object": "model", "created": 0, "owned_by": "qed",
	}}})
	return nil
}
