package sqlast

// having resolves a bare name in HAVING as engines do that look there into
// GROUP BY and the select list before the tables. Inside of an aggregate, or of
// a subquery, they do not.
func (r *resolver) having(place *Expr, c *Column, s *scope) bool {
	if s.clause != inHaving || r.flavor.HavingTakesColumn || s != r.scope || r.aggregate > 0 {
		return false
	}
	if g := r.grouped(c, s); g != nil {
		*place = g
		return true
	}
	i := r.item(c, s)
	if i < 0 || r.err != nil {
		return r.err != nil
	}
	if column, ok := s.items[i].Expr.(*Column); ok {
		*place = column
		return true
	}
	// The expression itself may name what is not grouped by, which such engines
	// refuse; the alias they look for first, as we do.
	c.Schema, c.Name, c.DoubleQuoted = "", s.items[i].Alias, false
	return true
}

// grouped returns the column of this name that the block groups by. Nil: none,
// or more than one.
func (r *resolver) grouped(c *Column, s *scope) *Column {
	var found *Column
	for _, e := range s.groupBy {
		if g, ok := e.(*Column); ok && r.fold(g.Name, c.Name) {
			if found != nil && !equalExpr(found, g) {
				return nil
			}
			found = g
		}
	}
	return found
}

// alias takes a bare name for the alias of an item of a scope's select list.
// Engines look for columns first there, and would find hidden ones, so the name
// does not stay.
func (r *resolver) alias(place *Expr, c *Column, s *scope) bool {
	switch s.clause {
	case inWhere:
		if !r.flavor.AliasInWhere {
			return false
		}
	case inGroupBy, inHaving, inOrderBy:
		if r.flavor.AliasAlone {
			return false
		}
	default:
		return false
	}
	i := r.item(c, s)
	if i >= 0 && r.err == nil {
		r.copyItem(place, c, s, i)
	}
	return i >= 0 || r.err != nil
}

// copyItem puts the expression of item i in the place of its alias.
func (r *resolver) copyItem(place *Expr, c *Column, s *scope, i int) {
	e := s.items[i].Expr
	if s != r.scope && !r.portable(e, s) {
		r.fail(Misplaced, c.Pos, c.Name, "select alias '%s' cannot be used in a subquery: repeat its expression, or put the block into a WITH", c.Name)
		return
	}
	aggregate := false
	Walk(e, func(n Node) bool {
		r.weight++
		switch n := n.(type) {
		case *Call:
			aggregate = aggregate || isAggregate(n)
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
	if r.spent(c.Pos) {
		return
	}
	if aggregate && s.clause == inWhere && s.outer == nil {
		r.fail(Misplaced, c.Pos, c.Name, "'%s' is an aggregate and cannot stand in WHERE: filter groups in HAVING", c.Name)
		return
	}
	if aggregate && r.aggregate > 0 {
		r.fail(Misplaced, c.Pos, c.Name, "'%s' is an aggregate and cannot stand inside another one", c.Name)
		return
	}
	*place = e
}

// portable reports whether an expression means the same in a nearer scope.
func (r *resolver) portable(e Expr, s *scope) bool {
	switch e := e.(type) {
	case *Column:
		return !r.hidden(e.Table, s)
	case *String, *Number, *Null, *Bool, *Bytes:
		return true
	}
	return false
}
