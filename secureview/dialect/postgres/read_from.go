package postgres

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

// from nests a FROM list to the left. A comma binds looser than JOIN.
func (r *reader) from(list []message) sqlast.Relation {
	var left sqlast.Relation
	for i, n := range list {
		if i == sqlast.MaxDepth {
			r.fail(sqlast.TooDeep, r.at, "", "the statement has too many tables in one FROM")
			return nil
		}
		right := r.relation(n)
		switch {
		case r.err != nil:
			return nil
		case left == nil:
			left = right
		default:
			left = &sqlast.Join{Pos: right.At(), Left: left, Right: right}
		}
	}
	return left
}

func (r *reader) relation(n message) sqlast.Relation {
	if !r.enter() {
		return nil
	}
	defer r.leave()
	construct := "this entry of FROM"
	switch kind, m := n.node(); kind {
	case kindRangeVar:
		return r.table(m)
	case kindRangeSubselect:
		return r.derived(m)
	case kindRangeFunction:
		return r.function(m)
	case kindJoin:
		return r.join(m)
	case kindTableSample:
		r.fail(sqlast.Unsupported, r.pos(m, 5), "TABLESAMPLE", "TABLESAMPLE is not supported: write ORDER BY random() LIMIT 100")
		return nil
	case kindRangeTableFunc:
		construct = "XMLTABLE"
	case kindJSONTable:
		r.fail(sqlast.Unsupported, r.at, "JSON_TABLE", "JSON_TABLE is not supported: write jsonb_to_recordset(x) AS r(a int, b text), "+
			"or jsonb_array_elements(x)")
		return nil
	}
	r.unsupported(r.at, construct)
	return nil
}

func (r *reader) table(m message) sqlast.Relation {
	at := r.pos(m, 7)
	r.withoutDatabase(at, m.has(1))
	if !m.flag(4) {
		r.fail(sqlast.Unsupported, at, "FROM ONLY", "FROM ONLY is not supported: name the table alone, which has the rows of its children too")
	}
	alias, columns := r.alias(m.child(6))
	t := &sqlast.Table{Pos: at, Schema: m.text(2), Name: m.text(3), Alias: alias}
	if columns == nil {
		return t
	}
	// The names are those of the columns that may be read, in their order.
	t.Alias = ""
	all := &sqlast.Select{Pos: at, Items: []sqlast.Item{{Expr: &sqlast.Star{Pos: at}}}, From: t}
	return &sqlast.Derived{Pos: at, Query: &sqlast.Query{Pos: at, Body: all}, Alias: alias, Columns: columns}
}

func (r *reader) alias(m message) (name string, columns []string) {
	return m.text(1), r.strings(m, 2)
}

func (r *reader) derived(m message) sqlast.Relation {
	alias, columns := r.alias(m.child(3))
	d := &sqlast.Derived{Lateral: m.flag(1), Alias: alias, Columns: columns}
	d.Query = r.subselect(m.child(2), named)
	if r.err != nil {
		return nil
	}
	d.Pos = d.Query.Body.At()
	return d
}

// function reads one or several table functions. A function of a policy is refused,
// because its columns are not known.
func (r *reader) function(m message) sqlast.Relation {
	f := &sqlast.TableFunction{Ordinality: m.flag(2)}
	for _, n := range m.list(4) {
		f.Calls = append(f.Calls, r.tableCalls(n)...)
	}
	if r.err != nil {
		return nil
	}
	f.Pos = f.Calls[0].Pos
	for _, c := range f.Calls {
		own := tableFunctions[c.Name]
		if c.Name == "unnest" && len(c.Args) == 1 {
			c.Args[0], own = unnested(c.Args[0])
		}
		switch {
		case !bounds.Safe(c.Name):
			r.fail(sqlast.Function, c.Pos, c.Name, "the function "+c.Name+"() is not allowed in FROM")
			return nil
		case own == nil && len(f.Calls) > 1:
			own = []string{c.Name}
		}
		f.Own = append(f.Own, own...)
	}
	f.Alias, f.Columns = r.alias(m.child(5))
	if definitions := m.list(6); definitions != nil {
		f.Columns, f.Types = nil, nil
		for _, n := range definitions {
			_, column := n.node()
			f.Columns = append(f.Columns, column.text(1))
			f.Types = append(f.Types, r.typeName(column.child(2)))
		}
	}
	return f
}

