package sqlast

import (
	"slices"
	"strconv"
	"strings"
)

// selectBlock resolves a block in the order in which its names become visible.
func (r *resolver) selectBlock(sel *Select) *scope {
	outer := r.scope
	s := &scope{outer: outer, distinct: sel.Distinct, rollup: sel.Rollup}
	r.scope = s
	if r.checkColumns(sel); r.err != nil {
		return s
	}
	r.from(sel.From, s)
	s.clause = inItems
	bound := r.expand(sel, s)
	r.checkColumns(sel)
	s.items = sel.Items
	r.itemList(sel, bound)
	for _, w := range sel.Windows {
		r.window(w)
	}
	s.clause = inWhere
	r.optional(&sel.Where)
	s.clause = inGroupBy
	all := r.groupByAll(sel, s)
	for i := range sel.GroupBy {
		if _, several := sel.GroupBy[i].(*GroupingSet); several || sel.Rollup {
			r.resolution.Plain = false
		}
		name := ""
		if c, ok := sel.GroupBy[i].(*Column); ok && c.Table == "" {
			name = c.Name
		}
		r.term(&sel.GroupBy[i], s)
		if c, ok := sel.GroupBy[i].(*Column); ok && name != "" && r.flavor.ServersVary {
			r.groupVaries(sel, c, name)
			if sel.Rollup && sel.Having == nil {
				r.rollupItem(&sel.GroupBy[i], name, sel.Items)
			}
		}
	}
	if sel.Rollup {
		r.rollup(sel)
	}
	if r.flavor.GroupsAsWritten {
		r.groupingSets(sel, s)
	}
	s.clause = inDistinctOn
	for i := range sel.DistinctOn {
		r.term(&sel.DistinctOn[i], s)
	}
	s.groupBy, s.clause = sel.GroupBy, inHaving
	r.optional(&sel.Having)
	if all {
		r.havingOfAll(sel)
	}
	s.clause = inQualify
	r.optional(&sel.Qualify)
	if r.flavor.ServersVary {
		r.namesVary(sel)
		r.splitWindows(sel.Items, nil)
	}
	r.scope = outer
	return s
}

// itemList resolves the select list. An item that was a column and becomes
// something else, or gets another spelling, keeps its name as an alias. Columns of
// stars are bound already.
func (r *resolver) itemList(sel *Select, bound []bool) {
	s := r.scope
	for i := range sel.Items {
		s.done = i
		if bound != nil && bound[i] {
			continue
		}
		it := &sel.Items[i]
		name := itemName(it)
		if r.flavor.AliasInItems && r.isGroupTerm(sel.GroupBy, it, i, s) {
			s.clause = inGroupBy
		}
		before := s.outside
		r.expr(&it.Expr)
		if s.clause = inItems; s.outside > before {
			s.outward = append(s.outward, i)
		}
		if itemName(it) != name {
			it.Alias = name
		}
	}
	s.done = len(sel.Items)
}

func (r *resolver) checkColumns(sel *Select) {
	if len(sel.Items) > maxColumns {
		r.fail(TooComplex, sel.Pos, "", "a select list has more than %d columns", maxColumns)
	}
}

// orderBy resolves the ORDER BY of a query in scope s.
func (r *resolver) orderBy(q *Query, s *scope) {
	s.clause = inOrderBy
	if len(q.OrderBy) == 1 {
		if star, ok := q.OrderBy[0].Expr.(*Star); ok {
			order := q.OrderBy[0]
			q.OrderBy = nil
			for i := range len(s.items) + len(s.names) {
				order.Expr = &Number{Pos: star.Pos, Text: strconv.Itoa(i + 1)}
				q.OrderBy = append(q.OrderBy, order)
			}
			return
		}
	}
	if sel, ok := q.Body.(*Select); ok && r.flavor.GroupsByPosition {
		r.groupDistinct(sel, q.OrderBy, s)
	}
	for i := range q.OrderBy {
		if r.term(&q.OrderBy[i].Expr, s); r.flavor.ServersVary {
			r.distinguish(&q.OrderBy[i].Expr)
		}
	}
	if r.flavor.ServersVary {
		r.splitWindows(s.items, q.OrderBy)
	}
	// A constant orders nothing, and DuckDB refuses it.
	q.OrderBy = slices.DeleteFunc(q.OrderBy, func(o Order) bool { _, null := o.Expr.(*Null); return null })
}

