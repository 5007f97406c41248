// Package replytext separates the text of a model's reply from what a server left in
// it: thoughts, and tool calls that the server did not read.
package replytext

import (
	"bytes"
	"slices"
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
	ended   bool // what follows is no part of the reply
	place   markdown
	late    bool
	wrapped string // the mark that ends the wrapper of the text

	streamed bool
	last     pair   // the marks of the last thoughts
	opened   string // the opening mark of the thoughts that are being read, as it was written
	before   int    // length of the thoughts before them
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
	switch {
	case !complete:
	case r.inCall && explained(r.call, r.Tools):
		rest := r.call
		r.call, r.inCall = nil, false
		r.write(rest)
	case r.ends != "" && r.ends != messageEnd && len(r.text) > 0: // a word of the text, because nothing ends the thoughts
		rest := append([]byte(r.opened), r.thoughts[r.before:]...)
		r.thoughts, r.ends = r.thoughts[:r.before], ""
		r.write(rest)
	case !r.Object && !r.inCall && isCall(r.text, r.Tools):
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
		case r.ended:
			r.pending = nil
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
		whole, partial := hasPrefix(r.pending[i:], r.ends)
		end := len(r.ends)
		if r.ends == messageEnd && !whole { // the next message may begin without it
			var may bool
			whole, may = hasPrefix(r.pending[i:], "<|start|>")
			partial, end = partial || may, 0
		}
		switch {
		case whole:
			r.thoughts = append(append(r.thoughts, r.take(i)...), '\n')
			r.take(end)
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
	r.begun = len(r.text) > 0
	r.place = markdown{blank: true}
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
		r.place.step(r.pending[i])
	}
	n := len(r.pending)
	if !last {
		n -= cutRune(r.pending)
	}
	r.write(r.take(n))
	return false
}

// markAt returns the mark at pending[i], or reports that more of the reply is needed
// to know.
func (r *Reader) markAt(i int, last bool) (m mark, found, partial bool) {
	rest := r.pending[i:]
	lower := rest[0]
	if 'A' <= lower && lower <= 'Z' {
		lower += 'a' - 'A'
	}
	list := marks[lower]
	if len(list) > 0 && r.place.inCode() {
		list = nil
	}
	for _, m := range list {
		whole, cut := hasPrefix(rest, m.text)
		switch {
		case !whole && !cut:
		case !r.counts(m, i):
			r.quotes = r.quotes || whole && m.kind == opening
			partial = partial || cut && !last && m.kind == opening
		case cut && !last:
			partial = true
		case whole && !partial:
			if sure, known := r.sure(m, i, last); sure {
				return m, true, false
			} else if !known {
				return m, false, true
			}
		}
	}
	if m, found, cut := specialAt(rest); rest[0] == '<' && len(list) > 0 && !partial {
		if partial = cut && !last; found && r.counts(m, i) {
			if sure, known := r.sure(m, i, last); sure || !known {
				return m, sure, !sure
			}
		}
	}
	if partial || r.begun || r.Object {
		return m, false, partial
	}
	return m, false, r.mayBegin(rest, last)
}

// mayBegin reports whether the beginning of a reply can be that of a call in the form
// of Python or a tag, which only the end shows. It is held if it is.
func (r *Reader) mayBegin(rest []byte, last bool) (partial bool) {
	for _, name := range r.Tools {
		for _, form := range []string{
			name + "(", name + "{", name + ": {", name + "[ARGS]", "[" + name + "(", "print(" + name + "(", "call:" + name, "Action: " + name + "(",
			"<" + name + ">", "<" + name + " ", `<tool name="` + name, "functions." + name, "to=functions." + name,
		} {
			r.held = r.held || bytes.HasPrefix(rest, []byte(form))
			partial = partial || !last && strings.HasPrefix(form, string(rest[:min(len(rest), len(form))]))
		}
	}
	return partial
}

// atStart reports whether nothing but space is before the text in its line. A line
// that is indented much is code.
func (r *Reader) atStart() bool { return !r.begun || r.place.blank && r.place.indent < codeIndent }

// beganWith reports whether the text up to pending[i] begins with a word.
func (r *Reader) beganWith(word string, i int) bool {
	n := min(len(word), len(r.text))
	return string(r.text[:n]) == word[:n] && bytes.HasPrefix(r.pending[:i], []byte(word[n:]))
}

// counts reports whether a mark at pending[i] means something where the text is now.
func (r *Reader) counts(m mark, i int) bool {
	switch m.kind {
	case opening:
		return r.atStart()
	case preamble:
		return !r.begun
	case call:
		return !r.Object && (len(r.Tools) > 0 || !r.begun)
	case closing:
		return !r.json && !r.quotes && (m.text != wordsOfMarks || r.beganWith("analysis", i))
	case ending:
		return !r.json && (m.text != endOfTurn || r.atStart())
	case wrapper:
		return m.ends != "" && !r.begun && r.last.open != "" || m.text == r.wrapped
	}
	return !r.json
}

const maxGap = 64 // blanks between a mark and what follows it

// sure reports whether the mark at pending[i] is no word of a sentence about marks, and
// whether that is known yet.
func (r *Reader) sure(m mark, i int, last bool) (sure, known bool) {
	switch m.kind {
	case opening, preamble:
		return true, true
	case closing:
		if r.atStart() || r.Unopened {
			return true, true
		}
	case skipped:
		if !r.begun {
			return true, true
		}
	}
	rest := r.pending[i+len(m.text):]
	rest = rest[:min(len(rest), maxGap)]
	after := bytes.TrimLeft(rest, " \t\r\n")
	if len(after) == 0 {
		return last && (m.kind != call || r.atStart()) && (m.kind != ending || r.touches(i)), last || len(rest) == maxGap
	}
	gap := rest[:len(rest)-len(after)]
	newLine := bytes.IndexByte(gap, '\n') >= 0
	switch {
	case m.kind == call && len(r.Tools) == 0:
		return newLine || after[0] == '{' || after[0] == '[', true
	case m.kind == wrapper && m.ends != "":
		return after[0] != '<', true // else the answer is XML
	case m.kind == wrapper:
		return newLine, true
	case m.text == "<tools>": // also an element of XML
		return after[0] == '{' || after[0] == '[', true
	case m.kind == ending && !r.touches(i):
		return false, true
	case strings.IndexByte("{[<", after[0]) >= 0:
		return true, true
	case m.kind == closing:
		next, _ := utf8.DecodeRune(after)
		ends := r.afterSentence(i) && !strings.ContainsRune("\"'`”’»)].,;:!?", next)
		return newLine || ends || len(gap) == 0 && inWord(m.text[0]) && inWord(after[0]), true
	case m.kind == skipped || m.kind == ending:
		word := inWord(after[0]) && (after[0] < utf8.RuneSelf || r.afterSentence(i)) // many scripts have no spaces
		return newLine && r.touches(i) || len(gap) == 0 && (word || m.kind == skipped && r.touches(i)), true
	case len(gap) == 0:
		return inWord(after[0]) && (r.atStart() || !isTag(m.text)) || after[0] == '"', true
	case newLine:
		return r.atStart(), true
	}
	return r.named(after, last)
}

// near is how much of the text before a token shows what it is.
const near = 64

// textBefore returns the end of the text before pending[i].
func (r *Reader) textBefore(i int) []byte {
	return slices.Concat(r.text[max(0, len(r.text)-near):], r.pending[max(0, i-near):i])
}

// afterSentence reports whether the end of a sentence is right before pending[i].
func (r *Reader) afterSentence(i int) bool {
	last, _ := utf8.DecodeLastRune(r.textBefore(i))
	return strings.ContainsRune(".!?。！？", last)
}

// touches reports whether the token at pending[i] is right after a text, with at most the
// end of a line between, or a space after a sentence. A token in a sentence or in a list about
// tokens follows a space, a colon, a number such as "1." or another one.
func (r *Reader) touches(i int) bool {
	before := bytes.TrimRight(r.textBefore(i), "\r\n")
	said := bytes.TrimRight(before, " ")
	last, _ := utf8.DecodeLastRune(said)
	if len(said) < len(before) {
		line := said[bytes.LastIndexByte(said, '\n')+1:]
		return strings.ContainsRune(".!?。！？", last) && len(line) > len("10.")
	}
	return !bytes.HasSuffix(said, []byte("|>")) && !strings.ContainsRune(":|<(,=/-", last)
}

// named reports whether a text begins with the name of a tool, and whether that is
// known yet.
func (r *Reader) named(text []byte, last bool) (named, known bool) {
	known = true
	for _, name := range r.Tools {
		named = named || bytes.HasPrefix(text, []byte(name))
		known = known && (last || !strings.HasPrefix(name, string(text)))
	}
	return named, named || known
}

// isTag reports whether a mark looks like a tag of XML.
func isTag(text string) bool {
	return text[0] == '<' && !strings.ContainsAny(text, "|｜")
}

func inWord(b byte) bool {
	return b == '_' || b >= utf8.RuneSelf || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// apply applies the mark at the beginning of what is pending.
func (r *Reader) apply(m mark) {
	switch m.kind {
	case opening, preamble:
		r.opened, r.before = string(r.take(len(m.text))), len(r.thoughts)
		r.ends = m.ends
		r.last = pair{m.text, m.ends}
	case closing:
		r.take(len(m.text))
		r.last = pair{m.ends, m.text}
		if len(r.text) > 0 {
			r.unopened()
		}
		r.begin()
	case call:
		r.inCall = true
	case wrapper:
		r.take(len(m.text))
		r.wrapped = m.ends
	case skipped:
		r.take(len(m.text))
		r.begin()
	case ending:
		r.ended = true
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
