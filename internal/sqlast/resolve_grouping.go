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
		if i, ok := itemOf(term, items); ok {
			term = items[i].Expr
		}
		out = append(out, term)
	}
	return out
}

// isGroupTerm reports whether GROUP BY has item i by its position, its alias or its
// expression.
func (r *resolver) isGroupTerm(terms []Expr, it *Item, i int, s *scope) bool {
	r.work += len(terms)
	return slices.ContainsFunc(terms, func(term Expr) bool {
		if parts := termsOf(term); parts != nil {
			return r.isGroupTerm(parts, it, i, s)
		}
		if n, ok := itemOf(term, s.items); ok {
			return n == i
		}
		c, ok := term.(*Column)
		isAlias := ok && c.Table == "" && it.Alias != "" && r.fold(c.Name, it.Alias) &&
			len(r.tablesWith(s, s.lo, s.hi, c.Name)) == 0
		return isAlias || equalExpr(term, it.Expr)
	})
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

// groupingSets keeps the groups of a block with several groupings apart. DuckDB makes
// a group of each spelling of a term. An item that a position or an alias names has the
// value of that group, and so has its alias, whose expression would not. Any other
// expression that equals several groups has the value of the last one, and NULL in a
// set without it. Names are printed in one spelling. A term whose value no expression
// has is therefore printed as coalesce(term), which keeps its group apart.
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
	hidden := map[Pos]bool{}
	for i, term := range terms {
		if r.work += len(terms); r.spent(sel.Pos) {
			return
		}
		at := written[i].At()
		for k, other := range terms { // the terms that are written after this one
			if written[k].At() <= at || !equalExpr(other, term) {
				continue
			}
			item, isItem := itemOf(written[i], sel.Items)
			if isItem {
				s.twice = append(s.twice, item)
			}
			switch {
			case !isItem:
				hidden[at] = true
			case k < i || equalExpr(written[i], written[k]) || slices.Contains(s.aliased, item) || r.sharesName(s, item):
				r.fail(Unsupported, written[k].At(), "", "ROLLUP, CUBE or GROUPING SETS has one item of the select list twice: "+
					"write it the same way each time")
			}
		}
	}
	isAlike := func(c *Call) bool { return c.Name == "coalesce" && len(c.Args) == 1 }
	if len(hidden) > 0 && slices.ContainsFunc(r.resolution.Calls, isAlike) {
		r.fail(Unsupported, sel.GroupBy[0].At(), "", "ROLLUP, CUBE or GROUPING SETS has one column or expression under two "+
			"spellings next to coalesce(..) of one argument: write it the same way each time")
	}
	r.hide(sets.Items, hidden)
}

