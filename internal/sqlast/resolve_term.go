package sqlast

import (
	"slices"
	"strconv"
)

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
	if c, ok := (*e).(*Column); ok && c.Table == "" && c.Path == nil {
		if r.whole(e, c, s) {
			return
		}
	}
	if c, ok := (*e).(*Collate); ok && r.flavor.AliasUnderCollate && s.clause == inOrderBy {
		r.term(&c.X, s)
		return
	}
	named := !isConstant(*e)
	if r.flavor.ServersVary && hasBareQuery(*e) {
		r.fail(Unsupported, (*e).At(), "", "a subquery without FROM is not supported in %s: write the value", clauseNames[s.clause])
	}
	r.expr(e)
	if _, ok := position(*e); ok {
		r.fail(Misplaced, (*e).At(), "",
			"a select alias that is a number cannot be used with a sign in %s", clauseNames[s.clause])
	} else if named && isConstant(*e) {
		r.constantTerm(e, s)
	} else if r.flavor.ServersVary && s.clause == inGroupBy && MayAggregate(*e) {
		r.fail(Misplaced, (*e).At(), "", "an aggregate in a subquery of GROUP BY is not supported: compute it in a derived table")
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
func hasBareQuery(e Expr) bool { return Any(e, func(s *Select) bool { return s.From == nil }) }

// repeatedItem replaces a term that repeats the expression of an item by its position,
// and reports whether there is one.
func (r *resolver) repeatedItem(e *Expr, items []Item) bool {
	r.work += len(items)
	isTerm := func(it Item) bool { return EqualExpr(it.Expr, *e) }
	n := slices.IndexFunc(items, isTerm)
	if n >= 0 {
		*e = &Number{Pos: (*e).At(), Text: strconv.Itoa(n + 1)}
	}
	return n >= 0
}

// isConstant reports whether an expression has no columns, calls and queries.
func isConstant(e Expr) bool {
	return !Any(e, func(n Node) bool {
		switch n.(type) {
		case *Column, *Star, *Call, *Now, *Query:
			return true
		}
		return false
	})
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
	if !ok || !n.IsWhole() {
		return "", false
	}
	return n.Text, true
}

// whole binds an unqualified name that is a whole term to an item of the select list, and
// reports whether there is one. In ORDER BY an alias comes before a column; elsewhere such
// a name is refused.
func (r *resolver) whole(e *Expr, c *Column, s *scope) bool {
	if s.names != nil {
		return r.outputTerm(e, c, s)
	}
	i := r.item(c, s)
	if i < 0 || r.err != nil {
		return r.err != nil
	}
	it := &s.items[i]
	found := r.tablesWith(s, s.lo, s.hi, c.Name)
	isAlias := s.clause == inOrderBy && it.Alias != "" && (it.Alias == c.Name || len(found) == 0) &&
		!(it.Unnamed && len(found) > 0 && !r.flavor.OutputNames)
	if len(found) > 0 && !isAlias && (s.clause != inOrderBy || len(found) == 1 || r.group(s, c.Name, found) != nil) {
		return false // lookUp compares the column with the item
	}
	if s.clause != inOrderBy {
		r.checkRow(c, it, s.outer)
	}
	if s.clause != inOrderBy || itemName(it) != c.Name {
		r.checkEnclosing(c, s)
	}
	if !isAlias || r.sharesName(s, i) {
		*e = &Number{Pos: c.Pos, Text: strconv.Itoa(i + 1)}
		return true
	}
	c.Schema, c.Name, c.DoubleQuoted = "", it.Alias, false
	return true
}

// outputTerm binds an unqualified name to a column of a set operation.
func (r *resolver) outputTerm(e *Expr, c *Column, s *scope) bool {
	found := -1
	r.work += 4 * len(s.names)
	for i, name := range s.names {
		if !r.fold(name, c.Name) {
			continue
		}
		if found >= 0 {
			r.fail(AmbiguousColumn, c.Pos, c.Name,
				"the set operation has two columns named '%s': give each its own alias", c.Name)
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
