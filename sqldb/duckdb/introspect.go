package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/viewtext"
	"github.com/qedkit/qed/joinpath"
)

// Introspect reads the tables and views of the schema main.
func (e *engine) Introspect(
	ctx context.Context, conn *sql.Conn, schemas []string, skipped func(table, reason string),
) (*joinpath.Schema, error) {
	if err := failure.OnlyMain(schemas); err != nil {
		return nil, err
	}
	schema := &joinpath.Schema{Version: joinpath.Version, Tables: map[string]joinpath.Table{}}
	rows, err := conn.QueryContext(ctx, `
		SELECT schema_name, table_name, column_name, data_type, is_nullable
		FROM duckdb_columns()
		WHERE NOT internal AND database_name = current_database()
		ORDER BY schema_name, table_oid, column_index`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	other := map[string]bool{}
	for rows.Next() {
		var in, table, column, kind string
		var nullable bool
		if err := rows.Scan(&in, &table, &column, &kind, &nullable); err != nil {
			return nil, err
		}
		if in != "main" {
			if name := in + "." + table; !other[name] {
				other[name] = true
				skipped(name, "only the schema main is read")
			}
			continue
		}
		t, ok := schema.Tables[table]
		if !ok {
			_, view := e.views[strings.ToLower(table)]
			t = joinpath.Table{Types: map[string]string{}, View: view}
		}
		t.Columns = append(t.Columns, column)
		t.Types[column] = kind
		if !nullable {
			t.NotNull = append(t.NotNull, column)
		}
		schema.Tables[table] = t
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	rows.Close()
	for name, t := range schema.Tables {
		if t.View && !viewTypes(ctx, conn, name, t.Types) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			delete(schema.Tables, name)
			skipped(name, "the view is broken")
		}
	}
	if err := views(ctx, conn, schema); err != nil {
		return nil, err
	}
	return schema, constraints(ctx, conn, schema, skipped)
}

// views sets what the views read. What a macro of the database reads is not known.
func views(ctx context.Context, conn *sql.Conn, schema *joinpath.Schema) error {
	rows, err := conn.QueryContext(ctx, `
		SELECT view_name, sql FROM duckdb_views()
		WHERE NOT internal AND database_name = current_database() AND schema_name = 'main' AND NOT EXISTS (
			SELECT 1 FROM duckdb_functions() AS f
			WHERE NOT f.internal AND f.function_type LIKE '%macro' AND contains(lower(sql), lower(f.function_name)))`)
	if err != nil {
		return err
	}
	defer rows.Close()
	texts := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return err
		}
		texts[name] = text
	}
	viewtext.SetReads(schema, texts)
	return rows.Err()
}

// viewTypes reads the types of the columns of a view, which the catalogue does not
// always have. It reports whether the view can be read.
func viewTypes(ctx context.Context, conn *sql.Conn, name string, types map[string]string) bool {
	rows, err := conn.QueryContext(ctx, "SELECT column_name, column_type FROM (DESCRIBE main."+quote(name)+")")
	if err != nil {
		return false
	}
	defer rows.Close()
	for rows.Next() {
		var column, kind string
		if rows.Scan(&column, &kind) != nil {
			return false
		}
		types[column] = kind
	}
	return rows.Err() == nil
}

// constraints adds the keys, and then the foreign keys, which refer to them.
func constraints(
	ctx context.Context, conn *sql.Conn, schema *joinpath.Schema, skipped func(table, reason string),
) error {
	rows, err := conn.QueryContext(ctx, `
		SELECT table_name, constraint_type, to_json(constraint_column_names)::VARCHAR,
			coalesce(referenced_table, ''), coalesce(to_json(referenced_column_names)::VARCHAR, '[]')
		FROM duckdb_constraints()
		WHERE database_name = current_database() AND schema_name = 'main'
			AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
		ORDER BY constraint_type = 'FOREIGN KEY', table_oid, constraint_index`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var table, kind, target string
		var from, to names
		if err := rows.Scan(&table, &kind, &from, &target, &to); err != nil {
			return err
		}
		t, ok := schema.Tables[table]
		if !ok || len(from) == 0 {
			continue
		}
		switch kind {
		case "PRIMARY KEY":
			t.PrimaryKey = from
			if len(from) == 1 {
				t.UniqueColumns = append(t.UniqueColumns, from[0])
			}
		case "UNIQUE":
			keyset.Add(&t, from)
		case "FOREIGN KEY":
			if err := schema.AddForeignKey(table, from, target, to); err != nil {
				skipped(table, fmt.Sprintf("foreign key (%s): %v", strings.Join(from, ", "), err))
			}
			continue
		}
		schema.Tables[table] = t
	}
	return rows.Err()
}
