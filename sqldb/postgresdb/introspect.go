package postgresdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/viewtext"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqldb"
)

// Introspect reads the catalogue in a few queries, however many tables there
// are. If there is none that the account can read, the error is of kind
// [sqldb.ErrEmpty].
func (e *engine) Introspect(
	ctx context.Context, conn *sql.Conn, schemas []string, skipped func(table, reason string),
) (*joinpath.Schema, error) {
	c, err := e.catalog(ctx, conn)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if schemas, err = c.existing(ctx, schemas); err != nil {
		return nil, err
	}
	r := &introspection{
		catalog: c,
		schemas: schemas,
		Tables:  keyset.NewTables(schemas[0], func(name string) string { return name }),
		skipped: skipped,
	}
	for _, step := range []func(context.Context) error{r.tables, r.columns, r.views, r.keys, r.foreignKeys} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	for i, schema := range schemas {
		if !r.has(schema) && (i > 0 || len(r.Into.Tables) == 0) { // a policy may list no table of the first one
			others, err := c.others(ctx)
			if err != nil {
				return nil, err
			}
			return nil, failure.Newf(sqldb.ErrEmpty, "the schema %s has no table that the account can read: %s", schema, others)
		}
	}
	return r.Into, nil
}

// has reports whether a schema has a table that was added.
func (r *introspection) has(schema string) bool {
	for _, t := range r.Into.Tables {
		if cmp.Or(t.Schema, r.schemas[0]) == schema {
			return true
		}
	}
	return false
}

// others returns which schemas have tables that the account can read, and how one is
// chosen.
func (c *catalog) others(ctx context.Context) (string, error) {
	var found keyset.Names
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
		", so name one or more in the policy, in the call of Introspect, or with ?schema=NAME,NAME in the URL of a command", nil
}

// existing returns schemas, each once, with the first schema of the account's search path
// for an empty name. The error is for those that do not exist.
func (c *catalog) existing(ctx context.Context, schemas []string) ([]string, error) {
	if len(schemas) == 0 {
		schemas = []string{""}
	}
	var names []string
	for _, schema := range schemas {
		schema = cmp.Or(schema, c.current)
		var missing string
		switch exists, err := c.exists(ctx, schema); {
		case err != nil:
			return nil, err
		case !exists && schema == "":
			missing = "no schema of the account's search path exists, with tables that it can read"
		case !exists:
			missing = fmt.Sprintf("there is no schema %q with tables that the account can read", schema)
		}
		if missing != "" {
			others, err := c.others(ctx)
			if err != nil {
				return nil, err
			}
			return nil, failure.New(sqldb.ErrMissing, missing+": "+others)
		}
		names = lists.Add(names, schema)
	}
	return names, nil
}

func (c *catalog) exists(ctx context.Context, schema string) (exists bool, err error) {
	if schema == "" || !plain(schema) {
		return false, nil
	}
	err = c.tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = "+literal(schema)+")").Scan(&exists)
	return exists, err
}

type introspection struct {
	*catalog
	*keyset.Tables
	schemas []string
	skipped func(table, reason string)
}

// relations returns the tables of the schemas without partitions, whose rows the
// partitioned table has.
func (r *introspection) relations() string {
	return `(
		SELECT c.*, n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname IN (` + literals(r.schemas) + `)
			AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition)`
}

// tables adds the tables, with their sizes as of the last ANALYZE. The size of
// a partitioned table is the sum of its partitions.
func (r *introspection) tables(ctx context.Context) error {
	var schema, name, comment, extension string
	var readable, view bool
	var rows, bytes int64
	return keyset.Each(ctx, r.tx, `
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
		SELECT c.nspname, c.relname, c.relkind IN ('v', 'm'),
			coalesce(size.rows, 0), coalesce(size.pages, 0) * current_setting('block_size')::int8,
			coalesce(obj_description(c.oid, 'pg_class'), ''), has_any_column_privilege(c.oid, 'SELECT'), coalesce((
				SELECT x.extname FROM pg_depend AS d JOIN pg_extension AS x ON x.oid = d.refobjid
				WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid 
					AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'), '')
		FROM ours AS c LEFT JOIN size ON size.id = c.oid
		ORDER BY c.nspname <> `+literal(r.schemas[0])+`, c.nspname, c.relname`,
		[]any{&schema, &name, &view, &rows, &bytes, &comment, &readable, &extension}, func() {
			if extension != "" {
				r.skipped(r.NameOf(schema, name), "it is part of the extension "+extension)
				return
			}
			err := r.Add(schema, name, joinpath.Table{
				Comment: comment, Rows: rows, Bytes: bytes, View: view, Unreadable: !readable,
			})
			if err != nil {
				r.skipped(r.NameOf(schema, name), err.Error())
			}
		})
}

