package rag

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// An htmlScript is an open superscript or subscript. Its text never becomes a digit of
// the number before it: 10<sup>6</sup> is 10^6, and a footnote mark is [6].
type htmlScript struct {
	kind   atom.Atom // Sup or Sub; 0: none is open
	name   atom.Atom // of the element
	text   strings.Builder
	linked bool // it has a link, as marks of footnotes have
	end    int  // where the last one ends in the block, until more text follows

	sup, supEnd int    // where the last superscript with a number is in the block
	numerator   string // its text, if it can be the first part of a fraction
}

// openScript is called for a start tag. A style raises or lowers text, too.
func (h *htmlText) openScript(name atom.Atom, style string) {
	kind := name
	if raised := scriptStyle.FindStringSubmatch(style); raised != nil && !endsStruck(name) && !voidElements[name] {
		kind = atom.Lookup([]byte(strings.ToLower(raised[1])))
	} else if name != atom.Sup && name != atom.Sub {
		return
	}
	h.closeScript()
	h.script.kind, h.script.name = kind, name
}

var scriptStyle = regexp.MustCompile(`(?i)vertical-align:\s*(sup|sub)`)

// closeScript adds the text of the open superscript or subscript to the block.
func (h *htmlText) closeScript() {
	kind, linked := h.script.kind, h.script.linked
	text := strings.Join(strings.Fields(h.script.text.String()), " ")
	h.script.kind, h.script.linked = 0, false
	h.script.text.Reset()
	if kind == 0 || text == "" {
		return
	}
	before := h.lastRune()
	number := strings.ContainsFunc(text, unicode.IsDigit)
	note := kind == atom.Sup && (number && !unicode.IsLetter(before) && !unicode.IsDigit(before) && !strings.ContainsRune(")]}", before) ||
		unicode.IsDigit(before) && len(text) == 1 && strings.ContainsAny(text, "bcfg"))
	switch {
	case linked, strings.HasPrefix(text, "["), note:
		h.space()
		h.superscript("["+strings.Trim(text, "[]")+"]", text)
	case kind == atom.Sub && h.fraction(text):
	case kind == atom.Sup && unicode.IsDigit(before) && len(text) == 1 && strings.ContainsAny(text, "ijkmnpqxyz"): // 2^n, and no ordinal such as 2e
		h.block.WriteString("^" + text)
	case !number: // 1st, a trade mark
		h.block.WriteString(text)
	case kind == atom.Sub && !unicode.IsDigit(before): // H2O
		h.block.WriteString(text)
	case kind == atom.Sub:
		h.block.WriteString("_" + text)
	default:
		h.superscript("^"+text, text)
	}
	h.script.end = h.block.Len()
}

// superscript adds a superscript, and remembers where it is.
func (h *htmlText) superscript(written, text string) {
	h.script.sup, h.script.numerator = h.block.Len(), text
	h.block.WriteString(written)
	h.script.supEnd = h.block.Len()
}

// fraction makes a fraction of the superscript, the slash and the subscript at the end
// of the block, and reports whether there is one.
func (h *htmlText) fraction(denominator string) bool {
	s := &h.script
	if s.supEnd == 0 || s.supEnd > h.block.Len() {
		return false
	}
	slash := strings.TrimSpace(string(h.block.Bytes()[s.supEnd:]))
	if slash == "" || !strings.Contains("/\u2044\u2215", slash) {
		return false
	}
	h.block.Truncate(s.sup)
	if unicode.IsDigit(h.lastRune()) {
		h.space()
	}
	h.block.WriteString(s.numerator + "/" + denominator)
	s.supEnd = 0
	return true
}

// lastRune returns the last character of the block; 0 if there is none.
func (h *htmlText) lastRune() rune {
	runes := []rune(string(h.block.Bytes()[max(0, h.block.Len()-4):]))
	if len(runes) == 0 {
		return 0
	}
	return runes[len(runes)-1]
}
