package rag

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// loadHTML returns the visible text of a page. The spans of its blocks are those of
// the file. The title of the page is the metadata "title".
func loadHTML(ctx context.Context, data []byte) (*Document, error) {
	h := &htmlText{tokens: html.NewTokenizer(bytes.NewReader(data)), data: data, line: 1}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch kind := h.tokens.Next(); kind {
		case html.ErrorToken:
			if err := h.tokens.Err(); !errors.Is(err, io.EOF) {
				return nil, err
			}
			h.flush()
			d := &Document{Text: h.text.String(), Blocks: h.blocks}
			if title := strings.Join(strings.Fields(h.title.String()), " "); title != "" {
				d.Metadata = map[string]string{"title": title}
			}
			return d, nil
		default:
			h.token(kind)
		}
	}
}

// htmlText collects the blocks of a page while its tokens are read.
type htmlText struct {
	tokens   *html.Tokenizer
	data     []byte
	at, line int // of the current token in the file

	text   strings.Builder
	blocks []Block
	title  strings.Builder

	block   bytes.Buffer // the text of the current block
	begun   bool         // it has text of the page
	span    Span         // of it
	level   int          // of the current heading
	tables  int          // how many tables are open
	table   htmlTable    // the outermost of them
	script  htmlScript   // the open superscript or subscript
	struck  htmlStruck   // the open element with struck text
	pre     int          // how many elements are open whose spaces count
	hidden  atom.Atom    // the open element whose text is not shown
	inTitle bool
}

func (h *htmlText) token(kind html.TokenType) {
	start, line := h.at, h.line
	raw := h.tokens.Raw()
	h.at += len(raw)
	h.line += bytes.Count(raw, []byte("\n"))
	switch kind {
	case html.TextToken:
		if h.hidden == 0 && !h.struck.open() {
			h.write(string(h.tokens.Text()), start, line)
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		name, more := h.tokens.TagName()
		h.open(atom.Lookup(name), h.attributes(more), kind == html.SelfClosingTagToken)
	case html.EndTagToken:
		name, _ := h.tokens.TagName()
		h.close(atom.Lookup(name))
	}
}

// write adds text to the current block.
func (h *htmlText) write(s string, start, line int) {
	if rest, ok := strings.CutPrefix(s, "\ufeff"); ok && start == 0 { // a byte order mark
		s, start = rest, len(s)-len(rest)
	}
	switch {
	case h.inTitle:
		h.title.WriteString(s)
		return
	case strings.TrimSpace(s) == "" && (h.block.Len() == 0 || h.pre == 0 || h.script.kind != 0):
		if h.block.Len() > 0 {
			h.space()
		}
		return
	}
	if !h.begun {
		h.begun = true
		lead := s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))]
		h.span = Span{Start: start + len(lead), FirstLine: line + strings.Count(lead, "\n")}
	}
	h.span.End, h.span.LastLine = h.at, h.line
	if h.script.kind != 0 {
		h.script.text.WriteString(s)
		return
	}
	if strings.IndexFunc(s, unicode.IsDigit) == 0 && h.script.end > 0 && h.script.end == h.block.Len() {
		h.space() // 10^6 10
	}
	h.script.end = 0
	if h.pre > 0 {
		h.block.WriteString(strings.ReplaceAll(s, "\r", ""))
		return
	}
	if strings.TrimLeftFunc(s, unicode.IsSpace) != s {
		h.space()
	}
	h.block.WriteString(strings.Join(strings.Fields(s), " "))
	if strings.TrimRightFunc(s, unicode.IsSpace) != s {
		h.space()
	}
}

// space adds one space unless there is one.
func (h *htmlText) space() {
	if r := h.lastRune(); r != 0 && !unicode.IsSpace(r) {
		h.block.WriteByte(' ')
	}
}

// lineEnd ends a line of the current block.
func (h *htmlText) lineEnd() {
	if h.block.Len() > 0 {
		h.block.WriteByte('\n')
	}
}

// attributes returns those of the current tag that say how its text is read.
func (h *htmlText) attributes(more bool) map[string]string {
	found := map[string]string{}
	for more {
		var name, value []byte
		name, value, more = h.tokens.TagAttr()
		switch key := string(name); key {
		case "style", "colspan", "rowspan":
			found[key] = string(value)
		}
	}
	return found
}

