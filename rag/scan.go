package rag

import (
	"slices"
	"strings"
)

// A block is a part of a document that is better not divided: a heading, a
// paragraph, a list item, code, a table or a quotation.
type block struct {
	first, last int    // its lines, both included
	level       int    // of a heading, from 1; 0 for other blocks
	title       string // of a heading
}

// scan returns the blocks of lines[from:], without the blank lines between them.
//
// It implements the part of CommonMark that distinguishes headings from lines
// that look like one: within code, HTML or a list item, and below a list or a
// table. A heading within a list item or a quotation is a part of it.
func scan(lines []string, from int) (blocks []block) {
	s := scanner{lines: lines}
	for i := from; i < len(lines); {
		if blank(lines[i]) {
			i++
			continue
		}
		b := s.block(i)
		blocks = append(blocks, b)
		i = b.last + 1
	}
	return blocks
}

type scanner struct {
	lines []string
	items []int // the columns at which the text of the open list items begins, outermost first
}

// block returns the block that begins at line i, which must not be blank.
func (s *scanner) block(i int) block {
	column, text := indent(s.lines[i], 0)
	for len(s.items) > 0 && s.items[len(s.items)-1] > column {
		s.items = s.items[:len(s.items)-1]
	}
	base := s.base(column)
	if column-base >= codeIndent {
		return block{first: i, last: s.indented(i, base)}
	}
	if f, ok := openFence(text); ok {
		return block{first: i, last: s.fenced(i, base, f)}
	}
	if level, title := heading(text); level > 0 {
		if base > 0 {
			level, title = 0, ""
		}
		return block{i, i, level, title}
	}
	if isRule(text) {
		return block{first: i, last: i}
	}
	if width := marker(text); width > 0 {
		return block{first: i, last: s.item(i, column+width, text[width:])}
	}
	if end, ok := openHTML(text, false); ok {
		return block{first: i, last: s.html(i, base, end)}
	}
	if text[0] == '>' || s.isTable(i) || base > 0 {
		return block{first: i, last: s.paragraph(i)}
	}
	return s.underlined(i, s.paragraph(i))
}

// item opens the list item at line i, whose marker ends at column and is followed
// by rest. It returns the last line of the item's first block.
func (s *scanner) item(i, column int, rest string) int {
	content, text := indent(rest, column)
	if text == "" || content-column > codeIndent { // empty, or code
		s.items = append(s.items, column+1)
		return s.paragraph(i)
	}
	s.items = append(s.items, content)
	if f, ok := openFence(text); ok {
		return s.fenced(i, content, f)
	}
	return s.paragraph(i)
}

// base returns the column from which the indentation of a line at column counts:
// the beginning of the innermost open item that contains the line, or 0.
func (s *scanner) base(column int) int {
	for _, content := range slices.Backward(s.items) {
		if content <= column {
			return content
		}
	}
	return 0
}

// paragraph returns the last line of the paragraph that begins at line i. It ends
// before a blank line and before a line that begins another block.
func (s *scanner) paragraph(i int) int {
	quoted := strings.HasPrefix(strings.TrimLeft(s.lines[i], " \t"), ">")
	table := s.isTable(i)
	plain := !quoted && !table && len(s.items) == 0 // so the next line can underline it
	if table {
		i++ // the line of dashes
	}
	for i+1 < len(s.lines) && !blank(s.lines[i+1]) {
		column, text := indent(s.lines[i+1], 0)
		if column-s.base(column) < codeIndent {
			switch {
			case s.interrupts(text) || plain && isUnderline(text):
				return i
			case text[0] == '>' && !quoted:
				return i
			case !table && s.isTable(i+1):
				return i
			}
		}
		i++
	}
	return i
}

// interrupts reports whether text, which follows a line of a paragraph, begins
// another block.
func (s *scanner) interrupts(text string) bool {
	if _, ok := openFence(text); ok {
		return true
	}
	if level, _ := heading(text); level > 0 {
		return true
	}
	if _, ok := openHTML(text, true); ok || isRule(text) {
		return true
	}
	width := marker(text)
	switch {
	case width == 0:
		return false
	case len(s.items) > 0: // the next item
		return true
	case width == len(text) || blank(text[width:]):
		return false
	}
	return width == 1 || text[:width-1] == "1"
}

// underlined returns the paragraph from first to last, as a heading if the line
// below underlines it.
func (s *scanner) underlined(first, last int) block {
	b := block{first: first, last: last}
	if last+1 == len(s.lines) {
		return b
	}
	column, text := indent(s.lines[last+1], 0)
	if column >= codeIndent || !isUnderline(text) {
		return b
	}
	var title []string
	for _, line := range s.lines[first : last+1] {
		title = append(title, strings.TrimSpace(line))
	}
	b.last, b.level, b.title = last+1, 2, strings.Join(title, " ")
	if text[0] == '=' {
		b.level = 1
	}
	return b
}

// indented returns the last line of the indented code that begins at line i. A
// blank line ends it.
func (s *scanner) indented(i, base int) int {
	for ; i+1 < len(s.lines); i++ {
		if column, text := indent(s.lines[i+1], 0); text == "" || column-base < codeIndent {
			break
		}
	}
	return i
}

// fenced returns the last line of the fenced code that begins at line i: the
// closing fence, or else the last line of its list item or of the document.
func (s *scanner) fenced(i, base int, f fence) int {
	for ; i+1 < len(s.lines); i++ {
		column, text := indent(s.lines[i+1], 0)
		switch {
		case text == "":
		case column < base:
			return i
		case column-base < codeIndent && f.closedBy(text):
			return i + 1
		}
	}
	return i
}

// html returns the last line of the HTML that begins at line i. It ends with a
// line that contains end, or before a blank line if end is empty, and at the
// latest with its list item.
func (s *scanner) html(i, base int, end string) int {
	for ; i+1 < len(s.lines); i++ {
		if end != "" && strings.Contains(strings.ToLower(s.lines[i]), end) {
			break
		}
		column, text := indent(s.lines[i+1], 0)
		if text == "" && end == "" || text != "" && column < base {
			break
		}
	}
	return i
}

// isTable reports whether line i is the header of a table, which is followed by a
// line of dashes.
func (s *scanner) isTable(i int) bool {
	if i+1 >= len(s.lines) || !strings.Contains(s.lines[i], "|") {
		return false
	}
	dashes := strings.TrimSpace(s.lines[i+1])
	return strings.Contains(dashes, "|") && strings.Contains(dashes, "-") && strings.Trim(dashes, "|:- \t") == ""
}
