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
	"github.com/qedkit/qed/internal/viewtext"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqldb"
)

// Introspect reads the current database in six statements, and one more for
// each view whose columns the catalogue does not show.
func (e *engine) Introspect(
	ctx context.Context, conn *sql.Conn, skipped func(table, reason string),
) (*joinpath.Schema, error) {
	r := &introspection{
		conn:    conn,
		schema:  &joinpath.Schema{Version: joinpath.Version, Tables: map[string]joinpath.Table{}},
		names:   map[string]string{},
		skipped: skipped,
	}
	err := e.withSettings(ctx, conn, func(s *server) error {
		r.server = s
		for _, step := range []func(context.Context) error{r.database, r.tables, r.views, r.keys, r.foreignKeys} {
			if err := step(ctx); err != nil {
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
	conn    *sql.Conn
	server  *server
	current string // the database, as a literal
	schema  *joinpath.Schema
	names   map[string]string // from the folded name of a table to its name
	skipped func(table, reason string)
}

func (r *introspection) query(ctx context.Context, query string) ([][]string, error) {
	_, rows, err := scan(ctx, r.conn, query)
	return rows, err
}

// database sets the database that the pool is connected to.
func (r *introspection) database(ctx context.Context) error {
	name, err := currentDatabase(ctx, r.conn)
	r.current = literalText(name)
	return err
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
		SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT, TABLE_ROWS, DATA_LENGTH
		FROM information_schema.TABLES
		WHERE TABLE_SCHEMA = `+r.current+` AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
		ORDER BY TABLE_NAME`)
	if err != nil {
		return err
	}
	rows, err := r.query(ctx, `
		SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, COLUMN_COMMENT, IS_NULLABLE
		FROM information_schema.COLUMNS
		WHERE TABLE_SCHEMA = `+r.current+`
		ORDER BY TABLE_NAME, ORDINAL_POSITION`)
	if err != nil {
		return err
	}
	columns := map[string][][]string{}
	for _, row := range rows {
		columns[row[0]] = append(columns[row[0]], row[1:])
	}
	for _, row := range list {
		name := row[0]
		t := joinpath.Table{Types: map[string]string{}, View: row[1] == "VIEW"}
		switch {
		case columns[name] != nil:
		case t.View:
			if columns[name], err = r.viewColumns(ctx, name); err != nil {
				return err
			}
		default:
			r.skipped(name, "the server does not show its columns: the table is damaged, or its storage engine is missing")
		}
		if columns[name] == nil {
			continue
		}
		for _, column := range columns[name] {
			t.Columns = append(t.Columns, column[0])
			t.Types[column[0]] = column[1]
			if !t.View && column[3] == "NO" {
				t.NotNull = append(t.NotNull, column[0])
			}
			if column[2] != "" {
				if t.ColumnComments == nil {
					t.ColumnComments = map[string]string{}
				}
				t.ColumnComments[column[0]] = column[2]
			}
		}
		if !t.View { // the comment of a view is the word VIEW
			t.Comment, t.Rows, t.Bytes = row[2], size(row[3]), size(row[4])
		}
		r.schema.Tables[name] = t
		r.names[r.fold(name)] = name
	}
	return nil
}

// views reads what the views read. The server shows the text of a view, in which it
// quotes every name, to accounts with the right SHOW VIEW. What a stored function reads
// is not known.
func (r *introspection) views(ctx context.Context) error {
	rows, err := r.query(ctx, `
		SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS
		WHERE TABLE_SCHEMA = `+r.current+` AND VIEW_DEFINITION <> '' AND VIEW_DEFINITION NOT LIKE '%`+"`(%'")
	if err != nil {
		return err
	}
	texts := map[string]string{}
	for _, row := range rows {
		texts[row[0]] = row[1]
	}
	viewtext.SetReads(r.schema, texts)
	return nil
}

// viewColumns reads the columns from the view itself. It returns nil if the
// view is broken.
func (r *introspection) viewColumns(ctx context.Context, view string) ([][]string, error) {
	rows, err := r.conn.QueryContext(ctx, "SELECT * FROM "+quote(view)+" LIMIT 0")
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && classify(err).Kind != sqldb.ErrUnavailable {
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
		columns = append(columns, []string{t.Name(), ascii.Lower(t.DatabaseTypeName()), "", ""})
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
		SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME
		FROM information_schema.STATISTICS
		WHERE TABLE_SCHEMA = `+r.current+` AND NON_UNIQUE = 0
		ORDER BY TABLE_NAME, INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX`)
	if err != nil {
		return err
	}
	for _, index := range groups(rows) {
		var columns []string
		for _, row := range index {
			columns = append(columns, row[2])
		}
		t, ok := r.schema.Tables[index[0][0]]
		missing := func(column string) bool {
			return !slices.ContainsFunc(t.Columns, func(c string) bool { return ascii.EqualFold(c, column) })
		}
		if !ok || slices.ContainsFunc(columns, missing) {
			continue
		}
		if index[0][1] == "PRIMARY" {
			t.PrimaryKey = columns
		}
		keyset.Add(&t, columns)
		r.schema.Tables[index[0][0]] = t
	}
	return nil
}

// foreignKeys adds the foreign keys. It skips those that refer to another
// database and those that refer to no table, which foreign_key_checks = 0
// allows.
func (r *introspection) foreignKeys(ctx context.Context) error {
	rows, err := r.query(ctx, `
		SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME,
			IF(REFERENCED_TABLE_SCHEMA = TABLE_SCHEMA, '', REFERENCED_TABLE_SCHEMA),
			REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
		FROM information_schema.KEY_COLUMN_USAGE
		WHERE TABLE_SCHEMA = `+r.current+` AND REFERENCED_TABLE_NAME IS NOT NULL
		ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`)
	if err != nil {
		return err
	}
	for _, group := range groups(rows) {
		table, database, target := group[0][0], group[0][3], group[0][4]
		var from, to []string
		for _, row := range group {
			from, to = append(from, row[2]), append(to, row[5])
		}
		if err := r.relate(table, from, database, target, to); err != nil {
			r.skipped(table, fmt.Sprintf("foreign key (%s): %v", strings.Join(from, ", "), err))
		}
	}
	return nil
}

func (r *introspection) relate(table string, from []string, database, target string, to []string) error {
	name, ok := r.names[r.fold(target)]
	switch {
	case database != "":
		return fmt.Errorf("it refers to the database %s", database)
	case !ok:
		return fmt.Errorf("there is no table %s, or this account may not see it", target)
	}
	return r.schema.AddForeignKey(table, from, name, to)
}

// groups groups the rows whose first two cells are equal byte by byte. They may
// not be adjacent, because the catalogue sorts names without regard to case.
func groups(rows [][]string) [][][]string {
	var out [][][]string
	index := map[[2]string]int{}
	for _, row := range rows {
		key := [2]string{row[0], row[1]}
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], row)
	}
	return out
}

// size parses a number of the catalogue. It returns 0 for NULL.
func size(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return max(n, 0)
}
