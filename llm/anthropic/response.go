package anthropic

import (
	"encoding/json"
	"math"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// message has the parts of a reply that this package reads.
type message struct {
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"` // a list of blocks: see addBlocks
	Usage   usage           `json:"usage"`
	stop

	// Error is an error of the upstream server. Some gateways send it with
	// status 200.
	Error json.RawMessage `json:"error"`
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
	Input         int64 `json:"input_tokens"`
	CacheCreation int64 `json:"cache_creation_input_tokens"`
	CacheRead     int64 `json:"cache_read_input_tokens"`
	Output        int64 `json:"output_tokens"`
	Details       struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

type stop struct {
	Reason  string `json:"stop_reason"`
	Details struct {
		Explanation string `json:"explanation"`
	} `json:"stop_details"`
}

// response converts a reply that was not streamed. m is nil if the reply is null.
func (m *message) response(c *provider.Call) (*llm.Response, error) {
	switch {
	case m == nil:
		return nil, c.ProtocolError("the reply is null")
	case provider.IsNull(m.Content) && !provider.IsNull(m.Error):
		return nil, c.ReportedMember(m.Error)
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
			call.ID, call.Name, call.Arguments = b.ID, b.Name, b.Input
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
	count := func(n int64) int64 { return min(max(n, 0), math.MaxInt32) }
	return provider.Counts{
		Input:      count(u.Input) + count(u.CacheCreation) + count(u.CacheRead),
		Cached:     u.CacheRead,
		CacheWrite: u.CacheCreation,
		Output:     u.Output,
		Reasoning:  u.Details.Thinking,
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
