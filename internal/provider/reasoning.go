package provider

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/qedkit/qed/llm"
)

// A placed is the Data of a reasoning part: a block of the API and its position
// in the message.
type placed struct {
	Host  string          `json:"host"`            // of the server that sent it; no other can read it
	Text  int             `json:"text,omitempty"`  // bytes of the message's text before it
	Calls int             `json:"calls,omitempty"` // tool calls before it
	Block json.RawMessage `json:"block"`
}

// AddReasoning adds a reasoning block to d, at the end of what has arrived.
// summary is the readable part of it. It returns an error if there are too many.
func (d *Draft) AddReasoning(block any, summary string) error {
	return d.addReasoning(block, placed{Text: len(d.text.Text()), Calls: len(d.Calls)}, summary)
}

// AddFirst is like AddReasoning, for a block that belongs before everything else.
func (d *Draft) AddFirst(block any, summary string) error {
	return d.addReasoning(block, placed{}, summary)
}

// AddBefore is like AddReasoning, for a block that belongs to the call with an index.
func (d *Draft) AddBefore(call int, block any) error {
	return d.addReasoning(block, placed{Text: math.MaxInt32, Calls: call}, "")
}

func (d *Draft) addReasoning(block any, at placed, summary string) (err error) {
	if len(d.reasoning) == MaxCalls {
		return tooMany("pieces of reasoning")
	}
	if at.Block, err = json.Marshal(block); err != nil {
		return err
	}
	i := len(d.reasoning)
	for i > 0 && at.before(d.reasoning[i-1].placed) {
		i--
	}
	d.reasoning = slices.Insert(d.reasoning, i, reasoned{at, summary})
	return nil
}

func (p placed) before(other placed) bool {
	return p.Text < other.Text || p.Text == other.Text && p.Calls < other.Calls
}

type reasoned struct {
	placed
	summary string
}

func (c *Call) reasoningParts(d *Draft) ([]llm.Part, error) {
	var parts []llm.Part
	for _, r := range d.reasoning {
		r.Host = c.Hostname()
		data, err := json.Marshal(r.placed)
		if err != nil {
			return nil, err
		}
		parts = append(parts, llm.Part{
			Type: llm.PartReasoning, Text: r.summary, Data: data, Provider: c.provider,
		})
	}
	return parts, nil
}

// A Segment is a piece of a message of the assistant: a reasoning block, a text,
// or tool calls.
type Segment struct {
	Reasoning json.RawMessage
	Text      string
	Calls     []llm.ToolCall
}

// Segments returns the pieces of a message of the assistant in the order in
// which the model wrote them. Reasoning of other providers and servers is left
// out. If the text or the calls were shortened since, what is left stays in
// order. Names of calls that are none of the tools have the characters that servers
// accept.
func (s *Server) Segments(m llm.Message, tools []llm.Tool) ([]Segment, error) {
	var list []Segment
	text, calls := m.Content, slices.Clone(m.ToolCalls)
	for i := range calls {
		calls[i].Name = acceptedName(calls[i].Name, tools)
	}
	atText, atCall := 0, 0
	upTo := func(toText, toCall int) {
		toText = min(max(toText, atText), len(text))
		for toText < len(text) && !utf8.RuneStart(text[toText]) {
			toText++
		}
		toCall = min(max(toCall, atCall), len(calls))
		if toText > atText {
			list = append(list, Segment{Text: text[atText:toText]})
		}
		if toCall > atCall {
			list = append(list, Segment{Calls: calls[atCall:toCall]})
		}
		atText, atCall = toText, toCall
	}
	for i, p := range m.Parts {
		if p.Type == llm.PartText {
			list = append(list, Segment{Text: p.Text})
		}
		if p.Type != llm.PartReasoning || p.Provider != s.provider {
			continue
		}
		var at placed
		if err := json.Unmarshal(p.Data, &at); err != nil || len(at.Block) == 0 {
			return nil, PartError(i, p, errNotOurs.Error())
		}
		if at.Host != s.Hostname() {
			continue
		}
		upTo(at.Text, at.Calls)
		list = append(list, Segment{Reasoning: at.Block})
	}
	upTo(len(text), len(calls))
	for len(list) > 0 && list[len(list)-1].Reasoning != nil {
		list = list[:len(list)-1] // what it led to was removed, and no API accepts it alone
	}
	return list, nil
}

var errNotOurs = errors.New("its Data was changed: send reasoning back as it came, or remove the part")