// term resolves a whole term of GROUP BY, ORDER BY or DISTINCT ON: a position, the
// alias of an item, or an expression.
func (r *resolver) term(e *Expr, s *scope) {
	if r.spent((*e).At()) {
		return
	}
	if terms := termsOf(*e); terms != nil && s.clause == inGroupBy {
		for i := range terms {
			r.term(&terms[i], s)
		}
		return
	}
	columns := len(s.items) + len(s.names)
	if text, ok := position(*e); ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > columns {
			r.fail(Misplaced, (*e).At(), text,
				"%s position %s is out of range: the select list has %d columns",
				clauseNames[s.clause], text, columns)
		}
		*e = &Number{Pos: (*e).At(), Text: text}
		return
	}
	if c, ok := (*e).(*Column); ok && c.Table == "" && c.Path == nil && r.whole(e, c, s) {
		return
	}
	if c, ok := (*e).(*Collate); ok && r.flavor.AliasUnderCollate && s.clause == inOrderBy {
		r.term(&c.X, s)
		return
	}
	named := !isConstant(*e)
	r.expr(e)
	text := *e
	if _, ok := position(*e); ok {
		r.fail(Misplaced, (*e).At(), "",
			"a select alias that is a number cannot be used with a sign in %s", clauseNames[s.clause])
	} else if named && isConstant(*e) {
		r.constantTerm(e, s)
	} else if r.flavor.QueriesByPosition && hasBareQuery(*e) && r.repeatedItem(e, s.items) && s.clause == inGroupBy {
		r.refuseOuterAggregate(text)
	}
}

// constantTerm replaces a term that is a constant by NULL, unless it has the value of
// a group, which is NULL in some grouping sets. Engines read some constants, such as
// -5, as a position. As an alias they order nothing, like NULL, which DISTINCT ON does
// not allow.
func (r *resolver) constantTerm(e *Expr, s *scope) {
	switch at := (*e).At(); {
	case !s.constants && s.clause == inDistinctOn:
		*e = &Bool{Pos: at, Value: true}
		return
	case !s.constants:
		*e = &Null{Pos: at}
		return
	}
	x := *e
	if u, ok := x.(*Unary); ok {
		x = u.X
	}
	switch x.(type) {
	case *Number, *String, *Null:
		r.fail(Unsupported, (*e).At(), "", "a constant of ROLLUP, CUBE or GROUPING SETS with a sign is not supported in %s: "+
			"use its alias alone, or grouping(..)", clauseNames[s.clause])
	}
}

// hasBareQuery reports whether an expression has a subquery without FROM.
func hasBareQuery(e Expr) bool {
	bare := false
	Walk(e, func(n Node) bool {
		s, ok := n.(*Select)
		bare = bare || ok && s.From == nil
		return !bare
	})
	return bare
}

// repeatedItem replaces a term that repeats the expression of an item by its position,
// and reports whether there is one.
func (r *resolver) repeatedItem(e *Expr, items []Item) bool {
	r.work += len(items)
	isTerm := func(it Item) bool { return equalExpr(it.Expr, *e) }
	n := slices.IndexFunc(items, isTerm)
	if n >= 0 {
		*e = &Number{Pos: (*e).At(), Text: strconv.Itoa(n + 1)}
	}
	return n >= 0
}

// isConstant reports whether an expression has no columns, calls and queries.
func isConstant(e Expr) bool {
	constant := true
	Walk(e, func(n Node) bool {
		switch n.(type) {
		case *Column, *Star, *Call, *Now, *Query:
			constant = false
		}
		return constant
	})
	return constant
}

