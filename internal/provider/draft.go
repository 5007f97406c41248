package provider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/qedkit/qed/internal/replytext"
	"github.com/qedkit/qed/llm"
)

// MaxCalls is the highest number of tool calls in a reply. Every piece of a
// streamed reply searches them for the call that it belongs to.
const MaxCalls = 1000

// A Draft is a reply while it arrives. [Call.Draft] makes one.
type Draft struct {
	Refusal []byte // the reason of the model or the provider for declining
	Calls   []DraftCall
	Usage   llm.Usage
	Model   string

	// FinishReason is [llm.FinishLength], [llm.FinishRefusal], or [llm.FinishStop]
	// for all other reasons; tool calls and a Refusal refine the latter. It is
	// empty until the reply has ended.
	FinishReason llm.FinishReason

	// Limit is the message for [llm.FinishLength]. Empty means that the reply
	// reached its token limit.
	Limit string

	call      *Call
	text      replytext.Reader
	reasoning []reasoned
	failed    *llm.Error // why the reply is not complete; nil if there is another reason
}

// Draft returns an empty draft. Its text is passed to stream as it arrives; stream may
// be nil.
func (c *Call) Draft(stream func(llm.Delta)) *Draft {
	d := &Draft{call: c}
	d.text = replytext.Reader{Object: c.object, Unopened: c.unopened.Load()}
	for _, t := range c.tools {
		d.text.Tools = append(d.text.Tools, t.Name)
	}
	if stream != nil {
		d.text.Stream = func(text string) { stream(llm.Delta{Text: text}) }
		d.text.Discard = func() { stream(llm.Delta{Discard: true}) }
	}
	return d
}

// Write adds a piece of the text.
func (d *Draft) Write(piece []byte) { d.text.Write(piece) }

// Fail sets why the reply is not complete.
func (d *Draft) Fail(err *llm.Error) {
	d.failed = err
	d.FinishReason = cmp.Or(d.FinishReason, llm.FinishStop)
}

// A DraftCall is a tool call while it arrives.
type DraftCall struct {
	Index     int64 // the number that the server gave it
	ID, Name  string
	Arguments []byte
}

// Last returns the last call with this index, or nil.
func (d *Draft) Last(index int64) *DraftCall {
	if n := d.last(index); n >= 0 {
		return &d.Calls[n]
	}
	return nil
}

func (d *Draft) last(index int64) int {
	n := len(d.Calls) - 1
	for n >= 0 && d.Calls[n].Index != index {
		n--
	}
	return n
}

// Add appends a call with this index. It returns an error if there are too many.
func (d *Draft) Add(index int64) (*DraftCall, error) {
	if len(d.Calls) == MaxCalls {
		d.Calls = nil // nobody makes them
		return nil, tooMany("tool calls")
	}
	d.Calls = append(d.Calls, DraftCall{Index: index})
	return &d.Calls[len(d.Calls)-1], nil
}

// continues reports whether a piece belongs to a call that has begun. Some servers
// give all calls the same index, or none, and some the same id. Others give each piece
// an id of its own, or repeat the whole call at its end.
func (t *DraftCall) continues(piece *DraftCall) bool {
	switch {
	case piece.Name == "" || t.repeated(piece):
		return true
	case piece.ID != "" && t.ID != "" && piece.ID != t.ID:
		return false
	case t.Name == "":
		return true
	case piece.Name != t.Name:
		return false
	}
	// The name again: with the rest of the arguments, or with those of another call.
	return !bytes.HasSuffix(bytes.TrimSpace(t.Arguments), []byte("}")) || !bytes.HasPrefix(piece.Arguments, []byte("{"))
}

// repeated reports whether a piece is the whole of a call that has arrived.
func (t *DraftCall) repeated(piece *DraftCall) bool {
	return piece.ID != "" && piece.ID == t.ID && piece.Name == t.Name && len(piece.Arguments) > 0 &&
		bytes.Equal(piece.Arguments, t.Arguments)
}

// AddPieces adds the pieces of calls that one event has, and returns the positions
// of their calls.
func (d *Draft) AddPieces(pieces []DraftCall) (at []int, err error) {
	for i := range pieces {
		piece := &pieces[i]
		n := d.last(piece.Index)
		again := slices.ContainsFunc(pieces[:i], func(other DraftCall) bool {
			return other.Index == piece.Index && other.Name != "" && piece.Name != ""
		})
		if n < 0 || again || !d.Calls[n].continues(piece) {
			if _, err := d.Add(piece.Index); err != nil {
				return nil, err
			}
			n = len(d.Calls) - 1
		}
		into := &d.Calls[n]
		if at = append(at, n); into.repeated(piece) {
			continue
		}
		into.ID = cmp.Or(into.ID, piece.ID)
		into.Name = cmp.Or(into.Name, piece.Name)
		into.Arguments = append(into.Arguments, piece.Arguments...)
	}
	return at, nil
}

// Counts are the token counts that a server reports. Input and Output are totals.
type Counts struct {
	Input, Cached, CacheWrite, Output, Reasoning int64
}

