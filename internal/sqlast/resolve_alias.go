package sqlast

import "slices"

// These clauses of a block may name items of its select list by their aliases.
func (r *resolver) seesAliases(s *scope) bool {
	switch s.clause {
	case inWhere:
		return r.flavor.AliasInWhere
	case inItems:
		return r.flavor.AliasInItems
	case inQualify, inGroupBy, inHaving, inOrderBy, inDistinctOn:
		return true
	}
	return false
}

// item returns the index of the item of s that a name means, or -1. After the select list
// and WHERE, a column without an alias has its own name.
func (r *resolver) item(c *Column, s *scope) int {
	found := -1
	r.work += 4 * len(s.items)
	for i := range s.items {
		name := s.items[i].Alias
		if s.clause != inItems && s.clause != inWhere {
			name = itemName(&s.items[i])
		}
		switch {
		case len(name) != len(c.Name) || !r.fold(name, c.Name):
		case found < 0:
			found = i
		case !EqualExpr(s.items[i].Expr, s.items[found].Expr):
			r.fail(AmbiguousColumn, c.Pos, c.Name, "the select list has two items named '%s': give each its own alias", c.Name)
		}
	}
	return found
}

// checkItem refuses an unqualified name of a block, now bound to the column at slot, that
// could also mean an item of the select list. WHERE, the select list and the arguments of
// aggregate functions prefer columns in every engine. An item without an alias hides a
// column in DISTINCT ON only. MySQL takes an item of any alias for a column that a join
// merged from the item's.
func (r *resolver) checkItem(slot *Expr, at Pos, name string, s *scope) {
	if r.err != nil || s.clause == inWhere || s.clause == inItems || s.aggregate != nil || !r.seesAliases(s) {
		return
	}
	i := r.item(&Column{Pos: at, Name: name}, s)
	if i >= 0 && (!s.items[i].Unnamed || s.clause == inDistinctOn) && !EqualExpr(s.items[i].Expr, *slot) {
		if !r.meansTotal(s, i, name) {
			r.failAlias(at, name, clauseNames[s.clause])
			return
		}
		c := &Column{Pos: at, Name: name}
		r.checkEnclosing(c, s)
		*slot = c
		r.havingItem(slot, c, &s.items[i])
	}
	if len(r.tablesWith(s, s.lo, s.hi, name)) > 1 && slices.ContainsFunc(s.items, func(it Item) bool {
		c, ok := it.Expr.(*Column)
		return ok && r.fold(c.Name, name) && !EqualExpr(c, *slot)
	}) {
		r.fail(AmbiguousColumn, at, name, "'%s' in %s is a column that a join merged, and the select list has one of its "+
			"parts: qualify it", name, clauseNames[s.clause])
	}
}

func (r *resolver) failAlias(at Pos, name, clause string) {
	r.fail(AmbiguousColumn, at, name, "'%s' in %s is a column and a select alias: qualify it, or rename the alias", name, clause)
}

// alias binds an unqualified name that no column of s has to an item of the select list.
// The expression of the item replaces the name: an engine looks for a column first and
// could find a hidden one.
func (r *resolver) alias(slot *Expr, c *Column, s *scope) bool {
	if !r.seesAliases(s) {
		return false
	}
	i := r.item(c, s)
	if i < 0 || r.err != nil {
		return r.err != nil
	}
	r.checkEnclosing(c, s)
	if r.checkRow(c, &s.items[i], nil); r.err != nil {
		return true
	}
	if r.flavor.OutputNames {
		return false
	}
	if s == r.scope && s.clause == inHaving && s.aggregate == nil && r.flavor.ServersVary {
		r.havingItem(slot, c, &s.items[i])
		return true
	}
	r.copyItem(slot, c, s, i)
	return true
}

// checkEnclosing refuses the name of an item of s that is also a name of a block around s.
func (r *resolver) checkEnclosing(c *Column, s *scope) {
	for outer := s.outer; outer != nil; outer = outer.outer {
		if len(r.tablesWith(outer, outer.lo, outer.hi, c.Name)) > 0 || r.seesAliases(outer) && r.item(c, outer) >= 0 {
			r.fail(AmbiguousColumn, c.Pos, c.Name, "'%s' is a select alias and a name of an enclosing query: "+
				"qualify it, or rename the alias", c.Name)
		}
	}
}

// checkRow refuses a name that is also the name of a table in the current scope or one
// around it, up to but without end, where it could mean the row of the table rather than
// the item it, unless the item is that row. Nil means no item.
func (r *resolver) checkRow(c *Column, it *Item, end *scope) {
	isRow := false
	if it != nil {
		column, ok := it.Expr.(*Column)
		isRow = ok && r.fold(column.Table, c.Name)
	}
	for inner := r.scope; inner != end; inner = inner.outer {
		if i := r.byAlias(inner, "", c.Name); i >= 0 && !(isRow && inner.tables[i].scalar) {
			r.fail(AmbiguousName, c.Pos, c.Name, "'%s' is also the name of a table, whose row it may mean here: qualify it, "+
				"or rename the alias", c.Name)
		}
	}
}

// copyItem replaces an alias by the expression of item i.
func (r *resolver) copyItem(slot *Expr, c *Column, s *scope, i int) {
	e := s.items[i].Expr
	if i >= s.done {
		r.fail(Misplaced, c.Pos, c.Name, "select alias '%s' is used before it is defined: move its item to the left", c.Name)
		return
	}
	aggregate, collated := r.weighCopy(e)
	_, isColumn := e.(*Column)
	switch {
	case r.spent(c.Pos):
	case s != r.scope:
		r.fail(Misplaced, c.Pos, c.Name,
			"select alias '%s' cannot be used in a subquery: repeat its expression, or put the block into a WITH", c.Name)
	case collated:
		r.fail(Unsupported, c.Pos, c.Name,
			"select alias '%s' has an expression with COLLATE: repeat the expression, or use the alias alone", c.Name)
	case aggregate && s.clause == inWhere && s.outer == nil:
		r.fail(Misplaced, c.Pos, c.Name,
			"'%s' is an aggregate and is not allowed in WHERE: filter groups in HAVING", c.Name)
	case aggregate && s.aggregate != nil:
		r.fail(Misplaced, c.Pos, c.Name, "'%s' is an aggregate and is not allowed inside another one", c.Name)
	case s.distinct && s.clause == inOrderBy && !isColumn && r.flavor.ServersVary:
		r.fail(Unsupported, c.Pos, c.Name, "select alias '%s' in an expression of ORDER BY is not supported next to DISTINCT: "+
			"order by '%s' alone, or put the block into a WITH", c.Name, c.Name)
	case s.clause == inOrderBy && s.aggregate == nil && r.flavor.ServersVary && r.isGroup(i, s):
		// A term of ORDER BY may be, but not contain, the expression of a group.
		*slot = &Call{Pos: c.Pos, Name: "max", Args: []Expr{e}} // of equal values
	default:
		*slot = e
	}
}

// weighCopy adds the size of a copy of e. It reports whether e has an aggregate and
// whether it has a COLLATE.
func (r *resolver) weighCopy(e Expr) (aggregate, collated bool) {
	Walk(e, func(n Node) bool {
		r.weight++
		switch n := n.(type) {
		case *Call:
			aggregate = aggregate || IsAggregate(n)
		case *Collate:
			collated = true
		case *Column:
			r.weigh(len(n.Table) + len(n.Name))
		case *String:
			r.weigh(len(n.Value))
		case *Bytes:
			r.weigh(2 * len(n.Value))
		case *Number:
			r.weigh(len(n.Text))
		}
		return true
	})
	return aggregate, collated
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
