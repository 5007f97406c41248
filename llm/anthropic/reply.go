package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// message is what is read of a reply.
type message struct {
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"` // blocks: see [message.blocks]
	Usage   usage           `json:"usage"`
	stop

	// Error is what some gateways report, as a success of their own, of the server behind them.
	Error json.RawMessage `json:"error"`
}

type block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type usage struct {
	Input         int64 `json:"input_tokens"`
	CacheCreation int64 `json:"cache_creation_input_tokens"`
	CacheRead     int64 `json:"cache_read_input_tokens"`
	Output        int64 `json:"output_tokens"`
}

type stop struct {
	Reason  sdk.StopReason `json:"stop_reason"`
	Details struct {
		Explanation string `json:"explanation"`
	} `json:"stop_details"`
}

// reply reads a reply that came as a whole. A nil message is a null.
func (m *message) reply(c *provider.Call) (*llm.Response, error) {
	switch {
	case m == nil:
		return nil, c.Protocol("the reply is null")
	case isNull(m.Content) && !isNull(m.Error):
		body, _ := json.Marshal(map[string]json.RawMessage{"error": m.Error})
		return nil, c.Reported(body)
	case isNull(m.Content):
		return nil, c.Protocol("the reply has no content")
	}
	d := provider.Draft{Model: m.Model}
	m.Usage.add(&d)
	if err := m.blocks(&d); err != nil {
		return nil, c.Protocol(err.Error())
	}
	m.stop.note(&d)
	return c.Finish(&d)
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// blocks reads one block after the other: an empty one takes three bytes in a reply, and far more room here.
func (m *message) blocks(d *provider.Draft) error {
	list := json.NewDecoder(bytes.NewReader(m.Content))
	if t, err := list.Token(); err != nil || t != json.Delim('[') {
		return errors.New("the reply's content is no list")
	}
	for list.More() {
		var b block
		if err := list.Decode(&b); err != nil {
			return errors.New("the reply's content is no list of blocks")
		}
		switch b.Type {
		case "text":
			d.Text = append(d.Text, b.Text...)
		case "tool_use":
			if len(d.Calls) == provider.MaxCalls {
				return errManyCalls
			}
			call := d.Open(int64(len(d.Calls)))
			call.ID, call.Name, call.Arguments = b.ID, b.Name, b.Input
		}
	}
	return nil
}

var errManyCalls = fmt.Errorf("the reply has more than %d tool calls", provider.MaxCalls)

// note notes why the model stopped. The API always says; a reason that is not known here is an end like another.
func (s *stop) note(d *provider.Draft) {
	switch s.Reason {
	case "":
	case sdk.StopReasonMaxTokens:
		d.Finish = llm.FinishLength
		d.Limit = "the reply reached its limit of tokens: raise Request.MaxTokens or Config.MaxTokens, or ask for less"
	case sdk.StopReasonModelContextWindowExceeded:
		d.Finish = llm.FinishLength
		d.Limit = "the request and the reply are more than the model can hold: ask with less, or for less"
	case sdk.StopReasonPauseTurn:
		d.Finish = llm.FinishLength
		d.Limit = "the provider paused the reply, as it does for tools of its own, of which none was asked for"
	case sdk.StopReasonRefusal:
		d.Finish = llm.FinishRefusal
		d.Refusal = []byte(s.Details.Explanation)
	default:
		d.Finish = llm.FinishStop
	}
}

// add adds counts, which are totals, and not all of which come again each time. What is written to a cache and read
// from one is input too.
func (u usage) add(d *provider.Draft) {
	input := provider.Tokens(u.Input) + provider.Tokens(u.CacheCreation) + provider.Tokens(u.CacheRead)
	d.Usage.InputTokens = max(d.Usage.InputTokens, provider.Tokens(int64(input)))
	d.Usage.OutputTokens = max(d.Usage.OutputTokens, provider.Tokens(u.Output))
	d.Usage.Calls = 1
}
