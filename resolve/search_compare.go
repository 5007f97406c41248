package resolve

import (
	"slices"
)

// rate finds names by the words of a term, and says what each is worth. Where the term was cut, it has more.
func (x *index) rate(
	words []string, cut bool, kind string, code bool, m *marks, take func(id int32, score float64, how How, sure bool),
) {
	term := x.term(words, code, m)
	idle := !slices.ContainsFunc(term, func(s said) bool { return !s.idle })
	touched := m.touched[:0]
	for i := range term {
		s := &term[i]
		if s.idle && !idle {
			continue
		}
		for _, l := range s.like {
			w := &x.vocabulary[l.word]
			if w.idle && !idle {
				continue
			}
			worth := float32(w.weight * l.score)
			for _, id := range w.names {
				if m.names[id] == 0 {
					touched = append(touched, id)
				}
				m.names[id] += worth
			}
		}
	}
	m.touched = touched
	for _, id := range x.foremost(touched, kind, m) {
		score, how := x.compare(term, cut, idle, &x.names[id])
		take(id, score, how, false)
	}
}

const maxRated = 128 // names that are looked at closely

// foremost returns the touched names that have most in common with a term, and clears the marks.
func (x *index) foremost(touched []int32, kind string, m *marks) []int32 {
	defer func() {
		for _, id := range touched {
			m.names[id] = 0
		}
	}()
	if len(touched) <= maxRated {
		return slices.Clone(touched)
	}
	// A name of few words is nearer than a longer one with the same of them, and one of another kind is far.
	for _, id := range touched {
		n := &x.names[id]
		m.names[id] /= 1 + 0.05*float32(len(n.words))
		if kind != "" && x.items[n.item].kind != kind {
			m.names[id] /= 2
		}
	}
	const steps = 512
	top := float32(0)
	for _, id := range touched {
		top = max(top, m.names[id])
	}
	var counts [steps + 1]int32
	step := func(id int32) int { return int(m.names[id] / top * steps) }
	for _, id := range touched {
		counts[step(id)]++
	}
	least, n := steps, int32(0)
	for ; least > 0 && n+counts[least] < maxRated; least-- {
		n += counts[least]
	}
	some := make([]int32, 0, 2*maxRated)
	for _, above := range []bool{true, false} { // of those that are as good as others, the first
		for _, id := range touched {
			if s := step(id); len(some) < maxRated && (above && s > least || !above && s == least) {
				some = append(some, id)
			}
		}
	}
	return some
}

// compare says what a name is worth for a term.
func (x *index) compare(term []said, cut, idle bool, n *name) (float64, How) {
	generic := x.generic[n.item]
	var used [maxWords]bool
	var at [maxTermWords]int
	var like [maxTermWords]likeness
	// The surest pairs of words first.
	for _, pass := range []func(likeness) bool{
		func(l likeness) bool { return !l.near },
		func(l likeness) bool { return l.near },
	} {
		for i := range term {
			if at[i] != 0 {
				continue
			}
			for _, l := range term[i].like {
				if !pass(l) {
					continue
				}
				if j := place(n.words, l.word, &used); j >= 0 {
					used[j], at[i], like[i] = true, j+1, l
					break
				}
			}
		}
	}
	anchored := false // a word that says something is right
	for i := range term {
		anchored = anchored || at[i] != 0 && !like[i].near && !term[i].idle
	}
	var matched, missing, extra float64 // missing: what the name says beyond the term; extra: what the term says beyond it
	if cut {                            // it has words that are not compared
		extra = 1
	}
	if n.cut {
		missing = 1
	}
	var pairs, legal, kind, unit, suffix int
	ordered, near, content := true, false, idle
	last, worst := 0, 1.0
	for i := range term {
		s := &term[i]
		if at[i] != 0 && like[i].short && !anchored {
			used[at[i]-1], at[i] = false, 0
		}
		if at[i] == 0 {
			switch {
			case idle || !s.idle && !x.implied[n.item][x.stem(s.text)]:
				extra += s.weight
			case s.idle && legalWords[s.text]:
				legal++
			case !s.idle:
				legal++
			}
			continue
		}
		w := &x.vocabulary[like[i].word]
		weight := w.weight
		if !idle && (w.idle || generic[like[i].word]) {
			weight = idleWeight
		} else {
			content = true
		}
		pairs++
		score := like[i].score
		if like[i].stem && !x.fields && !w.idle && !generic[like[i].word] { // Williams is not William
			score, near = doubtful(score), true
		}
		worst = min(worst, score)
		matched += weight
		near = near || like[i].near
		ordered = ordered && at[i] > last
		last = at[i]
	}
	if pairs == 0 {
		return 0, Words
	}
	for j, id := range n.words {
		if used[j] {
			continue
		}
		w := &x.vocabulary[id]
		switch {
		case w.idle && !idle && stopWords[w.text]:
		case w.idle && !idle:
			legal++
		case generic[id]:
			kind++
		case x.fields && unitWords[plural(w.text)]:
			unit++
		case x.fields && typeWords[w.text]:
			suffix++
		default:
			missing += w.weight
		}
	}
	how := Words
	if near {
		how = Fuzzy
	}
	quality := worst // a word that is wrong is not made right by others that are
	switch {
	case !content:
		return scoreIdle * quality, how
	case missing == 0 && extra == 0:
		score := min(quality, scoreWords)
		switch {
		case !ordered && hasOrder(term):
			score = doubtful(score)
		case !ordered:
			score -= lossOrder
		}
		if legal > 0 {
			score -= lossLegal
		}
		if kind+suffix > 0 {
			score = min(score, (1-lossGeneric)*damped(quality))
		}
		if unit > 0 {
			score = min(score, scoreUnit)
		}
		return score, how
	case extra == 0:
		return damped(quality) * (scorePart - 0.04*missing/(missing+matched)), how
	case missing == 0:
		return quality * scoreMore * (0.6 + 0.4*matched/(matched+extra)), how
	}
	said, have := matched/(matched+extra), matched/(matched+missing)
	return quality * scoreSome * 2 * said * have / (said + have), how
}

// hasOrder reports whether a term says another thing in another order, as 2024-1-11, A+ B and C 4 D 3 do.
func hasOrder(term []said) bool {
	fixed := 0
	for _, s := range term {
		switch {
		case signWords[s.text]:
			return true
		case len(s.runes) == 1 || isNumeral(s.text):
			fixed++
		}
	}
	return fixed > 1
}

// damped makes little of a mistake that alone would be none: it then says the same as what is right.
func damped(quality float64) float64 {
	if quality < scoreTaken {
		return quality
	}
	return 1 - (1-quality)/20
}

// place returns where a word is in a name, among those that are not used; -1 where it is not.
func place(words []int32, w int32, used *[maxWords]bool) int {
	for j, id := range words {
		if id == w && !used[j] {
			return j
		}
	}
	return -1
}
