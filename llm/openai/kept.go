package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// members are the members of a message in which servers send reasoning. With tool
// calls it must come back as it was: many servers refuse the results of the calls
// without it.
type members struct {
	ReasoningContent json.RawMessage `json:"reasoning_content,omitempty"`        // DeepSeek, Qwen, GLM, Kimi
	Reasoning        json.RawMessage `json:"reasoning,omitempty"`                // OpenRouter, vLLM, Groq, Ollama
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`        // OpenRouter, MiniMax
	ThinkingBlocks   json.RawMessage `json:"thinking_blocks,omitempty"`          // LiteLLM
	ProviderFields   json.RawMessage `json:"provider_specific_fields,omitempty"` // LiteLLM
	ExtraContent     json.RawMessage `json:"extra_content,omitempty"`            // Gemini
	ReasoningText    json.RawMessage `json:"reasoning_text,omitempty"`           // GitHub Copilot, as the next
	ReasoningOpaque  json.RawMessage `json:"reasoning_opaque,omitempty"`
}

func (m *members) all() [8]*json.RawMessage {
	return [8]*json.RawMessage{&m.ReasoningContent, &m.Reasoning, &m.ReasoningDetails,
		&m.ThinkingBlocks, &m.ProviderFields, &m.ExtraContent, &m.ReasoningText, &m.ReasoningOpaque}
}

// callMembers are the members of a call that must come back.
type callMembers struct {
	ExtraContent   json.RawMessage `json:"extra_content,omitempty"` // Gemini's thought signature
	ProviderFields json.RawMessage `json:"provider_specific_fields,omitempty"`
}

// A block is what is kept in a reasoning part: one of its members is set.
type block struct {
	Message  *members     `json:"message,omitempty"`  // of the message
	Call     *callMembers `json:"call,omitempty"`     // of the next call
	Thinking string       `json:"thinking,omitempty"` // a part of the content (Mistral)
	Text     string       `json:"text,omitempty"`     // thoughts in the text, with their marks
}

// kept is the reasoning of a reply while it arrives.
type kept struct {
	texts    [8][]byte // of the members that are texts
	lists    [8][]*detail
	others   [8]json.RawMessage
	calls    map[int]callMembers
	thinking []byte // the part of the content that arrives
}

// A detail is an entry of a list of reasoning.
type detail struct {
	whole map[string]json.RawMessage
	texts map[string][]byte // of the members that arrive in pieces
}

func (k *kept) add(m *members) error {
	for i, raw := range m.all() {
		switch {
		case provider.IsNull(*raw):
		case (*raw)[0] == '"':
			text, err := provider.Unquote(*raw)
			if err != nil {
				return err
			}
			k.texts[i] = append(k.texts[i], text...)
		case (*raw)[0] == '[':
			if err := k.addList(i, *raw); err != nil {
				return err
			}
		default:
			k.others[i] = *raw
		}
	}
	return nil
}

// addList adds the entries of a list. The first one can continue the last one of the
// piece before.
func (k *kept) addList(i int, raw json.RawMessage) error {
	first := true
	for entry, err := range provider.Each[map[string]json.RawMessage](raw) {
		if err != nil {
			return provider.Malformed("the reasoning of the reply is no list of objects")
		}
		last := len(k.lists[i]) - 1
		switch {
		case first && last >= 0 && k.lists[i][last].continues(*entry):
		case len(k.lists[i]) == provider.MaxCalls:
			return provider.Malformed(fmt.Sprintf("the reply has more than %d pieces of reasoning", provider.MaxCalls))
		default:
			last++
			k.lists[i] = append(k.lists[i], &detail{map[string]json.RawMessage{}, map[string][]byte{}})
		}
		k.lists[i][last].add(*entry)
		first = false
	}
	return nil
}

// continues reports whether an entry is a further piece of d.
func (d *detail) continues(entry map[string]json.RawMessage) bool {
	for _, name := range []string{"type", "index", "id"} {
		if !provider.IsNull(entry[name]) && !provider.IsNull(d.whole[name]) && string(entry[name]) != string(d.whole[name]) {
			return false
		}
	}
	return len(d.texts["signature"]) == 0 && provider.IsNull(d.whole["data"]) && provider.IsNull(entry["data"])
}

func (d *detail) add(entry map[string]json.RawMessage) {
	for name, value := range entry {
		switch name {
		case "text", "summary", "thinking", "signature":
			if text, err := provider.Unquote(value); err == nil && len(value) > 0 && value[0] == '"' {
				d.texts[name] = append(d.texts[name], text...)
				continue
			}
		}
		if d.whole[name] == nil || !provider.IsNull(value) {
			d.whole[name] = value
		}
	}
}

func (k *kept) addCall(call int, m *callMembers) {
	if provider.IsNull(m.ExtraContent) && provider.IsNull(m.ProviderFields) {
		return
	}
	if k.calls == nil {
		k.calls = map[int]callMembers{}
	}
	whole := k.calls[call]
	if !provider.IsNull(m.ExtraContent) {
		whole.ExtraContent = m.ExtraContent
	}
	if !provider.IsNull(m.ProviderFields) {
		whole.ProviderFields = m.ProviderFields
	}
	k.calls[call] = whole
}

// endThinking ends the part of the content that is thinking.
func (k *kept) endThinking(d *provider.Draft) error {
	text := string(k.thinking)
	if text == "" {
		return nil
	}
	k.thinking = nil
	return d.AddReasoning(block{Thinking: text}, text)
}

func (k *kept) addTo(d *provider.Draft) error {
	err := k.endThinking(d)
	if marked, thoughts := d.Thoughts(); marked != "" {
		err = cmp.Or(err, d.AddFirst(block{Text: marked}, thoughts))
	}
	if m, text := k.members(); m != nil {
		err = cmp.Or(err, d.AddFirst(block{Message: m}, text))
	}
	for call := range d.Calls {
		if m, ok := k.calls[call]; ok {
			err = cmp.Or(err, d.AddBefore(call, block{Call: &m}))
		}
	}
	return err
}

// members returns the whole members and the reasoning that can be read, or nil.
func (k *kept) members() (m *members, text string) {
	m = &members{}
	some := false
	for i, into := range m.all() {
		switch {
		case k.texts[i] != nil:
			*into, _ = json.Marshal(string(k.texts[i])) // a text has a JSON form
			if len(k.texts[i]) > len(text) {
				text = string(k.texts[i])
			}
		case k.lists[i] != nil:
			list := make([]map[string]json.RawMessage, len(k.lists[i]))
			var texts []string
			for n, d := range k.lists[i] {
				list[n] = d.whole
				for name, piece := range d.texts {
					d.whole[name], _ = json.Marshal(string(piece))
					if name != "signature" && len(piece) > 0 {
						texts = append(texts, string(piece))
					}
				}
			}
			*into, _ = json.Marshal(list)
			if text == "" {
				text = strings.Join(texts, "\n\n")
			}
		default:
			*into = k.others[i]
		}
		some = some || len(*into) > 2
	}
	if !some {
		return nil, ""
	}
	return m, text
}

const reasoningMember = `(reasoning|thinking|extra_content|provider_specific)`

var unknownMember = regexp.MustCompile(`(?i)` + reasoningMember + `.{0,80}` +
	`(unsupported|not supported|not permitted|not allowed|unexpected|unknown|unrecognized|extra|forbidden)|` +
	`(unsupported|unexpected|unknown|unrecognized|extra|additional).{0,80}` + reasoningMember)

// refusesReasoning reports whether a server does not accept the members in which it
// sent reasoning itself.
func refusesReasoning(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Kind == llm.ErrBadRequest && unknownMember.MatchString(e.Message)
}

// withoutReasoning returns req without reasoning: itself if it has none.
func withoutReasoning(req *llm.Request) *llm.Request {
	bare, found := *req, false
	bare.Messages = slices.Clone(req.Messages)
	for i := range bare.Messages {
		m := &bare.Messages[i]
		parts := len(m.Parts)
		m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p llm.Part) bool { return p.Type == llm.PartReasoning })
		found = found || len(m.Parts) < parts
	}
	if !found {
		return req
	}
	return &bare
}