// position returns the digits of a term that engines read as the number of an item.
// Engines also accept it in parentheses, which the tree does not have, and with a
// plus.
func position(e Expr) (string, bool) {
	for {
		u, ok := e.(*Unary)
		if !ok || u.Op != Plus {
			break
		}
		e = u.X
	}
	n, ok := e.(*Number)
	if !ok || n.Text == "" || strings.Trim(n.Text, "0123456789") != "" {
		return "", false
	}
	return n.Text, true
}

// whole binds an unqualified name that is a whole term to an item of the select
// list, and reports whether there is one.
func (r *resolver) whole(e *Expr, c *Column, s *scope) bool {
	if s.names != nil {
		return r.outputTerm(e, c, s)
	}
	found := r.tablesWith(s, s.lo, s.hi, c.Name)
	if s.clause == inGroupBy && (len(found) == 1 || len(found) > 1 && !r.flavor.AmbiguousMeansItem) {
		return false
	}
	if s.clause == inGroupBy && r.flavor.ServersVary && r.isMergedApart(c, s, found) {
		return false
	}
	i := r.item(c, s)
	if i < 0 {
		i = r.firstNamed(c, s)
	}
	if i < 0 {
		return false
	}
	if s.clause == inGroupBy {
		r.checkRow(c, s.outer)
	}
	it := &s.items[i]
	if m := r.group(s, c.Name, found); r.flavor.AmbiguousMeansItem && len(found) > 1 && m != nil {
		if equalExpr(it.Expr, r.mergedValue(c.Pos, s, m)) {
			return false
		}
		if column, ok := it.Expr.(*Column); ok && s.clause == inGroupBy {
			*c = *column // HAVING looks for it
			return true
		}
	}
	if s.clause != inOrderBy || it.Alias == "" || r.sharesName(s, i) {
		*e = &Number{Pos: c.Pos, Text: strconv.Itoa(i + 1)}
		return true
	}
	c.Schema, c.Name, c.DoubleQuoted = "", it.Alias, false
	return true
}

// isMergedApart reports whether a name in GROUP BY of MySQL means the column that a join
// without the first table of FROM merged from the tables of found. The columns that a join
// with that table merged are several ones there, and an item comes before them. For MySQL,
// the tables on the right of a RIGHT JOIN come before those on its left.
func (r *resolver) isMergedApart(c *Column, s *scope, found []int) bool {
	m := r.group(s, c.Name, found)
	if len(found) < 2 || m == nil {
		return false
	}
	i := slices.IndexFunc(s.merging, func(j merging) bool { return j.join == m.join })
	if j := &s.merging[i]; (j.lo > 0) != (s.first < j.lo || s.first >= j.hi) && r.item(c, s) >= 0 {
		r.fail(AmbiguousColumn, c.Pos, c.Name, "'%s' in GROUP BY is a column that a join next to a RIGHT JOIN merged and the alias "+
			"of an item, of which servers take one or the other: qualify the column, or rename the alias", c.Name)
	}
	return s.merging[i].lo > 0
}

// item returns the index of the item that the name means as an alias, or -1.
func (r *resolver) item(c *Column, s *scope) int {
	found := -1
	r.work += 4 * len(s.items)
	for i := range s.items {
		name := s.items[i].Alias
		if r.flavor.OrderByOutput && s.clause != inGroupBy {
			name = itemName(&s.items[i])
		}
		if name == "" || len(name) != len(c.Name) || !r.fold(name, c.Name) {
			continue
		}
		if _, isColumn := s.items[i].Expr.(*Column); !isColumn && r.flavor.ExpressionFirst && (found < 0 || s.clause != inHaving) {
			return i
		}
		if found < 0 {
			found = i
		} else if !r.flavor.NamesRepeat && !equalExpr(s.items[i].Expr, s.items[found].Expr) {
			r.fail(AmbiguousColumn, c.Pos, c.Name, "the select list has two items named '%s': give each its own alias", c.Name)
		}
	}
	return found
}

