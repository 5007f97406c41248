package sqlitedb

import (
	"context"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/qedkit/qed/internal/ascii"
)

// access is what statements on a connection may do. SQLite asks it while it
// compiles a statement, and again should it have to compile it anew.
type access interface {
	// may answers one question of SQLite.
	may(q question) bool
	// blank is asked about what may refused: whether to read NULL instead.
	blank(q question) bool
	// prepared is asked once a statement is compiled, before it runs.
	prepared(ctx context.Context, c *conn) error
	// refused tells what may answered no to last, such as "read t.x".
	refused() string
}

// question is what SQLite asks its authorizer. What a and b mean depends on
// the action: for a read, the table and the column.
type question struct {
	action int32
	a, b   string
	schema string
	via    string // the view or common table expression that it is for
	safe   bool   // for a function: SQLite holds it harmless
}

// authorize is SQLite's authorizer callback.
func authorize(_ *libc.TLS, handle uintptr, action int32, a, b, schema, via uintptr) int32 {
	v, ok := conns.Load(handle)
	if !ok {
		return sqlite3.SQLITE_DENY
	}
	c := v.(*conn)
	if c.access == nil {
		return sqlite3.SQLITE_DENY
	}
	q := question{action, text(a), text(b), text(schema), text(via), false}
	if action == sqlite3.SQLITE_FUNCTION {
		q.safe = c.functions[ascii.Lower(q.b)]
	}
	switch {
	case c.access.may(q):
		return sqlite3.SQLITE_OK
	case c.access.blank(q):
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

// describe says in words what a question asks for.
func (q question) describe() string {
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

// setup is the access of a connection that is being opened: our own PRAGMAs.
type setup struct{}

func (setup) may(q question) bool                   { return q.action == sqlite3.SQLITE_PRAGMA }
func (setup) blank(question) bool                   { return false }
func (setup) prepared(context.Context, *conn) error { return nil }
func (setup) refused() string                       { return "" }

// catalog is the access of our own statements that read the schema. SQLite
// compiles the views for them, so it reads whatever those name, but only
// compiles it.
type catalog struct{}

func (catalog) may(q question) bool {
	switch q.action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE:
		return true
	case sqlite3.SQLITE_PRAGMA:
		switch ascii.Lower(q.a) {
		case "table_list", "table_xinfo", "index_list", "index_xinfo", "foreign_key_list", "function_list":
			return true
		case "query_only":
			return q.b == "" // asks, does not set
		}
	}
	return false
}
func (catalog) blank(question) bool                   { return false }
func (catalog) prepared(context.Context, *conn) error { return nil }
func (catalog) refused() string                       { return "leave the catalogue" }

// reach is columns of tables, both names folded.
type reach map[string]map[string]bool

func (r reach) add(table, column string) {
	if r[table] == nil {
		r[table] = map[string]bool{}
	}
	r[table][column] = true
}

// recorder is the access under which a view is compiled once, on its own, to
// learn what it reads. Nothing that is compiled under it ever runs.
type recorder struct {
	via  map[string]reach // the view, or one inside it, to what is read for it
	last question         // what was refused last
}

func (r *recorder) may(q question) bool {
	switch q.action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE:
		return true
	case sqlite3.SQLITE_FUNCTION:
		if q.safe {
			return true
		}
	case sqlite3.SQLITE_READ:
		// What is read for no view is the statement of our own. A table from
		// which no column is read is an exception: SQLite forgets the view
		// for one inside a derived table.
		if via := ascii.Lower(q.via); via != "" || q.b == "" {
			if r.via[via] == nil {
				r.via[via] = reach{}
			}
			r.via[via].add(ascii.Lower(q.a), ascii.Lower(q.b))
		}
		return true
	}
	r.last = q
	return false
}
func (*recorder) blank(question) bool                   { return false }
func (*recorder) prepared(context.Context, *conn) error { return nil }
func (r *recorder) refused() string                     { return r.last.describe() }

// grant is the access of one guarded statement. It compares as a subset: what
// the statement names may go unread, where SQLite prunes it.
type grant struct {
	named reach            // what the statement names
	views map[string]reach // for each view among that, and each view inside it, what it reads

	// joins is set where a join stands in parentheses. To SQLite that is a
	// SELECT * of its own: it asks for every column of the tables inside.
	joins bool

	// unqualified are tables from which no column is read, named without a
	// schema. SQLite reports common table expressions so, and base tables
	// only where a text names them without one, as no printed text does.
	unqualified []string

	last question // what was refused last
}

func (g *grant) may(q question) bool {
	ok := false
	switch q.action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE:
		ok = true
	case sqlite3.SQLITE_FUNCTION:
		ok = q.safe
	case sqlite3.SQLITE_READ:
		ok = g.mayRead(ascii.Lower(q.a), ascii.Lower(q.b), q.schema, ascii.Lower(q.via))
	}
	if !ok {
		g.last = q
	}
	return ok
}

// blank lets the columns that nobody named be NULL in a join in parentheses.
func (g *grant) blank(q question) bool {
	_, named := g.named[ascii.Lower(q.a)]
	return g.joins && named && q.action == sqlite3.SQLITE_READ && q.b != "" && q.schema == "main"
}

func (g *grant) mayRead(table, column, schema, via string) bool {
	if schema != "" && schema != "main" {
		return false
	}
	if column != "" {
		return schema != "" && (g.named[table][column] || g.views[via][table][column])
	}
	// A table from which no column is taken: count(*), or the other side of
	// a product. A view that SQLite merged into the statement shows only
	// the tables inside it, and no longer itself.
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
		return true // for now: see prepared
	}
	return false
}

// prepared refuses unqualified names that are no common table expressions.
func (g *grant) prepared(ctx context.Context, c *conn) error {
	if len(g.unqualified) == 0 {
		return nil
	}
	names := make([]string, len(g.unqualified))
	for i, name := range g.unqualified {
		names[i] = "'" + strings.ReplaceAll(name, "'", "''") + "'"
	}
	defer c.allow(catalog{})()
	found, err := c.scan(ctx, "SELECT name FROM main.sqlite_schema WHERE lower(name) IN ("+strings.Join(names, ", ")+")")
	if err != nil || len(found) == 0 {
		return err
	}
	g.last = question{action: sqlite3.SQLITE_READ, a: found[0][0]}
	return &sqliteError{code: sqlite3.SQLITE_AUTH, denied: g.refused()}
}

func (g *grant) refused() string { return g.last.describe() }

// closure adds what the view or table reads when it is selected from.
func (c *conn) closure(views map[string]reach, object string) error {
	defer c.allow(&recorder{via: views})()
	stmt, err := c.prepare("SELECT * FROM main." + quote(object))
	if err != nil {
		return err
	}
	sqlite3.Xsqlite3_finalize(c.tls, stmt)
	return nil
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
