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
	how   How
	as    string // the name that is like the term
	sure  bool   // it is called exactly so

	written written // of a sure one
	other   bool    // it is of another kind than was asked for, and never taken
}

// written says how much of a name's writing is that of a term which it is.
type written int8

const (
	folded  written = iota // but for case, accents and punctuation
	anyCase                // but for case
	literal                // all
)

// writtenAs compares a term with a name that folds to the same.
func writtenAs(term, name string) written {
	switch name = strings.TrimSpace(name); {
	case term == name:
		return literal
	case strings.EqualFold(term, name):
		return anyCase
	}
	return folded
}

// What a match is worth. What is called exactly so is worth 1.
const (
	scoreAlias    = 0.99
	scoreJoined   = 0.97 // but for spaces
	scoreWords    = 0.97 // the same words
	lossOrder     = 0.02 // in another order
	lossLegal     = 0.03 // but for words that say nothing
	lossGeneric   = 0.13 // but for what it is: Miami, of a Port of Miami
	scoreUnit     = 0.93 // but for how it is measured: delay, of delay_hours
	scorePart     = 0.80 // all that was said, and the name says more
	scoreMore     = 0.75 // all of the name, and more was said
	scoreSome     = 0.70 // some words of both
	scoreInitials = 0.72
	scoreAbout    = 0.60 // in a field's description
	scoreIdle     = 0.30 // only words that say nothing

	lossOther = 0.20 // it is of another kind
)

// search finds the items that a term could mean, best first, at most limit.
func (x *index) search(text, kind string, limit int) []hit {
	words := x.words(text)
	if len(words) == 0 {
		return nil
	}
	all, cut := words, len(words) > maxTermWords
	words = words[:min(len(words), maxTermWords)]
	m := x.scratch.Get().(*marks)
	defer x.scratch.Put(m)
	best := map[int32]hit{}
	take := func(id int32, score float64, how How, sure bool) {
		n := &x.names[id]
		h := hit{item: n.item, score: score - n.loss, how: how, as: n.text, sure: sure && n.loss == 0}
		if n.alias && h.how == Exact {
			h.how, h.score = Alias, min(h.score, scoreAlias)
		}
		if kind != "" && x.items[n.item].kind != kind {
			h.score, h.sure, h.other = h.score-lossOther, false, true
		}
		if h.sure {
			h.written = writtenAs(text, n.text)
		}
		old, ok := best[h.item]
		most := max(h.written, old.written) // an alias can stand literally where the name does not
		if ok && (h.score < old.score || h.score == old.score && (old.sure || !h.sure)) {
			h = old
		}
		h.written = most
		best[h.item] = h
	}
	for _, id := range x.exact[strings.Join(all, " ")] {
		take(id, 1, Exact, true)
	}
	for _, h := range best {
		if h.sure { // what else is like it does not matter
			return x.foremostOf(best, limit)
		}
	}
	code := isCode(text) && !x.fields
	for _, id := range x.joined[tight(all)] {
		if code && !hasDigit(text) {
			take(id, scoreAsked, Words, false)
		} else {
			take(id, scoreJoined, Words, false)
		}
	}
	if !code || len(best) == 0 {
		x.rate(words, cut, kind, code, m, take)
	}
	if n := len(words); n == 1 && len(best) == 0 && len([]rune(words[0])) >= minInitials {
		for _, id := range x.initials[words[0]] {
			take(id, scoreInitials, Words, false)
		}
	}
	if !code && !settled(best) {
		for _, other := range x.respaced(words) {
			x.rate(other, cut, kind, false, m, func(id int32, score float64, how How, _ bool) {
				take(id, score-lossOrder, how, false)
			})
		}
	}
	if x.fields && !settled(best) {
		x.described(words, best, kind)
	}
	return x.foremostOf(best, limit)
}

// foremostOf returns the best hits, in their order.
func (x *index) foremostOf(best map[int32]hit, limit int) []hit {
	hits := make([]hit, 0, len(best))
	for _, h := range best {
		if h.score >= scoreIdle {
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, x.order)
	return hits[:min(len(hits), limit)]
}

const maxTermWords = 12

// order sorts hits: what stands literally in the term, the best, and the shortest name first, so that equal
// input gives equal output.
func (x *index) order(a, b hit) int {
	na, nb := x.names[x.own[a.item]].text, x.names[x.own[b.item]].text
	return cmp.Or(cmp.Compare(b.written, a.written), cmp.Compare(b.score, a.score),
		cmp.Compare(len(na), len(nb)), cmp.Compare(na, nb), cmp.Compare(a.item, b.item))
}

// settled reports whether one of the hits is beyond doubt.
func settled(best map[int32]hit) bool {
	for _, h := range best {
		if h.score >= scoreTaken {
			return true
		}
	}
	return false
}

// isCode reports whether a term is a code such as LAX: nothing else is nearly so.
func isCode(text string) bool {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n < 2 || n > 5 {
		return strings.ContainsFunc(text, unicode.IsDigit) && !strings.ContainsFunc(text, unicode.IsSpace)
	}
	for _, r := range text {
		if !unicode.IsUpper(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// respaced returns a term with two words as one, or one as two, where the vocabulary has them so.
func (x *index) respaced(words []string) [][]string {
	var all [][]string
	for i := 1; i < len(words) && len(all) < maxRespaced; i++ {
		if one := words[i-1] + words[i]; x.knows(one) && !apart(words[i-1], words[i]) {
			all = append(all, slices.Concat(words[:i-1], []string{one}, words[i+1:]))
		}
	}
	for i, w := range words {
		runes := []rune(w)
		if x.knows(w) || len(words) == maxTermWords {
			continue
		}
		for cut := 3; cut <= len(runes)-3 && len(all) < maxRespaced; cut++ {
			if a, b := string(runes[:cut]), string(runes[cut:]); x.knows(a) && x.knows(b) && !apart(a, b) {
				all = append(all, slices.Concat(words[:i], []string{a, b}, words[i+1:]))
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

// described finds fields by the words of their descriptions.
func (x *index) described(words []string, best map[int32]hit, source string) {
	wanted := map[string]bool{}
	for _, w := range words {
		if !x.idle(w) {
			wanted[x.stem(w)] = true
		}
	}
	if len(wanted) == 0 {
		return
	}
	for i, about := range x.about {
		if about == nil || source != "" && x.items[i].kind != source {
			continue
		}
		found := 0
		for stem := range wanted {
			if about[stem] {
				found++
			}
		}
		score := scoreAbout * float64(found) / float64(len(wanted))
		if old, ok := best[int32(i)]; found > 0 && (!ok || score > old.score) {
			best[int32(i)] = hit{item: int32(i), score: score, how: Description, as: x.items[i].names[0].text}
		}
	}
}
