package sqlast

import (
	"slices"

	"github.com/qedkit/qed/internal/ascii"
)

func (r *resolver) exprs(list []Expr) { listSlots(list, r.visit) }

func (r *resolver) optional(e *Expr) { optionalSlot(e, r.visit) }

// expr resolves the expression at slot, and may replace it by another one.
func (r *resolver) expr(slot *Expr) {
	e := *slot
	defer func() { r.depth-- }()
	if !r.enter(e) {
		return
	}
	r.nodes++
	r.complex = r.complex || !isSimple(e)
	r.sums = r.sums || isSum(e)
	r.queries = r.queries || isSubquery(e)
	if c, ok := e.(*Column); ok {
		r.columnRef(slot, c)
		return
	}
	switch e := e.(type) {
	case *Star:
		r.wholeRow(e)
		return
	case *Like:
		if e.Op == OpMatch {
			r.match(e)
			return
		}
	case *Call:
		if e.Name == CompositeField {
			r.compositeField(e)
		} else {
			r.call(e)
		}
		return
	case *Lambda:
		r.lambda(e)
		return
	}
	slots(e, r.visit)
	if q := QueryOf(e); q != nil {
		unordered := r.flavor.ServersVary && isUnordered(e, q)
		if r.query(q, nil); unordered {
			q.OrderBy = nil
		}
		r.inWidth(e)
	}
}

// isUnordered reports whether the ORDER BY of a SELECT DISTINCT has no effect, because IN
// or another comparison takes all its rows. An aggregate in the ORDER BY, also in a
// subquery, has an effect: it may make one row of them.
func isUnordered(e Expr, q *Query) bool {
	switch e.(type) {
	case *In, *Quantified:
		sel, ok := q.Body.(*Select)
		return ok && sel.Distinct && q.Limit == nil && q.Offset == nil &&
			!slices.ContainsFunc(q.OrderBy, func(o Order) bool { return MayAggregate(o.Expr) })
	}
	return false
}

// MayAggregate reports whether an expression or a subquery in it calls an aggregate function.
func MayAggregate(e Expr) bool { return Any(e, IsAggregate) }

// inWidth checks that both sides of x IN (query) have the same number of columns.
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
	if r.flavor.SearchTables && searchCalls[c.Name] {
		r.searchCall(c)
	} else {
		r.resolution.Calls = append(r.resolution.Calls, c)
	}
	aggregate := IsAggregate(c)
	if (aggregate || c.Over != nil) && r.scope != nil {
		r.checkPlacement(c)
	}
	around := r.args
	r.args = c.Args
	if s := r.scope; aggregate && s != nil {
		outer := s.aggregate
		s.aggregate = c
		slots(c, r.visit)
		s.aggregate = outer
	} else {
		slots(c, r.visit)
	}
	r.args = around
	if c.Over != nil {
		r.window(c.Over)
	}
}

// compositeField records the field of a column of a table. Any other value is refused,
// because its type is not known.
func (r *resolver) compositeField(c *Call) {
	column, field := c.Args[0].(*Column), c.Args[1].(*String).Value
	if column.Table == "" && !r.hasColumn(column.Name) && r.named("", column.Name) {
		r.fail(Unsupported, c.Pos, "a field of a composite value", "'%s' is a table: write %s.%s for its column",
			column.Name, column.Name, field)
	}
	if r.expr(&c.Args[0]); r.err != nil {
		return
	}
	if column, ok := c.Args[0].(*Column); ok {
		if t, ok := column.Of.(*Table); ok && t.Object != nil {
			read := ReadColumn{Object: t.Object, Column: column.Name}
			r.resolution.Fields = append(r.resolution.Fields, ReadField{read, field})
			return
		}
	}
	r.fail(Unsupported, c.Pos, "a field of a composite value", "the field of a value is only read of a column of a table: "+
		"read it where the column is, as in FROM (SELECT (x).field FROM t) AS t, or write to_jsonb(x) ->> 'field'")
}

// checkPlacement refuses an aggregate or window function where no engine allows
// it. In a subquery an aggregate may belong to the outer block, which only the
// engine can decide.
func (r *resolver) checkPlacement(c *Call) {
	s := r.scope
	switch {
	case s.clause != inWhere && s.clause != inOn && s.clause != inGroupBy:
	case c.Over != nil:
		r.fail(Misplaced, c.Pos, c.Name,
			"window function %s() is not allowed in %s: compute it in a subquery and filter outside",
			c.Name, clauseNames[s.clause])
	case s.outer != nil:
	case s.clause == inWhere:
		r.fail(Misplaced, c.Pos, c.Name,
			"aggregate %s() is not allowed in WHERE: filter groups in HAVING", c.Name)
	default:
		r.fail(Misplaced, c.Pos, c.Name, "aggregate %s() is not allowed in %s", c.Name, clauseNames[s.clause])
	}
}

