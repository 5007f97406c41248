package openai

import (
	"encoding/json"
	"strings"

	"github.com/qedkit/qed/internal/provider"
)

// A contentPart is an entry of the list that the content of a message is at Mistral
// and some others.
type contentPart struct {
	Type     string          `json:"type"`
	Text     word            `json:"text"`
	Thinking json.RawMessage `json:"thinking"` // a list of parts, or a text
}

// addContent adds the content of a message: a text, a part, or a list of both.
func (d *chatDraft) addContent(raw json.RawMessage) error {
	if provider.IsNull(raw) {
		return nil
	}
	if raw[0] != '[' {
		return d.addPart(raw)
	}
	var parts provider.List[json.RawMessage]
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		if err := d.addPart(part); err != nil {
			return err
		}
	}
	return nil
}

func (d *chatDraft) addPart(raw json.RawMessage) error {
	var p contentPart
	switch raw[0] {
	case '"':
		text, err := provider.Unquote(raw)
		if err != nil {
			return err
		}
		p.Text = word(text)
	case '{':
		if err := json.Unmarshal(raw, &p); err != nil {
			return err
		}
	default:
		return provider.Malformed("the content of the reply has a part that is neither a text nor an object")
	}
	switch p.Type {
	case "text", "output_text", "":
		if p.Text == "" {
			return nil
		}
		if err := d.kept.endThinking(d.Draft); err != nil {
			return err
		}
		d.Write([]byte(p.Text))
	case "thinking", "reasoning":
		d.kept.thinking = append(d.kept.thinking, partText(p.Thinking)...)
		d.kept.thinking = append(d.kept.thinking, p.Text...)
	case "refusal":
		d.Refusal = append(d.Refusal, p.Text...)
	}
	return nil // an image or a reference is no text
}

func partText(raw json.RawMessage) string {
	if len(raw) > 0 && raw[0] == '"' {
		text, _ := provider.Unquote(raw) // it is JSON
		return string(text)
	}
	var text strings.Builder
	for p, err := range provider.Each[contentPart](raw) {
		if err != nil {
			break
		}
		text.WriteString(string(p.Text))
	}
	return text.String()
}
