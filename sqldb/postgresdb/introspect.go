package postgresdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqldb"
)

// Introspect reads the catalogue in a few queries, however many tables there
// are. If there is none that the account can read, the error is of kind
// [sqldb.ErrEmpty].
func (e *engine) Introspect(
	ctx context.Context, conn *sql.Conn, skipped func(table, reason string),
) (*joinpath.Schema, error) {
	c, err := e.catalog(ctx, conn)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := c.exists(ctx); err != nil {
		return nil, err
	}
	r := &introspection{
		catalog: c,
		schema:  &joinpath.Schema{Version: joinpath.Version, Tables: map[string]joinpath.Table{}},
		skipped: skipped,
	}
	for _, step := range []func(context.Context) error{r.tables, r.columns, r.views, r.keys, r.foreignKeys} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if len(r.schema.Tables) == 0 {
		return nil, c.nothing(ctx)
	}
	return r.schema, nil
}

// nothing returns the error for a schema without tables that the account can read.
func (c *catalog) nothing(ctx context.Context) error {
	others, err := c.others(ctx)
	if err != nil {
		return err
	}
	return failure.Newf(sqldb.ErrEmpty, "the schema %s has no table that the account can read: %s", c.schema, others)
}

// others returns which schemas have tables that the account can read, and how one is
// chosen.
func (c *catalog) others(ctx context.Context) (string, error) {
	var found list
	err := c.tx.QueryRowContext(ctx, `
		SELECT json_agg(s.name || ' (' || s.tables || ')' ORDER BY s.tables DESC, s.name)
		FROM (
			SELECT n.nspname AS name, count(*) AS tables
			FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
			WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND has_any_column_privilege(c.oid, 'SELECT')
				AND has_schema_privilege(n.oid, 'USAGE') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
			GROUP BY n.nspname ORDER BY 2 DESC, 1 LIMIT 20) AS s`).Scan(&found)
	if err != nil || len(found) == 0 {
		return "nor has any other schema, so check the database and the account's rights", err
	}
	return "those that have are " + strings.Join(found, ", ") +
		", so choose one with Options.Schema, or with ?schema=NAME in the URL of a command", nil
}

// exists returns an error if the schema does not exist.
func (c *catalog) exists(ctx context.Context) error {
	if c.schema == "" {
		others, err := c.others(ctx)
		if err != nil {
			return err
		}
		return failure.New(sqldb.ErrArgument, "no schema of the account's search path exists, with tables that it can read: "+others)
	}
	if !plain(c.schema) {
		return failure.New(sqldb.ErrArgument, "Options.Schema is not UTF-8, or contains a NUL")
	}
	var exists bool
	query := "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = " + literal(c.schema) + ")"
	if err := c.tx.QueryRowContext(ctx, query).Scan(&exists); err != nil {
		return err
	}
	if !exists {
		others, err := c.others(ctx)
		if err != nil {
			return err
		}
		return failure.Newf(sqldb.ErrMissing, "there is no schema %q with tables that the account can read: %s", c.schema, others)
	}
	return nil
}

type introspection struct {
	*catalog
	schema  *joinpath.Schema
	skipped func(table, reason string)
}

// relations returns the tables of the schema without partitions, whose rows the
// partitioned table has.
func (r *introspection) relations() string {
	return `(
		SELECT c.* FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = ` + literal(r.catalog.schema) + `
			AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition)`
}

