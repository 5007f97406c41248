package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// respond calls the Responses API. The reply is decoded into types of this
// package: those of the SDK have room for everything that a reply may contain, in
// every event of a stream.
func (m *Model) respond(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
	params, err := responsesParams(m.server, req)
	if err != nil {
		return nil, err
	}
	call, end := m.server.Begin(ctx, req)
	defer end()
	if stream == nil {
		reply, err := post[*reply](call, "responses", params)
		if err != nil {
			return nil, err
		}
		return reply.response(call)
	}
	resp, err := post[*http.Response](call, "responses", params, streams...)
	if err != nil {
		return nil, err
	}
	return streamed(call, resp, stream)
}

// A reply has the members of a response that this package reads.
type reply struct {
	Model      string          `json:"model"`
	Status     string          `json:"status"`
	Output     json.RawMessage `json:"output"` // a list of items
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		Input         number  `json:"input_tokens"`
		InputDetails  details `json:"input_tokens_details"`
		Output        number  `json:"output_tokens"`
		OutputDetails details `json:"output_tokens_details"`
	} `json:"usage"`
}

type item struct {
	Type      string   `json:"type"`
	CallID    string   `json:"call_id"`
	Name      string   `json:"name"`
	Arguments word     `json:"arguments"`
	Content   partList `json:"content"`

	ID        string   `json:"id"`
	Summary   partList `json:"summary"`
	Encrypted string   `json:"encrypted_content"`
}

type content struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal,omitempty"`
}

type partList = provider.List[content]

// A reasoning is a reasoning item as it is kept and sent back. The API does not
// accept all members that it sends.
type reasoning struct {
	Type      string   `json:"type"`
	ID        string   `json:"id"`
	Summary   partList `json:"summary"`
	Content   partList `json:"content,omitempty"`
	Encrypted string   `json:"encrypted_content,omitempty"`
}

// response converts a reply that was not streamed. r is nil if the reply is null.
func (r *reply) response(c *provider.Call) (*llm.Response, error) {
	if r == nil {
		return nil, c.ProtocolError("the reply is null")
	}
	d := c.Draft(nil)
	if err := r.end(c, d); err != nil {
		return nil, err
	}
	if err := r.addTo(d); err != nil {
		return nil, c.Error(err, d.Partial())
	}
	return c.Finish(d)
}

// addTo adds the items of a reply that are not in the draft: some servers send a text or
// calls only with the end of a stream.
func (r *reply) addTo(d *provider.Draft) error {
	none, calls := d.Empty(), len(d.Calls)
	for i, err := range provider.Each[item](r.Output) {
		if err == nil && (none || calls == 0 && i.Type == "function_call") {
			err = i.addTo(d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addTo adds a complete item.
func (i *item) addTo(d *provider.Draft) error {
	switch i.Type {
	case "message":
		for _, part := range i.Content {
			d.Write([]byte(part.text()))
			d.Refusal = append(d.Refusal, part.Refusal...)
		}
	case "function_call":
		call, err := d.Add(int64(len(d.Calls)))
		if err == nil {
			call.ID, call.Name, call.Arguments = i.CallID, i.Name, []byte(i.Arguments)
		}
		return err
	case "reasoning":
		return i.addReasoning(d)
	}
	return nil
}

func (p content) text() string {
	if p.Type == "output_text" || p.Type == "text" {
		return p.Text
	}
	return ""
}

// addReasoning adds i to d, unless the server could not read it again: it does not
// know what it has not stored.
func (i *item) addReasoning(d *provider.Draft) error {
	if i.Encrypted == "" && len(i.Content) == 0 {
		return nil
	}
	r := reasoning{Type: i.Type, ID: i.ID, Summary: i.Summary, Content: i.Content, Encrypted: i.Encrypted}
	if r.Summary == nil {
		r.Summary = partList{}
	}
	var summary []string
	for _, part := range i.Summary {
		summary = append(summary, part.Text)
	}
	return d.AddReasoning(r, strings.Join(summary, "\n\n"))
}

// end sets what d has at the end of a reply: the finish reason, the usage and the
// model. It returns an error for a reply that failed.
func (r *reply) end(c *provider.Call, d *provider.Draft) error {
	d.Model = r.Model
	d.Usage = provider.Counts{
		Input:      int64(r.Usage.Input),
		Cached:     int64(r.Usage.InputDetails.Cached),
		CacheWrite: int64(r.Usage.InputDetails.CacheWrite),
		Output:     int64(r.Usage.Output),
		Reasoning:  int64(r.Usage.OutputDetails.Reasoning),
	}.Usage()
	switch r.Status {
	case "completed", "": // some servers send none
		d.FinishReason = llm.FinishStop
	case "incomplete":
		d.FinishReason = llm.FinishLength
		switch r.Incomplete.Reason {
		case "content_filter":
			d.FinishReason = llm.FinishRefusal
		case "max_output_tokens":
		default:
			d.Limit = "the provider did not complete the reply"
		}
	}
	if !provider.IsNull(r.Error) || r.Status == "failed" || r.Status == "cancelled" {
		return c.ReportedMember(r.Error)
	}
	if d.FinishReason == "" {
		return c.ProtocolError("the reply is not complete, but in progress")
	}
	return nil
}

// An event has the members of an event that this package reads.
type event struct {
	Type     string `json:"type"`
	Index    number `json:"output_index"`
	Delta    string `json:"delta"`
	Item     item   `json:"item"`
	Response reply  `json:"response"`

	Error json.RawMessage `json:"error"`
}

func streamed(c *provider.Call, resp *http.Response, stream func(llm.Delta)) (*llm.Response, error) {
	d := c.Draft(stream)
	_, err := c.Stream(resp.Body, d, func(data []byte) (bool, error) {
		var e event
		err := json.Unmarshal(data, &e)
		switch {
		case e.Type == "error" || !provider.IsNull(e.Error):
			err = c.ReportedError(data)
		case err == nil:
			err = e.addTo(c, d)
		}
		return d.FinishReason != "", err
	})
	switch {
	case err != nil:
		return nil, err
	case d.FinishReason == "":
		return nil, c.TruncatedError(nil, d.Partial())
	}
	return c.Finish(d)
}

// addTo adds an event to d. The last one sets the finish reason.
func (e *event) addTo(c *provider.Call, d *provider.Draft) error {
	switch e.Type {
	case "response.created":
		d.Model = e.Response.Model
	case "response.output_text.delta":
		d.Write([]byte(e.Delta))
	case "response.refusal.delta":
		d.Refusal = append(d.Refusal, e.Delta...)
	case "response.output_item.done":
		if e.Item.Type != "message" || d.Empty() {
			return e.Item.addTo(d)
		}
	case "response.completed", "response.incomplete", "response.failed":
		if err := e.Response.end(c, d); err != nil || provider.IsNull(e.Response.Output) {
			return err
		}
		return e.Response.addTo(d)
	}
	return nil
}
