package sqlast

import "slices"

// alias binds an unqualified name to an item of the select list that has it as its
// alias. The expression of the item replaces the name: an engine looks for a column
// first and could find a hidden one.
func (r *resolver) alias(slot *Expr, c *Column, s *scope) bool {
	switch s.clause {
	case inWhere:
		if !r.flavor.AliasInWhere {
			return false
		}
	case inItems:
		if !r.flavor.AliasInItems {
			return false
		}
	case inQualify:
	case inGroupBy, inHaving, inOrderBy, inDistinctOn:
		if r.flavor.AliasAlone {
			return false
		}
	default:
		return false
	}
	i := r.item(c, s)
	if i < 0 || r.err != nil {
		return r.err != nil
	}
	rows := s.outer
	if r.enclosingFirst(i, s) {
		if r.lookUp(slot, c, s.outer) {
			return true
		}
		rows = nil
	}
	if r.checkRow(c, rows); r.err == nil {
		r.copyItem(slot, c, s, i)
	}
	return true
}

// enclosingFirst reports whether DuckDB looks up the alias of item i of s in the
// enclosing queries first:
//
//   - in the arguments of an aggregate function
//   - in an expression of GROUP BY, and in an item that is a term of GROUP BY
//   - in another item and in an expression of ORDER BY or DISTINCT ON, if item i itself
//     names a column of an enclosing query
//
// There DuckDB does not look for the name in the select list of s at all. If no enclosing
// query has the name, DuckDB refuses the statement, and the resolver takes the item.
// Elsewhere, as in WHERE, HAVING and QUALIFY and as a whole term of a clause, the alias
// is the item.
func (r *resolver) enclosingFirst(i int, s *scope) bool {
	if !r.flavor.AliasInItems {
		return false
	}
	switch s.clause {
	case inGroupBy:
		return true
	case inItems, inOrderBy, inDistinctOn:
		if slices.Contains(s.outward, i) {
			return true
		}
	}
	return r.isAggregated(s)
}

// checkRow refuses a name that is also the name of a table in the current scope or one
// around it, up to but without end, where it means the row of the table.
func (r *resolver) checkRow(c *Column, end *scope) {
	if !r.flavor.RowBeforeAlias {
		return
	}
	for inner := r.scope; inner != end; inner = inner.outer {
		if r.byQualifier(inner, "", c.Name) >= 0 {
			r.fail(AmbiguousName, c.Pos, c.Name, "'%s' is also the name of a table, whose row it means here: rename the alias, "+
				"or qualify the column", c.Name)
		}
	}
}

// isEither reports whether a name is a column of s and the alias of an item that is not a
// column with this name.
func (r *resolver) isEither(c *Column, s *scope) bool {
	r.work += 4 * len(s.items)
	isOther := func(it Item) bool {
		column, isColumn := it.Expr.(*Column)
		return it.Alias != "" && r.fold(it.Alias, c.Name) && !(isColumn && r.fold(column.Name, c.Name))
	}
	return slices.ContainsFunc(s.items, isOther) && len(r.tablesWith(s, s.lo, s.hi, c.Name)) > 0
}

// copyItem replaces an alias by the expression of item i.
func (r *resolver) copyItem(slot *Expr, c *Column, s *scope, i int) {
	e := s.items[i].Expr
	if i >= s.done {
		r.fail(Misplaced, c.Pos, c.Name, "select alias '%s' is used before it is defined: move its item to the left", c.Name)
		return
	}
	if s != r.scope && !r.portable(e, s) {
		r.fail(Misplaced, c.Pos, c.Name,
			"select alias '%s' cannot be used in a subquery: repeat its expression, or put the block into a WITH",
			c.Name)
		return
	}
	if _, isColumn := e.(*Column); isColumn && s != r.scope && r.scope.aggregate != nil && r.flavor.ServersVary {
		r.fail(Misplaced, c.Pos, c.Name, "select alias '%s' cannot be used in an aggregate of a subquery, which would "+
			"aggregate the rows of the outer query: use the alias without the aggregate, or put the block into a WITH", c.Name)
		return
	}
	aggregate, collated := r.weighCopy(e)
	if r.spent(c.Pos) {
		return
	}
	if collated && r.inText {
		r.fail(Unsupported, c.Pos, c.Name, "select alias '%s' has an expression with COLLATE, which SQLite ignores where a text "+
			"is computed from the alias: repeat the expression, or use the alias alone", c.Name)
		return
	}
	if aggregate && s.clause == inWhere && s.outer == nil {
		r.fail(Misplaced, c.Pos, c.Name,
			"'%s' is an aggregate and is not allowed in WHERE: filter groups in HAVING", c.Name)
		return
	}
	if aggregate && r.scope.aggregate != nil {
		r.fail(Misplaced, c.Pos, c.Name, "'%s' is an aggregate and is not allowed inside another one", c.Name)
		return
	}
	if s.clause == inOrderBy && s == r.scope && r.scope.aggregate == nil && r.flavor.GroupsByPosition {
		switch {
		case r.isGroup(i, s):
			e = &Call{Pos: c.Pos, Name: "max", Args: []Expr{e}} // of equal values
		case s.distinct && (aggregate || !hasWindow(e) && !r.hasOnlyItems(e, s)):
			r.fail(Unsupported, c.Pos, c.Name,
				"select alias '%s' in an expression of ORDER BY is not supported next to DISTINCT "+
					"and GROUP BY or a window: order by '%s' alone, or put the block into a WITH", c.Name, c.Name)
			return
		}
	}
	if s.aliased = append(s.aliased, i); slices.Contains(s.twice, i) {
		r.fail(Unsupported, c.Pos, c.Name,
			"ROLLUP, CUBE or GROUPING SETS has '%s' and its expression: write it the same way "+
				"each time", c.Name)
		return
	}
	*slot = e
}

// isNumber reports whether an expression of SQLite is a number or NULL whatever its
// operands are. SQLite compares the operands by their own collations, and numbers by none.
func isNumber(e Expr) bool {
	switch e := e.(type) {
	case *Unary:
		return e.Op != Plus
	case *Binary:
		return e.Op < Concat
	case *Is, *Between, *Like:
		return true
	case *Call:
		switch e.Name {
		case "abs", "avg", "count", "instr", "length", "round", "sum", "total":
			return true
		}
	}
	return false
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

// portable reports whether an expression of s means the same in the current scope, which
// is further in. In HAVING, MySQL would not find the columns of a computed expression, and
// DuckDB would not find them in a block with GROUP BY, except before its rows are grouped.
func (r *resolver) portable(e Expr, s *scope) bool {
	_, isColumn := e.(*Column)
	ungrouped := !s.grouped || s.clause == inFrom || s.clause == inOn || s.clause == inWhere || s.clause == inGroupBy
	is := isColumn || isConstant(e) || r.flavor.AliasInItems && ungrouped
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Column:
			is = is && !r.hidden(n.Table, s)
		case *Call:
			is = is && n.Over == nil && !IsAggregate(n)
		case *Query:
			is = false
		}
		return is
	})
	return is
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
		_, isColumn := s.items[i].Expr.(*Column)
		if !isColumn && r.flavor.ExpressionFirst && (found < 0 || s.clause != inHaving) {
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
