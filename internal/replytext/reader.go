// Package replytext separates the text of a model's reply from what a server left in
// it: thoughts, and tool calls that the server did not read.
package replytext

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A Reader reads a reply while it arrives. Marks in code, between backquotes, are
// part of the text. The time is linear in the length of the reply.
type Reader struct {
	// Tools are the names of the tools that the request offers.
	Tools []string

	// Object says that the reply is to be a JSON object, which is no tool call.
	Object bool

	// Unopened says that the reply may begin with thoughts that have no opening
	// mark. Nothing is written before the closing one, or the end of the reply.
	Unopened bool

	// Stream is called with each piece of the text. Discard is called if the pieces
	// so far were thoughts. Both may be nil.
	Stream  func(string)
	Discard func()

	text, thoughts, call []byte

	pending []byte
	ends    string // the closing mark of the thoughts that are being read; empty in the text
	begun   bool   // the text has begun: it was not blank
	json    bool   // the text begins like JSON: a mark is in one of its strings
	quotes  bool   // an opening mark is part of the text, and so is its closing one
	held    bool   // the text may be a call as a whole, and is not written before its end
	inCall  bool
	fenced  bool // in a code block
	ticks   int  // backquotes in the line
	blank   bool // the line is blank so far, and is not the first one
	late    bool

	streamed bool
	last     pair // the marks of the last thoughts
}

// Text returns the text of the reply that has been read.
func (r *Reader) Text() []byte { return r.text }

// Empty reports whether there is no text.
func (r *Reader) Empty() bool { return len(r.text)+len(r.pending)+len(r.call) == 0 }

// Thoughts returns the thoughts of the reply.
func (r *Reader) Thoughts() string {
	return strings.TrimSpace(strings.ToValidUTF8(string(r.thoughts), "\ufffd"))
}

// Marked returns the thoughts with the marks of the last of them, as the model wrote
// them.
func (r *Reader) Marked() string {
	if r.Thoughts() == "" {
		return ""
	}
	return r.last.open + "\n" + r.Thoughts() + "\n" + r.last.close + "\n\n"
}

// Late reports whether the reply began with thoughts that had no opening mark.
func (r *Reader) Late() bool { return r.late }

// Write reads a piece of the reply.
func (r *Reader) Write(piece []byte) {
	r.pending = append(r.pending, piece...)
	r.read(false)
}

// Close reads the rest. complete says whether the reply has arrived whole. Write
// must not be called after it.
func (r *Reader) Close(complete bool) {
	r.read(true)
	if r.Unopened && !complete {
		r.thoughts, r.text = append(r.thoughts, r.text...), nil
	}
	if complete && !r.Object && !r.inCall && IsCall(r.text, r.Tools) {
		r.call, r.text, r.inCall = r.text, nil, true
	}
	if r.held || r.Unopened {
		text := r.text
		r.text, r.held, r.Unopened = nil, false, false
		r.write(text)
	}
}

// Call returns the tool call that the reply has as text, or "". It is not part of
// the Text.
func (r *Reader) Call() string { return strings.TrimSpace(string(r.call)) }

// read reads what is pending, up to what may be the beginning of a mark.
func (r *Reader) read(last bool) {
	for len(r.pending) > 0 {
		switch {
		case r.inCall:
			r.call = append(r.call, r.pending...)
			r.pending = nil
			return
		case r.ends != "":
			if !r.readThoughts(last) {
				return
			}
		default:
			if !r.readText(last) {
				return
			}
		}
	}
}

// take returns the first n pending bytes, and removes them.
func (r *Reader) take(n int) []byte {
	taken := r.pending[:n:n]
	r.pending = r.pending[n:]
	return taken
}

// readThoughts reports false if it needs more of the reply.
func (r *Reader) readThoughts(last bool) bool {
	for i := range r.pending {
		if r.pending[i] != r.ends[0] {
			continue
		}
		switch whole, partial := hasPrefix(r.pending[i:], r.ends); {
		case whole:
			r.thoughts = append(append(r.thoughts, r.take(i)...), '\n')
			r.take(len(r.ends))
			r.ends = ""
			r.begin()
			return true
		case partial && !last:
			r.thoughts = append(r.thoughts, r.take(i)...)
			return false
		}
	}
	r.thoughts = append(r.thoughts, r.take(len(r.pending))...)
	return false
}

// begin begins a text after thoughts.
func (r *Reader) begin() {
	r.begun = len(bytes.TrimSpace(r.text)) > 0
	r.blank, r.ticks = true, 0
}