// firstNamed returns the item that an unqualified name means if several tables have
// a column with that name, as after SELECT *, or -1. That is the first one in
// SQLite, and the only one in MySQL.
//
// In GROUP BY and ORDER BY of MySQL, it also means the item if a join merged the
// columns, and in HAVING if it did not.
func (r *resolver) firstNamed(c *Column, s *scope) int {
	switch {
	case r.isAmbiguous(c, s):
		if !r.flavor.AmbiguousMeansItem && (s.clause != inOrderBy || !r.flavor.NamesRepeat) {
			return -1
		}
	case !r.flavor.AmbiguousMeansItem || (s.clause == inHaving) == (len(r.tablesWith(s, s.lo, s.hi, c.Name)) > 1):
		return -1
	}
	found := -1
	r.work += 4 * len(s.items)
	for i := range s.items {
		switch {
		case !r.fold(itemName(&s.items[i]), c.Name):
		case found < 0:
			found = i
		case !r.flavor.NamesRepeat && !equalExpr(s.items[i].Expr, s.items[found].Expr):
			return -1
		}
	}
	return found
}

// isAmbiguous reports whether several tables have a column with an unqualified name,
// and no join merged them.
func (r *resolver) isAmbiguous(c *Column, s *scope) bool {
	found := r.tablesWith(s, s.lo, s.hi, c.Name)
	return len(found) > 1 && r.group(s, c.Name, found) == nil
}

// sharesName reports whether another item has the name of item i.
func (r *resolver) sharesName(s *scope, i int) bool {
	r.work += 4 * len(s.items)
	for k := range s.items {
		if k != i && r.fold(itemName(&s.items[k]), s.items[i].Alias) {
			return true
		}
	}
	return false
}

// outputTerm binds an unqualified name to a column of a set operation.
func (r *resolver) outputTerm(e *Expr, c *Column, s *scope) bool {
	found := -1
	r.work += 4 * len(s.names)
	for i, name := range s.names {
		if !r.fold(name, c.Name) {
			continue
		}
		if found >= 0 && !r.flavor.NamesRepeat {
			r.fail(AmbiguousColumn, c.Pos, c.Name, "the set operation has two columns named '%s': give each its own alias", c.Name)
		}
		if found < 0 {
			found = i
		}
	}
	if found >= 0 {
		*e = &Number{Pos: c.Pos, Text: strconv.Itoa(found + 1)}
	}
	return found >= 0
}

// positions replaces the terms of a set operation's ORDER BY that repeat an item of
// one of its arms by the position of that item, as SQLite does.
func (r *resolver) positions(q *Query) {
	if !r.flavor.NamesRepeat {
		return
	}
	for i := range q.OrderBy {
		e := &q.OrderBy[i].Expr
		if _, ok := position(*e); ok {
			continue
		}
		if r.spent(q.Pos) {
			return
		}
		if n := r.repeats(q.Body, *e); n > 0 {
			*e = &Number{Pos: (*e).At(), Text: strconv.Itoa(n)}
		}
	}
}

// repeats returns the position of the first item of a body, arm after arm, that has
// the alias e, or else the one that equals e, or 0.
func (r *resolver) repeats(b Body, e Expr) int {
	switch b := b.(type) {
	case *SetOp:
		if n := r.repeats(b.Left, e); n > 0 {
			return n
		}
		return r.repeats(b.Right, e)
	case *Select:
		r.work += 8 * len(b.Items)
		c, isColumn := e.(*Column)
		if isColumn && c.Table == "" {
			if i := slices.IndexFunc(b.Items, func(it Item) bool { return meansItem(c, &it, r.fold) }); i >= 0 {
				return i + 1
			}
		}
		for i := range b.Items {
			it := &b.Items[i]
			if _, star := it.Expr.(*Star); star {
				break
			}
			if equalExpr(it.Expr, e) || isColumn && meansItem(c, it, r.fold) {
				return i + 1
			}
		}
	}
	return 0
}

// meansItem reports whether a column of an ORDER BY means the item.
func meansItem(c *Column, it *Item, fold func(a, b string) bool) bool {
	if c.Table == "" {
		return it.Alias != "" && fold(it.Alias, c.Name)
	}
	column, ok := it.Expr.(*Column)
	return ok && fold(column.Name, c.Name) && (column.Table == "" || fold(column.Table, c.Table))
}
