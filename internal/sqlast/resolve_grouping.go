package sqlast

import (
	"slices"
	"strconv"

	"github.com/qedkit/qed/internal/lists"
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
		if i, ok := itemOf(term, items); ok {
			term = items[i].Expr
		}
		out = append(out, term)
	}
	return out
}

// itemOf returns the index of the item that a term of GROUP BY means by its position.
func itemOf(term Expr, items []Item) (int, bool) {
	text, ok := position(term)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n - 1, err == nil && n >= 1 && n <= len(items)
}

// groupingSets refuses a term of a block with several groupings that is written in two
// ways. DuckDB makes a group of each spelling.
func (r *resolver) groupingSets(sel *Select, s *scope) {
	if r.err != nil || len(sel.GroupBy) != 1 {
		return
	}
	sets, ok := sel.GroupBy[0].(*GroupingSet)
	if !ok {
		return
	}
	written := r.singleTerms(sets.Items, map[Pos]bool{})
	terms := r.groupColumns(written, sel.Items)
	s.constants = slices.ContainsFunc(terms, isConstant)
	for i, term := range terms {
		if r.work += len(terms); r.spent(sel.Pos) {
			return
		}
		if slices.ContainsFunc(terms[:i], func(e Expr) bool { return EqualExpr(e, term) }) {
			r.fail(Unsupported, written[i].At(), "", "ROLLUP, CUBE or GROUPING SETS has one column or expression in two "+
				"spellings: write it the same way each time")
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

// rollup replaces the terms of GROUP BY .. WITH ROLLUP that repeat the expression of
// an item by its position. MariaDB compares them by their text otherwise, and
// computes the item of a total from some row if it prints the two differently. It refuses
// a column or expression that several items have: which of them is NULL in a total depends
// on the spelling of the term.
func (r *resolver) rollup(sel *Select) {
	for i, term := range r.groupColumns(sel.GroupBy, sel.Items) {
		if isConstant(term) { // a total keeps the value of a constant
			continue
		}
		r.work += len(sel.Items)
		if lists.Count(sel.Items, func(it Item) bool { return EqualExpr(it.Expr, term) }) > 1 {
			r.fail(Unsupported, sel.GroupBy[i].At(), "", "the select list has a column or expression of GROUP BY .. WITH ROLLUP "+
				"twice: leave one out")
		}
		if _, isColumn := sel.GroupBy[i].(*Column); !isColumn {
			r.repeatedItem(&sel.GroupBy[i], sel.Items)
		}
	}
}

// termsOf returns the terms that a term of GROUP BY consists of, or nil if it is a
// single one.
func termsOf(e Expr) []Expr {
	switch e := e.(type) {
	case *GroupingSet:
		return e.Items
	case *Row:
		if !e.Explicit {
			return e.Items
		}
	}
	return nil
}
