package resolve

import (
	"slices"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/textmatch"
)

// byWords finds names by the words of a term, and calls add with the score of
// each. cut reports that the term has more words than list.
func (x *index) byWords(
	list []string, cut bool, kind string, code bool, c *counters, add func(id int32, score float64, match string),
) {
	term := x.term(list, code, c)
	weak := !slices.ContainsFunc(term, func(w termWord) bool { return !w.weak })
	touched := c.touched[:0]
	for i := range term {
		t := &term[i]
		if t.weak && !weak {
			continue
		}
		for _, l := range t.like {
			w := &x.vocabulary[l.word]
			if w.weak && !weak {
				continue
			}
			for _, id := range w.names {
				if c.names[id] == 0 {
					touched = append(touched, id)
				}
				c.names[id] += w.weight * l.score
			}
		}
	}
	c.touched = touched
	for _, id := range x.topNames(touched, kind, c) {
		score, match := x.compare(term, cut, weak, &x.names[id])
		add(id, score, match)
	}
}

const maxCompared = 128 // names that are compared with a term

// topNames returns the touched names with the most weight in common with a term,
// and resets their counters.
func (x *index) topNames(touched []int32, kind string, c *counters) []int32 {
	defer func() {
		for _, id := range touched {
			c.names[id] = 0
		}
	}()
	if len(touched) <= maxCompared {
		return slices.Clone(touched)
	}
	// Long names and names of another kind are less likely with the same words.
	for _, id := range touched {
		n := &x.names[id]
		c.names[id] /= 1 + 0.05*float64(len(n.words))
		if kind != "" && x.items[n.item].kind != kind {
			c.names[id] /= 2
		}
	}
	return lists.Map(textmatch.Best(c.names, maxCompared), func(s textmatch.Scored) int32 { return int32(s.Document) })
}

// A comparison compares a term with a name.
type comparison struct {
	*index
	term []termWord
	name *indexedName
	weak bool // the term has weak words only

	used [maxWords]bool         // the words of the name that have a partner in the term
	at   [maxTermWords]int      // for each word of the term, 1 + the index of its partner, or 0
	like [maxTermWords]likeness // and what makes them partners

	matched                         float64 // weight of the words that both have
	missing                         float64 // weight of the words that only the name has
	extra                           float64 // weight of the words that only the term has
	optional, generic, unit, suffix int     // words that may be left out, by the reason
	typedForm, namedForm            bool    // legal forms are among them that only the term has, or the name

	quality float64 // score of the worst pair of words
	content bool    // a pair of words carries information
	near    bool    // the words of a pair are spelled differently
	ordered bool    // the words are in the same order
}

// compare returns the score of a name for a term, and how it matches. cut reports
// that the term has more words, weak that it has weak words only.
func (x *index) compare(term []termWord, cut, weak bool, n *indexedName) (float64, string) {
	c := comparison{index: x, term: term, name: n, weak: weak, quality: 1, content: weak, ordered: true}
	if cut {
		c.extra = 1
	}
	if n.cut {
		c.missing = 1
	}
	c.pair()
	if !c.weighTerm() {
		return 0, matchWords
	}
	c.weighName()
	if c.near {
		return c.score(), matchFuzzy
	}
	return c.score(), matchWords
}

// pair finds the partners of the term's words, the certain ones first.
func (c *comparison) pair() {
	for _, near := range []bool{false, true} {
		for i := range c.term {
			if c.at[i] != 0 {
				continue
			}
			for _, l := range c.term[i].like {
				if l.near != near {
					continue
				}
				if j := c.unused(l.word); j >= 0 {
					c.used[j], c.at[i], c.like[i] = true, j+1, l
					break
				}
			}
		}
	}
	// A short word that is spelled differently needs a certain one next to it.
	for i := range c.term {
		if c.at[i] != 0 && !c.like[i].near && !c.term[i].weak {
			return
		}
	}
	for i := range c.term {
		if c.at[i] != 0 && c.like[i].short {
			c.used[c.at[i]-1], c.at[i] = false, 0
		}
	}
}

