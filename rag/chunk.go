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
	// Document is the file that it is of, by its path with slashes.
	Document string `json:"document"`
	// Headings are the headings that it stands below, outermost first, as they
	// are written. A chunk at the beginning of a section has the last of them in
	// its Text as well.
	Headings []string `json:"headings,omitempty"`
	// First and Last are its lines in the file, from 1, both included. Pieces of
	// a line that was too long have the same line.
	First int `json:"first"`
	Last  int `json:"last"`
	// Text is what stands there, with \n between the lines and no space at their
	// ends.
	Text string `json:"text"`
}

// title is the chunk's document and headings.
func (c Chunk) title() string {
	return strings.Join(append([]string{c.Document}, c.Headings...), " › ")
}

// location is where the chunk's text begins and ends.
func (c Chunk) location() string {
	if c.First == c.Last {
		return fmt.Sprintf("%s:%d", c.Document, c.First)
	}
	return fmt.Sprintf("%s:%d-%d", c.Document, c.First, c.Last)
}

// searched is what an index reads of the chunk: in the middle of a section, only
// the headings say what the text is about.
func (c Chunk) searched() string {
	return strings.Join(c.Headings, "\n") + "\n" + c.Text
}

// source is the chunk as a place that an answer rests on.
func (c Chunk) source() qed.Citation {
	return qed.Citation{Title: prompt.Clip(c.title(), maxTitle), Location: c.location(), Excerpt: prompt.Clip(c.Text, maxExcerpt)}
}

const (
	maxTitle   = 400
	maxExcerpt = 500
)
