package sqlast

import "slices"

func (r *resolver) exprs(list []Expr) { listSlots(list, r.visit) }

func (r *resolver) optional(e *Expr) { optionalSlot(e, r.visit) }

// expr resolves the expression in a place, which it may fill with another one.
func (r *resolver) expr(place *Expr) {
	e := *place
	defer func() { r.depth-- }()
	if !r.enter(e) {
		return
	}
	switch e := e.(type) {
	case *Column:
		r.bare(place, e)
		return
	case *Star:
		r.wholeRow(e)
		return
	case *Call:
		r.call(e)
		return
	}
	slots(e, r.visit)
	if q := queryOf(e); q != nil {
		aggregate := r.aggregate
		r.aggregate = 0
		r.query(q, nil)
		r.aggregate = aggregate
		r.inWidth(e)
	}
}

// inWidth checks that x IN (query) compares like with like.
func (r *resolver) inWidth(e Expr) {
	in, ok := e.(*In)
	if !ok || r.err != nil {
		return
	}
	want := 1
	switch x := in.X.(type) {
	case *Row:
		want = len(x.Items)
	case *Subquery:
		want = width(x.Query)
	}
	if n := width(in.Query); n != want {
		r.fail(ColumnCount, in.Query.Pos, "IN", "IN compares %d columns with the %d of its query", want, n)
	}
}

func (r *resolver) call(c *Call) {
	r.resolution.Calls = append(r.resolution.Calls, c)
	aggregate := isAggregate(c)
	if (aggregate || c.Over != nil) && r.scope != nil {
		r.placed(c)
	}
	if aggregate {
		r.aggregate++
	}
	around := r.args
	r.args = c.Args
	slots(c, r.visit)
	r.args = around
	if aggregate {
		r.aggregate--
	}
	if c.Over != nil {
		r.window(c.Over)
	}
}

// placed refuses an aggregate function or window function where no engine takes
// it. Below another block an aggregate may belong to that one: the engine knows.
func (r *resolver) placed(c *Call) {
	s := r.scope
	switch {
	case s.clause != inWhere && s.clause != inOn && s.clause != inGroupBy:
	case c.Over != nil:
		r.fail(Misplaced, c.Pos, c.Name, "window function %s() cannot stand in %s: compute it in a subquery and filter around it", c.Name, clauseNames[s.clause])
	case s.outer != nil:
	case s.clause == inWhere:
		r.fail(Misplaced, c.Pos, c.Name, "aggregate %s() cannot stand in WHERE: filter groups in HAVING", c.Name)
	default:
		r.fail(Misplaced, c.Pos, c.Name, "aggregate %s() cannot stand in %s", c.Name, clauseNames[s.clause])
	}
}

// isAggregate reports whether a call computes one value of many rows.
func isAggregate(c *Call) bool {
	if c.Over != nil {
		return false
	}
	switch c.Name {
	case "min", "max":
		return len(c.Args) == 1
	case "count", "sum", "avg", "total", "group_concat", "string_agg",
		"std", "stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp",
		"bit_and", "bit_or", "bit_xor",
		"json_arrayagg", "json_objectagg", "json_group_array", "json_group_object",
		"array_agg", "bool_and", "bool_or", "every", "any_value", "json_agg", "jsonb_agg", "json_object_agg", "jsonb_object_agg",
		"percentile_cont", "percentile_disc", "mode", "corr", "covar_pop", "covar_samp":
		return true
	}
	return false
}

// window resolves a window. Its names are looked up by the engine: they can
// stand for nothing else.
func (r *resolver) window(w *Window) { windowSlots(w, r.visit) }

// bare resolves a column, qualified or not.
func (r *resolver) bare(place *Expr, c *Column) {
	if c.Table != "" {
		r.qualified(c)
		return
	}
	for s := r.scope; s != nil; s = s.outer {
		if r.having(place, c, s) || r.fromTables(place, c, s) || r.alias(place, c, s) || r.err != nil {
			return
		}
		if s.names != nil && slices.ContainsFunc(s.names, func(n string) bool { return r.fold(n, c.Name) }) {
			if s != r.scope {
				r.fail(Misplaced, c.Pos, c.Name, "a subquery cannot use column '%s' of the set operation that it orders", c.Name)
			}
			c.DoubleQuoted = false
			return
		}
	}
	r.nowhere(place, c)
}

// qualified resolves a column with a qualifier. The nearest table of that name
// is meant, seen or not: one further out would be hidden by it.
func (r *resolver) qualified(c *Column) {
	for s := r.scope; s != nil; s = s.outer {
		i := r.byAlias(s, c.Schema, c.Table)
		if i < 0 {
			continue
		}
		b := &s.tables[i]
		if i < s.lo || i >= s.hi {
			r.fail(Misplaced, c.Pos, c.Table, "'%s' cannot be used in this %s: it is joined later, or beside", c.Table, clauseNames[s.clause])
			return
		}
		if r.confusable(b.alias, s) || c.Schema != "" && r.hidden(b.alias, s) {
			r.fail(AmbiguousName, c.Pos, c.Table, "'%s' and another table's alias cannot be told apart: rename one", c.Table)
			return
		}
		column := r.only(c.Pos, b, c.Name)
		if column < 0 {
			r.unknownColumn(c, s, b)
			return
		}
		r.point(c, b, column)
		return
	}
	r.unknownQualifier(c.Pos, c.Table, r.scope)
}

// fromTables looks a bare name up among the columns of the tables of a scope.
func (r *resolver) fromTables(place *Expr, c *Column, s *scope) bool {
	found := r.tablesWith(s, s.lo, s.hi, c.Name)
	if len(found) == 0 {
		return false
	}
	value := merged{name: c.Name, value: found}
	if len(found) > 1 {
		g := r.group(s, c.Name, found)
		if g == nil {
			r.ambiguous(c, s, found)
			return true
		}
		value = *g
	}
	for _, t := range value.value {
		if alias := s.tables[t].alias; r.hidden(alias, s) {
			r.fail(AmbiguousName, c.Pos, c.Name, "column '%s' belongs to table '%s' of an outer query, which another table of that name hides: rename one", c.Name, alias)
			return true
		}
	}
	if len(value.value) == 1 {
		b := &s.tables[value.value[0]]
		r.point(c, b, r.only(c.Pos, b, c.Name))
		return true
	}
	*place = r.mergedValue(c.Pos, s, &value)
	return true
}

// nowhere decides about a bare name that no table in sight has.
func (r *resolver) nowhere(place *Expr, c *Column) {
	switch {
	case c.DoubleQuoted && r.flavor.DoubleQuotedStrings:
		if !r.catalog.Knows(c.Name) && !(r.flavor.RowID && r.isRowID(c.Name)) {
			*place = &String{Pos: c.Pos, Value: c.Name}
			return
		}
	case r.flavor.RowByAlias && r.row(place, c):
		return
	case r.fold(c.Name, "true"):
		*place = &Bool{Pos: c.Pos, Value: true}
		return
	case r.fold(c.Name, "false"):
		*place = &Bool{Pos: c.Pos}
		return
	}
	r.unknownColumn(c, r.scope, nil)
}

func (r *resolver) isRowID(name string) bool {
	return r.fold(name, "rowid") || r.fold(name, "oid") || r.fold(name, "_rowid_")
}
