package rag

import (
	"context"
	"strings"
	"unicode"
)

// A Document is the text of a file as a [Loader] returns it.
type Document struct {
	// Name is the slash-separated path of the file. [Read] sets it.
	Name string
	// Text is what is split into chunks.
	Text string
	// Blocks are the parts of Text, in their order and without overlap. Text
	// outside of blocks is left out. Nil means the paragraphs of Text, which are
	// separated by blank lines.
	Blocks []Block
	// Metadata is given to every chunk, for [Filter].
	Metadata map[string]string
}

// A Block is a part of a document that is better not divided: a heading, a
// paragraph, a list item, code or a table.
type Block struct {
	Start, End int    // the block is Text[Start:End] of its document
	Level      int    // of a heading, from 1; 0 for other blocks
	Title      string // of a heading
	// Whole says that the block is divided only if it does not fit into a chunk of
	// its own, and only between lines: a table or code.
	Whole bool
	// HeadLines is how many lines at the beginning of a table name its columns. Each
	// chunk with a further part of the table begins with them.
	HeadLines int
	// Span is where the block is in its file. The zero value means that Text is
	// the text of the file, so that the block is at Start.
	Span Span
}

// A Span is where a text is in its file. Zero fields are not known.
type Span struct {
	// Start and End are offsets in bytes.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
	// FirstLine and LastLine are lines, counted from 1, both included.
	FirstLine int `json:"first_line,omitempty"`
	LastLine  int `json:"last_line,omitempty"`
	// FirstPage and LastPage are pages, counted from 1, both included.
	FirstPage int `json:"first_page,omitempty"`
	LastPage  int `json:"last_page,omitempty"`
}

// A Loader returns the document in a file. Data is not modified.
//
// The error should match [ErrEmpty], [ErrBinary], [ErrNotUTF8] or [ErrEncrypted]
// if one of them is the reason.
type Loader func(ctx context.Context, data []byte) (*Document, error)

// loaders are the built-in loaders by the ends of file names.
var loaders = map[string]Loader{
	".md":       loadMarkdown,
	".markdown": loadMarkdown,
	".txt":      loadText,
	".text":     loadText,
	".html":     loadHTML,
	".htm":      loadHTML,
}

func loadText(_ context.Context, data []byte) (*Document, error) {
	return &Document{Text: oneLineEnd(string(data))}, nil
}

// oneLineEnd replaces the line ends \r\n and \r and the byte order mark by
// characters of the same length, so that offsets stay those of the file.
func oneLineEnd(text string) string {
	if rest, ok := strings.CutPrefix(text, "\ufeff"); ok {
		text = "   " + rest
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", " \n"), "\r", "\n")
}

// paragraphs returns the parts of a text that are separated by blank lines.
func paragraphs(text string) (all []Block) {
	open := false
	for start := 0; start < len(text); {
		end := len(text)
		if at := strings.IndexByte(text[start:], '\n'); at >= 0 {
			end = start + at
		}
		switch line := strings.TrimRightFunc(text[start:end], unicode.IsSpace); {
		case line == "":
			open = false
		case open:
			all[len(all)-1].End = start + len(line)
		default:
			all = append(all, Block{Start: start, End: start + len(line)})
			open = true
		}
		start = end + 1
	}
	return all
}
