package sqlproof

import "slices"

// attr is a value of a joined row: a column of one of its tables, or the row of that
// table as a whole.
type attr int32

// A dependency says that joined rows with equal values in from have equal values in to.
type dependency struct {
	from []attr
	to   attr

	// lo and hi are the leaves among which it was found. A constant (from is empty) that
	// was found on the side of an outer join that may be NULL holds on that side only.
	lo, hi int
}

// closure returns which values are the same in all joined rows that agree in start.
func closure(n int, rules []dependency, start []attr, holds func(*dependency) bool) []bool {
	known := make([]bool, n)
	for _, a := range start {
		known[a] = true
	}
	for again := true; again; {
		again = false
		for i := range rules {
			r := &rules[i]
			if !known[r.to] && (holds == nil || holds(r)) && hasAll(known, r.from) {
				known[r.to], again = true, true
			}
		}
	}
	return known
}

func hasAll(known []bool, attrs []attr) bool {
	return !slices.ContainsFunc(attrs, func(a attr) bool { return !known[a] })
}
