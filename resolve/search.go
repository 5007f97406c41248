package resolve

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A hit is an item that a term could mean.
type hit struct {
	item  int32
	score float64
	match string
	name  string // the name that matches the term
	exact bool   // the term is its name

	spelling  spelling // of an exact hit
	otherKind bool     // it is of another kind than was asked for
}

// A spelling is how far an exact name is spelled like the term.
type spelling int8

const (
	folded  spelling = iota // except for case, accents and punctuation
	anyCase                 // except for case
	literal                 // completely
)

// spellingOf compares a term with a name that folds to the same text.
func spellingOf(term, name string) spelling {
	switch name = strings.TrimSpace(name); {
	case term == name:
		return literal
	case strings.EqualFold(term, name):
		return anyCase
	}
	return folded
}

// The scores of matches, and what is subtracted from them. The score of an exact
// name is 1.
const (
	scoreAlias    = 0.99
	scoreJoined   = 0.97 // the name without its spaces
	scoreWords    = 0.97 // the same words
	lossOrder     = 0.02 // in another order
	lossLegal     = 0.03 // without weak words
	lossGeneric   = 0.13 // without generic words: Miami for Port of Miami
	scoreUnit     = 0.93 // without a unit: delay for delay_hours
	scorePart     = 0.80 // all words of the term, and the name has more
	scoreMore     = 0.75 // all words of the name, and the term has more
	scoreSome     = 0.70 // some words of both
	scoreInitials = 0.72
	scoreWeak     = 0.30 // weak words only

	lossOtherKind = 0.20
)

// search returns at most limit items that a term could mean, the best first.
// Items of another kind than kind have lower scores.
func (x *index) search(text, kind string, limit int) []hit {
	all := x.split(text)
	if len(all) == 0 {
		return nil
	}
	list, cut := all[:min(len(all), maxTermWords)], len(all) > maxTermWords
	c := x.scratch.Get().(*counters)
	defer x.scratch.Put(c)
	best := bestHits{index: x, text: text, kind: kind, of: map[int32]hit{}}
	for _, id := range x.exact[strings.Join(all, " ")] {
		best.add(id, 1, matchExact, true)
	}
	if best.hasExact() { // similar names do not matter
		return best.top(limit)
	}
	code := isCode(text) && !x.identifiers
	for _, id := range x.joined[tight(all)] {
		if code && !hasDigit(text) {
			best.add(id, scoreAsked, matchWords, false)
		} else {
			best.add(id, scoreJoined, matchWords, false)
		}
	}
	if !code || len(best.of) == 0 {
		x.byWords(list, cut, kind, code, c, func(id int32, score float64, match string) { best.add(id, score, match, false) })
	}
	if len(list) == 1 && len(best.of) == 0 && utf8.RuneCountInString(list[0]) >= minInitials {
		for _, id := range x.initials[list[0]] {
			best.add(id, scoreInitials, matchWords, false)
		}
	}
	if !code && !best.hasTaken() {
		for _, other := range x.respaced(list) {
			x.byWords(other, cut, kind, false, c, func(id int32, score float64, match string) {
				best.add(id, score-lossOrder, match, false)
			})
		}
	}
	return best.top(limit)
}

const maxTermWords = 12 // the others are not compared

// bestHits collects the best hit of each item.
type bestHits struct {
	*index
	text, kind string
	of         map[int32]hit // by item
}

// add adds a name that matches. exact is set if the term is the name.
func (b *bestHits) add(id int32, score float64, match string, exact bool) {
	n := &b.names[id]
	h := hit{item: n.item, score: score - n.loss, match: match, name: n.text, exact: exact && n.loss == 0}
	if n.alias && h.match == matchExact {
		h.match, h.score = matchAlias, min(h.score, scoreAlias)
	}
	if b.kind != "" && b.items[n.item].kind != b.kind {
		h.score, h.exact, h.otherKind = h.score-lossOtherKind, false, true
	}
	if h.exact {
		h.spelling = spellingOf(b.text, n.text)
	}
	old, ok := b.of[h.item]
	best := max(h.spelling, old.spelling) // an alias can be spelled like the term where the name is not
	if ok && (h.score < old.score || h.score == old.score && (old.exact || !h.exact)) {
		h = old
	}
	h.spelling = best
	b.of[h.item] = h
}

func (b *bestHits) hasExact() bool {
	for _, h := range b.of {
		if h.exact {
			return true
		}
	}
	return false
}

// hasTaken reports whether a hit has a score that is taken by default.
func (b *bestHits) hasTaken() bool {
	for _, h := range b.of {
		if h.score >= scoreTaken {
			return true
		}
	}
	return false
}

// top returns the best hits in their order.
func (b *bestHits) top(limit int) []hit {
	hits := make([]hit, 0, len(b.of))
	for _, h := range b.of {
		if h.score >= scoreWeak {
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, b.order)
	return hits[:min(len(hits), limit)]
}

// order compares hits: the spelling like the term first, then the best score,
// then the shortest name. No two hits are equal, so that the same input gives the
// same output.
func (x *index) order(a, b hit) int {
	na, nb := x.names[x.own[a.item]].text, x.names[x.own[b.item]].text
	return cmp.Or(cmp.Compare(b.spelling, a.spelling), cmp.Compare(b.score, a.score),
		cmp.Compare(len(na), len(nb)), cmp.Compare(na, nb), cmp.Compare(a.item, b.item))
}

// isCode reports whether a term is a code such as LAX, which is not similar to
// any other name.
func isCode(text string) bool {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n < 2 || n > 5 {
		return strings.ContainsFunc(text, unicode.IsDigit) && !strings.ContainsFunc(text, unicode.IsSpace)
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsUpper(r) && !unicode.IsDigit(r) })
}

// respaced returns variants of a term with two words joined, or one word divided,
// into words of the vocabulary.
func (x *index) respaced(list []string) [][]string {
	var all [][]string
	for i := 1; i < len(list) && len(all) < maxRespaced; i++ {
		if one := list[i-1] + list[i]; x.knows(one) && !apart(list[i-1], list[i]) {
			all = append(all, slices.Concat(list[:i-1], []string{one}, list[i+1:]))
		}
	}
	for i, w := range list {
		runes := []rune(w)
		if x.knows(w) || len(list) == maxTermWords {
			continue
		}
		for cut := 3; cut <= len(runes)-3 && len(all) < maxRespaced; cut++ {
			if a, b := string(runes[:cut]), string(runes[cut:]); x.knows(a) && x.knows(b) && !apart(a, b) {
				all = append(all, slices.Concat(list[:i], []string{a, b}, list[i+1:]))
			}
		}
	}
	return all
}

const maxRespaced = 4

func (x *index) knows(w string) bool {
	_, ok := x.ids[w]
	return ok
}