// tables adds the tables, with their sizes as of the last ANALYZE. The size of
// a partitioned table is the sum of its partitions.
func (r *introspection) tables(ctx context.Context) error {
	var name, comment, extension string
	var readable, view bool
	var rows, bytes int64
	return r.each(ctx, `
		WITH RECURSIVE ours AS (SELECT * FROM `+r.relations()+` AS c), part(table_id, id) AS (
			SELECT oid, oid FROM ours
			UNION ALL
			SELECT part.table_id, i.inhrelid
			FROM part JOIN pg_class AS p ON p.oid = part.id AND p.relkind = 'p' JOIN pg_inherits AS i ON i.inhparent = p.oid
		), size(id, rows, pages) AS (
			SELECT part.table_id, sum(greatest(c.reltuples, 0)::int8)::int8, sum(greatest(c.relpages, 0))::int8
			FROM part JOIN pg_class AS c ON c.oid = part.id AND c.relkind IN ('r', 'm', 'f')
			GROUP BY part.table_id
		)
		SELECT c.relname, c.relkind IN ('v', 'm'), 
			coalesce(size.rows, 0), coalesce(size.pages, 0) * current_setting('block_size')::int8,
			coalesce(obj_description(c.oid, 'pg_class'), ''), has_any_column_privilege(c.oid, 'SELECT'), coalesce((
				SELECT x.extname FROM pg_depend AS d JOIN pg_extension AS x ON x.oid = d.refobjid
				WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid 
					AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'), '')
		FROM ours AS c LEFT JOIN size ON size.id = c.oid
		ORDER BY c.relname`,
		[]any{&name, &view, &rows, &bytes, &comment, &readable, &extension}, func() error {
			switch {
			case extension != "":
				r.skipped(name, "it is part of the extension "+extension)
			default:
				r.schema.Tables[name] = joinpath.Table{
					Types: map[string]string{}, Comment: comment, ColumnComments: map[string]string{},
					Rows: rows, Bytes: bytes, View: view, Unreadable: !readable,
				}
			}
			return nil
		})
}

// columns adds the columns that the account may read, and all of a table that it may not
// read at all.
func (r *introspection) columns(ctx context.Context) error {
	var table, column, columnType, comment string
	var notNull bool
	return r.each(ctx, `
		SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), coalesce(d.description, ''), a.attnotnull
		FROM `+r.relations()+` AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		LEFT JOIN pg_description AS d ON d.classoid = 'pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = a.attnum
		WHERE has_column_privilege(c.oid, a.attnum, 'SELECT') OR NOT has_any_column_privilege(c.oid, 'SELECT')
		ORDER BY c.oid, a.attnum`,
		[]any{&table, &column, &columnType, &comment, &notNull}, func() error {
			t, ok := r.schema.Tables[table]
			if !ok {
				return nil
			}
			t.Columns = append(t.Columns, column)
			t.Types[column] = columnType
			if notNull {
				t.NotNull = append(t.NotNull, column)
			}
			if comment != "" {
				t.ColumnComments[column] = comment
			}
			r.schema.Tables[table] = t
			return nil
		})
}

// views adds what the views read, by the dependencies of their rules. A partition stands
// for its table. What a function of the database reads is not known, nor what a function
// reads whose argument is SQL. It removes the tables that the account may not read, but
// for those behind its views: the catalogue shows their keys to all.
func (r *introspection) views(ctx context.Context) error {
	var view string
	var known bool
	var reads list
	all := map[string]list{}
	err := r.each(ctx, `
		SELECT v.relname, pg_get_viewdef(v.oid) !~ '_to_xml|ts_stat|ts_rewrite|dblink|crosstab|connectby|xpath_table' AND NOT EXISTS (
				SELECT FROM pg_depend AS f
				WHERE f.classid = 'pg_rewrite'::regclass AND f.objid = w.oid AND f.refclassid = 'pg_proc'::regclass
					AND NOT `+member("pg_proc", "f.refobjid")+`),
			coalesce(json_agg(DISTINCT CASE WHEN t.relnamespace = v.relnamespace THEN '' ELSE n.nspname || '.' END
				|| t.relname) FILTER (WHERE t.oid IS NOT NULL), '[]')
		FROM `+r.relations()+` AS v JOIN pg_rewrite AS w ON w.ev_class = v.oid AND w.ev_type = '1'
		LEFT JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
			AND d.refobjid <> v.oid
		LEFT JOIN pg_class AS t ON t.oid = coalesce(pg_partition_root(d.refobjid), d.refobjid)
		LEFT JOIN pg_namespace AS n ON n.oid = t.relnamespace
		WHERE v.relkind IN ('v', 'm')
		GROUP BY v.oid, v.relname, w.oid`,
		[]any{&view, &known, &reads}, func() error {
			all[view] = reads
			if t, ok := r.schema.Tables[view]; ok && known {
				t.Reads = reads
				r.schema.Tables[view] = t
			}
			return nil
		})
	if err != nil {
		return err
	}
	behind := map[string]bool{}
	var follow func(view string)
	follow = func(view string) {
		for _, read := range all[view] {
			if !behind[read] {
				behind[read] = true
				follow(read)
			}
		}
	}
	names := slices.Sorted(maps.Keys(r.schema.Tables))
	for _, name := range names {
		if !r.schema.Tables[name].Unreadable {
			follow(name)
		}
	}
	for _, name := range names {
		if t := r.schema.Tables[name]; t.Unreadable && (t.View || !behind[name]) {
			delete(r.schema.Tables, name)
			r.skipped(name, "the account may not read it")
		}
	}
	return nil
}

