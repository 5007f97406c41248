package sqlitedb

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/viewtext"
	"github.com/qedkit/qed/joinpath"
)

// Introspect reads all tables in four statements. It reads each view in a
// statement of its own, because a broken view makes its statement fail.
func (engine) Introspect(
	ctx context.Context, conn *sql.Conn, schemas []string, skipped func(table, reason string),
) (*joinpath.Schema, error) {
	if err := failure.OnlyMain(schemas); err != nil {
		return nil, err
	}
	r := &introspection{
		Tables:  keyset.NewTables("", ascii.Lower),
		skipped: skipped,
	}
	err := withDriverConn(conn, func(c *driverConn) error {
		defer c.setAccess(catalog{})()
		for _, step := range []func(context.Context, *driverConn) error{r.tables, r.keys, r.views, r.foreignKeys} {
			if err := step(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r.Into, nil
}

type introspection struct {
	*keyset.Tables
	skipped func(table, reason string)
}

// ordinary selects the tables that hold rows themselves: no views, no virtual
// tables and their shadow tables, and none of SQLite's own.
const ordinary = `
	FROM main.sqlite_schema AS m
	WHERE m.type = 'table' AND NOT EXISTS ( -- old modules do not tell their shadow tables
		SELECT 1 FROM main.sqlite_schema AS v WHERE v.rootpage = 0 AND v.type = 'table' AND m.name <> v.name
			AND m.name IN (v.name || '_content', v.name || '_segments', v.name || '_segdir', v.name || '_docsize', v.name || '_stat')
	) AND m.name IN (
		SELECT name FROM pragma_table_list
		WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\')`

// columnList selects the columns of one table, with generated columns and
// without the hidden columns of virtual tables.
const columnList = `SELECT name, type, pk, "notnull" FROM pragma_table_xinfo(%s, 'main') WHERE hidden <> 1 ORDER BY cid`

func (r *introspection) tables(ctx context.Context, c *driverConn) error {
	rows, err := c.scan(ctx, `
		SELECT t.name, x.name, x.type, x.pk, x."notnull", CASE WHEN x.hidden > 1 THEN t.sql ELSE '' END
		FROM (SELECT m.name, m.sql, m.rowid AS place`+ordinary+`) AS t
		CROSS JOIN pragma_table_xinfo(t.name, 'main') AS x
		WHERE x.hidden <> 1
		ORDER BY t.place, x.cid`)
	if err != nil {
		return err
	}
	for _, group := range keyset.Groups(rows, 1) {
		columns := lists.Map(group, func(row []string) []string { return row[1:] })
		if err := r.Add("", group[0][0], tableOf(columns)); err != nil {
			return err
		}
		for _, row := range lists.Filter(group, func(row []string) bool { return row[5] != "" }) {
			viewtext.AddUses(r.Into, row[0], row[1], declaration(row[5], row[1]), row[:1])
		}
	}
	return nil
}

// marks matches what separates the declarations of columns, and what may have such a mark in it.
var marks = regexp.MustCompile("(?s)--[^\n]*|/\\*.*?(\\*/|$)|'[^']*'|\"[^\"]*\"|`[^`]*`|\\[[^]]*]|[(),]")

// declaration cuts the declaration of a generated column out of the text of its table. It
// returns the whole text if several parts may be it, or none.
func declaration(text, column string) string {
	name := regexp.QuoteMeta(column)
	begins := regexp.MustCompile(`(?is)^\s*("` + name + `"[^"]|'` + name + "'[^']|`" + name + "`[^`]|\\[" + name + `]|` + name + `\s).*\bas\s*\(`)
	var parts []string
	depth, from := 0, 0
	for _, at := range marks.FindAllStringIndex(text, -1) {
		mark, outer := text[at[0]], depth
		depth += map[byte]int{'(': 1, ')': -1}[mark]
		if min(outer, depth) == 0 || mark == ',' && depth == 1 {
			parts, from = append(parts, text[from:at[0]]), at[1]
		}
	}
	found := lists.Filter(parts, begins.MatchString)
	if len(found) != 1 {
		return text
	}
	return found[0]
}

// views adds the views, and the full-text tables that keep a text. They are like views: one
// of them may have its rows from another table, also by triggers.
func (r *introspection) views(ctx context.Context, c *driverConn) error {
	names, err := c.scan(ctx, `
		SELECT name, sql, type, (
			SELECT group_concat(t.sql) FROM main.sqlite_schema AS t WHERE t.type = 'trigger' AND CASE WHEN m.name GLOB '*[^a-zA-Z0-9_]*'
				THEN instr(lower(t.sql), lower(m.name)) ELSE lower(t.sql) GLOB '*[^a-z0-9_]' || lower(m.name) || '[^a-z0-9_]*' END)
		FROM main.sqlite_schema AS m WHERE type = 'view' OR type = 'table' AND rootpage = 0 ORDER BY rowid`)
	if err != nil {
		return err
	}
	texts := map[string]string{}
	for _, row := range names {
		module, search := fullText(row[1])
		if !search && row[2] != "view" || strings.Contains(module, ",content=") && option(module, "content") == "" {
			continue
		}
		columns, err := c.scan(ctx, fmt.Sprintf(columnList, literal(row[0])))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || len(columns) == 0 {
			r.skipped(row[0], "the "+row[2]+" is broken: it does not compile")
			continue
		}
		t := tableOf(columns)
		t.View = true
		texts[row[0]] = row[1]
		if search {
			texts[row[0]] += " " + row[3]
			t.Comment = "full-text index, searched with WHERE " + row[0] + " MATCH 'words'"
			for _, column := range t.Columns { // the index has the words of all columns
				t.Uses = append(t.Uses, joinpath.Use{Table: row[0], Column: column})
			}
		}
		if err := r.Add("", row[0], t); err != nil {
			return err
		}
	}
	viewtext.SetReads(r.Into, texts, nil, func(string) bool { return false })
	return nil
}

// tableOf returns the table for rows of name, type, position in the primary key
// and whether the column is NOT NULL. Only a primary key of one INTEGER column is
// never NULL by itself.
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
		if column[3] != "0" {
			t.NotNull = append(t.NotNull, column[0])
		}
	}
	slices.SortFunc(key, func(a, b []string) int {
		return number(a[2]) - number(b[2])
	})
	t.PrimaryKey = append(t.PrimaryKey, lists.Map(key, func(column []string) string { return column[0] })...)
	if len(t.PrimaryKey) == 1 {
		t.UniqueColumns = []string{t.PrimaryKey[0]}
		if ascii.EqualFold(key[0][1], "integer") && key[0][3] == "0" {
			t.NotNull = append(t.NotNull, t.PrimaryKey[0])
		}
	}
	return t
}

// keys adds unique indexes and constraints. It leaves out partial indexes and
// indexes over an expression.
func (r *introspection) keys(ctx context.Context, c *driverConn) error {
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
	for _, index := range keyset.Groups(rows, 2) {
		var columns []string
		expression := false
		for _, row := range index {
			expression = expression || number(row[3]) < 0
			columns = append(columns, row[2])
		}
		if !expression {
			r.AddKey(index[0][0], columns, false)
		}
	}
	return nil
}

// foreignKeys adds the foreign keys in the order of their declaration. It skips
// those that refer to no table, which SQLite allows.
func (r *introspection) foreignKeys(ctx context.Context, c *driverConn) error {
	rows, err := c.scan(ctx, `
		SELECT t.name, f.id, f."table", f."from", f."to"
		FROM (SELECT m.name, m.rowid AS place`+ordinary+`) AS t
		CROSS JOIN pragma_foreign_key_list(t.name, 'main') AS f
		ORDER BY t.place, f.id DESC, f.seq`)
	if err != nil {
		return err
	}
	for _, group := range keyset.Groups(rows, 2) {
		first := group[0]
		var from, to []string
		for _, row := range group {
			from, to = append(from, row[3]), append(to, row[4])
		}
		if err := r.relate(first[0], from, first[2], to); err != nil {
			r.skipped(first[0], fmt.Sprintf("foreign key (%s): %v", strings.Join(from, ", "), err))
		}
	}
	return nil
}

func (r *introspection) relate(table string, from []string, target string, to []string) error {
	name := r.Name("", target)
	if name == "" {
		return fmt.Errorf("there is no table %s", target)
	}
	there := r.Into.Tables[name]
	if there.View {
		return fmt.Errorf("%s is a view", target)
	}
	if to[0] == "" { // the key refers to the primary key
		if len(there.PrimaryKey) != len(from) {
			return fmt.Errorf("the primary key of %s has %d columns", name, len(there.PrimaryKey))
		}
		to = there.PrimaryKey
	}
	return r.Into.AddForeignKey(table, from, name, to)
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
