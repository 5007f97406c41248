package values

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
)

// An index finds values by their words. It does not change. It consists of a few long
// lists, so that a million values take little memory.
type index struct {
	columns   []indexed
	values    []string // the distinct values, sorted
	inColumns lists    // of each value

	// A form is a value as people write it: München is munchen or muenchen.
	forms   []int32  // the value of each form
	wordsOf lists    // of each form, in their order
	words   []string // sorted
	formsOf lists    // of each word

	byStem   []int32 // the words, by their stems; those that have none come first
	byEnd    []int32 // the words, by their letters from the last one on
	trigrams *textmatch.Trigrams
}

type indexed struct {
	table, column string
	named         textmatch.Set // the words of both names
}

// lists are numbered lists of numbers.
type lists struct {
	at  []int32 // list i is ids[at[i]:at[i+1]]
	ids []int32
}

func (l lists) of(i int32) []int32 { return l.ids[l.at[i]:l.at[i+1]] }

func newLists() lists { return lists{at: []int32{0}} }

// add adds a list at the end.
func (l *lists) add(ids ...int32) {
	l.ids = append(l.ids, ids...)
	l.at = append(l.at, int32(len(l.ids)))
}

// inverse returns for each of n numbers the lists that have it.
func (l lists) inverse(n int) lists {
	out := lists{at: make([]int32, n+1), ids: make([]int32, len(l.ids))}
	for _, id := range l.ids {
		out.at[id+1]++
	}
	for i := range n {
		out.at[i+1] += out.at[i]
	}
	next := slices.Clone(out.at)
	for i := range len(l.at) - 1 {
		for _, id := range l.of(int32(i)) {
			out.ids[next[id]] = int32(i)
			next[id]++
		}
	}
	return out
}

func newIndex(columns []Column) *index {
	x := &index{columns: namesOf(columns), wordsOf: newLists()}
	for _, c := range columns {
		x.values = append(x.values, c.Values...)
	}
	slices.Sort(x.values)
	x.values = slices.Clip(slices.Compact(x.values))
	of := newLists() // the values of each column
	for _, c := range columns {
		ids := make([]int32, len(c.Values))
		from := 0
		for i, v := range c.Values { // which are sorted, too
			n, _ := slices.BinarySearch(x.values[from:], v)
			from += n
			ids[i] = int32(from)
		}
		of.add(ids...)
	}
	x.inColumns = of.inverse(len(x.values))
	x.addForms()
	x.sortWords()
	return x
}

// namesOf returns the columns with the words of their names.
func namesOf(columns []Column) []indexed {
	var all []indexed
	for _, c := range columns {
		named := textmatch.Set{}
		for _, w := range textmatch.Split(textmatch.Spaced(c.Table+" "+c.Column), nil) {
			named[w] = true
		}
		all = append(all, indexed{c.Table, c.Column, named})
	}
	return all
}

// addForms adds the forms of all values, and their words in alphabetical order.
func (x *index) addForms() {
	ids := map[string]int32{}
	for id, v := range x.values {
		for _, key := range foldings(v) {
			var words []int32
			for w := range strings.FieldsSeq(key) {
				at, ok := ids[w]
				if !ok {
					at = int32(len(ids))
					ids[strings.Clone(w)] = at
				}
				words = append(words, at)
			}
			x.forms = append(x.forms, int32(id))
			x.wordsOf.add(words...)
		}
	}
	x.words = slices.Sorted(maps.Keys(ids))
	sorted := make([]int32, len(ids))
	for i, w := range x.words {
		sorted[ids[w]] = int32(i)
	}
	for i, id := range x.wordsOf.ids {
		x.wordsOf.ids[i] = sorted[id]
	}
	x.formsOf = x.wordsOf.inverse(len(x.words))
}

