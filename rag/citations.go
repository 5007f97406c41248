package rag

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// citations puts the citations of a text right as it streams: [n] becomes the
// number of a passage among those that are cited, and a number that no passage
// has is taken out, with the space before it. Several stand in one pair of
// brackets or in several, and [1-3] is three. In code, brackets mean something
// else and are left alone.
type citations struct {
	passages int   // how many there are
	cited    []int // by their numbers, in the order in which the text cites them first
	text     strings.Builder

	held  []byte // spaces and then perhaps a bracket: not told, as it may be a citation
	open  bool   // held has a bracket
	inner bool   // and so has what was told just before
	code  int    // how many backticks began the code that this is in; 0: none
	ticks int    // how many there are just before
	lines int    // how many line ends there are just before
}

const maxHeld = 40 // bytes

// write takes the next piece of the text and returns what can be told of it.
func (c *citations) write(piece string) string {
	told := c.text.Len()
	for i := range len(piece) {
		c.next(piece[i])
	}
	return c.text.String()[told:]
}

// end returns what is still to be told.
func (c *citations) end() string {
	told := c.text.Len()
	c.release()
	return c.text.String()[told:]
}

func (c *citations) release() {
	c.text.Write(c.held)
	c.held, c.open = c.held[:0], false
}

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
		return // a text begins with what it says
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

// citing reports whether b can stand within a citation; of a dash, any byte.
func citing(b byte) bool {
	return '0' <= b && b <= '9' || b == ' ' || b == ',' || b == ';' || b == '-' || b >= utf8.RuneSelf
}

// fence is called behind a run of backticks: it begins or ends code, or is part
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

// resolve is called at the end of a bracket: what it held is a citation, or text.
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
		c.text.WriteByte(' ') // or what is around it could become a citation
	}
	c.inner = false
}

// citedNumbers reads what stands between brackets: numbers of at most three digits
// with commas or semicolons between them, and ranges.
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