// unused returns the index of a word in the name that has no partner yet, or -1.
func (c *comparison) unused(word int32) int {
	for j, id := range c.name.words {
		if id == word && !c.used[j] {
			return j
		}
	}
	return -1
}

// weighTerm adds up the words of the term. It reports whether one has a partner.
func (c *comparison) weighTerm() bool {
	generic, last := c.index.generic[c.name.item], 0
	for i := range c.term {
		t := &c.term[i]
		if c.at[i] == 0 {
			switch {
			case c.weak || !t.weak && !c.implied[c.name.item][c.stem(t.text)]:
				c.extra += t.weight
			case !t.weak || legalWords[t.text]:
				c.optional++
				c.typedForm = c.typedForm || legalWords[t.text]
			}
			continue
		}
		w, l := &c.vocabulary[c.like[i].word], c.like[i]
		if !c.weak && (w.weak || generic[l.word]) {
			c.matched += weakWeight
		} else {
			c.matched += w.weight
			c.content = true
		}
		score := l.score
		if l.stem && !c.identifiers && !w.weak && !generic[l.word] { // Williams is not William
			score, c.near = doubtful(score), true
		}
		c.quality = min(c.quality, score)
		c.near = c.near || l.near
		c.ordered = c.ordered && c.at[i] > last
		last = c.at[i]
	}
	return last > 0
}

// weighName adds up the words of the name that have no partner.
func (c *comparison) weighName() {
	for j, id := range c.name.words {
		if c.used[j] {
			continue
		}
		w := &c.vocabulary[id]
		switch {
		case w.weak && !c.weak && stopWords[w.text]:
		case w.weak && !c.weak:
			c.optional++
			c.namedForm = c.namedForm || legalWords[w.text]
		case c.index.generic[c.name.item][id]:
			c.generic++
		case c.identifiers && unitWords[plural(w.text)]:
			c.unit++
		case c.identifiers && typeWords[w.text]:
			c.suffix++
		default:
			c.missing += w.weight
		}
	}
}

// score returns the score of the name. It is at most the quality: correct words do
// not make up for a wrong one.
func (c *comparison) score() float64 {
	switch {
	case !c.content:
		return scoreWeak * c.quality
	case c.missing == 0 && c.extra == 0:
		return c.sameWords()
	case c.extra == 0:
		return damped(c.quality) * (scorePart - 0.04*c.missing/(c.missing+c.matched))
	case c.missing == 0:
		return c.quality * scoreMore * (0.6 + 0.4*c.matched/(c.matched+c.extra))
	}
	ofTerm, ofName := c.matched/(c.matched+c.extra), c.matched/(c.matched+c.missing)
	return c.quality * scoreSome * 2 * ofTerm * ofName / (ofTerm + ofName)
}

// sameWords returns the score of a name with the same words as the term, except for
// optional ones.
func (c *comparison) sameWords() float64 {
	score := min(c.quality, scoreWords)
	switch {
	case !c.ordered && hasOrder(c.term):
		score = doubtful(score)
	case !c.ordered:
		score -= lossOrder
	}
	if c.optional > 0 {
		score -= lossLegal
	}
	if c.typedForm && c.namedForm { // Weber AG is not Weber GmbH
		score = doubtful(score)
	}
	if c.generic+c.suffix > 0 {
		score = min(score, (1-lossGeneric)*damped(c.quality))
	}
	if c.unit > 0 {
		score = min(score, scoreUnit)
	}
	return score
}

// hasOrder reports whether a term means something else in another order, such as
// 2024-1-11, A+ B or C 4 D 3.
func hasOrder(term []termWord) bool {
	fixed := 0
	for _, w := range term {
		switch {
		case signWords[w.text]:
			return true
		case len(w.runes) == 1 || isNumeral(w.text):
			fixed++
		}
	}
	return fixed > 1
}

// damped reduces the effect of an error that alone would be accepted: the match
// then means the same as one without an error.
func damped(quality float64) float64 {
	if quality < scoreTaken {
		return quality
	}
	return 1 - (1-quality)/20
}
