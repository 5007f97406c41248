package resolve

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/qedkit/qed/internal/textmatch"
)

// An item is an entity or a field in an index.
type item struct {
	kind  string // folded
	names []itemName

	generic []string // words that carry no information in its names, such as those for its kind
	implied []string // words that a term may have in addition: those, or words for its type
}

// An itemName is one of an item's names.
type itemName struct {
	text  string
	alias bool
	loss  float64 // subtracted from the score, because the name is a part of the whole name
}

// An indexedName is an itemName as terms are compared with it.
type indexedName struct {
	itemName
	item  int32
	words []int32 // of the vocabulary, in their order
	cut   bool    // the name has more words
}

// A word is a word of the vocabulary, which consists of the words of all names.
type word struct {
	text    string
	runes   []rune
	stem    string
	weak    bool    // see nameStyle.weak
	weight  float64 // from 0 to 1; rare words weigh more
	numeral bool    // it is or contains a number
	names   []int32 // the names that contain it
}

// nameStyle is how the names of a catalog are split into words.
type nameStyle struct {
	identifiers bool // of fields; terms are questions about them
}

// split returns the words of a name or a term.
func (s nameStyle) split(text string) []string {
	if s.identifiers {
		text = textmatch.Spaced(text)
	}
	return strings.Fields(textmatch.Fold(text))
}

func (s nameStyle) stem(w string) string {
	if s.identifiers {
		return stem(w)
	}
	return plural(w)
}

// weak reports whether a word carries no information alone: a stop word, or a
// legal form of companies.
func (s nameStyle) weak(w string) bool {
	return stopWords[w] || (s.identifiers && askingWords[w]) || (!s.identifiers && legalWords[w])
}

// abbreviations returns the words that an abbreviation stands for, and the
// abbreviations of a word.
func (s nameStyle) abbreviations(w string) []string {
	if s.identifiers {
		return fieldAbbreviations[w]
	}
	return nameAbbreviations[w]
}

// An index finds items by their names. It is immutable.
type index struct {
	nameStyle
	items []item
	names []indexedName
	own   []int32 // the first name of each item

	vocabulary []word
	ids        map[string]int32    // of the words
	exact      map[string][]int32  // names by their folded text
	joined     map[string][]int32  // names by their letters without spaces; see tight
	stems      map[string][]int32  // words by their stem
	trigrams   *textmatch.Trigrams // words
	sorted     []int32             // words in alphabetical order, for prefixes
	initials   map[string][]int32  // names by the first letters of their words
	generic    []map[int32]bool    // of each item
	implied    []map[string]bool   // of each item: stems
	kinds      map[string]bool

	scratch sync.Pool // of *counters
}

func newIndex(items []item, style nameStyle) *index {
	x := &index{
		nameStyle: style, items: items, own: make([]int32, len(items)),
		ids: map[string]int32{}, stems: map[string][]int32{},
		exact: map[string][]int32{}, joined: map[string][]int32{},
		initials: map[string][]int32{},
		generic:  make([]map[int32]bool, len(items)),
		implied:  make([]map[string]bool, len(items)),
		kinds:    map[string]bool{},
	}
	for i := range items {
		x.own[i] = int32(len(x.names))
		for _, n := range items[i].names {
			x.add(int32(i), n)
		}
		if items[i].kind != "" {
			x.kinds[items[i].kind] = true
		}
	}
	x.trigrams = textmatch.NewTrigrams(len(x.vocabulary), func(id int32) []rune {
		if v := &x.vocabulary[id]; v.isCompared() {
			return v.runes
		}
		return nil
	})
	x.weigh()
	generic, implied := map[string]map[int32]bool{}, map[string]map[string]bool{} // items of one kind share theirs
	for i := range items {
		it := &items[i]
		key := strings.Join(it.generic, "\n")
		if generic[key] == nil {
			generic[key] = x.known(x.stemsOf(it.generic))
		}
		x.generic[i] = generic[key]
		key = strings.Join(it.implied, "\n")
		if implied[key] == nil {
			implied[key] = x.stemsOf(it.implied)
		}
		x.implied[i] = implied[key]
	}
	x.scratch.New = func() any {
		return &counters{names: make([]float64, len(x.names))}
	}
	return x
}

// add adds a name of an item.
func (x *index) add(at int32, n itemName) {
	list := x.split(n.text)
	if len(list) == 0 {
		return
	}
	id := int32(len(x.names))
	key := strings.Join(list, " ")
	x.exact[key] = append(x.exact[key], id)
	key = tight(list)
	x.joined[key] = append(x.joined[key], id)
	cut := len(list) > maxWords
	list = list[:min(len(list), maxWords)]
	entry := indexedName{itemName: n, item: at, words: make([]int32, len(list)), cut: cut}
	var initials []rune
	for i, w := range list {
		wid, ok := x.ids[w]
		if !ok {
			wid = x.learn(w)
		}
		entry.words[i] = wid
		if v := &x.vocabulary[wid]; len(v.names) == 0 || v.names[len(v.names)-1] != id {
			v.names = append(v.names, id)
		}
		if !x.vocabulary[wid].weak {
			initials = append(initials, x.vocabulary[wid].runes[0])
		}
	}
	if len(initials) >= minInitials {
		x.initials[string(initials)] = append(x.initials[string(initials)], id)
	}
	x.names = append(x.names, entry)
}

const (
	maxWords    = 24 // of a name; the others are not compared
	minInitials = 3
)

// learn adds a word to the vocabulary and returns its index.
func (x *index) learn(w string) int32 {
	id := int32(len(x.vocabulary))
	x.ids[w] = id
	v := word{text: w, runes: []rune(w), stem: x.stem(w), weak: x.weak(w), numeral: isNumeral(w)}
	x.vocabulary = append(x.vocabulary, v)
	x.stems[v.stem] = append(x.stems[v.stem], id)
	return id
}

// isCompared reports whether a word is compared letter by letter.
func (w *word) isCompared() bool {
	return !w.numeral && len(w.runes) > 2 && len(w.runes) <= textmatch.MaxRunes
}

// weigh sets the weights of all words.
func (x *index) weigh() {
	all := math.Log(1 + float64(len(x.names)))
	x.sorted = make([]int32, len(x.vocabulary))
	for i := range x.vocabulary {
		w := &x.vocabulary[i]
		w.weight = leastWeight + (1-leastWeight)*math.Log(1+float64(len(x.names))/float64(len(w.names)))/all
		w.weight = min(w.weight, 1)
		x.sorted[i] = int32(i)
	}
	slices.SortFunc(x.sorted, func(a, b int32) int { return cmp.Compare(x.vocabulary[a].text, x.vocabulary[b].text) })
}

const (
	leastWeight = 0.35
	weakWeight  = 0.1 // of a weak or generic word
)

// stemsOf returns the stems of the words of texts.
func (x *index) stemsOf(texts []string) map[string]bool {
	set := map[string]bool{}
	for _, text := range texts {
		for _, w := range x.split(text) {
			set[x.stem(w)] = true
		}
	}
	return set
}

// known returns the words of the vocabulary that have one of the stems.
func (x *index) known(stems map[string]bool) map[int32]bool {
	set := map[int32]bool{}
	for s := range stems {
		for _, id := range x.stems[s] {
			set[id] = true
		}
	}
	return set
}

// counters are the scratch memory of one search. They are zero between searches.
type counters struct {
	names   []float64
	touched []int32
	words   textmatch.Common
}