// columns adds the columns that the account may read, and all of a table that it may not
// read at all.
func (r *introspection) columns(ctx context.Context) error {
	var schema, table, column, columnType, comment, text string
	var notNull bool
	computed := map[[2]string]string{}
	err := keyset.Each(ctx, r.tx, `
		SELECT c.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), coalesce(d.description, ''), a.attnotnull,
			CASE WHEN a.attgenerated <> '' THEN (
				SELECT pg_get_expr(e.adbin, e.adrelid) FROM pg_attrdef AS e WHERE e.adrelid = c.oid AND e.adnum = a.attnum) ELSE '' END
		FROM `+r.relations()+` AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		LEFT JOIN pg_description AS d ON d.classoid = 'pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = a.attnum
		WHERE has_column_privilege(c.oid, a.attnum, 'SELECT') OR NOT has_any_column_privilege(c.oid, 'SELECT')
		ORDER BY c.oid, a.attnum`,
		[]any{&schema, &table, &column, &columnType, &comment, &notNull, &text}, func() {
			name := r.Name(schema, table)
			r.AddColumn(name, column, columnType, comment, notNull)
			computed[[2]string{name, column}] = text
		})
	for of, text := range computed {
		viewtext.AddUses(r.Into, of[0], of[1], text, of[:1])
	}
	return err
}

// readsMore matches functions whose argument is SQL, and the statistics of all tables.
var readsMore = regexp.MustCompile("_to_xml|ts_stat|pg_stat|ts_rewrite|dblink|crosstab|connectby|xpath_table")