// IsAggregate reports whether a call computes one value from many rows.
func IsAggregate(c *Call) bool {
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
		"array_agg", "bool_and", "bool_or", "every", "any_value", "json_agg", "jsonb_agg",
		"json_object_agg", "jsonb_object_agg", "jsonb_group_array", "jsonb_group_object",
		"range_agg", "range_intersect_agg",
		"percentile_cont", "percentile_disc", "mode", "corr", "covar_pop", "covar_samp",
		"count_star", "count_if", "countif", "median", "quantile", "quantile_cont", "quantile_disc",
		"approx_quantile", "approx_count_distinct", "approx_top_k", "reservoir_quantile", "first", "last",
		"arbitrary", "list", "listagg", "histogram", "histogram_exact", "arg_max", "arg_min", "argmax", "argmin",
		"arg_max_null", "arg_min_null", "max_by", "min_by", "mad", "entropy", "skewness", "kurtosis", "kurtosis_pop",
		"product", "fsum", "favg", "sumkahan", "kahan_sum", "sem", "bitstring_agg", "geomean", "geometric_mean",
		"weighted_avg", "wavg", "regr_avgx", "regr_avgy", "regr_count", "regr_intercept", "regr_r2", "regr_slope",
		"regr_sxx", "regr_sxy", "regr_syy":
		return true
	}
	return false
}

// HasAggregate reports whether an expression calls an aggregate function outside of its
// subqueries.
func HasAggregate(e Expr) bool { return HasCall(e, IsAggregate) }

// HasWindow reports whether an expression calls a window function of its own block.
func HasWindow(e Expr) bool { return HasCall(e, func(c *Call) bool { return c.Over != nil }) }

// ReturnsRows reports whether an expression calls a function of its own block that can return
// several rows, of which each is a row of the block.
func ReturnsRows(e Expr) bool {
	return HasCall(e, func(c *Call) bool {
		switch c.Name {
		case "unnest", "generate_series", "generate_subscripts", "regexp_matches", "regexp_split_to_table", "string_to_table",
			"json_array_elements", "json_array_elements_text", "json_each", "json_each_text", "json_object_keys", "json_to_recordset",
			"jsonb_array_elements", "jsonb_array_elements_text", "jsonb_each", "jsonb_each_text", "jsonb_object_keys", "jsonb_to_recordset",
			"jsonb_path_query", "jsonb_path_query_tz":
			return true
		}
		return false
	})
}

// HasCall reports whether an expression has a call in its own block, not in a subquery,
// for which the function returns true.
func HasCall(e Expr, is func(*Call) bool) bool {
	found := false
	Walk(e, func(n Node) bool {
		if c, ok := n.(*Call); ok {
			found = found || is(c)
		}
		_, isQuery := n.(*Query)
		return !isQuery && !found
	})
	return found
}

// columnRef resolves a column, qualified or not.
func (r *resolver) columnRef(slot *Expr, c *Column) {
	switch {
	case c.Path != nil:
		r.path(slot, c)
		return
	case c.Of != nil && c.Name == c.searched():
		return // bound by searchTable
	}
	if c.Table == "" && r.isParam(c.Name) {
		*slot = &Param{Pos: c.Pos, Name: c.Name}
		return
	}
	if c.Table != "" {
		if s := r.qualified(c); s != nil {
			r.outerInHaving(slot, s)
		}
	} else if !r.lookUp(slot, c) {
		r.noColumn(slot, c)
	}
}

// lookUp resolves an unqualified name in the current scope and those around it. It reports
// whether one of them has the name, or the name is refused.
func (r *resolver) lookUp(slot *Expr, c *Column) bool {
	at, name := c.Pos, c.Name
	for s := r.scope; s != nil; s = s.outer {
		if r.fromTables(slot, c, s) {
			r.checkItem(slot, at, name, s)
			r.checkHaving(slot, at, name, s)
			return true
		}
		if r.alias(slot, c, s) || r.err != nil {
			return true
		}
		if s.names != nil && slices.ContainsFunc(s.names, func(n string) bool { return r.fold(n, c.Name) }) {
			if s != r.scope {
				r.fail(Misplaced, c.Pos, c.Name,
					"a subquery cannot use column '%s' of the set operation that it orders", c.Name)
			}
			c.DoubleQuoted = false
			return true
		}
	}
	return false
}