// keys adds primary keys and unique indexes. It leaves out partial indexes,
// indexes over an expression and indexes that are not valid.
func (r *introspection) keys(ctx context.Context) error {
	var table string
	var primary bool
	var columns list
	return r.each(ctx, `
		SELECT c.relname, i.indisprimary, (
			SELECT json_agg(a.attname ORDER BY k.place)
			FROM unnest(i.indkey) WITH ORDINALITY AS k(attnum, place)
			JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum
			WHERE k.place <= i.indnkeyatts)
		FROM `+r.relations()+` AS c JOIN pg_index AS i ON i.indrelid = c.oid
		WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
		ORDER BY c.oid, i.indisprimary DESC, i.indexrelid`,
		[]any{&table, &primary, &columns}, func() error {
			t, ok := r.schema.Tables[table]
			if !ok || !keyset.Contains(t.Columns, columns) {
				return nil
			}
			if primary {
				t.PrimaryKey = columns
			}
			keyset.Add(&t, columns)
			r.schema.Tables[table] = t
			return nil
		})
}

// foreignKeys adds the foreign keys.
func (r *introspection) foreignKeys(ctx context.Context) error {
	var table, targetSchema, target string
	var from, to list
	names := func(table, key string) string {
		return `(
			SELECT json_agg(a.attname ORDER BY k.place) FROM unnest(k.` + key + `) WITH ORDINALITY AS k(attnum, place)
			JOIN pg_attribute AS a ON a.attrelid = ` + table + `.oid AND a.attnum = k.attnum)`
	}
	return r.each(ctx, `
		SELECT c.relname, tn.nspname, t.relname, `+names("c", "conkey")+`, `+names("t", "confkey")+`
		FROM `+r.relations()+` AS c
		JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'f' AND k.conparentid = 0
		JOIN pg_class AS t ON t.oid = k.confrelid JOIN pg_namespace AS tn ON tn.oid = t.relnamespace
		ORDER BY c.relname, k.oid`,
		[]any{&table, &targetSchema, &target, &from, &to}, func() error {
			if _, ok := r.schema.Tables[table]; !ok {
				return nil
			}
			if err := r.relate(table, from, targetSchema, target, to); err != nil {
				r.skipped(table, fmt.Sprintf("foreign key (%s): %v", strings.Join(from, ", "), err))
			}
			return nil
		})
}

func (r *introspection) relate(table string, from list, targetSchema, target string, to list) error {
	there, ok := r.schema.Tables[target]
	switch {
	case targetSchema != r.catalog.schema:
		return fmt.Errorf("%s is in the schema %s: a view of it in this schema can be joined", target, targetSchema)
	case !ok:
		return fmt.Errorf("the account may not read %s", target)
	}
	here := r.schema.Tables[table]
	if !keyset.Contains(here.Columns, from) || !keyset.Contains(there.Columns, to) {
		return errors.New("the account may not read all of its columns")
	}
	return r.schema.AddForeignKey(table, from, target, to)
}