// readText reports false if it needs more of the reply.
func (r *Reader) readText(last bool) bool {
	if !r.begun {
		r.take(len(r.pending) - len(bytes.TrimLeft(r.pending, " \t\r\n\ufeff")))
		if len(r.pending) == 0 {
			return false
		}
	}
	for i := 0; i < len(r.pending); i++ {
		if m, found, partial := r.markAt(i, last); partial {
			r.write(r.take(i))
			return false
		} else if found {
			r.write(r.take(i))
			r.apply(m)
			return true
		}
		if !r.begun {
			r.begun = true
			r.json = r.pending[i] == '{' || r.pending[i] == '['
			r.held = r.held || !r.Object && len(r.Tools) > 0 && mayBeCall(r.pending[i], last)
		}
		r.step(r.pending[i])
	}
	n := len(r.pending)
	if !last {
		n -= cutRune(r.pending)
	}
	r.write(r.take(n))
	return false
}

// step follows the lines and the code of the text.
func (r *Reader) step(b byte) {
	switch {
	case b == '\n':
		if r.ticks >= 3 && r.ticks%2 == 1 {
			r.fenced = !r.fenced
		}
		r.ticks, r.blank = 0, true
	case b == '`':
		r.ticks++
		r.blank = false
	case b != ' ' && b != '\t' && b != '\r':
		r.blank = false
	}
}

// markAt returns the mark at pending[i], or reports that more of the reply is needed
// to know.
func (r *Reader) markAt(i int, last bool) (m mark, found, partial bool) {
	rest := r.pending[i:]
	if r.fenced || r.ticks%2 == 1 {
		return m, false, false
	}
	lower := rest[0]
	if 'A' <= lower && lower <= 'Z' {
		lower += 'a' - 'A'
	}
	for _, m := range marks[lower] {
		whole, cut := hasPrefix(rest, m.text)
		switch {
		case !whole && !cut:
		case !r.counts(m):
			r.quotes = r.quotes || whole && m.kind == opening
			partial = partial || cut && !last && m.kind == opening
		case cut && !last:
			partial = true
		case whole && !partial:
			if sure, known := r.sure(m, rest[len(m.text):], last); sure {
				return m, true, false
			} else if !known {
				return m, false, true
			}
		}
	}
	if partial || r.begun || r.Object {
		return m, false, partial
	}
	for _, name := range r.Tools { // a call in the form of Python, or a tag, which its end shows
		for _, form := range []string{name + "(", "[" + name + "(", "print(" + name + "(", "<" + name + ">"} {
			r.held = r.held || bytes.HasPrefix(rest, []byte(form))
			partial = partial || !last && strings.HasPrefix(form, string(rest[:min(len(rest), len(form))]))
		}
	}
	return m, false, partial
}

// atStart reports whether nothing but space is before the text in its line.
func (r *Reader) atStart() bool { return !r.begun || r.blank }

// counts reports whether a mark means something where the text is now.
func (r *Reader) counts(m mark) bool {
	switch m.kind {
	case opening:
		return r.atStart()
	case call:
		return !r.Object && (r.atStart() || m.text[0] != 'f')
	case closing:
		return !r.json && !r.quotes
	}
	return !r.json
}

// sure reports whether the mark before rest is no word of a sentence about marks, and
// whether that is known yet.
func (r *Reader) sure(m mark, rest []byte, last bool) (sure, known bool) {
	if m.kind != call || r.atStart() || !strings.HasPrefix(m.text, "<") || strings.ContainsAny(m.text, "|｜") {
		return true, true
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if len(rest) == 0 {
		return false, last
	}
	return strings.IndexByte("{[<", rest[0]) >= 0, true
}

// apply applies the mark at the beginning of what is pending.
func (r *Reader) apply(m mark) {
	switch m.kind {
	case opening:
		r.take(len(m.text))
		r.ends = m.ends
		r.last = pair{m.text, m.ends}
	case closing:
		r.take(len(m.text))
		r.last = pair{m.ends, m.text}
		if len(bytes.TrimSpace(r.text)) > 0 {
			r.unopened()
		}
		r.begin()
	case call:
		r.inCall = true
	case skipped:
		r.take(len(m.text))
		if r.begun = len(bytes.TrimSpace(r.text)) > 0; !r.begun {
			r.text = nil
		}
	}
}

// unopened makes the text so far thoughts.
func (r *Reader) unopened() {
	r.thoughts = append(append(r.thoughts, r.text...), '\n')
	r.text = nil
	if r.streamed && r.Discard != nil {
		r.Discard()
	}
	r.late, r.Unopened, r.held = true, false, false
}

func (r *Reader) write(text []byte) {
	if len(text) == 0 {
		return
	}
	text = bytes.ToValidUTF8(text, []byte("\ufffd")) // a rune that was cut is whole by now
	r.text = append(r.text, text...)
	if r.Stream != nil && !r.held && !r.Unopened {
		r.streamed = true
		r.Stream(string(text))
	}
}

// cutRune returns how many bytes at the end of text are the beginning of a rune.
func cutRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// Split returns the text of a whole reply without its thoughts.
func Split(reply string) (text, thoughts string) {
	r := &Reader{Object: true}
	r.Write([]byte(reply))
	r.Close(true)
	return string(r.Text()), r.Thoughts()
}
