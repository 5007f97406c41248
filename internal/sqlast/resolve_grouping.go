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

// rollup replaces the terms of GROUP BY .. WITH ROLLUP that repeat the expression of
// an item by its position. MariaDB compares them by their text otherwise, and
// computes the item of a total from some row if it prints the two differently.
func (r *resolver) rollup(sel *Select) {
	for i, term := range sel.GroupBy {
		switch term.(type) {
		case *Column, *Number:
			continue
		}
		if !isConstant(term) { // a total keeps the value of a constant
			r.repeatedItem(&sel.GroupBy[i], sel.Items)
		}
	}
}

// rollupItem reads an unqualified column of GROUP BY .. WITH ROLLUP that is an item. If
// another item has its name as an alias, MySQL adds totals in which the column is NULL,
// and MariaDB totals in which it keeps a value: such a name is refused.
//
// Of several items that are the column, MySQL takes the name for that of the item that
// has it, and with a qualifier for the first item: the other one keeps its value in a
// total. The position of the item is printed, which HAVING could not refer to.
func (r *resolver) rollupItem(sel *Select, e *Expr, name string) {
	c, ok := (*e).(*Column)
	if !ok || name == "" {
		return
	}
	r.work += 8 * len(sel.Items)
	isSame := func(it Item) bool { return equalExpr(it.Expr, c) }
	first := slices.IndexFunc(sel.Items, isSame)
	if first < 0 {
		return
	}
	if slices.ContainsFunc(sel.Items, func(it Item) bool { return it.Alias != "" && r.fold(it.Alias, name) && !isSame(it) }) {
		r.fail(AmbiguousColumn, c.Pos, name, "'%s' in GROUP BY .. WITH ROLLUP is a column of the select list and the alias of "+
			"another item, and servers add different totals: qualify the column, or rename the alias", name)
	}
	named := slices.IndexFunc(sel.Items, func(it Item) bool { return isSame(it) && r.fold(itemName(&it), name) })
	if named > first && sel.Having == nil {
		*e = &Number{Pos: c.Pos, Text: strconv.Itoa(named + 1)}
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
