package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqldb"
)

// Introspect reads the current database in five statements, however large it is,
// and one for each view whose columns the catalogue does not tell.
func (e *engine) Introspect(ctx context.Context, conn *sql.Conn, skipped func(table, reason string)) (*joinpath.Schema, error) {
	r := &introspection{
		conn:    conn,
		schema:  &joinpath.Schema{Version: joinpath.Version, Tables: map[string]joinpath.Table{}},
		names:   map[string]string{},
		skipped: skipped,
	}
	err := e.own(ctx, conn, func(s *server) error {
		r.server = s
		for _, step := range []func(context.Context) error{r.database, r.tables, r.keys, r.foreignKeys} {
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
	names   map[string]string // a table's name as the server compares it, to its own
	skipped func(table, reason string)
}

func (r *introspection) query(ctx context.Context, query string) ([][]string, error) {
	_, rows, err := scan(ctx, r.conn, query)
	return rows, err
}

// database finds out which database the pool is connected to.
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
		return "", &sqldb.Error{Kind: sqldb.ErrArgument, Message: "the pool is connected to no database: name one in the data source name, behind the slash"}
	}
	return name.String, nil
}

// tables reads tables and views with their columns. A broken view has none in the
// catalogue, and neither has one that calls a function which the account may not
// call itself, although it can be read: so it is tried.
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
		SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, COLUMN_COMMENT
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
			if columns[name], err = r.try(ctx, name); err != nil {
				return err
			}
		default:
			r.skipped(name, "the server does not tell its columns: the table is damaged, or its storage engine is missing")
		}
		if columns[name] == nil {
			continue
		}
		for _, column := range columns[name] {
			t.Columns = append(t.Columns, column[0])
			t.Types[column[0]] = column[1]
			if column[2] != "" {
				if t.ColumnComments == nil {
					t.ColumnComments = map[string]string{}
				}
				t.ColumnComments[column[0]] = column[2]
			}
		}
		if !t.View { // whose comment is the word VIEW
			t.Comment, t.Rows, t.Bytes = row[2], size(row[3]), size(row[4])
		}
		r.schema.Tables[name] = t
		r.names[r.fold(name)] = name
	}
	return nil
}

// try asks a view itself for its columns; nil where it is broken.
func (r *introspection) try(ctx context.Context, view string) ([][]string, error) {
	rows, err := r.conn.QueryContext(ctx, "SELECT * FROM "+quote(view)+" LIMIT 0")
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && classify(err).Kind != sqldb.ErrConnect {
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
		columns = append(columns, []string{t.Name(), ascii.Lower(t.DatabaseTypeName()), ""})
	}
	return columns, rows.Err()
}

// fold brings the name of a table into a form in which equal ones are equal.
func (r *introspection) fold(name string) string {
	if r.server.foldsNames {
		return ascii.Lower(name)
	}
	return name
}

// keys adds what primary keys and unique indexes make unique. One over an
// expression says nothing about a column.
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
		r.schema.Tables[index[0][0]] = withKey(t, columns)
	}
	return nil
}

// groups puts rows together whose first two cells are the same, byte by byte. The
// catalogue sorts names without case, so that such rows may not be side by side.
func groups(rows [][]string) [][][]string {
	var out [][][]string
	place := map[[2]string]int{}
	for _, row := range rows {
		key := [2]string{row[0], row[1]}
		i, ok := place[key]
		if !ok {
			i = len(out)
			place[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], row)
	}
	return out
}

// withKey adds a key that the table does not have yet.
func withKey(t joinpath.Table, columns []string) joinpath.Table {
	switch {
	case len(columns) > 1 && !same(columns, t.PrimaryKey) && !slices.ContainsFunc(t.UniqueKeys, func(k []string) bool { return same(k, columns) }):
		t.UniqueKeys = append(t.UniqueKeys, columns)
	case len(columns) == 1 && !slices.Contains(t.UniqueColumns, columns[0]):
		t.UniqueColumns = append(t.UniqueColumns, columns[0])
	}
	return t
}

// same compares two keys as sets.
func same(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(column string) bool { return !slices.Contains(b, column) })
}

// size reads a number of the catalogue, which can be NULL.
func size(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return max(n, 0)
}