// Usage returns the counts as the usage of one call. They are limited so that
// sums cannot overflow, and that a part is not more than its total.
func (n Counts) Usage() llm.Usage {
	count := func(n int64, most int) int { return int(min(max(n, 0), int64(most))) }
	u := llm.Usage{InputTokens: count(n.Input, math.MaxInt32), OutputTokens: count(n.Output, math.MaxInt32), Calls: 1}
	u.CachedTokens = count(n.Cached, u.InputTokens)
	u.CacheWriteTokens = count(n.CacheWrite, u.InputTokens-u.CachedTokens)
	u.ReasoningTokens = count(n.Reasoning, u.OutputTokens)
	return u
}

// response returns the draft as a response, without the tool calls whose arguments
// are not JSON. It reports whether there were none of those.
func (d *Draft) response() (*llm.Response, bool) {
	resp := &llm.Response{
		Message:      llm.Message{Role: llm.RoleAssistant, Content: string(d.text.Text())},
		FinishReason: cmp.Or(d.FinishReason, llm.FinishStop),
		Usage:        d.Usage,
		Model:        d.Model,
	}
	resp.Usage.Calls = 1
	ok := true
	given := map[string]bool{}
	for i, next := 0, 0; i < len(d.Calls); i++ {
		t := d.Calls[i]
		arguments := json.RawMessage(bytes.TrimSpace(t.Arguments))
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}")
		}
		if !json.Valid(arguments) {
			ok = false
			continue
		}
		// Some servers send no id, or the same id twice, but require one in the answer.
		for next = max(next, i); t.ID == "" || given[t.ID]; next++ {
			t.ID = fmt.Sprintf("call_%d", next)
		}
		given[t.ID] = true
		resp.Message.ToolCalls = append(resp.Message.ToolCalls,
			llm.ToolCall{ID: t.ID, Name: offeredName(t.Name, d.call.tools), Arguments: arguments})
	}
	switch {
	case d.failed != nil || resp.FinishReason == llm.FinishLength:
	case len(d.Refusal) > 0 || resp.FinishReason == llm.FinishRefusal:
		resp.FinishReason = llm.FinishRefusal
	case len(d.Calls) > 0: // some servers report "stop"
		resp.FinishReason = llm.FinishToolCalls
	}
	if d.failed != nil {
		resp.FinishReason = ""
	}
	return resp, ok
}

// Empty reports whether no text and no call has arrived.
func (d *Draft) Empty() bool {
	return d.text.Empty() && len(d.Refusal) == 0 && len(d.Calls) == 0
}

// Partial returns the part of the reply that has arrived, or nil.
func (d *Draft) Partial() *llm.Response {
	d.text.Close(false)
	if d.Empty() && d.Usage == (llm.Usage{}) {
		return nil
	}
	resp, _ := d.response()
	if d.FinishReason == "" {
		resp.FinishReason = ""
	}
	return resp
}

// Thoughts reads the rest of the text, and returns the thoughts that were in it, with
// their marks.
func (d *Draft) Thoughts() (marked, thoughts string) {
	d.text.Close(true)
	if !d.text.Empty() { // the next reply will probably begin as this one
		d.call.unopened.Store(d.text.Late())
	}
	return d.text.Marked(), d.text.Thoughts()
}

// Finish returns the response of a complete draft, or an error if the reply was
// cut off, refused or malformed.
func (c *Call) Finish(d *Draft) (*llm.Response, error) {
	_, thoughts := d.Thoughts()
	resp, valid := d.response()
	e := &llm.Error{Provider: c.provider, Partial: resp}
	switch written := d.text.Call(); {
	case d.failed != nil:
		e = d.failed
		e.Partial = resp
	case resp.FinishReason == llm.FinishLength:
		e.Kind = llm.ErrTruncated
		e.Message = cmp.Or(d.Limit, "the reply reached its token limit: raise Request.MaxOutputTokens, or ask for less")
	case resp.FinishReason == llm.FinishRefusal:
		e.Kind = llm.ErrRefusal
		e.Message = "the model or a filter of the provider declined"
		if len(d.Refusal) > 0 {
			e.Message = "the model declined: " + c.clean(string(d.Refusal))
		}
	case !valid:
		e.Kind = llm.ErrInvalidOutput
		e.Message = "the model called a tool with arguments that are not JSON"
	case written != "" && len(d.Calls) == 0:
		e.Kind = llm.ErrInvalidOutput
		e.Message = "the model wrote a tool call as text: " + c.clean(written)
	case thoughts != "" && resp.Message.Content == "" && len(d.Calls) == 0 && !c.object:
		e.Kind = llm.ErrInvalidOutput
		e.Message = "the reply has thoughts, but no text after them"
	default:
		var err error
		if resp.Message.Parts, err = c.reasoningParts(d); err != nil {
			return nil, c.ProtocolError("the reasoning in the reply is not JSON")
		}
		return resp, nil
	}
	return nil, e
}