// hide replaces the terms of grouping sets at some positions by a call that has their
// value.
func (r *resolver) hide(terms []Expr, hidden map[Pos]bool) {
	for i, term := range terms {
		r.work++
		if parts := termsOf(term); parts != nil {
			r.hide(parts, hidden)
		} else if _, empty := term.(*GroupingSet); !empty && hidden[term.At()] {
			terms[i] = coalesce(term)
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
	if r.flavor.ServersVary {
		r.refuseRepeated(sel)
	}
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

// refuseRepeated refuses a term that GROUP BY .. WITH ROLLUP has twice. If several items
// repeat it, it depends on its spelling which of them is NULL in a total.
func (r *resolver) refuseRepeated(sel *Select) {
	terms := r.groupColumns(sel.GroupBy, sel.Items)
	for i, term := range terms {
		r.work += i + len(sel.Items)
		isSame := func(e Expr) bool { return equalExpr(e, term) }
		repeats := 0
		for _, it := range sel.Items {
			if isSame(it.Expr) {
				repeats++
			}
		}
		if repeats > 1 && slices.ContainsFunc(terms[:i], isSame) {
			r.fail(Unsupported, sel.GroupBy[i].At(), "",
				"GROUP BY .. WITH ROLLUP has one column or expression twice: leave one out")
			return
		}
	}
}

// rollupItem replaces a column of GROUP BY .. WITH ROLLUP by the position of the item
// that has its name, if an item before it is the same column. MySQL takes the name for
// that of the item, and with a qualifier for the first item: the other one keeps its
// value in a total.
func (r *resolver) rollupItem(e *Expr, name string, items []Item) {
	r.work += 4 * len(items)
	isSame := func(it Item) bool { return equalExpr(it.Expr, *e) }
	first := slices.IndexFunc(items, isSame)
	named := slices.IndexFunc(items, func(it Item) bool { return isSame(it) && r.fold(itemName(&it), name) })
	if first >= 0 && named > first {
		*e = &Number{Pos: (*e).At(), Text: strconv.Itoa(named + 1)}
	}
}

// groupVaries refuses a name in GROUP BY that is a column and the alias of another item,
// if servers return different rows:
//
//   - WITH ROLLUP, a column of the select list is NULL in the totals of MySQL, and not in
//     those of MariaDB.
//   - If one is a column of a derived table, MariaDB groups by the column, and MySQL may
//     group by the item.
func (r *resolver) groupVaries(sel *Select, c *Column, name string) {
	r.work += 8 * len(sel.Items)
	for i := range sel.Items {
		it := &sel.Items[i]
		column, isColumn := it.Expr.(*Column)
		switch {
		case it.Alias == "" || !r.fold(it.Alias, name) || equalExpr(it.Expr, c):
		case isColumn && (r.isDerived(c) || r.isDerived(column)),
			sel.Rollup && slices.ContainsFunc(sel.Items, func(it Item) bool { return equalExpr(it.Expr, c) }):
			r.fail(AmbiguousColumn, c.Pos, name, "'%s' in GROUP BY is a column and the alias of another item, of which servers "+
				"take one or the other: qualify the column, or rename the alias", name)
		}
	}
}

// isDerived reports whether a resolved column belongs to a derived table or a common
// table expression of the current block.
func (r *resolver) isDerived(c *Column) bool {
	i := r.byAlias(r.scope, "", c.Table)
	return i >= 0 && r.scope.tables[i].object == nil
}

// refuseOuterAggregate refuses a term of GROUP BY that repeats an item, if a subquery in
// it has an aggregate of columns of the enclosing query alone: it aggregates the rows of
// that query. MariaDB does not see that in the term itself, and cannot group by the
// position of the item.
func (r *resolver) refuseOuterAggregate(e Expr) {
	inner := tableAliases(e)
	var found *Call
	Walk(e, func(n Node) bool {
		call, ok := n.(*Call)
		if !ok || !IsAggregate(call) {
			return true
		}
		outer, own := false, false
		nested := tableAliases(call)
		Walk(call, func(n Node) bool {
			if c, ok := n.(*Column); ok {
				r.work += len(inner)
				has := func(list []string) bool {
					return slices.ContainsFunc(list, func(alias string) bool { return r.fold(alias, c.Table) })
				}
				isInner := has(inner)
				outer, own = outer || !isInner, own || isInner && !has(nested)
			}
			return true
		})
		if outer && !own {
			found = call
		}
		return true
	})
	if found != nil { // as a text it could end the server, see Flavor.QueriesByPosition
		r.fail(Misplaced, found.Pos, found.Name,
			"%s in a subquery of GROUP BY aggregates the rows of the outer query, next to "+
				"a query without FROM: aggregate a column of the subquery's tables, or write the value", found.Name)
	}
}

// tableAliases returns the aliases of the tables of the subqueries in an expression.
func tableAliases(e Expr) (list []string) {
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Table:
			list = append(list, n.Alias)
		case *Derived:
			list = append(list, n.Alias)
		case *TableFunction:
			list = append(list, n.Alias)
		}
		return true
	})
	return list
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
