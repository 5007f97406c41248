package citation

import (
	"slices"
	"strconv"
	"strings"
)

// A Text replaces the cited keys of a text by numbers while the text is written.
// The source that is cited first becomes [1], the next one [2], and so on. [a][b],
// [a, b] and [a; b] cite several sources.
//
// A key that no source has is removed, with the space before it. Text in brackets is
// taken for a key if it is letters with digits, such as [c4k7fm] or [doc-3], or a number
// of at most three digits. Other text in brackets, such as [x] or [2024], stays as it
// is, and so do brackets within Markdown code.
//
// Make one with [NewText], pass the pieces of the text to [Text.Write], and call
// [Text.Close] at its end. A Text is not safe for concurrent use.
type Text struct {
	emit    func(string)
	sources map[string]int // by key
	result  Result
	text    strings.Builder
	emitted int

	held  []byte // spaces and an open bracket that may begin a citation: not in text yet
	open  bool   // held contains a bracket
	inner bool   // text ends with an open bracket
	code  int    // the number of backticks that opened the current code; 0 outside of code
	ticks int    // the number of backticks just before
	lines int    // the number of line ends just before
}

// A Result is a text whose keys are replaced.
type Result struct {
	Text  string
	Cited []int // the sources that [1], [2] and so on refer to, by their indexes
	// Unknown are the keys that no source has, in the order of the text and with
	// repetitions.
	Unknown []string
	// None says that the text begins with [none]: the sources do not answer the
	// question. What follows is left out, and Text is empty.
	None bool
}

// NewText returns a Text that resolves the keys of sources. emit is called with
// each piece of the resulting text as soon as it is final. A nil emit means that
// only the [Result] is used. If several sources have the same key, it means the
// first of them.
func NewText(sources []Source, emit func(string)) *Text {
	t := &Text{emit: emit, sources: map[string]int{}}
	for i, s := range sources {
		if _, taken := t.sources[s.Key]; !taken {
			t.sources[s.Key] = i
		}
	}
	return t
}

const maxHeld = 200 // bytes

// Write adds the next piece of the text.
func (t *Text) Write(piece string) {
	for i := 0; i < len(piece) && !t.result.None; i++ {
		t.next(piece[i])
	}
	t.flush()
}

// Close ends the text and returns the result. It first emits what was held back
// because it could have become a citation. Write must not be called afterwards.
func (t *Text) Close() Result {
	t.release()
	t.flush()
	t.result.Text = t.text.String()
	return t.result
}

func (t *Text) flush() {
	if t.emit != nil && t.text.Len() > t.emitted {
		t.emit(t.text.String()[t.emitted:])
	}
	t.emitted = t.text.Len()
}

// release adds held to the text: it is no citation.
func (t *Text) release() {
	if t.result.None {
		t.held = t.held[:0]
	}
	t.text.Write(t.held)
	t.held, t.open = t.held[:0], false
}

// next adds one byte of the text.
func (t *Text) next(b byte) {
	if t.open {
		switch {
		case b == ']':
			t.resolve()
			return
		case b >= ' ' && b != '[' && b != '`' && len(t.held) < maxHeld: // or part of a longer sign, such as a dash
			t.held = append(t.held, b)
			return
		}
		t.release()
		t.inner = b == '['
	}
	if t.text.Len() == 0 && (b == ' ' || b == '\n' || b == '\r' || b == '\t') {
		return // no space at the beginning
	}
	if b != '`' && t.ticks > 0 {
		t.fence()
	}
	if t.code == 0 && (b == ' ' || b == '[') {
		t.held, t.open = append(t.held, b), b == '['
		return
	}
	t.release()
	t.text.WriteByte(b)
	switch b {
	case '`':
		t.ticks++
		t.lines = 0
	case '\n':
		if t.lines++; t.lines > 1 && t.code < 3 {
			t.code = 0 // a code span ends with its paragraph
		}
	default:
		t.lines = 0
	}
}

// fence is called after a run of backticks, which begins code, ends it or is part
// of it.
func (t *Text) fence() {
	switch {
	case t.code == 0:
		t.code = t.ticks
	case t.ticks == t.code, t.code >= 3 && t.ticks > t.code:
		t.code = 0
	}
	t.ticks = 0
}

// resolve is called at a closing bracket. It decides whether held is a citation.
func (t *Text) resolve() {
	space, inner, _ := strings.Cut(string(t.held), "[")
	keys, ok := cited(inner, func(key string) bool { _, known := t.sources[key]; return known })
	if !ok {
		t.held = append(t.held, ']')
		t.release()
		return
	}
	t.held, t.open = t.held[:0], false
	var numbers []int
	for _, key := range keys {
		source, known := t.sources[key]
		switch {
		case known:
		case key == None:
			t.result.None = t.result.None || t.text.Len() == 0
			continue
		default:
			t.result.Unknown = append(t.result.Unknown, key)
			continue
		}
		at := slices.Index(t.result.Cited, source)
		if at < 0 {
			at = len(t.result.Cited)
			t.result.Cited = append(t.result.Cited, source)
		}
		if !slices.Contains(numbers, at+1) {
			numbers = append(numbers, at+1)
		}
	}
	switch {
	case len(numbers) > 0:
		t.text.WriteString(space)
		for _, n := range numbers {
			t.text.WriteString("[" + strconv.Itoa(n) + "]")
		}
	case t.inner:
		t.text.WriteByte(' ') // otherwise the text around it could become a citation
	}
	t.inner = false
}
