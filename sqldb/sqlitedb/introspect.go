package sqlitedb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/joinpath"
)

// Introspect reads the tables in four statements, however many there are, and
// each view in one, as a broken view fails alone.
func (engine) Introspect(ctx context.Context, pinned *sql.Conn, skipped func(table, reason string)) (*joinpath.Schema, error) {
	r := &introspection{
		schema:  &joinpath.Schema{Version: joinpath.Version, Tables: map[string]joinpath.Table{}},
		names:   map[string]string{},
		skipped: skipped,
	}
	err := raw(pinned, func(c *conn) error {
		defer c.allow(catalog{})()
		for _, step := range []func(context.Context, *conn) error{r.tables, r.keys, r.views, r.foreignKeys} {
			if err := step(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r.schema, nil
}

type introspection struct {
	schema  *joinpath.Schema
	names   map[string]string // a table's folded name to its declared one
	skipped func(table, reason string)
}

// ordinary is the tables that hold rows of their own: no views, no virtual
// tables, none of the shadow tables behind those, none of SQLite's own.
const ordinary = `
	FROM main.sqlite_schema AS m
	WHERE m.type = 'table' AND m.name IN (
		SELECT name FROM pragma_table_list
		WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\')`

// columnList is the columns of one table. Generated columns count, the hidden
// ones of virtual tables do not.
const columnList = `SELECT name, type, pk FROM pragma_table_xinfo(%s, 'main') WHERE hidden <> 1 ORDER BY cid`

func (r *introspection) tables(ctx context.Context, c *conn) error {
	rows, err := c.scan(ctx, `
		SELECT t.name, x.name, x.type, x.pk
		FROM (SELECT m.name, m.rowid AS place`+ordinary+`) AS t
		CROSS JOIN pragma_table_xinfo(t.name, 'main') AS x
		WHERE x.hidden <> 1
		ORDER BY t.place, x.cid`)
	if err != nil {
		return err
	}
	for start := 0; start < len(rows); {
		end := start
		for end < len(rows) && rows[end][0] == rows[start][0] {
			end++
		}
		columns := make([][]string, 0, end-start)
		for _, row := range rows[start:end] {
			columns = append(columns, row[1:])
		}
		r.add(rows[start][0], tableOf(columns))
		start = end
	}
	return nil
}

func (r *introspection) views(ctx context.Context, c *conn) error {
	names, err := c.scan(ctx, `SELECT name FROM main.sqlite_schema WHERE type = 'view' ORDER BY rowid`)
	if err != nil {
		return err
	}
	for _, row := range names {
		columns, err := c.scan(ctx, fmt.Sprintf(columnList, literal(row[0])))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || len(columns) == 0 {
			r.skipped(row[0], "the view is broken: it does not compile")
			continue
		}
		t := tableOf(columns)
		t.View = true
		r.add(row[0], t)
	}
	return nil
}

func (r *introspection) add(name string, t joinpath.Table) {
	r.schema.Tables[name] = t
	r.names[ascii.Lower(name)] = name
}

// tableOf makes a table of rows of name, type and place in the primary key.
func tableOf(columns [][]string) joinpath.Table {
	t := joinpath.Table{Types: map[string]string{}}
	var key [][]string
	for _, column := range columns {
		t.Columns = append(t.Columns, column[0])
		if column[1] != "" {
			t.Types[column[0]] = column[1]
		}
		if column[2] != "0" {
			key = append(key, column)
		}
	}
	slices.SortFunc(key, func(a, b []string) int {
		return place(a[2]) - place(b[2])
	})
	for _, column := range key {
		t.PrimaryKey = append(t.PrimaryKey, column[0])
	}
	if len(t.PrimaryKey) == 1 {
		t.UniqueColumns = []string{t.PrimaryKey[0]}
	}
	return t
}

// keys adds what unique indexes and constraints make unique. A partial index
// says nothing about the other rows, one over an expression nothing about a
// column.
func (r *introspection) keys(ctx context.Context, c *conn) error {
	rows, err := c.scan(ctx, `
		SELECT t.name, i.name, x.name, x.cid
		FROM (SELECT m.name, m.rowid AS place`+ordinary+`) AS t
		CROSS JOIN pragma_index_list(t.name, 'main') AS i
		CROSS JOIN pragma_index_xinfo(i.name, 'main') AS x
		WHERE i."unique" AND NOT i.partial AND i.origin <> 'pk' AND x.key
		ORDER BY t.place, i.seq DESC, x.seqno`)
	if err != nil {
		return err
	}
	for start := 0; start < len(rows); {
		table, index := rows[start][0], rows[start][1]
		var columns []string
		expression := false
		for ; start < len(rows) && rows[start][0] == table && rows[start][1] == index; start++ {
			expression = expression || place(rows[start][3]) < 0
			columns = append(columns, rows[start][2])
		}
		if !expression {
			r.unique(table, columns)
		}
	}
	return nil
}

func (r *introspection) unique(table string, columns []string) {
	t := r.schema.Tables[table]
	switch {
	case len(columns) == 1:
		if slices.Contains(t.UniqueColumns, columns[0]) {
			return
		}
		t.UniqueColumns = append(t.UniqueColumns, columns[0])
	case same(columns, t.PrimaryKey), slices.ContainsFunc(t.UniqueKeys, func(k []string) bool { return same(k, columns) }):
		return
	default:
		t.UniqueKeys = append(t.UniqueKeys, columns)
	}
	r.schema.Tables[table] = t
}

// same compares two keys as sets.
func same(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(column string) bool { return !slices.Contains(b, column) })
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
