package rag

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/markdown"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// loadMarkdown returns the blocks of CommonMark with tables. Front matter is left
// out. A heading within a list item or a quotation is a part of it. A document with
// markup that takes too long to read is plain text.
func loadMarkdown(ctx context.Context, data []byte) (*Document, error) {
	d := &Document{Text: oneLineEnd(string(data))}
	from := frontMatter(d.Text)
	source := []byte(d.Text[from:] + "\n") // goldmark reads past a last line without an end
	add := func(n ast.Node, level int, whole bool) {
		start := from + n.Pos()
		if n.Pos() < 0 || start > len(d.Text) { // of some malformed lists
			return
		}
		start = strings.LastIndexByte(d.Text[:start], '\n') + 1
		if last := len(d.Blocks) - 1; last >= 0 && d.Blocks[last].Start >= start {
			return // two blocks that begin on one line
		}
		b := Block{Start: start, Level: level, Whole: whole}
		if n.Kind() == extast.KindTable {
			b.HeadLines = 2
		}
		if level > 0 {
			b.Title = plain(ctx, n, source)
		}
		d.Blocks = append(d.Blocks, b)
	}
	var items func(list ast.Node)
	items = func(list ast.Node) {
		for item := list.FirstChild(); item != nil; item = item.NextSibling() {
			add(item, 0, false)
			for child := item.FirstChild(); child != nil; child = child.NextSibling() {
				switch child.Kind() {
				case ast.KindList:
					items(child)
				case ast.KindParagraph, ast.KindTextBlock:
				default:
					add(child, 0, true)
				}
			}
		}
	}
	tree, err := markdown.Blocks(ctx, source)
	switch {
	case errors.Is(err, markdown.ErrTooComplex):
		return d, nil
	case err != nil:
		return nil, err
	}
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			add(n, n.Level, false)
		case *ast.List:
			items(n)
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock, *extast.Table:
			add(n, 0, true)
		default:
			add(n, 0, false)
		}
	}
	// A block ends where the next one begins, so that nothing of the text is lost.
	if len(d.Blocks) == 0 {
		d.Blocks = append(d.Blocks, Block{})
	}
	d.Blocks[0].Start = from
	for i := range d.Blocks {
		b := &d.Blocks[i]
		end := len(d.Text)
		if i+1 < len(d.Blocks) {
			end = d.Blocks[i+1].Start
		}
		b.End = b.Start + len(strings.TrimRightFunc(d.Text[b.Start:end], unicode.IsSpace))
	}
	return d, nil
}

// plain returns the text of a heading without its markup, or with markup that takes
// too long to read.
func plain(ctx context.Context, heading ast.Node, source []byte) string {
	line := bytes.Join(bytes.Fields(heading.Lines().Value(source)), []byte(" "))
	line = append([]byte("# "), line[:min(len(line), 4*maxHeading)]...)
	tree, err := markdown.Parse(ctx, line)
	if err != nil {
		return strings.TrimSpace(strings.ToValidUTF8(string(line[2:]), ""))
	}
	var b strings.Builder
	ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(line))
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(strings.ToValidUTF8(b.String(), ""))
}

// frontMatter returns the offset after the front matter of a document: YAML
// between lines of dashes, or TOML between lines of plus signs. It returns 0 if
// there is none.
func frontMatter(text string) int {
	lines := strings.SplitAfter(text, "\n")
	fence := strings.TrimSpace(lines[0])
	separator := map[string]string{"---": ":", "+++": "="}[fence]
	if separator == "" || len(lines) < 2 {
		return 0
	}
	key, _, found := strings.Cut(lines[1], separator)
	if key = strings.TrimSpace(key); !found || key == "" || strings.ContainsAny(key, " \t") {
		return 0 // the dashes are a thematic break
	}
	end := len(lines[0])
	for _, line := range lines[1:] {
		end += len(line)
		if line = strings.TrimRight(line, " \t\n"); line == fence || fence == "---" && line == "..." {
			return end
		}
	}
	return 0
}
