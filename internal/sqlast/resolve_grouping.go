package sqlast

import (
	"slices"
	"strconv"
)

// groupColumns returns the single terms of GROUP BY: those of grouping sets one by one,
// and the expressions of items in place of their positions.
func (r *resolver) groupColumns(terms []Expr, items []Item) []Expr {
	var out []Expr
	for _, term := range terms {
		if parts := termsOf(term); parts != nil {
			out = append(out, r.groupColumns(parts, items)...)
			continue
		}
		r.work++
		if text, ok := position(term); ok {
			if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(items) {
				term = items[n-1].Expr
			}
		}
		out = append(out, term)
	}
	return out
}

// groupingSets refuses constants, and equal terms with different spellings, in a block
// with several groupings. DuckDB makes a group of each spelling, and an item has the
// value of one of them: NULL in a set without it. An expression elsewhere that equals a
// constant stands for its group, too.
func (r *resolver) groupingSets(sel *Select) {
	if r.err != nil || len(sel.GroupBy) != 1 {
		return
	}
	sets, ok := sel.GroupBy[0].(*GroupingSet)
	if !ok {
		return
	}
	written := r.singleTerms(sets.Items, map[Pos]bool{})
	terms := r.groupColumns(written, sel.Items)
	for i, term := range terms {
		if r.spent(sel.Pos) {
			return
		}
		at := written[i].At()
		if isConstant(term) {
			r.fail(Unsupported, at, "", "a constant in ROLLUP, CUBE or GROUPING SETS is not supported: leave it out")
			return
		}
		r.work += i
		if slices.ContainsFunc(terms[:i], func(e Expr) bool { return equalExpr(e, term) }) {
			r.fail(Unsupported, at, "", "ROLLUP, CUBE or GROUPING SETS has one column or expression under two spellings: "+
				"write it the same way each time")
			return
		}
	}
}

// singleTerms returns the terms of grouping sets, each once. A term that stands in
// several sets has one position in the text.
func (r *resolver) singleTerms(terms []Expr, seen map[Pos]bool) []Expr {
	var out []Expr
	for _, term := range terms {
		if parts := termsOf(term); parts != nil {
			out = append(out, r.singleTerms(parts, seen)...)
			continue
		}
		r.work++
		if _, empty := term.(*GroupingSet); !empty && !seen[term.At()] {
			seen[term.At()] = true
			out = append(out, term)
		}
	}
	return out
}
