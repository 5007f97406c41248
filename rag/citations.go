package rag

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// citations renumbers the citations of a text while it streams. A citation [n]
// of passage n becomes the position of that passage among the cited ones. A
// number without a passage is removed, with the space before it. [1][3], [1, 3]
// and [1-3] cite several passages. Brackets within Markdown code are not
// citations and stay as they are.
type citations struct {
	passages int   // the number of passages
	cited    []int // numbers of passages, in the order of their first citation
	text     strings.Builder

	held  []byte // spaces and an open bracket that may begin a citation: not in text yet
	open  bool   // held contains a bracket
	inner bool   // text ends with an open bracket
	code  int    // the number of backticks that opened the current code; 0 outside of code
	ticks int    // the number of backticks just before
	lines int    // the number of line ends just before
}

const maxHeld = 40 // bytes

// write adds the next piece of the model's text and returns the text that can be
// streamed now.
func (c *citations) write(piece string) string {
	streamed := c.text.Len()
	for i := range len(piece) {
		c.next(piece[i])
	}
	return c.text.String()[streamed:]
}

// end is called at the end of the model's text. It returns the rest.
func (c *citations) end() string {
	streamed := c.text.Len()
	c.release()
	return c.text.String()[streamed:]
}

// release adds held to the text: it is no citation.
func (c *citations) release() {
	c.text.Write(c.held)
	c.held, c.open = c.held[:0], false
}

// next adds one byte of the model's text.
func (c *citations) next(b byte) {
	if c.open {
		switch {
		case b == ']':
			c.resolve()
			return
		case citing(b) && len(c.held) < maxHeld:
			c.held = append(c.held, b)
			return
		}
		c.release()
		c.inner = b == '['
	}
	if c.text.Len() == 0 && (b == ' ' || b == '\n' || b == '\r' || b == '\t') {
		return // no space at the beginning
	}
	if b != '`' && c.ticks > 0 {
		c.fence()
	}
	if c.code == 0 && (b == ' ' || b == '[') {
		c.held, c.open = append(c.held, b), b == '['
		return
	}
	c.release()
	c.text.WriteByte(b)
	switch b {
	case '`':
		c.ticks++
		c.lines = 0
	case '\n':
		if c.lines++; c.lines > 1 && c.code < 3 {
			c.code = 0 // a code span ends with its paragraph
		}
	default:
		c.lines = 0
	}
}

// citing reports whether b can be part of a citation. Every byte that is not
// ASCII can, because it may be part of a dash.
func citing(b byte) bool {
	return '0' <= b && b <= '9' || b == ' ' || b == ',' || b == ';' || b == '-' || b >= utf8.RuneSelf
}

// fence is called after a run of backticks, which begins code, ends it or is part
// of it.
func (c *citations) fence() {
	switch {
	case c.code == 0:
		c.code = c.ticks
	case c.ticks == c.code, c.code >= 3 && c.ticks > c.code:
		c.code = 0
	}
	c.ticks = 0
}

// resolve is called at a closing bracket. It decides whether held is a citation.
func (c *citations) resolve() {
	space, inner, _ := strings.Cut(string(c.held), "[")
	numbers, ok := citedNumbers(inner)
	if !ok {
		c.held = append(c.held, ']')
		c.release()
		return
	}
	c.held, c.open = c.held[:0], false
	var fixed string
	for _, n := range numbers {
		if n < 1 || n > c.passages {
			continue
		}
		at := slices.Index(c.cited, n)
		if at < 0 {
			at = len(c.cited)
			c.cited = append(c.cited, n)
		}
		fixed += "[" + strconv.Itoa(at+1) + "]"
	}
	switch {
	case fixed != "":
		c.text.WriteString(space + fixed)
	case c.inner:
		c.text.WriteByte(' ') // otherwise the text around it could become a citation
	}
	c.inner = false
}

// citedNumbers parses the text between brackets: numbers of at most three digits
// and ranges of them, separated by commas or semicolons.
func citedNumbers(inner string) (numbers []int, ok bool) {
	inner = strings.NewReplacer(";", ",", "–", "-").Replace(inner)
	for part := range strings.SplitSeq(inner, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, ok1 := citedNumber(from)
		last, ok2 := citedNumber(to)
		if !ok1 || !ok2 || last < first {
			return nil, false
		}
		for n := first; n <= last; n++ {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), true
}

func citedNumber(s string) (int, bool) {
	s = strings.TrimSpace(s)
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err == nil && len(s) <= 3
}