// sortWords makes the lists by which words are found that are similar to another.
func (x *index) sortWords() {
	stems, backwards := make([]string, len(x.words)), make([]string, len(x.words))
	for i, w := range x.words {
		stems[i], backwards[i] = stemOf(w), reversed(w)
	}
	by := func(keys []string) []int32 {
		ids := make([]int32, len(keys))
		for i := range ids {
			ids[i] = int32(i)
		}
		slices.SortFunc(ids, func(a, b int32) int { return cmp.Or(strings.Compare(keys[a], keys[b]), cmp.Compare(a, b)) })
		return ids
	}
	x.byStem, x.byEnd = by(stems), by(backwards)
	x.trigrams = textmatch.NewTrigrams(len(x.words), func(id int32) []rune {
		if w := x.words[id]; utf8.RuneCountInString(w) >= minFuzzy && !hasDigit(w) {
			return []rune(w)
		}
		return nil
	})
}

// stemOf returns the stem of a word, or "" if it has none or several.
func stemOf(w string) string {
	if stems := textmatch.Split(w, nil); len(stems) == 1 {
		return stems[0]
	}
	return ""
}

func reversed(w string) string {
	runes := []rune(w)
	slices.Reverse(runes)
	return string(runes)
}

// word returns the number of a word.
func (x *index) word(w string) (int32, bool) {
	i, ok := slices.BinarySearch(x.words, w)
	return int32(i), ok
}

// withStem returns the words that have a stem.
func (x *index) withStem(stem string) []int32 {
	if stem == "" {
		return nil
	}
	from, _ := slices.BinarySearchFunc(x.byStem, stem, func(id int32, stem string) int {
		return strings.Compare(stemOf(x.words[id]), stem)
	})
	to := from
	for to < len(x.byStem) && stemOf(x.words[x.byStem[to]]) == stem {
		to++
	}
	return x.byStem[from:to]
}

// longer calls found for the words that begin or end with a word and are longer, and
// returns false if there are more than most of them.
func (x *index) longer(w string, most int) (ids []int32, all bool) {
	from, _ := slices.BinarySearch(x.words, w)
	for ; from < len(x.words) && strings.HasPrefix(x.words[from], w) && len(ids) <= most; from++ {
		ids = append(ids, int32(from))
	}
	end := reversed(w)
	from, _ = slices.BinarySearchFunc(x.byEnd, end, func(id int32, end string) int {
		return strings.Compare(reversed(x.words[id]), end)
	})
	for ; from < len(x.byEnd) && strings.HasSuffix(x.words[x.byEnd[from]], w) && len(ids) <= most; from++ {
		ids = append(ids, x.byEnd[from])
	}
	ids = slices.DeleteFunc(ids, func(id int32) bool { return x.words[id] == w })
	return ids, len(ids) <= most
}

// whole returns the values that are a text as a whole. key is the folded text.
func (x *index) whole(key string) (values []int32) {
	var words []int32
	rarest := int32(-1)
	for w := range strings.FieldsSeq(key) {
		id, ok := x.word(w)
		if !ok {
			return nil
		}
		words = append(words, id)
		if rarest < 0 || len(x.formsOf.of(id)) < len(x.formsOf.of(rarest)) {
			rarest = id
		}
	}
	if words == nil {
		return nil
	}
	for _, f := range x.formsOf.of(rarest) {
		if slices.Equal(x.wordsOf.of(f), words) && (values == nil || values[len(values)-1] != x.forms[f]) {
			values = append(values, x.forms[f])
		}
	}
	return values
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
	return utf8.RuneCountInString(w) <= 2 && w[0] < utf8.RuneSelf || len(textmatch.Split(w, weakWords)) == 0
}

// weakWords ask for something, in English and German. Package words knows further
// English ones.
var weakWords = wordset.Of(`all any both each every few find first get give last least list many more most much next
	none number one only other per please show some such tell top total very
	alle allen aller alles als am auch auf aus bei beim bis das dass dem den der des die diese dieser dieses ein eine
	einem einen einer eines für fur fuer gab gibt haben hat hatte ich ihr im ist kein keine mehr mit nach nicht nur
	oder ohne pro sich sie sind über uber ueber um und uns unter vom von vor war waren was welche welchen welcher
	welches wenn wer werden wie viele wieviele wird wo wurde wurden zeig zeige zum zur zwischen bitte`)

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsNumber) }
