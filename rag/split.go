package rag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/prompt"
)

// split splits a document into chunks of at most limit bytes: at headings, and
// below a heading between blocks. A block that is too long is split between
// lines, a line that is too long at a space.
//
// Chunks do not overlap. Each has the headings above it instead.
func split(document, text string, limit int) []Chunk {
	lines := splitLines(text)
	p := packer{document: document, limit: limit, lines: lines}
	for _, b := range scan(lines, frontMatter(lines)) {
		p.add(b)
	}
	p.flush()
	return p.chunks
}

func splitLines(text string) []string {
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return strings.Split(text, "\n")
}

// frontMatter returns the first line after the front matter of a document: YAML
// between lines of dashes, or TOML between lines of plus signs. It returns 0 if
// there is none.
func frontMatter(lines []string) int {
	fence := strings.TrimRight(lines[0], " \t")
	separator := map[string]string{"---": ":", "+++": "="}[fence]
	if separator == "" || len(lines) < 2 {
		return 0
	}
	key, _, found := strings.Cut(lines[1], separator)
	if key = strings.TrimSpace(key); !found || key == "" || strings.ContainsAny(key, " \t") {
		return 0 // the dashes are a thematic break
	}
	for i, line := range lines[1:] {
		if line = strings.TrimRight(line, " \t"); line == fence || fence == "---" && line == "..." {
			return i + 2
		}
	}
	return 0
}

// packer fills chunks with blocks.
type packer struct {
	document string
	limit    int
	lines    []string
	chunks   []Chunk

	path []block // the headings above the current chunk

	// The current chunk: its text and its lines, from 0. first is set only if text
	// is not empty.
	text        strings.Builder
	first, last int
	headed      bool // so far it consists of headings only
}

// add adds a block to the current chunk, or begins a new one for it.
func (p *packer) add(b block) {
	if b.level > 0 {
		p.enter(b)
	}
	if size := p.size(b); p.text.Len()+size > p.limit && !p.headed {
		p.flush()
	}
	for i := b.first; i <= b.last; i++ {
		p.line(i, b.level > 0)
	}
}

// enter begins a section. A heading that is directly followed by a deeper one
// stays in the same chunk.
func (p *packer) enter(heading block) {
	if n := len(p.path); !p.headed || n > 0 && p.path[n-1].level >= heading.level {
		p.flush()
	}
	for n := len(p.path); n > 0 && p.path[n-1].level >= heading.level; n = len(p.path) {
		p.path = p.path[:n-1]
	}
	p.path = append(p.path, heading)
}

// size returns the number of bytes by which a block makes the current chunk longer.
func (p *packer) size(b block) int {
	size := 0
	for i := b.first; i <= b.last; i++ {
		size += len(p.lines[i]) + 1
	}
	if p.text.Len() == 0 {
		return size - 1
	}
	return size + b.first - p.last - 1
}

// line adds line i to the current chunk, and what does not fit to the next ones.
func (p *packer) line(i int, heading bool) {
	rest := strings.TrimRightFunc(p.lines[i], unicode.IsSpace)
	for rest != "" {
		gap := 0
		if p.text.Len() > 0 {
			gap = i - p.last
		}
		room := p.limit - p.text.Len() - gap
		fits := len(rest) <= room
		if !fits && p.text.Len() > 0 && (!p.headed || room < p.limit/2) {
			p.flush()
			continue
		}
		part := rest
		if !fits {
			part = rest[:cut(rest, room)]
		}
		if p.text.Len() == 0 {
			p.first = i
		}
		p.text.WriteString(strings.Repeat("\n", gap))
		p.text.WriteString(part)
		p.last, p.headed = i, heading
		if rest = strings.TrimLeftFunc(rest[len(part):], unicode.IsSpace); rest != "" {
			p.flush()
		}
	}
}

// cut returns the index at which to cut a line that is longer than room: before
// the last space, or else between two characters. room is larger than a
// character.
func cut(line string, room int) int {
	if space := strings.LastIndexByte(line[:room], ' '); space > 0 && !blank(line[:space]) {
		return space
	}
	for !utf8.RuneStart(line[room]) {
		room--
	}
	return room
}

const maxHeading = 200 // bytes

// flush ends the current chunk.
func (p *packer) flush() {
	if p.text.Len() == 0 {
		return
	}
	c := Chunk{Document: p.document, FirstLine: p.first + 1, LastLine: p.last + 1, Text: p.text.String()}
	for _, h := range p.path {
		if h.title != "" {
			c.Headings = append(c.Headings, prompt.Clip(h.title, maxHeading))
		}
	}
	p.chunks = append(p.chunks, c)
	p.text.Reset()
	p.headed = false
}
