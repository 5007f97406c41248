package anthropic

import (
	"encoding/json"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

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
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		stop
	} `json:"delta"`
	Error json.RawMessage `json:"error"`
}

func (m *Model) generateStream(
	c *provider.Call, params sdk.MessageNewParams, stream func(llm.Delta),
) (*llm.Response, error) {
	var resp *http.Response
	err := m.post(c, params, &resp,
		option.WithJSONSet("stream", true), option.WithHeader("Accept", provider.EventStream))
	if err != nil {
		return nil, c.Error(err, nil)
	}
	d := draft{Draft: c.Draft(stream)}
	_, err = c.Stream(resp.Body, d.Draft, func(data []byte) (bool, error) {
		var e event
		err := json.Unmarshal(data, &e)
		switch {
		case e.Type == "error" || !provider.IsNull(e.Error):
			err = c.ReportedError(data)
		case err == nil:
			err = d.add(&e)
		}
		return e.Type == "message_stop", err
	})
	switch {
	case err != nil:
		return nil, err
	case d.FinishReason == "":
		return nil, c.TruncatedError(nil, d.Partial())
	}
	return c.Finish(d.Draft)
}

// A draft is a reply while its events arrive.
type draft struct {
	*provider.Draft

	// The thinking that arrives. Its Type is empty if none does.
	thinking           thinking
	thought, signature []byte

	given bool // the arguments of the last call came with its beginning
}

// add adds an event to d. The provider's own tools are ignored.
func (d *draft) add(e *event) error {
	switch e.Type {
	case "message_start":
		d.Model = e.Message.Model
		e.Message.Usage.addTo(d.Draft)
	case "content_block_start":
		if err := d.end(); err != nil {
			return err
		}
		return d.begin(e)
	case "content_block_delta":
		d.continued(e)
	case "content_block_stop", "message_stop":
		return d.end()
	case "message_delta":
		e.Delta.addTo(d.Draft)
		e.Usage.addTo(d.Draft)
	}
	return nil
}

func (d *draft) begin(e *event) error {
	switch b := &e.Block; b.Type {
	case "text":
		d.Write([]byte(b.Text))
	case "thinking", "redacted_thinking":
		d.thinking = thinking{Type: b.Type, Data: b.Data}
		d.thought, d.signature = []byte(b.Thinking), []byte(b.Signature)
	case "tool_use":
		call, err := d.Add(e.Index)
		if err != nil {
			return err
		}
		call.ID, call.Name = b.ID, b.Name
		// The input follows in deltas, but some servers send it at once, and some do both.
		if d.given = string(b.Input) != "{}"; d.given {
			call.Arguments = b.input()
		}
	}
	return nil
}

// continued adds to the block that has begun.
func (d *draft) continued(e *event) {
	switch e.Delta.Type {
	case "text_delta":
		d.Write([]byte(e.Delta.Text))
	case "thinking_delta":
		d.thought = append(d.thought, e.Delta.Thinking...)
	case "signature_delta":
		d.signature = append(d.signature, e.Delta.Signature...)
	case "input_json_delta":
		if call := d.Last(e.Index); call != nil && e.Delta.PartialJSON != "" {
			if d.given {
				d.given, call.Arguments = false, nil
			}
			call.Arguments = append(call.Arguments, e.Delta.PartialJSON...)
		}
	}
}

// end adds the thinking that has arrived, if there is some.
func (d *draft) end() error {
	t := d.thinking
	if t.Type == "" {
		return nil
	}
	d.thinking = thinking{}
	t.Thinking, t.Signature = string(d.thought), string(d.signature)
	return t.addTo(d.Draft)
}
