package rag

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// A Chunk is a piece of a document, small enough to be embedded and to be shown to
// a model. Its Document and Number identify it within an [Index].
type Chunk struct {
	// Document is the slash-separated path of the chunk's file.
	Document string `json:"document"`
	// Number is the position of the chunk in its document, from 1. [Index.Put]
	// sets it.
	Number int `json:"number,omitempty"`
	// Headings are the headings above the chunk, outermost first, without markup.
	// If the chunk begins a section, its Text begins with the last of them.
	Headings []string `json:"headings,omitempty"`
	// Span is where the chunk is in the file. Pieces of one long line have the
	// same line.
	Span
	// Text is the text there, with lines separated by \n and without spaces at
	// their ends. Of a file with markup other than Markdown it is the visible text. A
	// further part of a long table begins with the lines that name its columns.
	Text string `json:"text"`
	// Metadata is what [Filter] compares.
	Metadata map[string]string `json:"metadata,omitempty"`
}

// isText reports whether all texts of the chunk are UTF-8 without NUL.
func (c Chunk) isText() bool {
	if !isText(c.Document, c.Text) || !isText(c.Headings...) {
		return false
	}
	for key, value := range c.Metadata {
		if !isText(key, value) {
			return false
		}
	}
	return true
}

// title returns the chunk's document and headings.
func (c Chunk) title() string {
	return strings.Join(append([]string{c.Document}, c.Headings...), " › ")
}

// location returns the chunk's file with its page or lines.
func (c Chunk) location() string {
	switch {
	case c.FirstPage > 0:
		return fmt.Sprintf("%s#page=%d", c.Document, c.FirstPage) // as RFC 8118
	case c.FirstLine == 0:
		return c.Document
	case c.FirstLine == c.LastLine:
		return fmt.Sprintf("%s:%d", c.Document, c.FirstLine)
	}
	return fmt.Sprintf("%s:%d-%d", c.Document, c.FirstLine, c.LastLine)
}

// searchText returns what an index reads of the chunk. The headings are part of
// it, because in the middle of a section only they name its subject.
func (c Chunk) searchText() string {
	return strings.Join(c.Headings, "\n") + "\n" + c.Text
}

// Citation returns the chunk as a citation of an answer.
func (c Chunk) Citation() qed.Citation {
	return qed.Citation{
		Title:    prompt.Clip(c.title(), maxTitle),
		Location: prompt.Clip(c.location(), maxTitle),
		Excerpt:  prompt.Clip(c.Text, maxExcerpt),
	}
}

// Limits of a citation's texts, in bytes.
const (
	maxTitle   = 400
	maxExcerpt = 500
)
