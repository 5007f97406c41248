package resolve

import (
	"cmp"
	"slices"
	"strings"
)

// A likeness is a word of the vocabulary that a word of a term could be.
type likeness struct {
	word  int32
	score float64
	near  bool // it is spelled otherwise
	stem  bool // it has another ending, such as that of a plural
	short bool // and so short that another word of the term has to be right
}

// A said word is one of a term.
type said struct {
	text   string
	runes  []rune
	idle   bool
	weight float64
	like   []likeness // best first
}

const (
	likeStem   = 0.98
	likeShort  = 0.95       // an abbreviation
	likeLetter = scoreAsked // one of a letter: Terminal E can be no Terminal East
	likePrefix = 0.82
	maxLike    = 16 // words of the vocabulary that one word of a term can be
	maxChecked = 64 // that are compared letter by letter
	maxBegin   = 64 // that begin with it
	minBegin   = 4  // letters of a word that is cut off
)

// term reads the words of a term. A code is said exactly, or not at all.
func (x *index) term(words []string, code bool, m *marks) []said {
	all := make([]said, len(words))
	for i, w := range words {
		s := said{text: w, runes: []rune(w), idle: x.idle(w), weight: 1}
		s.like = x.like(&s, code, m)
		if len(s.like) > 0 && s.like[0].score >= likeStem {
			s.weight = x.vocabulary[s.like[0].word].weight
		}
		all[i] = s
	}
	return all
}

// like finds the words of the vocabulary that are like one of a term.
func (x *index) like(s *said, code bool, m *marks) []likeness {
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
	if !s.idle && !isNumeral(s.text) && len(s.runes) > 2 {
		x.begins(s, add)
		x.misspelled(s, m, add)
	}
	slices.SortFunc(found, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(x.vocabulary[a.word].text, x.vocabulary[b.word].text))
	})
	return found[:min(len(found), maxLike)]
}

// begins finds the words that begin with one that is cut off.
func (x *index) begins(s *said, add func(likeness)) {
	if len(s.runes) < minBegin && ascii(s.text) {
		return
	}
	first, _ := slices.BinarySearchFunc(x.sorted, s.text, func(id int32, text string) int {
		return cmp.Compare(x.vocabulary[id].text, text)
	})
	for _, id := range x.sorted[first:min(first+maxBegin, len(x.sorted))] {
		w := &x.vocabulary[id]
		if !strings.HasPrefix(w.text, s.text) {
			return
		}
		if !w.numeral && len(w.runes) > len(s.runes) {
			add(likeness{word: id, score: likePrefix, near: true})
		}
	}
}

// misspelled finds the words that are nearly spelled like one of a term.
func (x *index) misspelled(s *said, m *marks, add func(likeness)) {
	if len(s.runes) > maxWordRunes {
		return
	}
	known := x.knows(s.text) // what is right elsewhere is no slip
	try := func(id int32) {
		w := &x.vocabulary[id]
		if w.text == s.text || w.numeral || w.idle && len(w.runes) < minIdle {
			return
		}
		if score := alike(s.runes, w.runes); score > 0 {
			if known || !isSlip(s.runes, w.runes) {
				score = doubtful(score)
			}
			add(likeness{word: id, score: score, near: true, short: min(len(s.runes), len(w.runes)) < minFuzzy})
		}
	}
	for _, id := range x.letters[sortedLetters(s.runes)] {
		try(id)
	}
	touched := m.touched[:0]
	for t := range trigrams(s.runes) {
		for _, id := range x.trigrams[t] {
			if d := len(x.vocabulary[id].runes) - len(s.runes); d > 3 || d < -3 {
				continue
			}
			if m.words[id] == 0 {
				touched = append(touched, id)
			}
			m.words[id]++
		}
	}
	m.touched = touched
	// Only those with most in common are compared letter by letter.
	var counts [maxWordRunes + 2]int
	for _, id := range touched {
		counts[m.words[id]]++
	}
	least, n := len(counts)-1, 0
	for ; least > 1 && n+counts[least] <= maxChecked; least-- {
		n += counts[least]
	}
	if least == 1 && n+counts[1] > 4*maxChecked {
		least = 2
	}
	for _, id := range touched {
		if int(m.words[id]) >= least {
			try(id)
		}
		m.words[id] = 0
	}
}

const (
	minFuzzy = 4 // letters of a word for a mistake in it to be one
	minIdle  = 7 // and of one that says nothing
)
