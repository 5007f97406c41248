package resolve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/textmatch"
)

// A likeness is a word of the vocabulary that a word of a term could mean.
type likeness struct {
	word  int32
	score float64
	near  bool // it is spelled differently
	stem  bool // it has another ending, such as that of a plural
	short bool // it is near, and so short that another word of the term has to match
}

// A termWord is a word of a term.
type termWord struct {
	text   string
	runes  []rune
	weak   bool
	weight float64
	like   []likeness // best first
}

const (
	likeStem   = 0.98
	likeShort  = 0.95       // an abbreviation
	likeLetter = scoreAsked // an abbreviation of one letter: Terminal E may not be Terminal East
	likePrefix = 0.82
	maxLike    = 16 // words of the vocabulary for one word of a term
	maxChecked = 64 // words that are compared letter by letter
	maxPrefix  = 64 // words that begin with it
	minPrefix  = 4  // letters of a prefix
)

// term looks up the words of a term. The words of a code only match themselves.
func (x *index) term(list []string, code bool, m *counters) []termWord {
	all := make([]termWord, len(list))
	for i, w := range list {
		s := termWord{text: w, runes: []rune(w), weak: x.weak(w), weight: 1}
		s.like = x.like(&s, code, m)
		if len(s.like) > 0 && s.like[0].score >= likeStem {
			s.weight = x.vocabulary[s.like[0].word].weight
		}
		all[i] = s
	}
	return all
}

// like returns the words of the vocabulary that a word of a term could mean, the
// best first.
func (x *index) like(s *termWord, code bool, m *counters) []likeness {
	var found []likeness
	add := func(l likeness) {
		for i := range found {
			if found[i].word == l.word {
				if l.score > found[i].score {
					found[i] = l
				}
				return
			}
		}
		found = append(found, l)
	}
	if id, ok := x.ids[s.text]; ok {
		add(likeness{word: id, score: 1})
	}
	if code {
		return found
	}
	for _, id := range x.stems[x.stem(s.text)] {
		if x.vocabulary[id].text != s.text {
			add(likeness{word: id, score: likeStem, stem: true})
		}
	}
	for _, w := range x.abbreviations(s.text) {
		score := likeShort
		if len(w) == 1 || len(s.text) == 1 {
			score = likeLetter
		}
		for _, id := range x.stems[x.stem(w)] {
			add(likeness{word: id, score: score, stem: x.vocabulary[id].text != w})
		}
	}
	if !s.weak && !isNumeral(s.text) && len(s.runes) > 2 {
		x.prefixed(s, add)
		x.misspelled(s, m, add)
	}
	slices.SortFunc(found, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(x.vocabulary[a.word].text, x.vocabulary[b.word].text))
	})
	return found[:min(len(found), maxLike)]
}

// prefixed adds the words that begin with a word of the term.
func (x *index) prefixed(s *termWord, add func(likeness)) {
	if len(s.runes) < minPrefix && ascii(s.text) {
		return
	}
	first, _ := slices.BinarySearchFunc(x.sorted, s.text, func(id int32, text string) int {
		return cmp.Compare(x.vocabulary[id].text, text)
	})
	for _, id := range x.sorted[first:min(first+maxPrefix, len(x.sorted))] {
		w := &x.vocabulary[id]
		if !strings.HasPrefix(w.text, s.text) {
			return
		}
		if !w.numeral && len(w.runes) > len(s.runes) {
			add(likeness{word: id, score: likePrefix, near: true})
		}
	}
}

// misspelled adds the words with a similar spelling.
func (x *index) misspelled(s *termWord, m *counters, add func(likeness)) {
	if len(s.runes) > textmatch.MaxRunes {
		return
	}
	known := x.knows(s.text) // a word of some name is no typing error
	try := func(id int32) {
		w := &x.vocabulary[id]
		if w.text == s.text || w.numeral || w.weak && len(w.runes) < minWeak {
			return
		}
		if score := textmatch.Similarity(s.runes, w.runes); score > 0 {
			if known || !isTypo(s.runes, w.runes) {
				score = doubtful(score)
			}
			add(likeness{word: id, score: score, near: true, short: min(len(s.runes), len(w.runes)) < minFuzzy})
		}
	}
	// Only the words with the most trigrams in common are compared letter by letter.
	for _, id := range x.trigrams.Near(s.runes, maxChecked, &m.words) {
		try(id)
	}
}

const (
	minFuzzy = 4 // letters; an error in a shorter word needs another word that matches
	minWeak  = 7 // letters of a weak word that may be misspelled
)
