package rag

import (
	"cmp"
	"maps"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sentence"
)

// Split splits a document into chunks of at most limit bytes; 0 means 1200. It
// splits at headings, and below a heading between blocks. A table and code stay
// whole if they fit into a chunk, and are divided between lines otherwise. A
// paragraph that is too long is divided between sentences, and a sentence that is
// too long at a space.
//
// Chunks do not overlap. Each has the headings above it instead, and a further part of
// a table begins with the names of its columns.
func Split(d *Document, limit int) []Chunk {
	limit = cmp.Or(limit, defaultChunkBytes)
	p := packer{document: d, limit: max(limit, minChunkBytes), start: -1}
	for i, r := range d.Text {
		if r == '\n' {
			p.lineEnds = append(p.lineEnds, i)
		}
	}
	blocks := d.Blocks
	if blocks == nil {
		blocks = paragraphs(d.Text)
	}
	for _, b := range blocks {
		p.add(b)
	}
	p.flush()
	return p.chunks
}

// packer fills chunks with blocks.
type packer struct {
	document *Document
	limit    int
	lineEnds []int // offsets
	chunks   []Chunk

	path []Block // the headings above the current chunk

	start, end int    // the current chunk is Text[start:end]; start is -1 if there is none
	span       Span   // of it, as far as the blocks have spans
	headed     bool   // it consists of headings only
	head       string // the names of the columns, if it begins within a table
}

// add adds a block to the current chunk, or begins a new one for it.
func (p *packer) add(b Block) {
	if b.Level > 0 {
		p.enter(b)
	}
	text := p.document.Text
	begin := skipSpace(text, b.Start, b.End)
	for start := begin; start < b.End; {
		if p.start < 0 && start > begin {
			p.head = p.headOf(b)
		}
		room := p.limit - len(p.head)
		if p.start >= 0 {
			room -= start - p.start
		}
		end := b.End
		if end-start > room {
			fills := p.headed && room >= p.limit/2 && !(b.Whole && end-start <= p.limit)
			if p.start >= 0 && !fills {
				p.flush()
				continue
			}
			end = start + cut(text[start:end], room, b.Whole)
		}
		p.extend(start, end, b)
		if start = skipSpace(text, end, b.End); start < b.End {
			p.flush()
		}
	}
}

// headOf returns the lines of a table that name its columns, if there is room for them.
func (p *packer) headOf(b Block) string {
	text, end := p.document.Text[b.Start:b.End], 0
	for range b.HeadLines {
		line := strings.IndexByte(text[end:], '\n')
		if line < 0 {
			return ""
		}
		end += line + 1
	}
	if end > p.limit/3 {
		return ""
	}
	return text[:end]
}

// skipSpace returns the first offset from start that is not a space. Spaces that
// indent a line are kept.
func skipSpace(text string, start, end int) int {
	rest := strings.TrimLeftFunc(text[start:end], unicode.IsSpace)
	at := end - len(rest)
	if lines := strings.LastIndexByte(text[start:at], '\n'); lines >= 0 && rest != "" {
		return start + lines + 1
	}
	if rest != "" && start > 0 && text[start-1] == '\n' {
		return start
	}
	return at
}

// enter begins a section. A heading that is directly followed by a deeper one
// stays in the same chunk.
func (p *packer) enter(heading Block) {
	if n := len(p.path); !p.headed || n > 0 && p.path[n-1].Level >= heading.Level {
		p.flush()
	}
	for n := len(p.path); n > 0 && p.path[n-1].Level >= heading.Level; n = len(p.path) {
		p.path = p.path[:n-1]
	}
	p.path = append(p.path, heading)
}

// extend makes Text[start:end], a part of b, the end of the current chunk.
func (p *packer) extend(start, end int, b Block) {
	span := b.Span
	if span == (Span{}) {
		span = Span{Start: start, End: end, FirstLine: p.line(start), LastLine: p.line(end - 1)}
	}
	if p.start < 0 {
		p.start, p.span = start, span
	}
	p.end, p.headed = end, b.Level > 0
	p.span.End, p.span.LastLine, p.span.LastPage = span.End, span.LastLine, span.LastPage
}

// line returns the line of an offset, from 1.
func (p *packer) line(at int) int { return sort.SearchInts(p.lineEnds, at) + 1 }

const maxHeading = 200 // bytes

// flush ends the current chunk.
func (p *packer) flush() {
	if p.start < 0 {
		return
	}
	text := chunkText(p.head + p.document.Text[p.start:p.end])
	c := Chunk{Document: p.document.Name, Number: len(p.chunks) + 1, Span: p.span, Text: text, Metadata: maps.Clone(p.document.Metadata)}
	for _, h := range p.path {
		if h.Title != "" {
			c.Headings = append(c.Headings, prompt.Clip(h.Title, maxHeading))
		}
	}
	p.chunks = append(p.chunks, c)
	p.start, p.headed, p.head = -1, false, ""
}

// chunkText returns a text without spaces at the ends of its lines.
func chunkText(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// cut returns the index at which to cut a text that is longer than room, which is
// larger than a character: after the last line or sentence that fits, or else at
// the last space, or else between two characters.
func cut(text string, room int, whole bool) int {
	if whole {
		if at := strings.LastIndexByte(text[:room+1], '\n'); at > 0 && strings.TrimSpace(text[:at]) != "" {
			return at
		}
	} else {
		best := 0
		// A sentence that ends at room is followed by a character that begins another.
		for _, end := range sentence.Ends(text[:ahead(text, room)]) {
			if end <= room {
				best = end
			}
		}
		if best > 0 {
			return best
		}
	}
	for ; !utf8.RuneStart(text[room]); room-- {
	}
	if at := strings.LastIndexFunc(text[:room], unicode.IsSpace); at > 0 && strings.TrimSpace(text[:at]) != "" {
		return at
	}
	return room
}

// ahead returns an index a few characters after room.
func ahead(text string, room int) int {
	at := min(len(text), room+16)
	for ; at < len(text) && !utf8.RuneStart(text[at]); at++ {
	}
	return at
}
