package rag

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// A Chunk is a piece of a document: whole lines of one section, small enough to
// be embedded and to be shown to a model.
type Chunk struct {
	// Document is the slash-separated path of the chunk's file.
	Document string `json:"document"`
	// Headings are the headings above the chunk, outermost first, as they are
	// written. If the chunk begins a section, its Text begins with the last of
	// them.
	Headings []string `json:"headings,omitempty"`
	// FirstLine and LastLine are the chunk's lines in the file, counted from 1,
	// both included. Pieces of one long line have the same line.
	FirstLine int `json:"first_line"`
	LastLine  int `json:"last_line"`
	// Text is the text of these lines, separated by \n, without spaces at their
	// ends.
	Text string `json:"text"`
}

// title returns the chunk's document and headings.
func (c Chunk) title() string {
	return strings.Join(append([]string{c.Document}, c.Headings...), " › ")
}

// location returns the chunk's file and lines.
func (c Chunk) location() string {
	if c.FirstLine == c.LastLine {
		return fmt.Sprintf("%s:%d", c.Document, c.FirstLine)
	}
	return fmt.Sprintf("%s:%d-%d", c.Document, c.FirstLine, c.LastLine)
}

// searchText returns what an index reads of the chunk. The headings are part of
// it, because in the middle of a section only they name its subject.
func (c Chunk) searchText() string {
	return strings.Join(c.Headings, "\n") + "\n" + c.Text
}

// citation returns the chunk as a citation of an answer.
func (c Chunk) citation() qed.Citation {
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
