// Package secureview checks SQL that a model wrote and rewrites it so that it
// reads nothing but what a policy allows.
//
// Write a [Policy] that lists the tables and columns that may be read, and the
// secure views that replace some of the tables. Create a [Guard] with [New] and
// pass each statement to [Guard.Rewrite]. Execute the text of the [Statement]
// that it returns, for example with package [sqldb], which accepts nothing else.
//
// Rewrite parses a statement into a tree, binds every name in it to the policy,
// replaces tables by their secure views, bounds the number of rows, and prints the
// tree as new SQL. In MySQL a second parser then checks which tables the printed
// SQL reads; with SQLite and PostgreSQL package [sqldb] lets the engine check it. A
// statement that fails any of these steps is refused with a [refusal.Error], which
// holds what is wrong, where, and which names may have been meant. A program can
// test its code, and a model can correct its statement with it.
//
// The model writes FROM employee and does not need to know the view. The
// statement that is executed has FROM secure_employee AS employee, so that
// employee.name keeps its meaning. A view name that the model invents is refused,
// and so is every table, column, schema and function that is not allowed. The
// text of the model is never executed: comments, hints and variables do not reach
// the database.
//
// Package [provision] creates the secure views and the database account that a
// policy describes.
//
// [provision]: https://pkg.go.dev/github.com/qedkit/qed/secureview/provision
// [sqldb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb
package secureview

import (
	"cmp"
	"context"
	"errors"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlbound"
	"github.com/qedkit/qed/secureview/dialect"
)

// A Guard rewrites statements under one policy, in one SQL dialect. Create one
// with [New]. A Guard is safe for concurrent use.
type Guard struct {
	dialect  dialect.Dialect
	catalog  *catalog
	rowLimit int
	has      map[string]bool // the functions of the database; nil: all of the dialect
}

// New returns a Guard for a policy. It copies the policy.
//
// If the policy contradicts itself, New returns a [refusal.Error] with code
// [ErrInvalidPolicy] that names the entry. Of [Policy.Setup] it checks only that
// no statement can read the settings of a session; package provision checks the
// rest.
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
	g := &Guard{dialect: d, catalog: c, rowLimit: p.RowLimit}
	g.rowLimit = cmp.Or(g.rowLimit, DefaultRowLimit)
	return g, nil
}

// Dialect returns the SQL dialect of the Guard.
func (g *Guard) Dialect() dialect.Dialect { return g.dialect }

// RowLimit returns the largest number of rows that a statement of the Guard
// returns.
func (g *Guard) RowLimit() int { return g.rowLimit }

// WithRowLimit returns a Guard that differs in its row limit only, such as one for
// an export. If n is not positive, the limit is [DefaultRowLimit].
func (g *Guard) WithRowLimit(n int) *Guard {
	with := *g
	if with.rowLimit = n; n <= 0 {
		with.rowLimit = DefaultRowLimit
	}
	return &with
}

// WithFunctions returns a Guard that refuses the functions of its dialect that are not in
// has, because the database does not have them. The names are in lower case. Functions of
// the policy are allowed in any case. The Guard keeps has, which must not change.
func (g *Guard) WithFunctions(has map[string]bool) *Guard {
	with := *g
	with.has = has
	return &with
}

// Tables returns the tables that statements may read, sorted by schema and name.
func (g *Guard) Tables() []Table { return g.catalog.tables() }

// NameOf returns the name by which schemas, prompts and statements call a table of the
// policy: the bare name if the table is in [Policy.Schema], and otherwise schema.table.
func (g *Guard) NameOf(t dialect.TableName) string { return g.catalog.nameOf(t.Schema, t.Name) }

// Identifier returns such a name as it is written in a statement of the dialect. A name
// that is not one of the policy's is quoted as a whole.
func (g *Guard) Identifier(name string) string {
	for _, o := range g.catalog.objects {
		if o.Schema != g.catalog.schema && g.catalog.display(o) == name {
			return g.dialect.Quote(o.Schema) + "." + g.dialect.Quote(o.Logical)
		}
	}
	return g.dialect.Quote(name)
}

// Rewrite turns a statement into one that may be executed, or refuses it with a
// [refusal.Error]. Names of tables, columns and functions that do not exist are all
// reported, a problem each; otherwise there is one problem. If ctx has ended, Rewrite
// returns the error of ctx. The time that it takes is bounded, whatever the text contains:
// a text of more than 8 KB is refused with [ErrTooLarge].
func (g *Guard) Rewrite(ctx context.Context, sql string) (*Statement, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	stmt, err := g.rewrite(sql)
	if err != nil {
		return nil, refuse(err, sql)
	}
	// The first statement of a process may wait until its grammar is loaded.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return stmt, nil
}

func (g *Guard) rewrite(sql string) (*Statement, error) {
	q, err := g.dialect.Read(sql)
	if err != nil {
		return nil, err
	}
	resolved, err := sqlast.Resolve(q, g.dialect.Flavor(), g.catalog)
	if resolved == nil {
		return nil, err
	}
	unknown, _ := errors.AsType[sqlast.Errors](err)
	unknown = append(unknown, g.unknownFunctions(resolved.Calls)...)
	if unknown = append(unknown, g.missingOperators(q)...); len(unknown) > 0 {
		return nil, unknown
	}
	if err := checkUnquoted(q, sql); err != nil {
		return nil, err
	}
	if err := sqlbound.Check(q, resolved, g.dialect.Bounds()); err != nil {
		return nil, err
	}
	stmt := &Statement{source: sql, dialect: g.dialect, query: q, columns: resolved.Columns, reads: reads(resolved), merged: mergedReads(resolved), fields: fieldReads(resolved)}
	if stmt.limit, stmt.capped, err = limit(q, resolved.Columns, g.rowLimit); err != nil {
		return nil, err
	}
	printed, err := g.dialect.Append(make([]byte, 0, 2*len(sql)+128), q, true)
	if err != nil {
		return nil, err
	}
	stmt.local = g.catalog.local
	stmt.matches, stmt.end = matches(string(printed))
	stmt.sql = withNames(stmt.matches, stmt.end)
	if err := g.dialect.Reread(stmt.sql, stmt.objects()); err != nil {
		return nil, err
	}
	return stmt, nil
}

func reads(r *sqlast.Resolution) []TableRead {
	list := make([]TableRead, len(r.Objects))
	for i := range r.Objects {
		list[i] = tableRead(r.Objects[i].Object, r.Objects[i].Named())
	}
	return list
}

func mergedReads(r *sqlast.Resolution) [][]TableRead {
	read := func(c sqlast.ReadColumn) TableRead { return tableRead(c.Object, []string{c.Column}) }
	return lists.Map(r.Merged, func(merged []sqlast.ReadColumn) []TableRead { return lists.Map(merged, read) })
}

func fieldReads(r *sqlast.Resolution) (list []TableRead) {
	for _, f := range r.Fields {
		list = append(list, tableRead(f.Object, []string{f.Column, f.Field}))
	}
	return list
}

func tableRead(o *sqlast.Object, columns []string) TableRead {
	read := TableRead{
		Table:   dialect.TableName{Schema: o.Schema, Name: o.Logical},
		Object:  dialect.TableName{Schema: o.Schema, Name: o.Name},
		Columns: columns,
	}
	if o.Filter != nil {
		read.FilterColumns = o.Filter.Columns
	}
	return read
}
