package dialect

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/wordset"
)

func (r *reader) relation(o object) sqlast.Relation {
	defer func() { r.depth-- }()
	if !r.enter() {
		return nil
	}
	r.refuseSample(o)
	kind := r.text(o, "type")
	at := r.position(o)
	alias := r.text(o, "alias")
	var out sqlast.Relation
	switch kind {
	case "EMPTY":
	case "BASE_TABLE":
		out = r.table(o, at, alias)
	case "SUBQUERY":
		out = valuesOf(&sqlast.Derived{
			Pos: at, Query: r.subquery(r.object(o, "subquery")), Alias: alias,
			Columns: r.strings(o, "column_name_alias"), Lateral: true,
		})
	case "JOIN":
		out = r.join(o, at)
	case "TABLE_FUNCTION":
		out = r.tableFunction(o, at, alias)
	case "EXPRESSION_LIST":
		out = r.valuesList(o, at, alias)
	case "PIVOT":
		r.fail(sqlast.Unsupported, at, "PIVOT", pivotRemedy+", or UNION ALL for UNPIVOT")
	case "SHOW_REF":
		r.unsupported("SHOW, DESCRIBE or SUMMARIZE", "write a SELECT")
	default:
		r.unsupported("this kind of table ("+kind+")", "")
	}
	if out != nil || kind == "EMPTY" {
		r.done(o)
	}
	return out
}

// valuesOf returns (VALUES ..) for SELECT * FROM (VALUES ..), which DuckDB makes of
// it.
func valuesOf(d *sqlast.Derived) *sqlast.Derived {
	s, ok := d.Query.Body.(*sqlast.Select)
	if !ok || d.Query.With != nil || d.Query.OrderBy != nil || d.Query.Limit != nil || d.Query.Offset != nil {
		return d
	}
	inner, ok := s.From.(*sqlast.Derived)
	if !ok || inner.Alias != "valueslist" || len(s.Items) != 1 || len(d.Columns) > len(inner.Columns) {
		return d
	}
	star, all := s.Items[0].Expr.(*sqlast.Star)
	values, ok := inner.Query.Body.(*sqlast.Values)
	if !ok || !all || !isPlain(s) || star.Exclude != nil || star.Replace != nil {
		return d
	}
	columns := append(slices.Clip(d.Columns), inner.Columns[len(d.Columns):]...)
	return &sqlast.Derived{
		Pos: d.Pos, Query: &sqlast.Query{Pos: d.Pos, Body: values}, Alias: d.Alias, Columns: columns, Lateral: true,
	}
}

// isPlain reports whether a block has only items and a FROM.
func isPlain(s *sqlast.Select) bool {
	return !s.Distinct && s.DistinctOn == nil && s.Where == nil && s.GroupBy == nil && s.Having == nil && s.Qualify == nil
}

func (r *reader) table(o object, at sqlast.Pos, alias string) sqlast.Relation {
	t := &sqlast.Table{Pos: at, Schema: r.text(o, "schema_name"), Name: r.text(o, "table_name"), Alias: alias}
	if catalog := r.text(o, "catalog_name"); catalog != "" {
		r.fail(sqlast.UnknownSchema, at, catalog, "a table is named without its database: leave out "+sqlast.Clip(catalog))
	}
	if o.has("at_clause") {
		r.unsupported("AT (VERSION or TIMESTAMP)", "leave it out")
	}
	if t.Name == "" {
		r.unsupported("a table without a name", "")
	}
	if t.Schema == "" {
		r.reach(r.level+r.heights[ascii.Lower(t.Name)], at)
	}
	columns := r.strings(o, "column_name_alias")
	if columns == nil {
		return t
	}
	t.Alias = ""
	alias = cmp.Or(alias, t.Name)
	return &sqlast.Derived{Pos: at, Alias: alias, Columns: columns, Query: &sqlast.Query{Pos: at, Body: &sqlast.Select{
		Pos: at, Items: []sqlast.Item{{Expr: &sqlast.Star{Pos: at}}}, From: t,
	}}}
}

