package llm

import (
	"strconv"
	"strings"
)

// PartType is the kind of a [Part].
type PartType string

const (
	PartText      PartType = "text"      // text between images and files
	PartImage     PartType = "image"     // an image, by its Data or its URL
	PartFile      PartType = "file"      // a document, such as a PDF, by its Data or its URL
	PartReasoning PartType = "reasoning" // reasoning of the model before its reply
)

// A Part is a piece of a [Message]. Its Type is required.
//
// An image or a file has either Data or a URL, and with Data a MediaType. Which
// roles, media types and sizes are accepted depends on the provider: a part that
// its API has no form for is refused with [ErrBadRequest].
//
// A reasoning part is made by a provider's package. Keep it in the message of
// the reply that it came with and send it back with that message: it is sent to
// the same Provider unchanged, and left out for other providers. Models that
// reason before tool calls need it together with the results of the calls.
type Part struct {
	Type PartType `json:"type"`

	// Text is the text of a text part, or a readable summary of a reasoning
	// part, if the provider sends one.
	Text string `json:"text,omitempty"`

	MediaType string `json:"media_type,omitempty"` // such as "image/png"
	Name      string `json:"name,omitempty"`       // of a file; may be empty
	URL       string `json:"url,omitempty"`

	// Data is the content of an image or a file, or the opaque form of a
	// reasoning part.
	Data []byte `json:"data,omitempty"` // base64 in JSON

	// Provider is the provider of a reasoning part, such as "anthropic".
	Provider string `json:"provider,omitempty"`
}

// Text returns the whole text of the message: its text parts and its Content,
// one under the other, with a note such as [image] or [file "terms.pdf"] in
// place of images and files. It is for prompts and pages that show a message as
// text.
func (m Message) Text() string {
	if len(m.Parts) == 0 {
		return m.Content
	}
	var texts []string
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Type {
		case PartReasoning:
		case PartText:
			texts = append(texts, p.Text)
		default:
			texts = append(texts, p.note())
		}
	}
	if m.Content != "" {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\n")
}

// note returns what stands for an image or a file in a text.
func (p *Part) note() string {
	const most = 100
	if p.Name == "" {
		return "[" + string(p.Type) + "]"
	}
	name := p.Name
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	return "[" + string(p.Type) + " " + strconv.Quote(name) + "]"
}
