// Package secureview stands between a model that writes SQL and the database
// that runs it.
//
// A [Policy] lists the tables and columns that may be read, and the secure views
// that stand in for some of them. A [Guard] reads a statement into a tree, binds
// every name in it to the policy, puts the views in place of their tables, bounds
// the number of rows, prints the tree anew, and has what was printed read a
// second time. What comes out is a [Statement]; a text that fails any of this is
// refused with an [Error] that says what is wrong, where, and what may have been
// meant, so that a program can act on it and a model can correct itself.
//
// The model writes FROM employee, and may never have heard of the view; what is
// executed is FROM secure_employee AS employee, so that employee.name still
// means what it meant. A view's name that the model invents is refused, like any
// table, column, schema or function that is not listed. The text that was given
// is never executed, and comments, hints and variables do not survive it.
package secureview

import (
	"context"
	"errors"
	"slices"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// Guard rewrites statements under one policy, in one dialect. It is safe for
// concurrent use. [New] makes one.
type Guard struct {
	dialect  dialect.Dialect
	catalog  *catalog
	rowLimit int
}

// New makes a Guard. It copies the policy. A policy that contradicts itself is
// an [Error] of code [ErrInvalidPolicy] that names the entry.
func New(p *Policy, d dialect.Dialect) (*Guard, error) {
	switch {
	case p == nil:
		return nil, invalid("policy", "is missing")
	case d == nil:
		return nil, invalid("dialect", "is missing")
	case p.Dialect != "" && p.Dialect != d.Name():
		return nil, invalid("dialect", "is %q, but the guard was given the dialect %q", p.Dialect, d.Name())
	}
	c, err := newCatalog(p, d.Name())
	if err != nil {
		return nil, err
	}
	if p.Setup != nil {
		for _, name := range servers[d.Name()].hidden(p.Setup) {
			if d.Safe(ascii.Lower(name)) {
				return nil, invalid("setup.key.function", "is %q, which every statement may call", name)
			}
		}
	}
	g := &Guard{dialect: d, catalog: c, rowLimit: p.RowLimit}
	if g.rowLimit == 0 {
		g.rowLimit = DefaultRowLimit
	}
	return g, nil
}

// Dialect is the dialect that the Guard reads and writes.
func (g *Guard) Dialect() dialect.Dialect { return g.dialect }

// RowLimit is how many rows a statement of the Guard returns at most.
func (g *Guard) RowLimit() int { return g.rowLimit }

// Table is a table that a [Guard] lets be read.
type Table struct {
	dialect.TableName          // as the policy and the model name it
	Columns           []string // those that may be read
	View              string   // the secure view that stands in for it; empty: none
}

// Tables tells what may be read, sorted by name.
func (g *Guard) Tables() []Table {
	tables := make([]Table, len(g.catalog.objects))
	for i, o := range g.catalog.objects {
		tables[i] = Table{TableName: dialect.TableName{Schema: o.Schema, Name: o.Logical}, Columns: slices.Clone(o.Columns)}
		if o.Name != o.Logical {
			tables[i].View = o.Name
		}
	}
	return tables
}

// Rewrite turns a statement into one that may be executed, or refuses it with an
// [Error]. The only other error is that of a context that has ended. Whatever
// the text holds, the time that it takes is bounded.
func (g *Guard) Rewrite(ctx context.Context, sql string) (*Statement, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	stmt, err := g.rewrite(sql)
	if err != nil {
		return nil, refuse(err, sql)
	}
	if err := ctx.Err(); err != nil {
		return nil, err // the first statement of a program may wait for its grammar
	}
	return stmt, nil
}

func (g *Guard) rewrite(sql string) (*Statement, error) {
	q, err := g.dialect.Read(sql)
	if err != nil {
		return nil, err
	}
	reading, err := sqlast.Resolve(q, g.dialect.Flavor(), g.catalog)
	if err != nil {
		return nil, err
	}
	if err := g.functions(reading.Calls); err != nil {
		return nil, err
	}
	stmt := &Statement{dialect: g.dialect, columns: reading.Columns, reads: reads(reading)}
	if stmt.limit, stmt.capped, err = limit(q, g.rowLimit); err != nil {
		return nil, err
	}
	printed, err := g.dialect.Append(make([]byte, 0, 2*len(sql)+128), q, true)
	if err != nil {
		return nil, err
	}
	stmt.sql = string(printed)
	if err := g.dialect.Reread(stmt.sql, stmt.objects()); err != nil {
		return nil, err
	}
	return stmt, nil
}

// reads copies what the resolver found.
func reads(r *sqlast.Reading) []Read {
	list := make([]Read, len(r.Objects))
	for i := range r.Objects {
		o := &r.Objects[i]
		list[i] = Read{
			Table:   dialect.TableName{Schema: o.Schema, Name: o.Logical},
			Object:  dialect.TableName{Schema: o.Schema, Name: o.Name},
			Columns: o.Named(),
		}
	}
	return list
}

// refusal turns what a reader or the resolver found wrong into an error of this
// package. It is the only place that does.
func refuse(err error, sql string) error {
	var e *sqlast.Error
	if !errors.As(err, &e) {
		return &Error{Code: ErrUnsupported, Offset: -1, Message: err.Error()}
	}
	refused := &Error{Code: Code(e.Code), Name: clip(e.Name), Offset: int(e.Pos), Candidates: e.Candidates, Message: clip(e.Message)}
	if refused.Code == ErrSecondReading {
		refused.Offset = -1 // it is about the printed text
	}
	refused.place(sql)
	return refused
}
