package sqlbound

import "github.com/qedkit/qed/internal/sqlast"

// searches returns the work of a call that searches one argument in the others.
func (c *checker) searches(f Function, e *sqlast.Call, args []size, all size) int64 {
	switch {
	case f.either && len(args) > 1:
		return c.either(e.Pos, e.Name+"()", args[0], args[1]).work
	case 0 < f.needle && f.needle <= len(args):
		needle := args[f.needle-1]
		rest := size{text: all.text - needle.text, data: all.data - needle.data}
		needle.work = 0
		return c.search(e.Pos, e.Name+"()", needle, rest).work
	}
	return 0
}

// search returns the size of a truth value, with the work of searching a pattern in
// a text. The pattern has to be short, unless the text is known to be.
func (c *checker) search(at sqlast.Pos, name string, pattern, text size) size {
	exact := text.data < stored && text.bytes() <= maxShort
	if pattern.bytes() > maxShort && !exact {
		c.fail(at, name, "what %s searches for could have %d bytes, and its time is the product of both lengths: "+
			"search for a literal, a column or a computed text of at most %d bytes, for example substr(x, 1, 100)",
			name, pattern.bytes(), maxShort)
	}
	return c.product(at, name, pattern, text)
}

// either is as search for a function that takes the product of its arguments in
// either order: one of them has to be short.
func (c *checker) either(at sqlast.Pos, name string, x, y size) size {
	if min(x.bytes(), y.bytes()) > maxShort {
		c.fail(at, name, "the time of %s is the product of its arguments, which could have %d and %d bytes: "+
			"one of them has to be a column or have at most %d bytes. Join the values instead, for example with EXISTS",
			name, x.bytes(), y.bytes(), maxShort)
	}
	return c.product(at, name, x, y)
}

func (c *checker) product(at sqlast.Pos, name string, x, y size) size {
	v := truth(x, y)
	product := times(x.bytes(), y.bytes())
	if product > maxProduct {
		c.fail(at, name, "%s searches in a text of up to %d bytes: search for a shorter text, or in a part of it",
			name, y.bytes())
	}
	v.work = add(v.work, product)
	return v
}