func (h *htmlText) open(name atom.Atom, attributes map[string]string, closed bool) {
	within := h.struck.open()
	if h.struck.enter(name, attributes["style"], closed) {
		if !within && h.hidden == 0 && (name == atom.Td || name == atom.Th) {
			h.cell(name == atom.Th, attributes) // without text
		}
		return
	}
	switch name {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Svg, atom.Math, atom.Iframe, atom.Select:
		if h.hidden == 0 && !closed {
			h.hidden = name
		}
		return
	}
	if h.hidden != 0 {
		return
	}
	if !closed {
		h.openScript(name, attributes["style"])
	}
	switch name {
	case atom.Title:
		h.inTitle = !closed
	case atom.Table:
		if h.tables++; h.tables == 1 {
			h.flush()
			h.table = htmlTable{}
		}
	case atom.Tr:
		h.endRow()
	case atom.Thead, atom.Tbody, atom.Tfoot:
		h.endRow()
		h.table.inHead = name == atom.Thead
		h.table.endGroup(h.tables)
	case atom.Td, atom.Th:
		h.cell(name == atom.Th, attributes)
	case atom.Br:
		if h.tables > 0 {
			h.space() // a row is one line
		} else {
			h.lineEnd()
		}
	case atom.A:
		h.script.linked = h.script.kind != 0
	case atom.Pre:
		h.boundary()
		if h.tables == 0 { // a row is one line
			h.pre++
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		h.boundary()
		if h.tables == 0 {
			h.level = int(name.String()[1] - '0')
		}
	default:
		if blockElements[name] {
			h.boundary()
		}
	}
}

func (h *htmlText) close(name atom.Atom) {
	if h.struck.leave(name) {
		return
	}
	if h.hidden != 0 {
		if name == h.hidden {
			h.hidden = 0
		}
		return
	}
	if name == h.script.name {
		h.closeScript()
	}
	switch name {
	case atom.Title:
		h.inTitle = false
	case atom.Table:
		if h.tables == 1 {
			h.endRow()
			h.flush()
		}
		h.tables = max(0, h.tables-1)
	case atom.Thead, atom.Tbody, atom.Tfoot:
		h.endRow()
		h.table.inHead = false
		h.table.endGroup(h.tables)
	case atom.Pre:
		h.boundary()
		h.pre = max(0, h.pre-1)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		h.boundary()
		h.level = 0
	default:
		if blockElements[name] {
			h.boundary()
		}
	}
}

// boundary ends the current block, or only a word of a table.
func (h *htmlText) boundary() {
	if h.tables > 0 {
		h.space()
		return
	}
	h.flush()
}

// flush adds the current block to the document.
func (h *htmlText) flush() {
	h.closeScript()
	lines := strings.Split(h.block.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRightFunc(lines[i], unicode.IsSpace)
	}
	s := strings.Trim(strings.Join(lines, "\n"), "\n")
	h.block.Reset()
	h.begun = false
	if strings.TrimSpace(s) == "" {
		return
	}
	if h.text.Len() > 0 {
		h.text.WriteString("\n\n")
	}
	b := Block{Start: h.text.Len(), End: h.text.Len() + len(s), Level: h.level, Whole: h.tables > 0 || h.pre > 0, Span: h.span}
	if h.tables > 0 {
		b.HeadLines = h.table.headLines
	}
	if b.Level > 0 {
		b.Title = strings.Join(strings.Fields(s), " ")
	}
	h.text.WriteString(s)
	h.blocks = append(h.blocks, b)
}

// blockElements begin and end a block of text.
var blockElements = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Body: true, atom.Caption: true,
	atom.Dd: true, atom.Details: true, atom.Dialog: true, atom.Div: true, atom.Dl: true, atom.Dt: true,
	atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true, atom.Footer: true, atom.Form: true,
	atom.Header: true, atom.Hr: true, atom.Li: true, atom.Main: true, atom.Nav: true, atom.Ol: true, atom.P: true,
	atom.Section: true, atom.Summary: true, atom.Ul: true,
}
