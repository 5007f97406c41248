package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/viewtext"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqldb"
)

// Introspect reads the databases in six statements, and one more for each view whose
// columns the catalogue does not show.
func (e *engine) Introspect(
	ctx context.Context, conn *sql.Conn, schemas []string, skipped func(table, reason string),
) (*joinpath.Schema, error) {
	r := &introspection{conn: conn, schemas: schemas, skipped: skipped}
	err := e.withSettings(ctx, conn, func(s *server) error {
		r.server = s
		for _, step := range []func(context.Context) error{r.databases, r.tables, r.views, r.keys, r.foreignKeys} {
			if err := step(ctx); err != nil {
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
	conn    *sql.Conn
	server  *server
	schemas []string // the databases, as the server spells them
	within  string   // the same as the end of a condition
	skipped func(table, reason string)
}

func (r *introspection) query(ctx context.Context, query string) ([][]string, error) {
	_, rows, err := scan(ctx, r.conn, query)
	return rows, err
}

// databases sets the databases to read: by default the one that the pool is connected to.
func (r *introspection) databases(ctx context.Context) error {
	if len(r.schemas) == 0 {
		r.schemas = []string{""}
	}
	rows, err := r.query(ctx, "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA ORDER BY SCHEMA_NAME")
	if err != nil {
		return err
	}
	var spelled, literals []string
	for _, name := range r.schemas {
		if name == "" {
			if name, err = currentDatabase(ctx, r.conn); err != nil {
				return err
			}
		}
		at := slices.IndexFunc(rows, func(row []string) bool { return r.fold(row[0]) == r.fold(name) })
		if at < 0 {
			return failure.Newf(sqldb.ErrMissing, "there is no database %q in which the account has any right", name)
		}
		if !slices.Contains(spelled, rows[at][0]) {
			spelled, literals = append(spelled, rows[at][0]), append(literals, literalText(rows[at][0]))
		}
	}
	r.schemas, r.within = spelled, " IN ("+strings.Join(literals, ", ")+")"
	r.Tables = keyset.NewTables(spelled[0], r.fold)
	return nil
}

func currentDatabase(ctx context.Context, conn *sql.Conn) (string, error) {
	var name sql.NullString
	if err := conn.QueryRowContext(ctx, "SELECT DATABASE()").Scan(&name); err != nil {
		return "", err
	}
	if !name.Valid {
		return "", failure.New(sqldb.ErrArgument,
			"the pool is connected to no database: name one in the data source name, after the slash")
	}
	return name.String, nil
}

// tables reads tables and views with their columns. The catalogue shows no
// columns of a broken view, nor of a view that calls a function which the
// account may not call itself. The latter can be read, so tables tries to.
func (r *introspection) tables(ctx context.Context) error {
	list, err := r.query(ctx, `
		SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_COMMENT, TABLE_ROWS, DATA_LENGTH
		FROM information_schema.TABLES
		WHERE TABLE_SCHEMA`+r.within+` AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
		ORDER BY TABLE_SCHEMA <> `+literalText(r.schemas[0])+`, TABLE_SCHEMA, TABLE_NAME`)
	if err != nil {
		return err
	}
	rows, err := r.query(ctx, `
		SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, COLUMN_COMMENT, IS_NULLABLE, GENERATION_EXPRESSION
		FROM information_schema.COLUMNS
		WHERE TABLE_SCHEMA`+r.within+`
		ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION`)
	if err != nil {
		return err
	}
	columns := map[[2]string][][]string{}
	for _, row := range rows {
		key := [2]string{row[0], row[1]}
		columns[key] = append(columns[key], row[2:])
	}
	for _, row := range list {
		key := [2]string{row[0], row[1]}
		name := r.NameOf(row[0], row[1])
		t := joinpath.Table{View: row[2] == "VIEW"}
		switch {
		case columns[key] != nil:
		case t.View:
			if columns[key], err = r.viewColumns(ctx, name, quote(row[0])+"."+quote(row[1])); err != nil {
				return err
			}
		default:
			r.skipped(name, "the server does not show its columns: the table is damaged, or its storage engine is missing")
		}
		if columns[key] == nil {
			continue
		}
		if !t.View { // the comment of a view is the word VIEW
			t.Comment, t.Rows, t.Bytes = row[3], size(row[4]), size(row[5])
		}
		if err := r.Add(row[0], row[1], t); err != nil {
			r.skipped(name, err.Error())
			continue
		}
		for _, column := range columns[key] {
			r.AddColumn(name, column[0], column[1], column[2], !t.View && column[3] == "NO")
		}
		for _, column := range columns[key] {
			viewtext.AddUses(r.Into, name, column[0], column[4], []string{name})
		}
	}
	return nil
}

// views reads what the views read. The server shows the text of a view, in which it
// quotes every name, to accounts with the right SHOW VIEW. What a stored function reads
// is not known.
func (r *introspection) views(ctx context.Context) error {
	rows, err := r.query(ctx, `
		SELECT TABLE_SCHEMA, TABLE_NAME, COALESCE(VIEW_DEFINITION, '')
		FROM information_schema.VIEWS WHERE TABLE_SCHEMA NOT IN ('sys', 'mysql')`)
	if err != nil {
		return err
	}
	texts, outside := map[string]string{}, map[[2]string]string{}
	for _, row := range rows {
		name := r.Name(row[0], row[1])
		switch {
		case name == "":
			outside[[2]string(row)] = row[2]
		case row[2] != "":
			texts[name] = row[2]
		}
	}
	viewtext.SetReads(r.Into, texts, outside, func(text string) bool { return strings.Contains(text, "`(") })
	return nil
}

// viewColumns reads the columns from the view itself, whose name is quoted. It returns
// nil if the view is broken.
func (r *introspection) viewColumns(ctx context.Context, view, quoted string) ([][]string, error) {
	rows, err := r.conn.QueryContext(ctx, "SELECT * FROM "+quoted+" LIMIT 0")
	if _, ok := errors.AsType[*mysql.MySQLError](err); ok && classify(err).Kind != sqldb.ErrUnavailable {
		r.skipped(view, "the view is broken, or this account may not read it: "+classify(err).Message)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	var columns [][]string
	for _, t := range types {
		columns = append(columns, []string{t.Name(), ascii.Lower(t.DatabaseTypeName()), "", "", ""})
	}
	return columns, rows.Err()
}

// fold returns the name of a table in the form in which the server compares
// names.
func (r *introspection) fold(name string) string {
	if r.server.foldsNames {
		return ascii.Lower(name)
	}
	return name
}

// keys adds primary keys and unique indexes. An index over an expression is
// left out, because it does not make a column unique.
func (r *introspection) keys(ctx context.Context) error {
	rows, err := r.query(ctx, `
		SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COLUMN_NAME
		FROM information_schema.STATISTICS
		WHERE TABLE_SCHEMA`+r.within+` AND NON_UNIQUE = 0
		ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX`)
	if err != nil {
		return err
	}
	for _, index := range keyset.Groups(rows, 3) {
		columns := lists.Map(index, func(row []string) string { return row[3] })
		r.AddKey(r.Name(index[0][0], index[0][1]), columns, index[0][2] == "PRIMARY")
	}
	return nil
}

// foreignKeys adds the foreign keys. It skips those that refer to another
// database that is not read and those that refer to no table, which foreign_key_checks = 0
// allows.
func (r *introspection) foreignKeys(ctx context.Context) error {
	rows, err := r.query(ctx, `
		SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME,
			REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
		FROM information_schema.KEY_COLUMN_USAGE
		WHERE TABLE_SCHEMA`+r.within+` AND REFERENCED_TABLE_NAME IS NOT NULL
		ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`)
	if err != nil {
		return err
	}
	for _, group := range keyset.Groups(rows, 3) {
		database, target := group[0][4], group[0][5]
		table := r.Name(group[0][0], group[0][1])
		if table == "" {
			continue
		}
		var from, to []string
		for _, row := range group {
			from, to = append(from, row[3]), append(to, row[6])
		}
		if err := r.relate(table, from, database, target, to); err != nil {
			keyset.Outside(r.Into, table, from, r.NameOf(database, target))
			r.skipped(table, fmt.Sprintf("foreign key (%s): %v", strings.Join(from, ", "), err))
		}
	}
	return nil
}

func (r *introspection) relate(table string, from []string, database, target string, to []string) error {
	name := r.Name(database, target)
	switch {
	case !slices.ContainsFunc(r.schemas, func(s string) bool { return r.fold(s) == r.fold(database) }):
		return fmt.Errorf("it refers to the database %s, which is not read: name both databases", database)
	case name == "":
		return fmt.Errorf("there is no table %s, or this account may not see it", target)
	}
	return r.Into.AddForeignKey(table, from, name, to)
}

// size parses a number of the catalogue. It returns 0 for NULL.
func size(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return max(n, 0)
}
