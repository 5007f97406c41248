package sqlitedb

import (
	"context"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/qedkit/qed/internal/ascii"
)

// An access decides what a statement on a connection may do. SQLite calls it
// through its authorizer while it compiles the statement, and again if it has
// to compile the statement once more.
type access interface {
	// allows reports whether the request is allowed.
	allows(q request) bool
	// ignores reports whether a column that is not allowed is read as NULL
	// instead of being an error.
	ignores(q request) bool
	// afterPrepare is called when the statement is compiled, before it runs.
	afterPrepare(ctx context.Context, c *driverConn) error
	// denied returns the last request that was not allowed, such as "read t.x".
	denied() string
}

// A request is what SQLite asks its authorizer. The meaning of a and b depends
// on the action: for a read, they are the table and the column.
type request struct {
	action int32
	a, b   string
	schema string
	via    string // the view or common table expression that needs it
	safe   bool   // for a function: SQLite marks it as innocuous
}

func authorize(_ *libc.TLS, handle uintptr, action int32, a, b, schema, via uintptr) int32 {
	v, ok := conns.Load(handle)
	if !ok {
		return sqlite3.SQLITE_DENY
	}
	c := v.(*driverConn)
	if c.access == nil {
		return sqlite3.SQLITE_DENY
	}
	q := request{action, text(a), text(b), text(schema), text(via), false}
	if action == sqlite3.SQLITE_FUNCTION {
		q.safe = c.functions[ascii.Lower(q.b)]
	}
	switch {
	case c.access.allows(q):
		return sqlite3.SQLITE_OK
	case c.access.ignores(q):
		return sqlite3.SQLITE_IGNORE
	}
	return sqlite3.SQLITE_DENY
}

func text(z uintptr) string {
	if z == 0 {
		return ""
	}
	return libc.GoString(z)
}

func (q request) describe() string {
	switch q.action {
	case sqlite3.SQLITE_READ:
		name := q.a
		if q.schema != "" {
			name = q.schema + "." + name
		}
		if q.b != "" {
			name += "." + q.b
		}
		return "read " + name
	case sqlite3.SQLITE_FUNCTION:
		return "call " + q.b + "()"
	case sqlite3.SQLITE_PRAGMA:
		return "use PRAGMA " + q.a
	case sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH:
		return "attach or detach a database"
	case sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT:
		return "control a transaction"
	}
	return "write or change the schema"
}

// setup is the access while a connection is opened: the PRAGMAs of this
// package.
type setup struct{}

func (setup) allows(q request) bool                           { return q.action == sqlite3.SQLITE_PRAGMA }
func (setup) ignores(request) bool                            { return false }
func (setup) afterPrepare(context.Context, *driverConn) error { return nil }
func (setup) denied() string                                  { return "" }

// catalog is the access of the statements of this package that read the schema.
// It allows to read every table, because SQLite compiles the views for these
// statements, without running them.
type catalog struct{}

func (catalog) allows(q request) bool {
	switch q.action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE:
		return true
	case sqlite3.SQLITE_PRAGMA:
		switch ascii.Lower(q.a) {
		case "table_list", "table_xinfo", "index_list", "index_xinfo", "foreign_key_list", "function_list":
			return true
		case "query_only":
			return q.b == "" // reads the setting
		}
	}
	return false
}
func (catalog) ignores(request) bool                            { return false }
func (catalog) afterPrepare(context.Context, *driverConn) error { return nil }
func (catalog) denied() string                                  { return "read more than the catalogue" }

// A columnSet has the columns of tables. All names are folded.
type columnSet map[string]map[string]bool

func (r columnSet) add(table, column string) {
	if r[table] == nil {
		r[table] = map[string]bool{}
	}
	r[table][column] = true
}

// A recorder is the access with which a view is compiled to learn what it
// reads. A statement that is compiled with it never runs.
type recorder struct {
	via  map[string]columnSet // what is read for the view and for the views inside it
	last request              // the last request that was not allowed
}

