// Package markdown reads Markdown of untrusted authors with goldmark, in time that
// is linear in its length. Texts for which goldmark needs longer are refused.
package markdown

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// ErrTooComplex is the error for a text with markup that takes too long to read.
var ErrTooComplex = errors.New("markdown: the markup is nested or repeated too often")

var (
	// For blocks, definitions of links are paragraphs: to read many of them takes
	// time that is quadratic.
	blocks = parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	)
	whole = parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(extension.NewStrikethroughParser(), 500))...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
)

// Blocks returns the blocks of CommonMark with tables. It reads nothing within them.
func Blocks(ctx context.Context, source []byte) (ast.Node, error) {
	return parse(ctx, blocks, source)
}

// Parse returns the whole tree of CommonMark with tables and strikethrough.
func Parse(ctx context.Context, source []byte) (ast.Node, error) {
	if err := checkInline(source); err != nil {
		return nil, err
	}
	return parse(ctx, whole, source)
}

func parse(ctx context.Context, p parser.Parser, source []byte) (n ast.Node, err error) {
	if err := checkTables(source); err != nil {
		return nil, err
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case stopped:
			n, err = nil, e.error
		default: // goldmark panics for some malformed lists
			n, err = nil, fmt.Errorf("%w: %v", ErrTooComplex, e)
		}
	}()
	lines := bytes.Count(source, []byte("\n")) + 1
	budget := maxReads * (len(source) + lineCost*lines)
	return p.Parse(&reader{text.NewReader(source), ctx, budget}), nil
}

// maxReads is how often a line is read at most, on average. Documents that people
// write take less than a fifth of it.
const maxReads = 200

// lineCost is what it costs to read an empty line, in bytes.
const lineCost = 32

// A reader stops the parser when it has read the lines too often, or when the
// context is done. Parsers have no other way to stop.
type reader struct {
	text.Reader
	ctx  context.Context
	left int
}

// stopped is the panic of a reader that stops.
type stopped struct{ error }

// PeekLine returns the current line. All parsers of blocks begin with it.
func (r *reader) PeekLine() ([]byte, text.Segment) {
	line, segment := r.Reader.PeekLine()
	before := r.left >> 20
	r.left -= len(line) + lineCost
	if r.left < 0 {
		panic(stopped{ErrTooComplex})
	}
	if r.left>>20 != before {
		if err := context.Cause(r.ctx); err != nil {
			panic(stopped{err})
		}
	}
	return line, segment
}

// maxMarks limits the sum of the squares of the numbers of marks in each run of
// lines without a blank line between them. The parsers of links, their definitions,
// emphasis and code look at the marks of a run again for each of them.
const maxMarks = 16_000_000

// checkInline refuses a text with too many marks.
func checkInline(source []byte) error {
	sum := 0
	return eachRun(source, func(run []byte) error {
		marks := 0
		for _, b := range run {
			switch b {
			case '[', ']', '*', '_', '~', '`', '<', '&':
				marks++
			}
		}
		if sum += marks * marks; sum > maxMarks {
			return ErrTooComplex
		}
		return nil
	})
}

// checkTables refuses tables that have many more cells than the text has bytes: each
// row of a table has as many cells as the line of dashes.
func checkTables(source []byte) error {
	cells := 0
	return eachRun(source, func(run []byte) error {
		columns, lines := 0, 0
		for line := range bytes.Lines(run) {
			lines++
			if len(bytes.Trim(line, "|-: \t\n>*+.)0123456789")) == 0 {
				columns = max(columns, bytes.Count(line, []byte("|")))
			}
		}
		if cells += columns * lines; cells > len(source)+10_000 {
			return ErrTooComplex
		}
		return nil
	})
}

// eachRun calls f for each run of lines without a blank line between them.
func eachRun(source []byte, f func(run []byte) error) error {
	from, at := 0, 0
	for line := range bytes.Lines(source) {
		if len(bytes.TrimSpace(line)) == 0 {
			if err := f(source[from:at]); err != nil {
				return err
			}
			from = at + len(line)
		}
		at += len(line)
	}
	return f(source[from:])
}
