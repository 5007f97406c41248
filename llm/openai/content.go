package openai

import (
	"encoding/json"

	"github.com/qedkit/qed/internal/provider"
)

// A contentPart is an entry of the list that the content of a message is at Mistral
// and some others.
type contentPart struct {
	Type     string          `json:"type"`
	Text     json.RawMessage `json:"text"`     // a text, or an object with its value
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
		p.Text = raw
	case '{':
		if err := json.Unmarshal(raw, &p); err != nil {
			return err
		}
	default:
		return provider.Malformed("the content of the reply has a part that is neither a text nor an object")
	}
	text := partText(p.Text)
	switch p.Type {
	case "text", "output_text", "":
		if text == "" {
			return nil
		}
		if err := d.kept.endThinking(d.Draft); err != nil {
			return err
		}
		d.Write([]byte(text))
	case "thinking", "reasoning":
		d.kept.thinking = append(d.kept.thinking, partText(p.Thinking)...)
		d.kept.thinking = append(d.kept.thinking, text...)
	case "refusal":
		d.Refusal = append(d.Refusal, text...)
	}
	return nil // an image or a reference is no text
}

func partText(raw json.RawMessage) string {
	var text []byte
	switch {
	case provider.IsNull(raw):
	case raw[0] == '"':
		text, _ = provider.Unquote(raw) // it is JSON
	case raw[0] == '{':
		var object struct{ Value, Text word }
		_ = json.Unmarshal(raw, &object) // it is JSON
		return string(object.Value + object.Text)
	case raw[0] == '[':
		for p, err := range provider.Each[struct{ Text word }](raw) {
			if err != nil {
				break
			}
			text = append(text, p.Text...)
		}
	}
	return string(text)
}
