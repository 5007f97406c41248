package dates

// expression reads a whole time with its range words, and returns how many words
// it has: 0 if there is none at i.
func (g *grammar) expression(i int) (span, int) {
	switch w := g.word(i); w {
	case "before", "vor":
		return g.limited(i, 1, func(s span) span { return span{to: s.from} })
	case "after":
		return g.limited(i, 1, func(s span) span { return span{from: s.to} })
	case "ab":
		return g.limited(i, 1, func(s span) span { return span{from: s.from} })
	case "up":
		if g.next(i+1) == "to" && g.next(i+2) == "and" && g.next(i+3) == "including" {
			return g.limited(i, 4, func(s span) span { return span{to: s.to} })
		}
	case "bis":
		if g.next(i+1) == "einschließlich" {
			return g.limited(i, 2, func(s span) span { return span{to: s.to} })
		}
	case "from", "von", "vom":
		at := g.skip(i+1, articles)
		a, n := g.item(at, true)
		if end := at + n; n > 0 && a.complete() && w == "from" && (g.next(end) == "onwards" || g.next(end) == "onward") {
			return span{from: a.from, open: a.open}, end + 1 - i
		}
		if s, end := g.pair(a, at+n, false); n > 0 && end > 0 {
			return s, end - i
		}
	case "between", "zwischen":
		at := g.skip(g.skip(i+1, articles), yearName)
		a, n := g.item(at, true)
		if op := g.next(at + n); n > 0 && (op == "and" || op == "und") {
			if s, end := g.pair(a, at+n, true); end > 0 {
				return s, end - i
			}
		}
	default:
		a, n := g.item(i, false)
		if n == 0 {
			return a, 0
		}
		if s, end := g.pair(a, i+n, false); end > 0 {
			return s, end - i
		}
		if a.complete() {
			return a, n
		}
	}
	return span{}, 0
}

// limited reads the time after k words from i on that make it the limit of another.
func (g *grammar) limited(i, k int, of func(span) span) (span, int) {
	at := g.skip(i+k, articles)
	if g.next(i+k) == "" {
		return span{}, 0
	}
	s, n := g.item(at, true)
	if n == 0 || !s.complete() || s.loose || s.unit == 0 {
		return span{}, 0
	}
	limit := of(s)
	limit.open = s.open
	return limit, at + n - i
}

// pair reads what follows the time a at i to make it a range or a list, and returns
// the index after it: 0 if nothing does. The parts of a list have to be adjacent.
func (g *grammar) pair(a span, i int, between bool) (span, int) {
	list := false
	switch w := g.next(i); {
	case g.gap(i) == dash && i < len(g.words):
		i--
	case w == "and" || w == "und" || w == "or" || w == "oder":
		list = !between
	case w != "to" && w != "through" && w != "thru" && w != "bis":
		return a, 0
	}
	at := i + 1
	for w := g.next(at); articles[w] || w == "in" || w == "im" || w == "zum"; w = g.next(at) {
		at++
	}
	b, n := g.item(at, true)
	if n == 0 || b.unit != a.unit || b.unit == 0 || !b.complete() {
		return a, 0
	}
	if !a.complete() {
		if a.index >= b.index {
			return a, 0 // it can be of the year before
		}
		a = g.partOf(a, b.year)
	}
	if b.from.Before(a.from) {
		a, b = b, a
		if !list {
			return a, 0
		}
	}
	if !a.from.Before(b.from) || list && !a.to.Equal(b.from) {
		return a, 0
	}
	return span{from: a.from, to: b.to, open: a.open || b.open}, at + n
}