// unnested returns the argument of unnest as it is printed, and the names of the
// columns, as in tableFunctions. Only for a tsvector, unnest has several columns. An
// argument of unknown type is printed as a slice of all its elements, which the server
// refuses for anything but an array.
func unnested(x sqlast.Expr) (arg sqlast.Expr, columns []string) {
	switch e := x.(type) {
	case *sqlast.Array, *sqlast.ArrayQuery, *sqlast.NamedArg:
		return x, nil
	case *sqlast.Index:
		if slices.ContainsFunc(e.Subscripts, func(s sqlast.Subscript) bool { return s.Slice }) {
			return x, nil
		}
	case *sqlast.Cast:
		switch {
		case e.Type == "tsvector":
			return x, lexemeColumns
		case strings.HasSuffix(e.Type, "[]") || strings.HasSuffix(e.Type, "multirange"):
			return x, nil
		}
	case *sqlast.Call:
		switch e.Name {
		case "to_tsvector", "setweight", "strip":
			return x, lexemeColumns
		case "multirange":
			return x, nil
		}
	}
	return &sqlast.Index{Pos: x.At(), X: x, Subscripts: []sqlast.Subscript{{Slice: true}}}, nil
}

// lexemeColumns are the columns of unnest for a tsvector.
var lexemeColumns = []string{"lexeme", "positions", "weights"}

var plainCallFields = set(1, 2, 10, 11)

// tableCalls reads an entry of ROWS FROM. The grammar reads a function in FROM as a ROWS
// FROM with one entry. PostgreSQL has no function unnest of several arrays, but reads it
// without a schema as one call for each array.
func (r *reader) tableCalls(n message) []*sqlast.Call {
	_, pair := n.node()
	parts := pair.list(1)
	if len(parts) > 1 && len(parts[1]) > 0 {
		r.unsupported(r.at, "ROWS FROM with types")
		return nil
	}
	kind, call := parts[0].node()
	if kind == kindValueFunction {
		name := valueFunctionName(call)
		r.unsupported(r.pos(call, 5), name+" as a table (it is a keyword: quote a table of that name)")
		return nil
	}
	if kind != kindFuncCall {
		r.unsupported(r.at, "this function in FROM")
		return nil
	}
	c, ok := r.call(call).(*sqlast.Call)
	if !ok || r.err != nil {
		return nil
	}
	if c.Name != "unnest" || len(c.Args) < 2 || !call.only(plainCallFields) {
		return []*sqlast.Call{c}
	}
	return lists.Map(c.Args, func(array sqlast.Expr) *sqlast.Call {
		return &sqlast.Call{Pos: array.At(), Name: c.Name, Args: []sqlast.Expr{array}}
	})
}

var joinKinds = map[int]sqlast.JoinKind{
	1: sqlast.InnerJoin, 2: sqlast.LeftJoin, 3: sqlast.FullJoin, 4: sqlast.RightJoin,
}

var joinFields = set(1, 2, 3, 4, 5, 7)

func (r *reader) join(m message) sqlast.Relation {
	kind, ok := joinKinds[m.number(1)]
	if !ok {
		r.unsupported(r.at, "this kind of JOIN")
	}
	j := &sqlast.Join{Kind: kind, Natural: m.flag(2)}
	j.Left = r.relation(m.child(3))
	j.Pos = r.at
	j.Right = r.relation(m.child(4))
	if m.has(6) || m.has(8) {
		r.unsupported(j.Pos, "an alias of a JOIN")
	}
	r.check(m, joinFields, "this JOIN")
	j.Using = r.strings(m, 5)
	j.On = r.optional(m.child(7))
	// A join without a condition is printed with ON TRUE.
	if b, ok := j.On.(*sqlast.Bool); ok && b.Value && kind == sqlast.InnerJoin {
		j.On = nil
	}
	return j
}