// views adds what the views read, by the dependencies of their rules. A partition stands
// for its table. What a function of the database reads is not known, nor what a function
// reads whose argument is SQL. It removes the tables that the account may not read, but
// for those behind its views: the catalogue shows their keys to all.
func (r *introspection) views(ctx context.Context) error {
	var schema, view, text string
	var known bool
	var reads keyset.Names
	all, unknown, texts := map[string]keyset.Names{}, map[string]bool{}, map[string]string{}
	err := keyset.Each(ctx, r.tx, `
		SELECT vn.nspname, v.relname, pg_get_viewdef(v.oid), NOT EXISTS (
				SELECT FROM pg_depend AS f
				WHERE f.classid = 'pg_rewrite'::regclass AND f.objid = w.oid AND (
					f.refclassid = 'pg_proc'::regclass AND NOT `+member("pg_proc", "f.refobjid")+`
					OR f.refclassid = 'pg_operator'::regclass AND NOT `+member("pg_operator", "f.refobjid")+`)),
			coalesce(json_agg(DISTINCT CASE WHEN n.nspname = `+literal(r.schemas[0])+` THEN '' ELSE n.nspname || '.' END
				|| t.relname) FILTER (WHERE t.oid IS NOT NULL), '[]')
		FROM pg_class AS v JOIN pg_namespace AS vn ON vn.oid = v.relnamespace JOIN pg_rewrite AS w ON w.ev_class = v.oid AND w.ev_type = '1'
		LEFT JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
			AND d.refobjid <> v.oid
		LEFT JOIN pg_class AS t ON t.oid = coalesce(pg_partition_root(d.refobjid), d.refobjid)
		LEFT JOIN pg_namespace AS n ON n.oid = t.relnamespace
		WHERE v.relkind IN ('v', 'm') AND vn.nspname NOT IN ('pg_catalog', 'information_schema')
		GROUP BY v.oid, vn.nspname, v.relname, w.oid`,
		[]any{&schema, &view, &text, &known, &reads}, func() {
			name := r.NameOf(schema, view)
			all[name], unknown[name], texts[name] = reads, !known || readsMore.MatchString(text), text
		})
	if err != nil {
		return err
	}
	children, err := r.children(ctx)
	if err != nil {
		return err
	}
	for name, t := range r.Into.Tables {
		reads, known := r.through(all, children, unknown, name)
		if t.Reads = reads; known {
			r.Into.Tables[name] = t
		}
		text := texts[name]
		for _, read := range slices.DeleteFunc(slices.Clone(reads), r.listed) {
			text += " " + texts[read]
		}
		viewtext.AddUses(r.Into, name, "", text, reads)
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
	names := slices.Sorted(maps.Keys(r.Into.Tables))
	for _, name := range names {
		if !r.Into.Tables[name].Unreadable {
			follow(name)
		}
	}
	for _, name := range names {
		if t := r.Into.Tables[name]; t.Unreadable && (t.View || !behind[name]) {
			delete(r.Into.Tables, name)
			r.skipped(name, "the account may not read it")
		}
	}
	return nil
}

// children returns the tables that inherit from each table. A query of a table reads their
// rows too.
func (r *introspection) children(ctx context.Context) (map[string]keyset.Names, error) {
	var schema, table, in, child string
	all := map[string]keyset.Names{}
	return all, keyset.Each(ctx, r.tx, `
		SELECT pn.nspname, p.relname, cn.nspname, c.relname
		FROM pg_inherits AS i
		JOIN pg_class AS p ON p.oid = i.inhparent AND p.relkind = 'r' JOIN pg_namespace AS pn ON pn.oid = p.relnamespace
		JOIN pg_class AS c ON c.oid = i.inhrelid JOIN pg_namespace AS cn ON cn.oid = c.relnamespace`,
		[]any{&schema, &table, &in, &child}, func() {
			parent := r.NameOf(schema, table)
			all[parent] = append(all[parent], r.NameOf(in, child))
		})
}

// listed reports whether the schema has a table, or a view that the account may read.
func (r *introspection) listed(name string) bool {
	t, ok := r.Into.Tables[name]
	return ok && !(t.View && t.Unreadable)
}

// through returns what a view or a table with children reads, also through views and tables
// that are not among those of the schema. It returns false for others, and if more is read that is not known.
func (r *introspection) through(all, children map[string]keyset.Names, unknown map[string]bool, name string) (reads []string, known bool) {
	if all[name] == nil && children[name] == nil || unknown[name] {
		return all[name], false
	}
	reads = append(slices.Clone(all[name]), children[name]...)
	for i := 0; i < len(reads); i++ {
		if r.listed(reads[i]) {
			continue
		}
		if unknown[reads[i]] {
			return reads, false
		}
		reads = lists.Add(reads, slices.Concat(all[reads[i]], children[reads[i]])...)
	}
	return reads, true
}

// keys adds primary keys and unique indexes. It leaves out partial indexes,
// indexes over an expression and indexes that are not valid.
func (r *introspection) keys(ctx context.Context) error {
	var schema, table string
	var primary bool
	var columns keyset.Names
	return keyset.Each(ctx, r.tx, `
		SELECT c.nspname, c.relname, i.indisprimary, (
			SELECT json_agg(a.attname ORDER BY k.place)
			FROM unnest(i.indkey) WITH ORDINALITY AS k(attnum, place)
			JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum
			WHERE k.place <= i.indnkeyatts)
		FROM `+r.relations()+` AS c JOIN pg_index AS i ON i.indrelid = c.oid
		WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
		ORDER BY c.oid, i.indisprimary DESC, i.indexrelid`,
		[]any{&schema, &table, &primary, &columns}, func() {
			r.AddKey(r.Name(schema, table), columns, primary)
		})
}

func (r *introspection) foreignKeys(ctx context.Context) error {
	var schema, table, targetSchema, target string
	var from, to keyset.Names
	names := func(table, key string) string {
		return `(
			SELECT json_agg(a.attname ORDER BY k.place) FROM unnest(k.` + key + `) WITH ORDINALITY AS k(attnum, place)
			JOIN pg_attribute AS a ON a.attrelid = ` + table + `.oid AND a.attnum = k.attnum)`
	}
	return keyset.Each(ctx, r.tx, `
		SELECT c.nspname, c.relname, tn.nspname, t.relname, `+names("c", "conkey")+`, `+names("t", "confkey")+`
		FROM `+r.relations()+` AS c
		JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'f' AND k.conparentid = 0
		JOIN pg_class AS t ON t.oid = k.confrelid JOIN pg_namespace AS tn ON tn.oid = t.relnamespace
		ORDER BY c.nspname, c.relname, k.oid`,
		[]any{&schema, &table, &targetSchema, &target, &from, &to}, func() {
			name := r.Name(schema, table)
			if name == "" {
				return
			}
			if err := r.relate(name, from, targetSchema, target, to); err != nil {
				keyset.Outside(r.Into, name, from, r.NameOf(targetSchema, target))
				r.skipped(name, fmt.Sprintf("foreign key (%s): %v", strings.Join(from, ", "), err))
			}
		})
}

func (r *introspection) relate(table string, from keyset.Names, targetSchema, target string, to keyset.Names) error {
	name := r.Name(targetSchema, target)
	switch {
	case !slices.Contains(r.schemas, targetSchema):
		return fmt.Errorf("%s is in the schema %s, which is not read: name both schemas", target, targetSchema)
	case name == "":
		return fmt.Errorf("the account may not read %s", r.NameOf(targetSchema, target))
	}
	here, there := r.Into.Tables[table], r.Into.Tables[name]
	if !keyset.Contains(here.Columns, from) || !keyset.Contains(there.Columns, to) {
		return errors.New("the account may not read all of its columns")
	}
	return r.Into.AddForeignKey(table, from, name, to)
}
