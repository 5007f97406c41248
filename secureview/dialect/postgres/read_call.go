package postgres

import (
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
	"github.com/qedkit/qed/internal/wordset"
)

// formSQL marks a call with keywords between its arguments, such as
// EXTRACT(unit FROM x).
const formSQL = 4

var callFields = set(1, 2, 3, 4, 5, 6, 7, 8, 10, 11)

func (r *reader) call(m message) sqlast.Expr {
	at := r.pos(m, 11)
	name := r.functionName(at, m)
	if !m.only(callFields) {
		r.unsupported(at, "VARIADIC")
	}
	out := &sqlast.Call{Pos: at, Name: name, Star: m.flag(7), Distinct: m.flag(8), Within: m.flag(6)}
	out.Args = lists.Map(m.list(2), r.argument)
	out.OrderBy = r.orderBy(m.list(3))
	out.Filter = r.optional(m.child(4))
	if over := m.child(5); over != nil {
		out.Over = r.over(over)
	}
	if r.err != nil {
		return nil
	}
	if m.number(10) == formSQL {
		r.sqlForm(out)
	}
	return out
}

func (r *reader) argument(n message) sqlast.Expr {
	kind, m := n.node()
	if kind != kindNamedArg {
		if star, ok := r.star(n).(*sqlast.Star); ok && star.Table != "" {
			star.Row = true
			return star
		}
		return r.expr(n)
	}
	return &sqlast.NamedArg{Pos: r.pos(m, 5), Name: m.text(3), X: r.expr(m.child(2))}
}

// functionName returns the name of a function of PostgreSQL itself. It is printed
// without quotes, so it has to be a word that is a function without them.
func (r *reader) functionName(at sqlast.Pos, m message) string {
	names := r.strings(m, 1)
	name := names[len(names)-1]
	if len(names) > 2 || len(names) == 2 && names[0] != "pg_catalog" {
		r.fail(sqlast.Function, at, names[0]+"."+name, "functions with a schema are not allowed")
		return ""
	}
	if !sqlread.IsPlainWord(name) || reserved[name] && m.number(10) != formSQL && !callable[name] {
		r.fail(sqlast.Function, at, name, "there is no function "+sqlast.Clip(name))
	}
	return name
}

// sqlForm handles a call with keywords between its arguments. Most of them are
// plain calls; for the others it puts the arguments in the order in which they are
// printed.
func (r *reader) sqlForm(c *sqlast.Call) {
	switch c.Name {
	case "extract":
		unit, ok := c.Args[0].(*sqlast.String)
		if !ok || !units[ascii.Lower(unit.Value)] {
			r.unsupported(c.Pos, "this unit of EXTRACT")
			return
		}
		c.Args[0] = &sqlast.Unit{Pos: unit.Pos, Name: ascii.Upper(unit.Value)}
	case "position":
		c.Args[0], c.Args[1] = c.Args[1], c.Args[0]
	case "overlay", "substring", "btrim", "ltrim", "rtrim", "timezone", "overlaps":
	default:
		r.unsupported(c.Pos, "this use of "+c.Name)
	}
}

var units = wordset.Of(`
	century day decade dow doy epoch hour isodow isoyear julian microsecond microseconds millennium
	millisecond milliseconds minute month quarter second timezone timezone_hour timezone_minute
	week year
`)
