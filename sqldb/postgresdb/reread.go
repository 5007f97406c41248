package postgresdb

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/qedkit/qed/sqldb"
)

// reread lets the server plan a statement and refuses it if that opened a table
// which the guard did not see. Opened is what the transaction holds locks of:
// tables of the text, of views in it, of row-level security, and of functions
// that the planner replaced by what they read. Branches that the planner drops
// are among them, so the answer does not depend on the literals of a statement.
//
// begin is the text that began the transaction.
func reread(ctx context.Context, conn *sql.Conn, r *sqldb.Reading, begin string) error {
	beyond, err := opened(ctx, conn, r)
	if err != nil || beyond.nothing() {
		return err
	}
	known, err := closure(ctx, conn, r.Objects)
	if err != nil {
		return err
	}
	beyond = beyond.without(known)
	if len(beyond.tables) > 0 && len(known.open) > 0 {
		// No catalogue tells what a function reads that was replaced. So what
		// the views open by themselves is theirs.
		if _, err := conn.ExecContext(ctx, "ROLLBACK; "+begin+"; "+openFirst(known.open)); err != nil {
			return err
		}
		if beyond, err = opened(ctx, conn, r); err != nil {
			return err
		}
		beyond = beyond.without(known)
	}
	switch {
	case len(beyond.tables) > 0:
		return denied("read", beyond.tables[0])
	case len(beyond.functions) > 0:
		return denied("call", beyond.functions[0])
	}
	return nil
}

func denied(verb string, n name) error {
	return &sqldb.Error{Kind: sqldb.ErrDenied, Message: "the statement would " + verb + " " + n.String() + ", which the guard did not see"}
}

// name is a name of the catalogue.
type name struct{ schema, name string }

func (n name) String() string { return strings.TrimPrefix(n.schema+"."+n.name, ".") }

// found is tables, and functions that are read like tables.
type found struct {
	tables, functions []name

	open []name // those of the tables that read others in turn
}

func (f *found) nothing() bool { return len(f.tables) == 0 && len(f.functions) == 0 }

func (f *found) without(known *found) *found {
	return &found{tables: without(f.tables, known.tables), functions: without(f.functions, known.functions)}
}

func without[S ~[]E, E comparable](names, known S) S {
	return slices.DeleteFunc(names, func(n E) bool { return slices.Contains(known, n) })
}

// opened is what the server opens for a statement beyond what the reading names.
func opened(ctx context.Context, conn *sql.Conn, r *sqldb.Reading) (*found, error) {
	var plan []byte
	if err := conn.QueryRowContext(ctx, "EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) "+r.SQL).Scan(&plan); err != nil {
		return nil, err
	}
	calls, err := tableFunctions(plan)
	if err != nil {
		return nil, err
	}
	f := &found{}
	for _, call := range calls {
		if !call.madeOfArguments() {
			f.functions = append(f.functions, call)
		}
	}
	tables, err := names(ctx, conn, locked)
	if err != nil {
		return nil, err
	}
	named := make([]name, len(r.Objects))
	for i, o := range r.Objects {
		named[i] = name{o.Schema, o.Name}
	}
	f.tables = without(tables, named)
	return f, nil
}

// locked is the tables that the transaction has opened, but for those that it
// had before the statement. The query names no table, which would be among them.
const locked = `
	SELECT o.object_names[1], o.object_names[2]
	FROM pg_catalog.pg_lock_status() AS l, LATERAL pg_catalog.pg_identify_object_as_address(1259, l.relation, 0) AS o
	WHERE l.locktype = 'relation' AND l.pid = pg_catalog.pg_backend_pid() AND o.type <> 'index'
		AND (l.relation <> ALL (pg_catalog.string_to_array(pg_catalog.current_setting('` + before + `', true), ' ')::pg_catalog.oid[])) IS NOT FALSE`

// before is the setting that keeps which tables a transaction opened first.
const before = "qed.opened"

// openFirst opens tables, with all that they read, and remembers what that was.
func openFirst(tables []name) string {
	arms := make([]string, len(tables))
	for i, t := range tables {
		arms[i] = "SELECT 1 FROM " + quote(t.schema) + "." + quote(t.name) + " WHERE false" // which spares partitions
	}
	return "EXPLAIN " + strings.Join(arms, " UNION ALL ") + "; SELECT pg_catalog.set_config('" + before + `', (
		SELECT pg_catalog.string_agg(l.relation::pg_catalog.text, ' ') FROM pg_catalog.pg_lock_status() AS l
		WHERE l.locktype = 'relation' AND l.pid = pg_catalog.pg_backend_pid()), true)`
}

// closure is what the catalogue says that objects read in turn: what is in the
// definitions of views and of row-level security, and the parts of tables. A
// view's own tree tells it better than the dependencies do, which leave out the
// server's own tables. 1259 is the tables of tables, 1255 that of functions.
func closure(ctx context.Context, conn *sql.Conn, objects []sqldb.Object) (*found, error) {
	f := &found{}
	if len(objects) == 0 {
		return f, nil
	}
	list := make([]string, len(objects))
	for i, o := range objects {
		list[i] = "(" + literal(o.Schema) + ", " + literal(o.Name) + ")"
	}
	rows, err := conn.QueryContext(ctx, `
		WITH RECURSIVE reach(class, id, named) AS (
			SELECT 1259, c.oid, true
			FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
			WHERE (n.nspname, c.relname) IN (`+strings.Join(list, ", ")+`)
			UNION
			SELECT x.class, x.id, false
			FROM reach AS r, LATERAL (
				SELECT CASE m[1] WHEN 'relid' THEN 1259 ELSE 1255 END, m[2]::oid
				FROM (
					SELECT w.ev_action::text FROM pg_rewrite AS w JOIN pg_class AS v ON v.oid = w.ev_class AND v.relkind = 'v'
					WHERE w.ev_class = r.id AND w.ev_type = '1'
					UNION ALL
					SELECT p.polqual::text FROM pg_policy AS p WHERE p.polrelid = r.id
				) AS t(tree), regexp_matches(t.tree, ':(relid|funcid) (\d+)', 'g') AS m
				WHERE r.class = 1259
				UNION ALL
				SELECT 1259, i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = r.id AND r.class = 1259
			) AS x(class, id)
		)
		SELECT n.nspname, c.relname, CASE WHEN bool_or(r.named) AND (c.relkind = 'v' OR c.relrowsecurity) THEN 'open' ELSE 'table' END
		FROM reach AS r JOIN pg_class AS c ON c.oid = r.id JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE r.class = 1259
		GROUP BY n.nspname, c.relname, c.relkind, c.relrowsecurity
		UNION ALL
		SELECT n.nspname, f.proname, 'function'
		FROM reach AS r JOIN pg_proc AS f ON f.oid = r.id JOIN pg_namespace AS n ON n.oid = f.pronamespace
		WHERE r.class = 1255`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n name
		var kind string
		if err := rows.Scan(&n.schema, &n.name, &kind); err != nil {
			return nil, err
		}
		switch kind {
		case "function":
			f.functions = append(f.functions, n)
		case "open":
			f.open = append(f.open, n)
			fallthrough
		default:
			f.tables = append(f.tables, n)
		}
	}
	return f, rows.Err()
}

// names runs a query that answers schemas and names.
func names(ctx context.Context, conn *sql.Conn, query string) ([]name, error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []name
	for rows.Next() {
		var n name
		if err := rows.Scan(&n.schema, &n.name); err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, rows.Err()
}
