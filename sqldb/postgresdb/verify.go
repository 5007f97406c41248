package postgresdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/sqldb"
)

// planTime is the time limit of planning a statement to verify what it reads.
// Honest statements take milliseconds. The server evaluates constants while it
// plans, and does not look for interrupts in all that it does then.
const planTime = 2 * time.Second

// planGrace is how long after planTime the client waits for the server's error.
const planGrace = 500 * time.Millisecond

// planned verifies what a statement reads within planTime, and sets the time limit
// of the statement itself. If the server does not reply in time, the cause of the
// error is [context.DeadlineExceeded]: the statement may still be planned. It returns
// the result of operatorPath.
func planned(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (path []string, keep bool, err error) {
	if q.Timeout <= planTime {
		return verify(ctx, conn, q)
	}
	planning, cancel := context.WithTimeout(ctx, planTime+planGrace)
	defer cancel()
	path, keep, err = verify(planning, conn, q)
	if err == nil {
		_, err = conn.ExecContext(planning, setTimeout(q.Timeout))
	}
	if err == nil || ctx.Err() != nil {
		return path, keep, err
	}
	if ended := planning.Err(); ended != nil {
		return nil, false, tooLongToPlan(ended)
	}
	if known := classify(err); known != nil && known.Kind == sqldb.ErrTimeout {
		return nil, false, tooLongToPlan(err)
	}
	return nil, false, err
}

func tooLongToPlan(cause error) error {
	return failure.Wrap(sqldb.ErrTooLarge, fmt.Sprintf("the server did not plan the statement within %v: "+
		"join fewer tables, group by fewer terms, and compute fewer constants", planTime), cause)
}

func verify(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (path []string, keep bool, err error) {
	if err := verifyMerged(ctx, conn, q.Merged); err != nil {
		return nil, false, err
	}
	if err := verifyFields(ctx, conn, q.Fields); err != nil {
		return nil, false, err
	}
	path, keep, err = operatorPath(ctx, conn, q)
	if err != nil {
		return nil, false, err
	}
	again, err := begin(q, min(q.Timeout, planTime), path)
	if err != nil {
		return nil, false, err
	}
	// Begin again, without the catalogue among the tables that the transaction has opened.
	if _, err := conn.ExecContext(ctx, "ROLLBACK; "+again); err != nil {
		return nil, false, err
	}
	err = verifyReads(ctx, conn, q, again)
	if err == nil && len(q.Session.SearchPath) > 0 {
		err = verifyOperators(ctx, conn, q)
	}
	return path, keep, err
}

// verifyMerged returns an error if a column of USING merges columns of several types. The
// statement has one of them in its place, and the server would have given it their common
// type. Integers of several sizes, and texts of several lengths, are alike.
func verifyMerged(ctx context.Context, conn *sql.Conn, merged [][]sqldb.Object) error {
	var list []string
	for i, columns := range merged {
		for _, c := range columns {
			list = append(list, fmt.Sprintf("(%d, %s, %s, %s)", i, literal(c.Schema), literal(c.Name), literal(c.Columns[0])))
		}
	}
	if len(list) == 0 {
		return nil
	}
	found, err := names(ctx, conn, `
		SELECT min(a.attname::text), string_agg(DISTINCT format_type(a.atttypid, NULL), ' and ')
		FROM (VALUES `+strings.Join(list, ", ")+`) AS m(number, schema, name, col)
		JOIN pg_namespace AS n ON n.nspname = m.schema JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = m.name
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = m.col
		GROUP BY m.number
		HAVING count(DISTINCT CASE WHEN a.atttypid IN ('int2'::regtype, 'int4'::regtype) THEN 'int8'::regtype
			WHEN a.atttypid = 'varchar'::regtype THEN 'text'::regtype ELSE a.atttypid END) > 1
		LIMIT 1`)
	if err != nil || len(found) == 0 {
		return err
	}
	return failure.Newf(sqldb.ErrExecution, "%s of USING or a NATURAL JOIN merges columns of the types %s: write ON, and name "+
		"the column with its table", quote(found[0].schema), found[0].name)
}

// verifyFields returns an error unless each column has a composite type with the field,
// which would otherwise be NULL.
func verifyFields(ctx context.Context, conn *sql.Conn, fields []sqldb.Object) error {
	if len(fields) == 0 {
		return nil
	}
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = fmt.Sprintf("(%s, %s, %s, %s)", literal(f.Schema), literal(f.Name), literal(f.Columns[0]), literal(f.Columns[1]))
	}
	found, err := names(ctx, conn, `
		SELECT m.col, m.field
		FROM (VALUES `+strings.Join(list, ", ")+`) AS m(schema, name, col, field)
		WHERE NOT EXISTS (
			SELECT FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = m.name
			JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = m.col JOIN pg_type AS t ON t.oid = a.atttypid
			JOIN pg_class AS k ON k.oid = t.typrelid AND k.relkind = 'c'
			JOIN pg_attribute AS f ON f.attrelid = k.oid AND f.attname = m.field AND f.attnum > 0 AND NOT f.attisdropped
			WHERE n.nspname = m.schema)
		LIMIT 1`)
	if err != nil || len(found) == 0 {
		return err
	}
	return failure.Newf(sqldb.ErrExecution, "the type of the column %s is no composite type with a field %s: write "+
		"to_jsonb(x) ->> 'field' for a field of JSON, or of the row of a table", quote(found[0].schema), quote(found[0].name))
}

// verifyOperators returns an error if a schema of a search path has an operator
// that could be called in place of one of the server's own: one that only takes
// types of the server. Operators of extensions, which are written in C, may. It does
// the same for the functions that the statement calls without a schema.
func verifyOperators(ctx context.Context, conn *sql.Conn, q *sqldb.Query) error {
	path := literals(q.Session.SearchPath)
	found, err := names(ctx, conn, `
		SELECT n.nspname, o.oprname
		FROM pg_operator AS o JOIN pg_namespace AS n ON n.oid = o.oprnamespace
		JOIN pg_proc AS f ON f.oid = o.oprcode JOIN pg_language AS l ON l.oid = f.prolang
		WHERE n.nspname IN (`+path+`) AND l.lanname NOT IN ('c', 'internal') AND NOT EXISTS (
			SELECT FROM pg_type AS t WHERE t.oid IN (o.oprleft, o.oprright) AND t.typnamespace <> 11)
		UNION ALL
		SELECT n.nspname, f.proname
		FROM pg_proc AS f JOIN pg_namespace AS n ON n.oid = f.pronamespace
		WHERE n.nspname IN (`+path+`) AND f.proname IN (`+overloaded(q.SQL)+`) AND NOT `+member("pg_proc", "f.oid")+`
		LIMIT 1`) // 11 is the OID of pg_catalog
	if err != nil || len(found) == 0 {
		return err
	}
	return failure.Newf(sqldb.ErrSession, "the schema %s of the session's SearchPath has %s, which statements would call "+
		"in place of PostgreSQL's own: move it to another schema", found[0].schema, found[0].name)
}

// verifyReads lets the server plan a statement, and returns an error if that
// opened a table that the guard did not see. The opened tables are those that
// the transaction holds locks of: the tables of the text, of its views, of
// row-level security, and of functions that the planner inlined. They include
// the branches that the planner removes.
//
// begin is the text that began the transaction.
func verifyReads(ctx context.Context, conn *sql.Conn, q *sqldb.Query, begin string) error {
	unseen, err := openedBy(ctx, conn, q)
	if err != nil || unseen.isEmpty() {
		return err
	}
	known, err := closure(ctx, conn, q.Objects)
	if err != nil {
		return err
	}
	unseen = unseen.without(known)
	if len(unseen.tables) > 0 && len(known.open) > 0 {
		// The catalogue does not show what an inlined function reads. What the
		// views open by themselves belongs to them, so open them first.
		if _, err := conn.ExecContext(ctx, "ROLLBACK; "+begin+"; "+openFirst(known.open)); err != nil {
			return err
		}
		if unseen, err = openedBy(ctx, conn, q); err != nil {
			return err
		}
		unseen = unseen.without(known)
	}
	switch {
	case len(unseen.tables) > 0:
		return denied("read", unseen.tables[0])
	case len(unseen.functions) > 0:
		return denied("call", unseen.functions[0])
	}
	return nil
}

func denied(verb string, n name) error {
	return failure.New(sqldb.ErrDenied, "the statement would "+verb+" "+n.String()+", which the guard did not see")
}

// A name is a name of the catalogue.
type name struct{ schema, name string }

func (n name) String() string { return strings.TrimPrefix(n.schema+"."+n.name, ".") }

// objects are tables, and functions that are read like tables.
type objects struct {
	tables, functions []name

	open []name // the tables that read other tables: views, and those with row-level security
}

func (f *objects) isEmpty() bool { return len(f.tables) == 0 && len(f.functions) == 0 }

func (f *objects) without(known *objects) *objects {
	return &objects{tables: without(f.tables, known.tables), functions: without(f.functions, known.functions)}
}

func without[S ~[]E, E comparable](names, known S) S {
	return slices.DeleteFunc(names, func(n E) bool { return slices.Contains(known, n) })
}

// openedBy returns what the server opens for a statement and the query does not
// name.
func openedBy(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (*objects, error) {
	var text []byte
	if err := conn.QueryRowContext(ctx, "EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) "+q.SQL).Scan(&text); err != nil {
		return nil, err
	}
	plan, err := parsePlan(text)
	if err != nil {
		return nil, err
	}
	f := &objects{}
	for _, call := range plan.functions(nil) {
		if !call.isPure(q.Dialect) {
			f.functions = append(f.functions, call)
		}
	}
	tables, err := names(ctx, conn, locked)
	if err != nil {
		return nil, err
	}
	named := lists.Map(q.Objects, func(o sqldb.Object) name { return name{o.Schema, o.Name} })
	f.tables = without(tables, named)
	return f, nil
}

// locked returns the tables that the transaction has opened, without those that
// it had opened before the statement. It reads no table, which would be among
// them.
const locked = `
	SELECT o.object_names[1], o.object_names[2]
	FROM pg_catalog.pg_lock_status() AS l, LATERAL pg_catalog.pg_identify_object_as_address(1259, l.relation, 0) AS o
	WHERE l.locktype = 'relation' AND l.pid = pg_catalog.pg_backend_pid() AND o.type <> 'index'
		AND (l.relation <> ALL (pg_catalog.string_to_array(pg_catalog.current_setting('` + before + `', true), ' ')
			::pg_catalog.oid[])) IS NOT FALSE`

// before is the setting that stores which tables a transaction has opened
// first.
const before = "qed.opened"

// openFirst opens tables with all that they read, and stores what was opened in
// the setting before.
func openFirst(tables []name) string {
	arms := make([]string, len(tables))
	for i, t := range tables {
		arms[i] = "SELECT 1 FROM " + quote(t.schema) + "." + quote(t.name) + " WHERE false" // does not open partitions
	}
	return "EXPLAIN " + strings.Join(arms, " UNION ALL ") + "; SELECT pg_catalog.set_config('" + before + `', (
		SELECT pg_catalog.string_agg(l.relation::pg_catalog.text, ' ') FROM pg_catalog.pg_lock_status() AS l
		WHERE l.locktype = 'relation' AND l.pid = pg_catalog.pg_backend_pid()), true)`
}

// closure returns what objects read according to the catalogue: the tables and
// functions in the definitions of views and of row-level security, and the
// partitions of tables. It uses the parse tree of a view, because pg_depend
// leaves out the server's own tables. 1259 is the OID of pg_class, 1255 that of
// pg_proc.
func closure(ctx context.Context, conn *sql.Conn, of []sqldb.Object) (*objects, error) {
	f := &objects{}
	if len(of) == 0 {
		return f, nil
	}
	list := lists.Map(of, func(o sqldb.Object) string { return "(" + literal(o.Schema) + ", " + literal(o.Name) + ")" })
	var n name
	var kind string
	err := keyset.Each(ctx, conn, `
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
		SELECT n.nspname, c.relname,
			CASE WHEN bool_or(r.named) AND (c.relkind = 'v' OR c.relrowsecurity) THEN 'open' ELSE 'table' END
		FROM reach AS r JOIN pg_class AS c ON c.oid = r.id JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE r.class = 1259
		GROUP BY n.nspname, c.relname, c.relkind, c.relrowsecurity
		UNION ALL
		SELECT n.nspname, f.proname, 'function'
		FROM reach AS r JOIN pg_proc AS f ON f.oid = r.id JOIN pg_namespace AS n ON n.oid = f.pronamespace
		WHERE r.class = 1255`,
		[]any{&n.schema, &n.name, &kind}, func() {
			switch kind {
			case "function":
				f.functions = append(f.functions, n)
				return
			case "open":
				f.open = append(f.open, n)
			}
			f.tables = append(f.tables, n)
		})
	return f, err
}

// names returns the result of a query for schemas and names.
func names(ctx context.Context, conn *sql.Conn, query string) (list []name, err error) {
	var n name
	err = keyset.Each(ctx, conn, query, []any{&n.schema, &n.name}, func() {
		list = append(list, n)
	})
	return list, err
}
