package resolve

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
)

// An item is what the index knows of an entity or a field.
type item struct {
	kind  string // folded; terms can be limited to one
	names []naming
	about string // its description

	generic []string // words that say nothing in its names, such as those of its kind
	implied []string // words that it need not have in its names: those, or of its type
}

// A naming is one of an item's names.
type naming struct {
	text  string
	alias bool
	loss  float64 // what a match of it is worth less: it is a part of the name
}

// A name is a naming as terms are compared with it.
type name struct {
	naming
	item  int32
	words []int32 // of the vocabulary, in their order
	cut   bool    // it has more words
}

// A word of the vocabulary.
type word struct {
	text    string
	runes   []rune
	stem    string
	idle    bool    // a stop word, or one of a company's form: it says nothing alone
	weight  float64 // how much it says, from 0 to 1: rare words say more
	numeral bool    // it is a number or has one
	names   []int32 // in which it is
}

// manner is how the names of a catalogue are read.
type manner struct {
	fields bool // identifiers, with the words of questions around them
}

// words returns the words of a text.
func (m manner) words(text string) []string {
	if m.fields {
		text = split(text)
	}
	return strings.Fields(fold(text))
}

func (m manner) stem(w string) string {
	if m.fields {
		return stem(w)
	}
	return plural(w)
}

// idle reports whether a word says nothing alone.
func (m manner) idle(w string) bool {
	return stopWords[w] || (m.fields && askingWords[w]) || (!m.fields && legalWords[w])
}

// abbreviations returns what a word can stand for as an abbreviation, or the abbreviations of it.
func (m manner) abbreviations(w string) []string {
	if m.fields {
		return fieldAbbreviations[w]
	}
	return abbreviations[w]
}

// An index finds items by what they are called. It does not change once it is made.
type index struct {
	manner
	items []item
	names []name
	own   []int32 // the first name of each item

	vocabulary []word
	ids        map[string]int32   // of the words
	exact      map[string][]int32 // names by their folded text
	joined     map[string][]int32 // names by their letters, without the spaces that say nothing
	stems      map[string][]int32 // words by their stem
	trigrams   map[uint64][]int32 // words
	letters    map[string][]int32 // words by their letters, sorted: two that were swapped change nothing
	sorted     []int32            // words in their order, for what they begin with
	initials   map[string][]int32 // names by the first letters of their words
	generic    []map[int32]bool   // of each item
	implied    []map[string]bool  // of each item: stems
	about      []map[string]bool  // of each item: stems; nil where it has no description
	kinds      map[string]bool

	scratch sync.Pool // *marks
}

func newIndex(items []item, m manner) *index {
	x := &index{
		manner: m, items: items, own: make([]int32, len(items)),
		ids: map[string]int32{}, stems: map[string][]int32{},
		exact: map[string][]int32{}, joined: map[string][]int32{},
		trigrams: map[uint64][]int32{}, letters: map[string][]int32{}, initials: map[string][]int32{},
		generic: make([]map[int32]bool, len(items)),
		implied: make([]map[string]bool, len(items)),
		about:   make([]map[string]bool, len(items)),
		kinds:   map[string]bool{},
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
	x.weigh()
	generic, implied := map[string]map[int32]bool{}, map[string]map[string]bool{} // most items share theirs with others
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
		if it.about != "" {
			x.about[i] = x.stemsOf([]string{it.about})
		}
	}
	x.scratch.New = func() any {
		return &marks{names: make([]float32, len(x.names)), words: make([]uint8, len(x.vocabulary))}
	}
	return x
}

func (x *index) add(at int32, n naming) {
	words := x.words(n.text)
	if len(words) == 0 {
		return
	}
	id := int32(len(x.names))
	key := strings.Join(words, " ")
	x.exact[key] = append(x.exact[key], id)
	key = tight(words)
	x.joined[key] = append(x.joined[key], id)
	cut := len(words) > maxWords
	words = words[:min(len(words), maxWords)]
	entry := name{naming: n, item: at, words: make([]int32, len(words)), cut: cut}
	var first []rune
	for i, w := range words {
		wid, ok := x.ids[w]
		if !ok {
			wid = x.learn(w)
		}
		entry.words[i] = wid
		if v := &x.vocabulary[wid]; len(v.names) == 0 || v.names[len(v.names)-1] != id {
			v.names = append(v.names, id)
		}
		if !x.vocabulary[wid].idle {
			first = append(first, x.vocabulary[wid].runes[0])
		}
	}
	if len(first) >= minInitials {
		x.initials[string(first)] = append(x.initials[string(first)], id)
	}
	x.names = append(x.names, entry)
}

const (
	maxWords    = 24 // of a name that are compared one by one
	minInitials = 3
)

// learn adds a word to the vocabulary.
func (x *index) learn(w string) int32 {
	id := int32(len(x.vocabulary))
	x.ids[w] = id
	v := word{text: w, runes: []rune(w), stem: x.stem(w), idle: x.idle(w), numeral: isNumeral(w)}
	x.vocabulary = append(x.vocabulary, v)
	x.stems[v.stem] = append(x.stems[v.stem], id)
	if !v.numeral && len(v.runes) > 2 && len(v.runes) <= maxWordRunes {
		for t := range trigrams(v.runes) {
			if list := x.trigrams[t]; len(list) == 0 || list[len(list)-1] != id {
				x.trigrams[t] = append(list, id)
			}
		}
		x.letters[sortedLetters(v.runes)] = append(x.letters[sortedLetters(v.runes)], id)
	}
	return id
}

// weigh says of each word how much it says, once all are known.
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
	idleWeight  = 0.1 // of a word that says nothing in a name
)

func (x *index) stemsOf(texts []string) map[string]bool {
	set := map[string]bool{}
	for _, text := range texts {
		for _, w := range x.words(text) {
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

// trigrams yields each three neighbours of a word's letters, with a mark at both ends.
func trigrams(w []rune) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		const edge = 1
		a, b := uint64(edge), uint64(w[0])
		for i := 1; i <= len(w); i++ {
			c := uint64(edge)
			if i < len(w) {
				c = uint64(w[i])
			}
			if !yield(a<<42 | b<<21 | c) {
				return
			}
			a, b = b, c
		}
	}
}

func sortedLetters(w []rune) string {
	s := slices.Clone(w)
	slices.Sort(s)
	return string(s)
}

// marks are counters for one search, all zero between two.
type marks struct {
	names   []float32
	words   []uint8
	touched []int32
}
