package anthropic

import (
	"encoding/json"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// message has the parts of a reply that this package reads.
type message struct {
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"` // a list of blocks: see addBlocks
	Usage   usage           `json:"usage"`
	stop
}

type block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`

	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
	Data      string `json:"data"`
}

// input returns the arguments of a call. Some servers send them as a text, and none as null.
func (b *block) input() []byte {
	switch {
	case provider.IsNull(b.Input):
		return nil
	case b.Input[0] == '"':
		text, _ := provider.Unquote(b.Input) // it is JSON
		return text
	}
	return b.Input
}

// A thinking is a thinking or a redacted_thinking block, as it is kept in a
// reasoning part.
type thinking struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"`
}

func (t thinking) addTo(d *provider.Draft) error {
	return d.AddReasoning(t, t.Thinking)
}

type usage struct {
	Input         provider.Number `json:"input_tokens"`
	CacheCreation provider.Number `json:"cache_creation_input_tokens"`
	CacheRead     provider.Number `json:"cache_read_input_tokens"`
	Output        provider.Number `json:"output_tokens"`
	Details       struct {
		Thinking provider.Number `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

type stop struct {
	Reason  string `json:"stop_reason"`
	Details struct {
		Explanation string `json:"explanation"`
	} `json:"stop_details"`
}

// whole converts a reply that was not streamed. Some gateways send an error of the
// upstream server with status 200.
func whole(c *provider.Call, raw json.RawMessage) (*llm.Response, error) {
	var m message
	switch err := json.Unmarshal(raw, &m); {
	case err != nil:
		return nil, c.Error(err, nil)
	case provider.IsNull(m.Content) && c.Reports(raw):
		return nil, c.ReportedError(raw)
	case provider.IsNull(m.Content):
		return nil, c.ProtocolError("the reply has no content")
	}
	d := c.Draft(nil)
	d.Model = m.Model
	m.Usage.addTo(d)
	if err := m.addBlocks(d); err != nil {
		return nil, c.Error(err, d.Partial())
	}
	m.stop.addTo(d)
	return c.Finish(d)
}

func (m *message) addBlocks(d *provider.Draft) error {
	for b, err := range provider.Each[block](m.Content) {
		if err != nil {
			return err
		}
		switch b.Type {
		case "text":
			d.Write([]byte(b.Text))
		case "tool_use":
			call, err := d.Add(int64(len(d.Calls)))
			if err != nil {
				return err
			}
			call.ID, call.Name, call.Arguments = b.ID, b.Name, b.input()
		case "thinking", "redacted_thinking":
			t := thinking{Type: b.Type, Thinking: b.Thinking, Signature: b.Signature, Data: b.Data}
			if err := t.addTo(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTo sets the finish reason of d. The API always sends one.
func (s *stop) addTo(d *provider.Draft) {
	d.End(s.Reason)
	switch {
	case d.FinishReason == llm.FinishLength && d.Limit == "":
		d.Limit = "the reply reached its token limit: " +
			"raise Request.MaxOutputTokens or Options.MaxOutputTokens, or ask for less"
	case d.FinishReason == llm.FinishRefusal:
		d.Refusal = []byte(s.Details.Explanation)
	}
}

// usage returns u, in which cached tokens are not part of the input, as the usage
// of a call.
func (u usage) usage() llm.Usage {
	return provider.Counts{
		Input:      int64(max(u.Input, 0) + max(u.CacheCreation, 0) + max(u.CacheRead, 0)), // of at most 31 bits
		Cached:     int64(u.CacheRead),
		CacheWrite: int64(u.CacheCreation),
		Output:     int64(u.Output),
		Reasoning:  int64(u.Details.Thinking),
	}.Usage()
}

// addTo sets the usage of d. The counts are totals; an event need not repeat all of
// them.
func (u usage) addTo(d *provider.Draft) {
	n := u.usage()
	d.Usage.InputTokens = max(d.Usage.InputTokens, n.InputTokens)
	d.Usage.CachedTokens = max(d.Usage.CachedTokens, n.CachedTokens)
	d.Usage.CacheWriteTokens = max(d.Usage.CacheWriteTokens, n.CacheWriteTokens)
	d.Usage.OutputTokens = max(d.Usage.OutputTokens, n.OutputTokens)
	d.Usage.ReasoningTokens = max(d.Usage.ReasoningTokens, n.ReasoningTokens)
	d.Usage.Calls = 1
}
