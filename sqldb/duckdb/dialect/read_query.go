package dialect

import (
	"slices"
	"strconv"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

func (r *reader) query(o object) *sqlast.Query {
	defer func() { r.depth-- }()
	q := &sqlast.Query{Pos: r.at}
	if !r.enter() {
		return q
	}
	kind := r.text(o, "type")
	modifiers := r.list(o, "modifiers")
	if m := r.object(o, "cte_map"); !m.isNone() {
		q.With = r.with(m)
	}
	var block *sqlast.Select
	switch kind {
	case "SELECT_NODE":
		block = r.selectBlock(o)
		q.Body = block
	case "SET_OPERATION_NODE":
		q.Body = r.setOp(o)
	default:
		r.unsupported("this kind of query ("+kind+")", "")
	}
	r.done(o)
	r.modifiers(q, block, modifiers)
	return q
}

func (r *reader) subquery(o object) *sqlast.Query {
	q := r.query(r.object(o, "node"))
	r.done(o)
	return q
}

func (r *reader) with(m object) *sqlast.With {
	w := &sqlast.With{Pos: r.at}
	for _, entry := range r.list(m, "map") {
		c := &sqlast.CTE{Pos: r.at, Name: r.text(entry, "key")}
		value := r.object(entry, "value")
		r.done(entry)
		c.Columns = r.strings(value, "aliases")
		r.text(value, "materialized") // a hint: the rows are the same
		r.withoutKey(value)
		body := r.object(value, "query")
		r.done(value)
		node := r.object(body, "node")
		r.done(body)
		level, deepest := r.level, r.deepest
		r.level, r.deepest = 0, 0
		if node.field("type").string() == "RECURSIVE_CTE_NODE" {
			w.Recursive = true
			c.Query = r.recursive(node)
		} else {
			c.Query = r.query(node)
		}
		if r.heights == nil {
			r.heights = map[string]int{}
		}
		name := ascii.Lower(c.Name)
		r.heights[name] = max(r.heights[name], r.deepest)
		r.level, r.deepest = level, deepest
		if c.Name == "" {
			r.unsupported("a common table expression without a name", "")
		}
		w.CTEs = append(w.CTEs, c)
		if r.err != nil {
			break
		}
	}
	r.done(m)
	if w.CTEs == nil {
		return nil
	}
	return w
}

func (r *reader) withoutKey(o object) {
	if len(r.list(o, "key_targets")) > 0 {
		r.unsupported("USING KEY", "use UNION")
	}
}

// recursive reads the query of a recursive common table expression.
func (r *reader) recursive(o object) *sqlast.Query {
	r.text(o, "type")
	r.text(o, "cte_name")
	r.strings(o, "aliases") // those of the common table expression
	q := &sqlast.Query{Pos: r.at}
	r.withoutKey(o)
	modifiers := r.list(o, "modifiers")
	if m := r.object(o, "cte_map"); !m.isNone() {
		q.With = r.with(m)
	}
	q.Body = &sqlast.SetOp{
		Pos: r.at, Kind: sqlast.Union, All: r.flag(o, "union_all", false),
		Left: r.arm(o, "left"), Right: r.arm(o, "right"),
	}
	r.done(o)
	r.modifiers(q, nil, modifiers)
	return q
}

var setKinds = map[string]sqlast.SetKind{
	"UNION": sqlast.Union, "INTERSECT": sqlast.Intersect, "EXCEPT": sqlast.Except,
}

func (r *reader) setOp(o object) *sqlast.SetOp {
	name := r.text(o, "setop_type")
	kind, ok := setKinds[name]
	if !ok {
		r.unsupported("UNION BY NAME", "name the columns of both queries in the same order")
	}
	all := r.flag(o, "setop_all", true)
	if all && kind != sqlast.Union {
		// Next to an ASOF LEFT JOIN, DuckDB 1.5 fails so that the database has to be opened again.
		r.unsupported(name+" ALL", "write "+name+", or NOT EXISTS (SELECT ..)")
	}
	return &sqlast.SetOp{
		Pos: r.at, Kind: kind, All: all,
		Left: r.arm(o, "left"), Right: r.arm(o, "right"),
	}
}

func (r *reader) arm(o object, key string) sqlast.Body {
	q := r.query(r.object(o, key))
	if q.With == nil && q.OrderBy == nil && q.Limit == nil && q.Offset == nil {
		return q.Body
	}
	return q
}

// modifiers reads DISTINCT, ORDER BY and LIMIT, which apply in this order.
func (r *reader) modifiers(q *sqlast.Query, block *sqlast.Select, list []object) {
	last := 0
	rank := map[string]int{"DISTINCT_MODIFIER": 1, "ORDER_MODIFIER": 2, "LIMIT_MODIFIER": 3}
	for _, o := range list {
		kind := r.text(o, "type")
		switch {
		case kind == "LIMIT_PERCENT_MODIFIER":
			r.unsupported("LIMIT with a percentage", "write LIMIT with a number")
		case rank[kind] <= last:
			r.unsupported("this order of DISTINCT, ORDER BY and LIMIT", "put the inner query into a WITH")
		}
		last = rank[kind]
		switch kind {
		case "DISTINCT_MODIFIER":
			on := r.exprs(o, "distinct_on_targets")
			switch {
			case block == nil:
				r.unsupported("DISTINCT of a set operation", "use UNION without ALL")
			case on != nil:
				block.DistinctOn = on
			default:
				block.Distinct = true
			}
		case "ORDER_MODIFIER":
			q.OrderBy = r.orders(o, "orders")
		case "LIMIT_MODIFIER":
			q.Limit, q.Offset = r.optional(o, "limit"), r.optional(o, "offset")
		}
		r.done(o)
	}
}

func (r *reader) orders(o object, key string) []sqlast.Order {
	list := r.list(o, key)
	if len(list) == 0 {
		return nil
	}
	out := make([]sqlast.Order, 0, len(list))
	for _, term := range list {
		order := sqlast.Order{}
		switch kind := r.text(term, "type"); kind {
		case "ORDER_DEFAULT", "ASCENDING", "":
		case "DESCENDING":
			order.Desc = true
		default:
			r.unsupported("the order "+kind, "")
		}
		switch kind := r.text(term, "null_order"); kind {
		case "ORDER_DEFAULT", "":
		case "NULLS FIRST", "NULLS_FIRST":
			order.Nulls = sqlast.NullsFirst
		case "NULLS LAST", "NULLS_LAST":
			order.Nulls = sqlast.NullsLast
		default:
			r.unsupported("the order of NULLs "+kind, "")
		}
		e := r.object(term, "expression")
		r.done(term)
		if e.field("class").string() == "STAR" {
			order.Expr = r.all(e)
			if len(list) > 1 {
				r.unsupported("ORDER BY ALL with other terms", "name the columns")
			}
		} else {
			order.Expr = r.expr(e)
		}
		out = append(out, order)
	}
	return out
}

// all reads the ALL of ORDER BY ALL, which is a star of all columns.
func (r *reader) all(o object) *sqlast.Star {
	r.text(o, "class")
	r.text(o, "type")
	s := &sqlast.Star{Pos: r.position(o)}
	r.flag(o, "columns", false)
	rest := r.err
	if r.done(o); r.err != rest {
		r.err = nil
		r.unsupported("COLUMNS(..)", "name the columns")
	}
	return s
}

func (r *reader) selectBlock(o object) *sqlast.Select {
	out := &sqlast.Select{Pos: r.at}
	items := r.list(o, "select_list")
	if from := r.object(o, "from_table"); !from.isNone() {
		out.From = r.relation(from)
	}
	out.Items = lists.Map(items, r.item)
	if len(out.Items) == 0 {
		r.unsupported("a SELECT without columns", "")
	}
	out.Where = r.optional(o, "where_clause")
	r.groupBy(out, o)
	out.Having = r.optional(o, "having")
	out.Qualify = r.optional(o, "qualify")
	r.refuseSample(o)
	return out
}

func (r *reader) groupBy(out *sqlast.Select, o object) {
	terms := r.list(o, "group_expressions")
	grouped := o.has("group_sets")
	sets := r.list(o, "group_sets")
	switch handling := r.text(o, "aggregate_handling"); handling {
	case "STANDARD_HANDLING", "":
	case "FORCE_AGGREGATES":
		if grouped {
			r.unsupported("GROUP BY ALL with other terms", "name the columns")
		}
		out.GroupBy = []sqlast.Expr{&sqlast.Star{Pos: r.at}}
		return
	default:
		r.unsupported("this form of GROUP BY", "")
	}
	if !grouped && len(terms) == 0 {
		return
	}
	// A term has the same position in each set, and positions follow the order of the
	// terms: the resolver tells the terms apart by their positions.
	starts, read := make([]sqlast.Pos, len(terms)), make([]sqlast.Expr, len(terms))
	for i := range terms {
		starts[i] = r.at
		read[i] = r.expr(terms[i])
	}
	var list []sqlast.Expr
	for _, v := range sets {
		var items []sqlast.Expr
		for _, index := range v.items() {
			i, err := strconv.Atoi(index.number())
			if err != nil || i < 0 || i >= len(terms) {
				r.unsupported("this form of GROUP BY", "")
				return
			}
			if read[i] == nil {
				r.at = starts[i]
				read[i] = r.expr(terms[i])
			}
			items = append(items, read[i])
			read[i] = nil
		}
		switch {
		case len(sets) == 1 && len(items) > 0:
			out.GroupBy = items
			return
		case len(items) == 1:
			list = append(list, items[0])
		case len(items) == 0:
			list = append(list, &sqlast.GroupingSet{Pos: r.at, Kind: sqlast.GroupingEmpty})
		default:
			list = append(list, &sqlast.Row{Pos: r.at, Items: items})
		}
	}
	// The set of all terms comes first, so that they are read again in the same order.
	for i, v := range sets {
		if len(v.items()) == len(terms) {
			all := list[i]
			list = slices.Insert(slices.Delete(list, i, i+1), 0, all)
			break
		}
	}
	if len(list) == 0 {
		out.GroupBy = []sqlast.Expr{&sqlast.GroupingSet{Pos: r.at, Kind: sqlast.GroupingEmpty}}
		return
	}
	out.GroupBy = []sqlast.Expr{&sqlast.GroupingSet{Pos: r.at, Kind: sqlast.GroupingSets, Items: list}}
}

func (r *reader) item(o object) sqlast.Item {
	alias := r.text(o, "alias")
	if o.field("class").string() == "STAR" {
		if alias != "" {
			r.unsupported("an alias of *", "leave it out")
		}
		return sqlast.Item{Expr: r.star(o)}
	}
	it := sqlast.Item{Expr: r.named(o), Alias: alias}
	if _, column := it.Expr.(*sqlast.Column); alias == "" && !column {
		it.Alias, it.Unnamed = title(it.Expr), true
	}
	return it
}

func (r *reader) star(o object) *sqlast.Star {
	r.text(o, "class")
	r.text(o, "type")
	s := &sqlast.Star{Pos: r.position(o), Table: r.text(o, "relation_name")}
	if r.flag(o, "columns", false) || o.has("expr") {
		r.unsupported("COLUMNS(..)", "name the columns")
		return s
	}
	for _, v := range r.list(o, "exclude_list") {
		s.Exclude = append(s.Exclude, r.columnName(v))
	}
	for _, v := range r.list(o, "qualified_exclude_list") {
		s.Exclude = append(s.Exclude, r.columnName(v))
	}
	for _, entry := range r.list(o, "replace_list") {
		s.Replace = append(s.Replace, sqlast.Item{Alias: r.columnName(r.take(entry, "key")), Expr: r.expr(r.object(entry, "value"))})
		r.done(entry)
	}
	if o.has("rename_list") {
		r.unsupported("* RENAME", "name the columns, as in SELECT a AS b")
	}
	r.done(o)
	return s
}

// columnName reads the name of a column in EXCLUDE or REPLACE.
func (r *reader) columnName(v object) string {
	if s := v.string(); s != "" {
		return s
	}
	name := r.text(v, "column")
	if r.done(v); name == "" {
		r.unsupported("a qualified column in EXCLUDE or REPLACE", "write t.* EXCLUDE (column)")
	}
	return name
}

func (r *reader) refuseSample(o object) {
	if o.has("sample") {
		r.unsupported("a sample", "write ORDER BY random() LIMIT 100")
	}
}
