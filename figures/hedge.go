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
	below         // nearly 129,000
)

var hedges = func() map[string]hedge {
	all := map[string]hedge{}
	for h, words := range map[hedge]string{
		about: "about around roughly approximately approx circa ca some rund etwa ungefähr zirka",
		above: "over above exceeding über gut",
		below: "nearly almost under knapp fast beinahe",
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
	last, _ := utf8.DecodeLastRuneInString(trimmed)
	if strings.ContainsRune("~≈≃∼", last) {
		return about
	}
	word := trimmed[len(strings.TrimRightFunc(trimmed, unicode.IsLetter)):]
	lower := strings.ToLower(word)
	rest := strings.ToLower(strings.TrimRight(trimmed[:len(trimmed)-len(word)], " "))
	if currencies[lower] {
		return hedgeOf(rest)
	}
	if lower == "than" && strings.HasSuffix(rest, "more") || lower == "als" && strings.HasSuffix(rest, "mehr") {
		return above
	}
	if lower == "than" && strings.HasSuffix(rest, "less") || lower == "als" && strings.HasSuffix(rest, "weniger") {
		return below
	}
	return hedges[lower]
}

// coarse returns r without the zeros at its end. ok is false if it has none, or if
// fewer than two digits are left.
func (r reading) coarse() (c reading, ok bool) {
	digits := strings.TrimRight(r.digits, "0")
	c = reading{digits, r.last + len(r.digits) - len(digits)}
	return c, r.last == 0 && c.last > 0 && len(digits) >= roundedDigits
}

// holdsHedged reports whether the set has an amount that is rounded to r in the
// direction of the hedge of n.
func (s *Set) holdsHedged(r reading, n *Number) bool {
	want, unit := r.value(), math.Pow10(r.last)
	switch off := want * 1e-12; n.hedge {
	case about:
		return holds(s.amounts(n.Negative), want-unit/2-off, want+unit/2+off)
	case above:
		return holds(s.amounts(n.Negative), want-off, want+unit)
	case below:
		return holds(s.amounts(n.Negative), want-unit, want+off)
	}
	return false
}