func (r *recorder) allows(q request) bool {
	switch q.action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE:
		return true
	case sqlite3.SQLITE_FUNCTION:
		if q.safe {
			return true
		}
	case sqlite3.SQLITE_READ:
		// What is read for no view is the SELECT of addReads. An exception is
		// a table from which no column is read: SQLite does not name the view
		// for one inside a derived table.
		if via := ascii.Lower(q.via); via != "" || q.b == "" {
			if r.via[via] == nil {
				r.via[via] = columnSet{}
			}
			r.via[via].add(ascii.Lower(q.a), ascii.Lower(q.b))
		}
		return true
	}
	r.last = q
	return false
}
func (*recorder) ignores(request) bool                            { return false }
func (*recorder) afterPrepare(context.Context, *driverConn) error { return nil }
func (r *recorder) denied() string                                { return r.last.describe() }

// A grant is the access of one statement. The statement may read less than it
// names, because SQLite leaves out what it does not need.
type grant struct {
	named columnSet            // what the statement names
	views map[string]columnSet // what the views in named read, and the views inside them

	// search has the full-text tables in named, each with the tables in which SQLite keeps
	// it. SQLite reads these with statements of its own.
	search columnSet

	// nestedJoins is set if the statement has a join in parentheses. SQLite
	// treats it as a SELECT * and requests every column of its tables.
	nestedJoins bool

	// unqualified are tables from which no column is read and that are named
	// without a schema. SQLite reports common table expressions in this form.
	// It reports base tables so only if the statement names them without a
	// schema, which no printed statement does. The functions json_each and json_tree are
	// reported like tables of the schema main.
	unqualified []string

	last request // the last request that was not allowed
}

func (g *grant) allows(q request) bool {
	ok := false
	switch q.action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE:
		ok = true
	case sqlite3.SQLITE_FUNCTION:
		ok = q.safe || len(g.search) > 0 && searchFunctions[ascii.Lower(q.b)]
	case sqlite3.SQLITE_PRAGMA:
		ok = len(g.search) > 0 && ascii.EqualFold(q.a, "data_version")
	case sqlite3.SQLITE_READ:
		ok = g.isKept(ascii.Lower(q.a)) && q.schema == "main" || g.mayRead(ascii.Lower(q.a), ascii.Lower(q.b), q.schema, ascii.Lower(q.via))
	}
	if !ok {
		g.last = q
	}
	return ok
}

// ignores reads the columns of a join in parentheses that are not named as
// NULL.
func (g *grant) ignores(q request) bool {
	_, named := g.named[ascii.Lower(q.a)]
	return g.nestedJoins && named && q.action == sqlite3.SQLITE_READ && q.b != "" && q.schema == "main"
}

func (g *grant) mayRead(table, column, schema, via string) bool {
	if schema != "" && schema != "main" {
		return false
	}
	if table == "json_each" || table == "json_tree" {
		g.unqualified = append(g.unqualified, table) // afterPrepare checks that it is the function
		return true
	}
	if column != "" {
		return schema != "" && (g.named[table][column] || g.views[via][table][column])
	}
	// No column of the table is read, as for count(*) or in a cross join. For a
	// view that SQLite has merged into the statement, only the tables inside
	// the view are reported.
	if _, ok := g.named[table]; ok {
		return true
	}
	for _, view := range g.views {
		if _, ok := view[table]; ok {
			return true
		}
	}
	if schema == "" {
		g.unqualified = append(g.unqualified, table)
		return true // afterPrepare checks it
	}
	return false
}

// afterPrepare returns an error if an unqualified name is not a common table
// expression but a table.
func (g *grant) afterPrepare(ctx context.Context, c *driverConn) error {
	if len(g.unqualified) == 0 {
		return nil
	}
	names := make([]string, len(g.unqualified))
	for i, name := range g.unqualified {
		names[i] = "'" + strings.ReplaceAll(name, "'", "''") + "'"
	}
	defer c.setAccess(catalog{})()
	found, err := c.scan(ctx, "SELECT name FROM main.sqlite_schema WHERE lower(name) IN ("+strings.Join(names, ", ")+")")
	if err != nil || len(found) == 0 {
		return err
	}
	g.last = request{action: sqlite3.SQLITE_READ, a: found[0][0]}
	return &sqliteError{code: sqlite3.SQLITE_AUTH, denied: g.denied()}
}

func (g *grant) denied() string { return g.last.describe() }

// addReads adds to views what a SELECT from the view or table reads.
func (c *driverConn) addReads(views map[string]columnSet, object string) error {
	defer c.setAccess(&recorder{via: views})()
	stmt, err := c.prepare("SELECT * FROM main." + quote(object))
	if err != nil {
		return err
	}
	sqlite3.Xsqlite3_finalize(c.tls, stmt)
	return nil
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
