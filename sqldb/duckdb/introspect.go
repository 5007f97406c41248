package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
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
	tables := keyset.NewTables("", ascii.Lower)
	schema := tables.Into
	other := map[string]bool{}
	var in, table, column, kind, text string
	var nullable bool
	computed := map[[2]string]string{}
	err := keyset.Each(ctx, conn, `
		SELECT schema_name, table_name, column_name, data_type, is_nullable, coalesce(column_default, '')
		FROM duckdb_columns()
		WHERE NOT internal AND database_name = current_database()
		ORDER BY schema_name, table_oid, column_index`, []any{&in, &table, &column, &kind, &nullable, &text}, func() {
		if in != "main" {
			if name := in + "." + table; !other[name] {
				other[name] = true
				skipped(name, "only the schema main is read")
			}
			return
		}
		if _, ok := schema.Tables[table]; !ok {
			_, view := e.views[strings.ToLower(table)]
			schema.Tables[table] = joinpath.Table{View: view}
		}
		tables.AddColumn(table, column, kind, "", !nullable)
		computed[[2]string{table, column}] = text // or a default, which has no column
	})
	if err != nil {
		return nil, err
	}
	for of, text := range computed {
		viewtext.AddUses(schema, of[0], of[1], text, of[:1])
	}
	for name, t := range schema.Tables {
		if t.View && !viewColumns(ctx, conn, name, &t) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			delete(schema.Tables, name)
			skipped(name, "the view is broken")
		} else if t.View {
			schema.Tables[name] = t
		}
	}
	if err := views(ctx, conn, schema); err != nil {
		return nil, err
	}
	for name, t := range schema.Tables { // the plan of a view is exact, unless it reads nothing of a table
		for _, table := range t.Reads {
			columns := slices.Collect(maps.Keys(e.views[ascii.Lower(name)][ascii.Lower(table)]))
			viewtext.AddUses(schema, name, "", strings.Join(columns, " "), []string{table})
		}
	}
	return schema, constraints(ctx, conn, tables, skipped)
}

// views sets what the views read. What a macro of the database reads is not known.
func views(ctx context.Context, conn *sql.Conn, schema *joinpath.Schema) error {
	texts, outside := map[string]string{}, map[[2]string]string{}
	var macros []string
	var in, name, text string
	err := errors.Join(keyset.Each(ctx, conn, `
		SELECT lower(function_name) FROM duckdb_functions() WHERE NOT internal AND function_type LIKE '%macro'`,
		[]any{&name}, func() { macros = append(macros, name) }), keyset.Each(ctx, conn, `
		SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal AND database_name = current_database()`,
		[]any{&in, &name, &text}, func() {
			if in != "main" {
				outside[[2]string{in, name}] = text
			} else {
				texts[name] = text
			}
		}))
	viewtext.SetReads(schema, texts, outside, func(text string) bool {
		return slices.ContainsFunc(macros, func(macro string) bool { return strings.Contains(text, macro) })
	})
	return err
}

// viewColumns reads the columns of a view, which the catalogue does not always have. It
// reports whether the view can be read.
func viewColumns(ctx context.Context, conn *sql.Conn, name string, t *joinpath.Table) bool {
	var column, kind string
	t.Columns, t.Types = nil, map[string]string{}
	return nil == keyset.Each(ctx, conn, "SELECT column_name, column_type FROM (DESCRIBE main."+quote(name)+")",
		[]any{&column, &kind}, func() { t.Columns, t.Types[column] = append(t.Columns, column), kind })
}

// constraints adds the keys, and then the foreign keys, which refer to them.
func constraints(
	ctx context.Context, conn *sql.Conn, tables *keyset.Tables, skipped func(table, reason string),
) error {
	var table, kind, target string
	var from, to keyset.Names
	return keyset.Each(ctx, conn, `
		SELECT table_name, constraint_type, to_json(constraint_column_names)::VARCHAR,
			coalesce(referenced_table, ''), coalesce(to_json(referenced_column_names)::VARCHAR, '[]')
		FROM duckdb_constraints()
		WHERE database_name = current_database() AND schema_name = 'main'
			AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
		ORDER BY constraint_type = 'FOREIGN KEY', table_oid, constraint_index`,
		[]any{&table, &kind, &from, &target, &to}, func() {
			if kind != "FOREIGN KEY" {
				tables.AddKey(table, from, kind == "PRIMARY KEY")
			} else if _, ok := tables.Into.Tables[table]; ok && len(from) > 0 {
				if err := tables.Into.AddForeignKey(table, from, target, to); err != nil {
					skipped(table, fmt.Sprintf("foreign key (%s): %v", strings.Join(from, ", "), err))
				}
			}
		})
}
