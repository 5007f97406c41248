package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/provider"
)

// A contentPart is an entry of the list that the content of a message is at Mistral
// and some others.
type contentPart struct {
	Type     string          `json:"type"`
	Text     word            `json:"text"`
	Thinking json.RawMessage `json:"thinking"` // a list of parts, or a text
}

// addContent adds the content of a message: a text, or a list of parts.
func (d *chatDraft) addContent(raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	switch raw[0] {
	case '"':
		text, err := provider.Unquote(raw)
		if len(text) > 0 {
			d.kept.endThinking(d.Draft)
		}
		d.Write(text)
		return err
	case '{': // one part
		raw = slices.Concat([]byte{'['}, raw, []byte{']'})
	case '[':
	default:
		return errors.New("the content of the reply is neither a text nor a list of parts")
	}
	list := json.NewDecoder(bytes.NewReader(raw))
	if _, err := list.Token(); err != nil {
		return err
	}
	for n := 0; list.More(); n++ {
		if n == provider.MaxCalls {
			return fmt.Errorf("the content of the reply has more than %d parts", provider.MaxCalls)
		}
		var entry json.RawMessage
		if err := list.Decode(&entry); err != nil {
			return err
		}
		if err := d.addPart(entry); err != nil {
			return err
		}
	}
	return nil
}

func (d *chatDraft) addPart(raw json.RawMessage) error {
	var p contentPart
	switch {
	case raw[0] == '"':
		text, err := provider.Unquote(raw)
		d.kept.endThinking(d.Draft)
		d.Write(text)
		return err
	case raw[0] != '{':
		return errors.New("the content of the reply has a part that is neither a text nor an object")
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	switch p.Type {
	case "text", "output_text", "":
		d.kept.endThinking(d.Draft)
		d.Write([]byte(p.Text))
	case "thinking", "reasoning":
		d.kept.thinking = append(d.kept.thinking, partText(p.Thinking)+string(p.Text)...)
	case "refusal":
		d.Refusal = append(d.Refusal, p.Text...)
	}
	return nil // an image or a reference is no text
}

// partText returns the text of a list of parts.
func partText(raw json.RawMessage) (text string) {
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &text) == nil || json.Unmarshal(raw, &parts) != nil {
		return text
	}
	for _, p := range parts {
		text += p.Text
	}
	return text
}