var joinKinds = map[string]sqlast.JoinKind{
	"INNER": sqlast.InnerJoin, "LEFT": sqlast.LeftJoin, "RIGHT": sqlast.RightJoin, "FULL": sqlast.FullJoin,
}

func (r *reader) join(o object, at sqlast.Pos) sqlast.Relation {
	name := r.text(o, "join_type")
	kind, ok := joinKinds[name]
	j := &sqlast.Join{Pos: at, Kind: kind}
	cross := false
	ref := r.text(o, "ref_type")
	switch ref {
	case "REGULAR":
	case "CROSS":
		cross = true
	case "NATURAL":
		j.Natural = true
	case "ASOF":
		j.AsOf = true
	case "POSITIONAL":
		r.unsupported("POSITIONAL JOIN", "join by row_number() in two subqueries")
	default:
		ok = false
	}
	switch {
	case name == "SEMI" || name == "ANTI":
		r.unsupported(name+" JOIN", "write WHERE EXISTS (SELECT ..), or NOT EXISTS")
	case !ok:
		r.unsupported("this kind of JOIN ("+ref+" "+name+")", "")
	}
	left, right := r.object(o, "left"), r.object(o, "right")
	j.Left = r.relation(left)
	j.Right = r.relation(right)
	j.On = r.optional(o, "condition")
	j.Using = r.strings(o, "using_columns")
	if j.Left == nil || j.Right == nil {
		r.unsupported("a JOIN without two tables", "")
	}
	if bare := j.On == nil && j.Using == nil && !j.Natural; bare != cross {
		r.unsupported("a JOIN without a condition", "write ON, or CROSS JOIN")
	}
	return j
}

// tableFunctions are the functions that are allowed in FROM. Each has one column,
// with the name of the function.
var tableFunctions = wordset.Of("generate_series range unnest")

func (r *reader) tableFunction(o object, at sqlast.Pos, alias string) sqlast.Relation {
	call := r.object(o, "function")
	name := call.field("function_name").string()
	if !tableFunctions[ascii.Lower(name)] {
		r.fail(sqlast.Unsupported, at, name, "the table function "+sqlast.Clip(name)+
			" is not supported: read the tables of the policy, or generate_series, range or unnest")
		return nil
	}
	r.inFrom = true
	e := r.expr(call)
	c, ok := e.(*sqlast.Call)
	if !ok {
		r.unsupported("this table function", "")
		return nil
	}
	f := &sqlast.TableFunction{
		Pos: at, Calls: []*sqlast.Call{c}, Alias: alias, Own: []string{c.Name}, Columns: r.strings(o, "column_name_alias"),
	}
	switch ordinality := r.text(o, "with_ordinality"); ordinality {
	case "":
	case "WITH_ORDINALITY":
		f.Ordinality = true
	default:
		r.unsupported("WITH ORDINALITY in this form", "")
	}
	return f
}

// valuesList reads VALUES, which DuckDB reads as a table in FROM.
func (r *reader) valuesList(o object, at sqlast.Pos, alias string) sqlast.Relation {
	v := &sqlast.Values{Pos: at}
	empty := false
	for _, row := range r.list(o, "values") {
		items := row.items()
		empty = empty || len(items) == 0
		v.Rows = append(v.Rows, lists.Map(items, r.expr))
	}
	if empty || len(v.Rows) == 0 {
		r.unsupported("this form of VALUES", "")
		return nil
	}
	r.strings(o, "expected_names")
	columns := r.strings(o, "column_name_alias")
	for i := len(columns); i < len(v.Rows[0]); i++ {
		columns = append(columns, "col"+strconv.Itoa(i))
	}
	return &sqlast.Derived{Pos: at, Query: &sqlast.Query{Pos: at, Body: v}, Alias: alias, Columns: columns, Lateral: true}
}
