package postgres

import (
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

func (r *reader) exprs(list []message) []sqlast.Expr { return lists.Map(list, r.expr) }

// optional reads a node that may be absent.
func (r *reader) optional(n message) sqlast.Expr {
	if len(n) == 0 {
		return nil
	}
	return r.expr(n)
}

func (r *reader) expr(n message) sqlast.Expr {
	if !r.enter() {
		return nil
	}
	defer r.leave()
	construct := "this expression"
	switch kind, m := n.node(); kind {
	case kindColumnRef:
		return r.column(m)
	case kindConst:
		return r.constant(m)
	case kindExpr:
		return r.operation(m)
	case kindBoolExpr:
		return r.boolean(m)
	case kindFuncCall:
		return r.call(m)
	case kindTypeCast:
		return r.cast(m)
	case kindSubLink:
		return r.subLink(m)
	case kindCase:
		return r.caseOf(m)
	case kindNullTest:
		x := r.expr(m.child(2))
		return &sqlast.Is{Pos: r.pos(m, 5), X: x, Not: m.number(3) == 2, Test: sqlast.IsNull}
	case kindBooleanTest:
		return r.booleanTest(m)
	case kindCoalesce:
		return r.form("coalesce", m, 5, 4)
	case kindMinMax:
		if m.number(5) == 1 {
			return r.form("greatest", m, 7, 6)
		}
		return r.form("least", m, 7, 6)
	case kindGroupingFunc:
		return r.form("grouping", m, 5, 2)
	case kindValueFunction:
		return r.valueFunction(m)
	case kindRow:
		return &sqlast.Row{Pos: r.pos(m, 6), Items: r.exprs(m.list(2)), Explicit: m.number(4) == 1}
	case kindArray:
		return &sqlast.Array{Pos: r.pos(m, 2), Items: r.exprs(m.list(1))}
	case kindIndirection:
		return r.index(m)
	case kindCollate:
		return r.collate(m)
	case kindGroupingSet:
		return r.groupingSet(m)
	case kindParam:
		at := r.pos(m, 2)
		r.fail(sqlast.Parameter, at, "$", "placeholders are not allowed: write the value")
	case kindDefault:
		construct = "DEFAULT"
	case kindXML:
		construct = "an XML function"
	}
	r.unsupported(r.at, construct)
	return nil
}

// form reads a call for which the grammar has a special node.
func (r *reader) form(name string, m message, location, args int) sqlast.Expr {
	return &sqlast.Call{Pos: r.pos(m, location), Name: name, Args: r.exprs(m.list(args))}
}

func (r *reader) column(m message) sqlast.Expr {
	at := r.pos(m, 2)
	if kind, _ := m.last(1).node(); kind == kindStar {
		r.fail(sqlast.Misplaced, at, "*", "* stands outside a select list")
		return nil
	}
	c := &sqlast.Column{Pos: at}
	names := 0
	for rest := m; len(rest) > 0; {
		if f := rest.next(); f.number == 1 {
			c.Schema, c.Table, c.Name = c.Table, c.Name, r.string(f.data)
			names++
		}
	}
	r.withoutDatabase(at, names > 3)
	return c
}

// withoutDatabase refuses a name that begins with that of a database.
func (r *reader) withoutDatabase(at sqlast.Pos, hasDatabase bool) {
	if hasDatabase {
		r.unsupported(at, "the name of a database before a table's")
	}
}

// boolean reads NOT, AND and OR. The grammar has the operands of AND and OR as
// lists.
func (r *reader) boolean(m message) sqlast.Expr {
	args := m.list(3)
	at := r.pos(m, 4)
	op := sqlast.And
	switch m.number(2) {
	case 2:
		op = sqlast.Or
	case 3:
		return r.not(at, r.expr(args[0]))
	}
	if r.depth+len(args) > sqlast.MaxDepth {
		r.fail(sqlast.TooDeep, at, "", "the statement has too many operands of AND or OR")
		return nil
	}
	out := r.expr(args[0])
	for _, n := range args[1:] {
		out = &sqlast.Binary{Pos: at, Op: op, X: out, Y: r.expr(n)}
	}
	return out
}

// not reads NOT x. The grammar has x NOT IN (query) in the same form.
func (r *reader) not(at sqlast.Pos, x sqlast.Expr) sqlast.Expr {
	if in, ok := x.(*sqlast.In); ok && in.Query != nil && !in.Not {
		in.Not = true
		return in
	}
	return &sqlast.Unary{Pos: at, Op: sqlast.Not, X: x}
}

var booleanTests = map[int]sqlast.Is{
	1: {Test: sqlast.IsTrue}, 2: {Test: sqlast.IsTrue, Not: true},
	3: {Test: sqlast.IsFalse}, 4: {Test: sqlast.IsFalse, Not: true},
	5: {Test: sqlast.IsUnknown}, 6: {Test: sqlast.IsUnknown, Not: true},
}

func (r *reader) booleanTest(m message) sqlast.Expr {
	out, ok := booleanTests[m.number(3)]
	if !ok {
		r.unsupported(r.at, "this test")
	}
	out.X = r.expr(m.child(2))
	out.Pos = r.pos(m, 4)
	return &out
}

func (r *reader) caseOf(m message) sqlast.Expr {
	at := r.pos(m, 7)
	return &sqlast.Case{
		Pos:     at,
		Operand: r.optional(m.child(4)),
		Whens: lists.Map(m.list(5), func(n message) sqlast.When {
			_, when := n.node()
			return sqlast.When{Cond: r.expr(when.child(2)), Result: r.expr(when.child(3))}
		}),
		Else: r.optional(m.child(6)),
	}
}

func (r *reader) subLink(m message) sqlast.Expr {
	at := r.pos(m, 7)
	kind := m.number(2)
	x := r.optional(m.child(4))
	nm := unnamed
	if kind == linkExists {
		nm = unseen
	}
	q := r.subselect(m.child(6), nm)
	switch kind {
	case linkExists:
		return &sqlast.Exists{Pos: at, Query: q}
	case linkValue:
		return &sqlast.Subquery{Pos: at, Query: q}
	case linkArray:
		return &sqlast.ArrayQuery{Pos: at, Query: q}
	case linkAny, linkAll:
		if m.has(5) {
			return &sqlast.Quantified{Pos: at, Op: r.binaryOp(m, 5), X: x, All: kind == linkAll, Query: q}
		}
		return &sqlast.In{Pos: at, X: x, Query: q}
	}
	r.unsupported(at, "this subquery")
	return nil
}

// index reads x[..], and the field (x).y of a column. It refuses (x).* and the field of
// any other value, which could be a whole row.
func (r *reader) index(m message) sqlast.Expr {
	out := &sqlast.Index{X: r.expr(m.child(1))}
	out.Pos = r.at
	parts := m.list(2)
	for _, n := range parts {
		kind, s := n.node()
		_, isColumn := out.X.(*sqlast.Column)
		if kind == kindString && isColumn && len(parts) == 1 {
			field := &sqlast.String{Pos: out.Pos, Value: s.text(1)}
			return &sqlast.Call{Pos: out.Pos, Name: sqlast.CompositeField, Args: []sqlast.Expr{out.X, field}}
		}
		if kind != kindIndices {
			r.fail(sqlast.Unsupported, r.at, "a field of a composite value", "of composite values, only a field of a column "+
				"is read: write (column).field, or to_jsonb(x) ->> 'field'")
			return nil
		}
		out.Subscripts = append(out.Subscripts, sqlast.Subscript{
			Slice: s.flag(1), Low: r.optional(s.child(2)), High: r.optional(s.child(3)),
		})
	}
	return out
}

func (r *reader) collate(m message) sqlast.Expr {
	x := r.expr(m.child(1))
	at := r.pos(m, 3)
	names := r.strings(m, 2)
	if len(names) == 2 && names[0] == "pg_catalog" {
		names = names[1:]
	}
	if len(names) != 1 || !collations.MatchString(names[0]) {
		r.unsupported(at, "COLLATE "+names[len(names)-1])
		return nil
	}
	return &sqlast.Collate{Pos: at, X: x, Name: string(appendName(nil, names[0]))}
}

// valueFunctions are the operations of a SQLValueFunction that are allowed. Most
// are in pairs, without and with a number of digits of a second.
var valueFunctions = map[int]sqlast.NowKind{
	1: sqlast.CurrentDate,
	2: sqlast.CurrentTime, 3: sqlast.CurrentTime,
	4: sqlast.CurrentTimestamp, 5: sqlast.CurrentTimestamp,
	6: sqlast.LocalTime, 7: sqlast.LocalTime,
	8: sqlast.LocalTimestamp, 9: sqlast.LocalTimestamp,
}

var timeTypes = map[sqlast.NowKind]string{
	sqlast.CurrentTime: "time(0) with time zone", sqlast.CurrentTimestamp: "timestamp(0) with time zone",
	sqlast.LocalTime: "time(0)", sqlast.LocalTimestamp: "timestamp(0)",
}

func (r *reader) valueFunction(m message) sqlast.Expr {
	at := r.pos(m, 5)
	op := m.number(2)
	kind, ok := valueFunctions[op]
	if !ok {
		name := valueFunctionName(m)
		r.fail(sqlast.Function, at, name, name+" is not an allowed function")
		return nil
	}
	now := &sqlast.Now{Pos: at, Kind: kind, Precision: max(m.number(4), 0)}
	switch withDigits := op%2 == 1 && op > 1; {
	case now.Precision > 6:
		r.fail(sqlast.Syntax, at, valueFunctionName(m), "a time has at most six digits of a second")
	case withDigits && now.Precision == 0: // without a number there are six digits
		return &sqlast.Cast{Pos: at, X: now, Type: timeTypes[kind]}
	}
	return now
}
