package references

import (
	"strings"

	"github.com/qedkit/qed/internal/textmatch"
)

// misspelled reports whether a name can be another with errors of typing or another
// ending: each of its words is like one of the other. Names that only share the last
// word, or the last part of a compound, are different names: "Crane Manual" and "Noise
// Manual", "Gewerbeordnung" and "Lagerordnung".
func misspelled(asked, name string) bool {
	a, b := strings.Fields(asked), strings.Fields(name)
	if len(a) != len(b) { // a compound in one word or in several
		x, y := strings.Join(a, ""), strings.Join(b, "")
		return x == y || !otherPart([]rune(x), []rune(y)) && textmatch.Errors([]rune(x), []rune(y)) <= errorsOfCompound*float64(len(x))
	}
	different := 0
	for i := range a {
		if a[i] != b[i] {
			different++
		}
	}
	for i := range a {
		if a[i] != b[i] && !alike([]rune(a[i]), []rune(b[i]), different == 1) {
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
	errors := textmatch.Errors(a, b)
	return errors <= 1 || alone && errors <= 1.5 || errors <= errorsOfWord*float64(len(long))
}

// otherPart reports whether two words differ in a part of a compound and not by errors:
// they begin with other letters, as Landesgesetz and Bundesgesetz do, or one has a further
// syllable within it, as Prüferordnung and Prüfordnung.
func otherPart(a, b []rune) bool {
	begin, end := 0, 0
	for begin < min(len(a), len(b)) && a[begin] == b[begin] {
		begin++
	}
	for end < min(len(a), len(b))-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	x, y := len(a)-begin-end, len(b)-begin-end // letters that differ
	if begin == 0 {
		exchanged := x == 2 && y == 2 && a[0] == b[1] && a[1] == b[0]
		return max(x, y) > 1 && !exchanged
	}
	return min(x, y) == 0 && max(x, y) > 1 && end >= minPartial
}
