package sqlbound

import "github.com/qedkit/qed/internal/sqlast"

// searches returns the work of a call that searches one argument in the others, or
// whose time grows with the product or the square of their sizes.
func (c *checker) searches(f Function, e *sqlast.Call, args []size, all size) int64 {
	switch {
	case f.kind == kindSquare:
		return squared(all)
	case !f.either && (f.needle == 0 || f.needle > len(args)):
		return 0
	}
	weight, name := int64(1), e.Name+"()"
	if f.slow {
		weight = slowWork
	}
	if f.either {
		long, short := twoLongest(args)
		return c.either(e.Pos, name, long, short, weight).work
	}
	needle := args[f.needle-1]
	text := size{text: all.text - needle.text, data: all.data - needle.data}
	work := c.search(e.Pos, name, needle, text, weight).work
	if f.regexp {
		pattern := e.Args[f.needle-1]
		steps, repeats := c.matching(pattern)
		work = add(work, steps)
		if f.kind == kindRegexp && repeats {
			work = add(work, c.product(e.Pos, name, text, text, 1).work)
		}
		if f.kind == kindRegexp && c.rules.Backtracking && c.tries(pattern) {
			c.fail(pattern.At(), name, "%s takes a time without bound for a pattern that repeats a group, such as (a+)*, "+
				"or has a back reference: write a literal pattern without them", name)
		}
	}
	return work
}

// squared returns the work of a function whose time grows with the square of its arguments.
func squared(all size) int64 { return times(all.bytes(), all.bytes()) / digitsPerStep }

func twoLongest(list []size) (a, b size) {
	for _, x := range list {
		switch {
		case x.bytes() > a.bytes():
			a, b = x, a
		case x.bytes() > b.bytes():
			b = x
		}
	}
	return a, b
}

// search returns the size of a truth value, with the work of searching a pattern in
// a text. The pattern has to be short, unless the text is known to be.
func (c *checker) search(at sqlast.Pos, name string, pattern, text size, weight int64) size {
	most := shortest(weight)
	exact := text.data < stored && text.bytes() <= most
	if pattern.bytes() > most && !exact {
		c.fail(at, name, "the time of %s is the product of the lengths of its arguments, of which the shorter one or the pattern "+
			"could have %d bytes: write a literal, a column or a computed text of at most %d bytes, for example substr(x, 1, 60), "+
			"or join the values, for example with EXISTS", name, pattern.bytes(), most)
	}
	return c.product(at, name, pattern, text, weight)
}

// either is as search for a function that takes the product of its arguments in
// either order: one of them has to be short.
func (c *checker) either(at sqlast.Pos, name string, x, y size, weight int64) size {
	if x.bytes() > y.bytes() {
		x, y = y, x
	}
	return c.search(at, name, x, y, weight)
}

func shortest(weight int64) int64 {
	if weight > 1 {
		return maxSet
	}
	return maxShort
}

func (c *checker) product(at sqlast.Pos, name string, x, y size, weight int64) size {
	v := truth(x, y)
	product := times(weight, times(x.bytes(), y.bytes()))
	if product > c.most(maxProduct) {
		c.fail(at, name, "%s searches in a text of up to %d bytes: search for a shorter text, or in a part of it, "+
			"for example substr(x, 1, 1000)", name, max(x.bytes(), y.bytes()))
	}
	v.work = add(v.work, product)
	return v
}