// checkCase refuses a name that differs in case from the column of s that it means, but not
// from a column further out or from a derived table, whose row it may mean. Engines that
// know the case take these.
func (r *resolver) checkCase(c *Column, declared string, s *scope) {
	if declared == c.Name {
		return
	}
	for o := r.scope; o != nil && r.flavor.RowByAlias; o = o.outer {
		if i := r.byAlias(o, "", c.Name); i >= 0 && o.tables[i].alias == c.Name && o.tables[i].object == nil {
			r.sameInCase(c.Pos, c.Name)
		}
	}
	for o := s.outer; o != nil; o = o.outer {
		for i := range o.tables {
			names := o.tables[i].names()
			if r.work += len(names); slices.Contains(names, c.Name) {
				r.sameInCase(c.Pos, c.Name)
			}
		}
	}
}

// qualified resolves a column with a qualifier. It means the nearest table with
// that name, even one that the clause cannot see: it hides those further out. It
// returns the scope of the table, or nil after an error.
func (r *resolver) qualified(c *Column) *scope {
	s, i := r.tableOf(r.scope, c.Schema, c.Table)
	if s == nil {
		r.unknownQualifier(c.Pos, c.Table, r.scope)
		return nil
	}
	b := &s.tables[i]
	if i < s.lo || i >= s.hi {
		r.fail(Misplaced, c.Pos, c.Table,
			"'%s' cannot be used in this %s: it is joined later, or in other parentheses",
			c.Table, clauseNames[s.clause])
		return nil
	}
	if c.Schema != "" && r.hidden(b.alias, s) {
		r.fail(AmbiguousName, c.Pos, c.Table,
			"'%s' and another table's alias cannot be told apart: rename one", c.Table)
		return nil
	}
	column := r.uniqueColumn(c.Pos, b, c.Name)
	if column < 0 {
		r.unknownColumn(c, s, b)
		return nil
	}
	r.point(c, b, column)
	return s
}

// tableOf returns the nearest scope, from s outwards, that has a table which the qualifier
// means, and the index of the table. The scope is nil if there is none. It refuses a
// qualifier that differs in case from the nearest table, but not from one further out,
// which engines that know the case take.
func (r *resolver) tableOf(s *scope, schema, alias string) (o *scope, i int) {
	for o = s; o != nil; o = o.outer {
		if i = r.byAlias(o, schema, alias); i >= 0 {
			break
		}
	}
	if o == nil || o.tables[i].alias == alias {
		return o, i
	}
	for further := o.outer; further != nil; further = further.outer {
		if k := r.byAlias(further, schema, alias); k >= 0 && further.tables[k].alias == alias {
			r.sameInCase(-1, alias)
		}
	}
	return o, i
}

// fromTables looks up an unqualified name in the tables of a scope.
func (r *resolver) fromTables(slot *Expr, c *Column, s *scope) bool {
	found := r.tablesWith(s, s.lo, s.hi, c.Name)
	if len(found) == 0 {
		return false
	}
	if r.checkRow(c, nil, s); r.err != nil {
		return true
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
			r.fail(AmbiguousName, c.Pos, c.Name,
				"column '%s' belongs to table '%s' of an outer query, which another table hides: rename one",
				c.Name, alias)
			return true
		}
	}
	b := &s.tables[value.value[0]]
	i := r.uniqueColumn(c.Pos, b, c.Name)
	r.checkCase(c, b.names()[i], s)
	if len(value.value) == 1 {
		r.noteMerged(s, &value)
		r.point(c, b, i)
		return true
	}
	*slot = r.mergedValue(c.Pos, s, &value)
	return true
}

// noColumn resolves an unqualified name that no visible table has.
func (r *resolver) noColumn(slot *Expr, c *Column) {
	if name := r.flavor.NamedCalls[ascii.Lower(c.Name)]; name != "" && r.err == nil {
		call := &Call{Pos: c.Pos, Name: name}
		r.call(call)
		*slot = call
		return
	}
	switch {
	case r.rank(c):
		return
	case c.DoubleQuoted && r.flavor.DoubleQuotedStrings:
		if r.catalog.MeansString(c.Name) && !(r.flavor.RowID && r.isRowID(c.Name)) {
			*slot = &String{Pos: c.Pos, Value: c.Name}
			return
		}
	case r.flavor.RowByAlias && r.row(slot, c):
		return
	case r.flavor.RowByAlias && r.isArgument(slot) && r.named("", c.Name):
		r.noRow(c.Pos, c.Name)
		return
	case r.fold(c.Name, "true"):
		*slot = &Bool{Pos: c.Pos, Value: true}
		return
	case r.fold(c.Name, "false"):
		*slot = &Bool{Pos: c.Pos}
		return
	}
	r.unknownColumn(c, r.scope, nil)
}

func (r *resolver) isRowID(name string) bool {
	return r.fold(name, "rowid") || r.fold(name, "oid") || r.fold(name, "_rowid_")
}
