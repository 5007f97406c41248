package anthropic

import (
	"errors"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// event has the parts of an event that this package reads.
type event struct {
	Type    string  `json:"type"`
	Index   int64   `json:"index"`
	Message message `json:"message"`
	Block   block   `json:"content_block"`
	Usage   usage   `json:"usage"`
	Delta   struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		stop
	} `json:"delta"`
}

// generateStream requests a streamed reply. It reads the events on the caller's
// goroutine, so a callback that panics or is slow affects no other call, and the
// connection is closed when it returns.
func (m *Model) generateStream(
	c *provider.Call, params sdk.MessageNewParams, stream func(llm.Delta),
) (*llm.Response, error) {
	var resp *http.Response
	err := m.post(c, params, &resp,
		option.WithJSONSet("stream", true), option.WithHeader("Accept", provider.EventStream))
	if err != nil {
		return nil, c.Error(err, nil)
	}
	events := ssestream.NewStream[event](ssestream.NewDecoder(resp), nil)
	defer events.Close()

	var d provider.Draft
	for ended := false; !ended && events.Next(); {
		e := events.Current()
		if text := e.addTo(&d); text != "" {
			stream(llm.Delta{Text: text})
		}
		if len(d.Calls) > provider.MaxCalls {
			return nil, c.ProtocolError(errTooManyCalls.Error())
		}
		// The SDK does not look at the context while it reads what has arrived.
		if c.Ctx.Err() != nil {
			return nil, c.Error(c.Ctx.Err(), d.Partial())
		}
		ended = e.Type == "message_stop"
	}
	if err := events.Err(); err != nil {
		var reported *sdk.Error
		if errors.As(err, &reported) {
			err = c.ReportedError([]byte(reported.RawJSON()))
		}
		return nil, c.Error(err, d.Partial())
	}
	if d.FinishReason == "" {
		return nil, c.TruncatedError(nil, d.Partial())
	}
	return c.Finish(&d)
}

// addTo adds an event to d and returns its text. Thinking blocks and the provider's
// own tools are ignored.
func (e *event) addTo(d *provider.Draft) (text string) {
	switch e.Type {
	case "message_start":
		d.Model = e.Message.Model
		e.Message.Usage.addTo(d)
	case "content_block_start":
		switch e.Block.Type {
		case "text":
			text = e.Block.Text
		case "tool_use":
			call := d.Add(e.Index)
			call.ID, call.Name = e.Block.ID, e.Block.Name
			// The input follows in deltas, but some servers send it at once.
			if input := string(e.Block.Input); input != "{}" && input != "null" {
				call.Arguments = e.Block.Input
			}
		}
	case "content_block_delta":
		switch e.Delta.Type {
		case "text_delta":
			text = e.Delta.Text
		case "input_json_delta":
			if call := d.Last(e.Index); call != nil {
				call.Arguments = append(call.Arguments, e.Delta.PartialJSON...)
			}
		}
	case "message_delta":
		e.Delta.addTo(d)
		e.Usage.addTo(d)
	}
	d.Text = append(d.Text, text...)
	return text
}
