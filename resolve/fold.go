package resolve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
)

// plural returns a word without the ending of an English plural.
func plural(word string) string {
	if len(word) < 4 || !ascii(word) || hasDigit(word) {
		return word
	}
	for _, e := range []struct{ ending, single string }{
		{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"},
		{"us", "us"}, {"is", "is"}, {"ss", "ss"}, {"s", ""},
	} {
		if rest, ok := strings.CutSuffix(word, e.ending); ok && len(rest) > 2 {
			return rest + e.single
		}
	}
	return word
}

// stem returns a word without endings of verbs and of nouns made from verbs, so
// that arrival, arrived and arrives are the same.
func stem(word string) string {
	word = plural(word)
	for _, ending := range []string{"al", "ure"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) > 3 && ascii(rest) && !hasDigit(rest) {
			word = rest
		}
	}
	return textmatch.Stem(word)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsNumber) }

var (
	// stopWords carry no content. These are the ones that occur in names.
	stopWords = wordset.Of("of the and for at in de del der des di du et und")

	// legalWords are parts of company names that users usually leave out.
	legalWords = wordset.Of(`inc incorporated ltd limited llc llp plc gmbh ag sa sas sarl srl spa bv nv ab oy as
		co company corp corporation pty kg`)

	// unitWords are endings of field names for how a value is measured.
	unitWords = wordset.Of(`hour hr hrs minute min second sec ms day week month year usd eur gbp dollar euro cent
		kg ton tonne lb teu km mile meter metre percent pct celsius amount value total number num qty quantity`)

	// typeWords are endings of field names for what a value is.
	typeWords = wordset.Of("id name code date time datetime timestamp ts dt at keyword text raw key label flag is")

	// askingWords are the stop words of questions about a field.
	askingWords = wordset.Of(`is did do does has have had was were are it its their a an which what how when by to on
		from with all each every my our`)
)
