// Package keyset records the keys of tables, and the names of tables of several schemas,
// for the engines of package sqldb, and reads the rows of their catalogues.
package keyset

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/qedkit/qed/joinpath"
)

// Add records in t that columns are unique, unless it is recorded already. The
// order of the columns does not matter.
func Add(t *joinpath.Table, columns []string) {
	isKey := func(key []string) bool { return Contains(key, columns) && Contains(columns, key) }
	switch {
	case len(columns) == 1:
		if !slices.Contains(t.UniqueColumns, columns[0]) {
			t.UniqueColumns = append(t.UniqueColumns, columns[0])
		}
	case !isKey(t.PrimaryKey) && !slices.ContainsFunc(t.UniqueKeys, isKey):
		t.UniqueKeys = append(t.UniqueKeys, columns)
	}
}

// Outside records that columns of a table refer to a target that s does not have, unless
// a view of s may read the target.
func Outside(s *joinpath.Schema, table string, columns []string, target string) {
	for _, t := range s.Tables {
		if t.View && (t.Reads == nil || slices.Contains(t.Reads, target)) {
			return
		}
	}
	t := s.Tables[table]
	t.Outside = append(t.Outside, columns...)
	s.Tables[table] = t
}

// A Querier is a connection or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Each runs a query and calls row after it has scanned each row into dest.
func Each(ctx context.Context, q Querier, query string, dest []any, row func()) error {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		row()
	}
	return rows.Err()
}

// Names is a list of names, which the queries return as JSON.
type Names []string

// Scan implements [sql.Scanner].
func (n *Names) Scan(value any) error {
	*n = nil
	var text sql.NullString
	if err := text.Scan(value); err != nil || !text.Valid {
		return err
	}
	return json.Unmarshal([]byte(text.String), (*[]string)(n))
}

// Contains reports whether all of some are among names.
func Contains(names, some []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(names, name) })
}

// Groups groups the rows of a catalogue whose first n cells are equal byte by byte. They
// may not be adjacent: some catalogues sort names without regard to case.
func Groups(rows [][]string, n int) [][][]string {
	var out [][][]string
	index := map[string]int{}
	for _, row := range rows {
		key := strings.Join(row[:n], "\x00")
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
