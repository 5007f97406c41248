package figures

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/wordset"
)

// A hedge is what the words before a number say about rounding: zeros at the end of
// "about 129,000" need not be digits of the number.
type hedge byte

const (
	noHedge hedge = iota
	about         // about 129,000
	above         // over 128,000
	below         // under 129,000
	nearly        // nearly 129,000
)

var hedges = func() map[string]hedge {
	all := map[string]hedge{}
	for h, words := range map[hedge]string{
		about:  "about around roughly approximately approx circa ca some rund etwa ungefähr zirka annähernd",
		above:  "over above exceeding exceeds exceeded über gut mindestens",
		below:  "under below unter höchstens maximal",
		nearly: "nearly almost knapp fast beinahe nahezu",
	} {
		for word := range wordset.Of(words) {
			all[word] = h
		}
	}
	return all
}()

// hedgeOf returns the hedge at the end of the text before a number.
func hedgeOf(before string) hedge {
	trimmed := strings.TrimRightFunc(before, func(r rune) bool { return isAround(r) || r == '.' || r == '_' })
	last, size := utf8.DecodeLastRuneInString(trimmed)
	switch start := trimmed[:len(trimmed)-size]; {
	case strings.ContainsRune("~≈≃∼", last):
		return about
	case strings.ContainsRune("<≤", last):
		return below
	case last == '≥', last == '>' && strings.HasSuffix(start, " "): // no end of a tag, and no quotation
		return above
	}
	word := trimmed[len(strings.TrimRightFunc(trimmed, unicode.IsLetter)):]
	lower := strings.ToLower(word)
	rest := strings.ToLower(strings.TrimRight(trimmed[:len(trimmed)-len(word)], " "))
	if currencies[lower] {
		return hedgeOf(rest)
	}
	if h, ok := comparisons[lower]; ok {
		first, _ := lastWord(rest)
		negation, _ := lastWord(rest[:strings.LastIndex(rest, first)])
		if found := h[first]; found == noHedge || negation != "no" && negation != "not" && negation != "nicht" {
			return found
		}
		return above + below - h[first] // no more than
	}
	return hedges[lower]
}

// comparisons are the last words of hedges of two words, with the first ones.
var comparisons = map[string]map[string]hedge{
	"than":  {"more": above, "greater": above, "higher": above, "less": below, "fewer": below, "lower": below},
	"als":   {"mehr": above, "größer": above, "höher": above, "weniger": below, "kleiner": below, "niedriger": below},
	"least": {"at": above},
	"most":  {"at": below},
	"to":    {"close": about, "up": below},
	"zu":    {"bis": below},
}

// hedged returns the forms in which the words before n allow another number than the
// rounded one: what is a little more in "over 23 %", and fewer digits in "about 129,000".
func (n *Number) hedged(r reading) (forms []reading) {
	scaled := n.power != 0 && len(r.digits) < roundedDigits // about 2 million
	if n.hedge == above || n.hedge == below || n.hedge == nearly || n.hedge == about && scaled {
		forms = n.forms(r)
	} else if n.hedge == noHedge || n.Percent {
		return nil
	}
	digits := strings.TrimRight(r.digits, "0")
	zeros := len(r.digits) - len(digits)
	// More than 20 says little of 28, and more than 20 % or 2,000 is how people round.
	if r.last == 0 && zeros > 0 && digits != "" && (len(digits) >= roundedDigits || zeros > 1 || n.Percent) {
		forms = append(forms, n.forms(reading{digits, zeros})...)
	}
	return forms
}

// holdsHedged reports whether the set has an amount that is rounded to r in the
// direction of the hedge of n.
func (s *Set) holdsHedged(r reading, n *Number) bool {
	want, unit := r.value(), math.Pow10(r.last)
	switch off := want * 1e-12; n.hedge {
	case about:
		return holds(s.amounts(n.sign), want-unit/2-off, want+unit/2+off)
	case above:
		return holds(s.amounts(n.sign), want-off, want+unit)
	case below, nearly:
		low := max(want-unit, want/2) // nearly 1,000 is not 1
		switch {
		case n.hedge == below && want < 1 && !n.Percent: // p < 0.05
			low = 0
		case n.hedge == below && n.Percent: // under 1 %
			low = want - unit
		}
		return holds(s.amounts(n.sign), low, want+off)
	}
	return false
}
