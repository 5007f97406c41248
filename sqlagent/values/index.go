package values

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/textmatch"
)

// An index finds values by their words. It does not change.
type index struct {
	columns []indexed
	entries []entry            // the distinct values
	forms   []form             // of the entries
	keys    map[string][]int32 // folded value -> forms
	ids     map[string]int32   // word -> its place in vocabulary

	vocabulary []word
	trigrams   textmatch.Trigrams // of words
	stems      map[string][]int32 // -> words
}

type indexed struct {
	table, column string
	named         textmatch.Set // the words of both names
}

type entry struct {
	value   string
	columns []int32
}

// A form is a value as people write it: München is munchen or muenchen.
type form struct {
	entry   int32
	words   []int32
	weights []float64
	total   float64
}

type word struct {
	text  string
	runes []rune
	forms []int32
}

func newIndex(columns []Column) *index {
	x := &index{keys: map[string][]int32{}, ids: map[string]int32{}, stems: map[string][]int32{}}
	at := map[string]int32{}
	for i, c := range columns {
		named := textmatch.Set{}
		for _, w := range textmatch.Split(textmatch.Spaced(c.Table+" "+c.Column), nil) {
			named[w] = true
		}
		x.columns = append(x.columns, indexed{c.Table, c.Column, named})
		for _, v := range c.Values {
			id, ok := at[v]
			if !ok {
				id = int32(len(x.entries))
				at[v] = id
				x.entries = append(x.entries, entry{value: v})
				x.addForms(id, v)
			}
			x.entries[id].columns = append(x.entries[id].columns, int32(i))
		}
	}
	return x
}

func (x *index) addForms(id int32, value string) {
	for _, key := range foldings(value) {
		f := form{entry: id}
		for _, w := range strings.Fields(key) {
			at := x.word(w)
			f.words = append(f.words, at)
			weight := 1.0
			if isWeak(w) {
				weight = weakWeight
			}
			f.weights = append(f.weights, weight)
			f.total += weight
		}
		n := int32(len(x.forms))
		x.forms = append(x.forms, f)
		x.keys[key] = append(x.keys[key], n)
		for i, w := range f.words {
			if !slices.Contains(f.words[:i], w) {
				x.vocabulary[w].forms = append(x.vocabulary[w].forms, n)
			}
		}
	}
}

func (x *index) word(w string) int32 {
	if at, ok := x.ids[w]; ok {
		return at
	}
	at := int32(len(x.vocabulary))
	x.ids[w] = at
	runes := []rune(w)
	x.vocabulary = append(x.vocabulary, word{text: w, runes: runes})
	if len(runes) >= minFuzzy && len(runes) <= textmatch.MaxRunes && !hasDigit(w) {
		x.trigrams.Add(at, runes)
	}
	if stems := textmatch.Split(w, nil); len(stems) == 1 {
		x.stems[stems[0]] = append(x.stems[stems[0]], at)
	}
	return at
}

// foldings returns a text as people write it: folded, and with ae, oe and ue if it has
// umlauts.
func foldings(s string) []string {
	keys := []string{textmatch.Fold(s)}
	if strings.ContainsAny(s, "äöüÄÖÜ") || strings.ContainsRune(s, '\u0308') {
		keys = append(keys, textmatch.Fold(umlauts.Replace(s)))
	}
	return keys
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue",
	"a\u0308", "ae", "o\u0308", "oe", "u\u0308", "ue", "A\u0308", "Ae", "O\u0308", "Oe", "U\u0308", "Ue")

// isWeak reports whether a word alone hardly names a value.
func isWeak(w string) bool {
	if utf8.RuneCountInString(w) <= 2 && w[0] < utf8.RuneSelf {
		return true
	}
	return len(textmatch.Split(w, weakWords)) == 0
}

// weakWords ask for something, in English and German. Package words knows further
// English ones.
var weakWords = textmatch.SetOf(`all any both each every few find first get give last least list many more most much next
	none number one only other per please show some such tell top total very
	alle allen aller alles als am auch auf aus bei beim bis das dass dem den der des die diese dieser dieses ein eine
	einem einen einer eines für fur fuer gab gibt haben hat hatte ich ihr im ist kein keine mehr mit nach nicht nur
	oder ohne pro sich sie sind über uber ueber um und uns unter vom von vor war waren was welche welchen welcher
	welches wenn wer werden wie viele wieviele wird wo wurde wurden zeig zeige zum zur zwischen bitte`)

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsNumber) }
