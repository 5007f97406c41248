package references

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/textmatch"
)

// misspelled reports whether a name can be another with errors of typing or another
// ending: each of its words is like one of the other. Names that only share the last
// word, or the last part of a compound, are different names: "Crane Manual" and "Noise
// Manual", "Gewerbeordnung" and "Lagerordnung".
//
// A word that other names of the registry have, alone or at the beginning of a compound, is
// spelled right: "Leave Plan" is not "Lease Plan" where there is a "Leave Policy".
func (r *Registry) misspelled(asked, name string) bool {
	a, b := strings.Fields(asked), strings.Fields(name)
	x, y := strings.Join(a, ""), strings.Join(b, "")
	if x == y { // a space at another place
		return true
	}
	if len(a) != len(b) { // a compound in one word or in several
		return !otherPart([]rune(x), []rune(y)) && textmatch.Errors([]rune(x), []rune(y)) <= errorsOfCompound*float64(len(x))
	}
	different := 0
	for i := range a {
		if a[i] != b[i] {
			different++
		}
	}
	for i := range a {
		if a[i] != b[i] && (r.knows(a[i], b[i]) || !alike([]rune(a[i]), []rune(b[i]), different == 1)) {
			return false
		}
	}
	return true
}

// The most errors of a word or a compound, as a part of its letters.
const (
	errorsOfWord     = 0.19
	errorsOfCompound = 0.12
)

// alike reports whether two different words are the same but for errors or an ending. A
// false first letter, which counts more, is an error if the rest of the name is right.
func alike(a, b []rune, alone bool) bool {
	long, short := a, b
	if len(a) < len(b) {
		long, short = b, a
	}
	if len(short) >= minPartial && len(long)-len(short) <= 2 && strings.HasPrefix(string(long), string(short)) {
		return true // an ending
	}
	if otherPart(a, b) {
		return false
	}
	errors, length := textmatch.Errors(a, b), len(long)
	if end := commonEnd(a, b); end >= minPartial { // what many compounds have
		length -= end
	}
	return errors <= 1 || alone && errors <= 1.5 && a[0] != b[0] || errors <= errorsOfWord*float64(length)
}

// commonEnd returns how many letters at the ends of two words are the same.
func commonEnd(a, b []rune) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// knows reports whether other names than those with a word have the word that was asked
// for instead, or a word with the same beginning up to what both have in common.
func (r *Registry) knows(asked, word string) bool {
	a, b := []rune(asked), []rune(word)
	beginning := string(a[:len(a)-commonEnd(a, b)])
	if utf8.RuneCountInString(beginning) < minPartial || strings.HasPrefix(word, beginning) {
		beginning = asked
	}
	at, found := slices.BinarySearch(r.words, beginning)
	return found || beginning != asked && at < len(r.words) && strings.HasPrefix(r.words[at], beginning)
}

// otherPart reports whether two words differ in a part of a compound and not by errors:
// they begin with other letters, as Landesgesetz and Bundesgesetz do, or one has a further
// syllable within it, as Prüferordnung and Prüfordnung.
func otherPart(a, b []rune) bool {
	begin := 0
	for begin < min(len(a), len(b)) && a[begin] == b[begin] {
		begin++
	}
	end := commonEnd(a[begin:], b[begin:])
	x, y := len(a)-begin-end, len(b)-begin-end // letters that differ
	if begin == 0 {
		exchanged := x == 2 && y == 2 && a[0] == b[1] && a[1] == b[0]
		return max(x, y) > 1 && !exchanged
	}
	return min(x, y) == 0 && max(x, y) > 1 && end >= minPartial
}
