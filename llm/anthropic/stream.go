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

// event is what is read of an event.
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

// streamed asks for a reply in pieces. It reads them on the caller's goroutine, so a callback that panics or is slow
// holds up nothing else, and returning closes the connection.
func (m *Model) streamed(c *provider.Call, params sdk.MessageNewParams, stream func(llm.Delta)) (*llm.Response, error) {
	var resp *http.Response
	err := m.post(c, params, &resp, option.WithJSONSet("stream", true), option.WithHeader("Accept", provider.EventStream))
	if err != nil {
		return nil, c.Failed(err, nil)
	}
	events := ssestream.NewStream[event](ssestream.NewDecoder(resp), nil)
	defer events.Close()

	var d provider.Draft
	for ended := false; !ended && events.Next(); {
		e := events.Current()
		if text := e.note(&d); text != "" {
			stream(llm.Delta{Text: text})
		}
		if len(d.Calls) > provider.MaxCalls {
			return nil, c.Protocol(errManyCalls.Error())
		}
		// A body that is already here would otherwise be read to its end.
		if c.Ctx.Err() != nil {
			return nil, c.Failed(c.Ctx.Err(), d.Partial())
		}
		ended = e.Type == "message_stop"
	}
	if err := events.Err(); err != nil {
		var reported *sdk.Error
		if errors.As(err, &reported) {
			err = c.Reported([]byte(reported.RawJSON()))
		}
		return nil, c.Failed(err, d.Partial())
	}
	if d.Finish == "" {
		return nil, c.Cut(nil, d.Partial())
	}
	return c.Finish(&d)
}

// note notes an event, and returns the text that it brings. What the model thinks, and what tools of the provider do,
// is no part of a reply.
func (e *event) note(d *provider.Draft) (text string) {
	switch e.Type {
	case "message_start":
		d.Model = e.Message.Model
		e.Message.Usage.add(d)
	case "content_block_start":
		switch e.Block.Type {
		case "text":
			text = e.Block.Text
		case "tool_use":
			call := d.Open(e.Index)
			call.ID, call.Name = e.Block.ID, e.Block.Name
			if whole := string(e.Block.Input); whole != "{}" && whole != "null" { // it comes in pieces, but for some servers
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
		e.Delta.note(d)
		e.Usage.add(d)
	}
	d.Text = append(d.Text, text...)
	return text
}
