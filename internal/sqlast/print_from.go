package sqlast

import "cmp"

func (p *printer) relation(r Relation) {
	switch r := r.(type) {
	case *Table:
		p.table(r)
	case *Derived:
		p.derived(r)
	case *TableFunction:
		p.function(r)
	case *Join:
		p.join(r)
	default:
		p.broken(-1, "a FROM of %T", r)
	}
}

func (p *printer) table(t *Table) {
	switch {
	case p.physical && t.Bounded:
		p.bounded(t)
		return
	case p.physical && t.Object != nil && (t.Object.Filter != nil || p.Barrier && t.Object.Name != t.Object.Logical):
		p.barrier(t)
		return
	}
	schema, name := t.Schema, t.Name
	if p.physical {
		switch {
		case t.Object != nil:
			schema, name = t.Object.Schema, t.Object.Name
			if schema == "" {
				// A name without a schema could mean a common table expression.
				p.broken(t.Pos, "the table '%s' without a schema", t.Name)
			}
		case t.CTE != nil:
			schema, name = "", t.CTE.Name
		default:
			p.broken(t.Pos, "the unresolved table '%s'", t.Name)
		}
	}
	p.qualifier(schema, "")
	p.name(name)
	if !p.physical || cmp.Or(t.Printed, t.Alias) != name {
		p.alias(t.Alias, t.Printed)
	}
}

// maxPrinted is the maximum number of bytes of a printed statement that reads a view or a
// recursion through a subquery, or has calls with a bound.
const maxPrinted = 256 << 10

// barrier prints a view as (SELECT columns FROM view LIMIT -1), and a table with a filter
// as (SELECT columns FROM table WHERE filter LIMIT -1). Each column is qualified, because
// SQLite reads "x" as a string if there is no column x.
func (p *printer) barrier(t *Table) {
	o := t.Object
	p.open()
	p.text("SELECT ")
	none := true
	for i, column := range o.Columns {
		if !t.Reads[i] {
			continue
		}
		if !none {
			p.text(", ")
		}
		none = false
		p.qualifier("", o.Name)
		p.name(column)
	}
	if none {
		p.text("1")
	}
	p.text(" FROM ")
	p.qualifier(o.Schema, "")
	p.name(o.Name)
	if o.Filter != nil {
		p.text(" WHERE ")
		o.Filter.Write(filterWriter{p, o})
	}
	p.text(p.BarrierEnd)
	p.close()
	p.alias(t.Alias, t.Printed)
	p.checkSize(t.Pos, t.Name)
}

// Marks in a printed statement, which is UTF-8 otherwise: a condition on a parameter is
// printed as FilterMark, the parameter, FilterColumn or FilterList, the column, and
// FilterMark. Package secureview replaces it when the value is known.
const (
	FilterMark   = "\xff"
	FilterColumn = "\xfe" // before the column that has the value
	FilterList   = "\xfd" // before the column that has one of the values
)

// A filterWriter prints the filter of a table.
type filterWriter struct {
	p *printer
	o *Object
}

func (w filterWriter) Text(sql string) { w.p.text(sql) }

func (w filterWriter) Column(name string) {
	w.p.qualifier("", w.o.Name)
	w.p.name(name)
}

func (w filterWriter) String(value string) { w.p.dst = w.p.AppendString(w.p.dst, value) }

func (w filterWriter) Match(column, parameter string, list bool) {
	w.p.text(FilterMark + parameter)
	if list {
		w.p.text(FilterList)
	} else {
		w.p.text(FilterColumn)
	}
	w.Column(column)
	w.p.text(FilterMark)
}

// checkSize reports whether the printed statement has at most maxPrinted bytes, and fails
// if it has more. At and name are those of the table or call that is printed.
func (p *printer) checkSize(at Pos, name string) bool {
	if len(p.dst) <= maxPrinted {
		return true
	}
	p.fail(TooComplex, at, name, "the statement becomes too long: name fewer columns, tables and aggregates")
	return false
}

func (p *printer) alias(alias, printed string) {
	if p.physical {
		alias = cmp.Or(printed, alias)
	}
	if alias != "" {
		p.text(" AS ")
		p.name(alias)
	}
}

func (p *printer) derived(d *Derived) {
	if d.Lateral && !p.ImplicitLateral {
		p.text("LATERAL ")
	}
	p.open()
	p.query(d.Query)
	p.close()
	p.alias(d.Alias, d.Printed)
	if d.Columns != nil {
		p.text(" ")
		p.names(d.Columns)
	}
}

func (p *printer) function(f *TableFunction) {
	if len(f.Calls) > 1 {
		p.text("ROWS FROM ")
		p.open()
	}
	separated(p, f.Calls, p.call)
	if len(f.Calls) > 1 {
		p.close()
	}
	if f.Ordinality {
		p.text(" WITH ORDINALITY")
	}
	p.alias(f.Alias, f.Printed)
	if f.Columns == nil || p.OwnColumns {
		return
	}
	p.text(" ")
	if f.Types == nil {
		p.names(f.Columns)
		return
	}
	p.open()
	for i, name := range f.Columns {
		if i > 0 {
			p.text(", ")
		}
		p.name(name)
		p.text(" ")
		p.text(f.Types[i])
	}
	p.close()
}

var joinKinds = [...]string{
	InnerJoin: "JOIN ",
	LeftJoin:  "LEFT JOIN ",
	RightJoin: "RIGHT JOIN ",
	FullJoin:  "FULL JOIN ",
}

func (p *printer) join(j *Join) {
	bare := !j.Natural && j.On == nil && j.Using == nil
	cross := bare && j.Kind == InnerJoin
	p.relation(j.Left)
	p.text(" ")
	switch {
	case j.Natural:
		if p.physical {
			p.broken(j.Pos, "a NATURAL JOIN without its columns")
		}
		p.text("NATURAL ")
		p.text(joinKinds[j.Kind])
	case cross:
		p.text(p.CrossJoin)
		p.text(" ")
	default:
		if j.AsOf {
			p.text("ASOF ")
		}
		p.text(joinKinds[j.Kind])
	}
	if _, nested := j.Right.(*Join); nested {
		p.open()
		p.relation(j.Right)
		p.close()
	} else {
		p.relation(j.Right)
	}
	if bare && p.BareJoinOn != "" {
		p.text(" ON ")
		p.text(p.BareJoinOn)
	}
	if j.On != nil {
		p.text(" ON ")
		p.expr(j.On)
	}
	if j.Using != nil {
		p.text(" USING ")
		p.names(j.Using)
	}
}
