package mysqldb

import (
	"context"
	"database/sql"
	"encoding/hex"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
)

// scan runs a statement of our own and returns its rows as texts; NULL is not
// told from the empty one.
func scan(ctx context.Context, conn *sql.Conn, query string) (columns []string, list [][]string, err error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	if columns, err = rows.Columns(); err != nil {
		return nil, nil, err
	}
	cells := make([]sql.NullString, len(columns))
	scanned := make([]any, len(columns))
	for i := range cells {
		scanned[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(scanned...); err != nil {
			return nil, nil, err
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = c.String
		}
		list = append(list, row)
	}
	return columns, list, rows.Err()
}

// table is scan with each row by the names of its columns, in lower case, for
// statements whose columns differ between servers.
func table(ctx context.Context, conn *sql.Conn, query string) ([]map[string]string, error) {
	columns, list, err := scan(ctx, conn, query)
	if err != nil {
		return nil, err
	}
	out := make([]map[string]string, len(list))
	for i, row := range list {
		out[i] = make(map[string]string, len(row))
		for j, cell := range row {
			out[i][ascii.Lower(columns[j])] = cell
		}
	}
	return out, nil
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// literalText prints a character literal, whatever the session makes of quotes and
// backslashes.
func literalText(value string) string { return "_utf8mb4 X'" + hex.EncodeToString([]byte(value)) + "'" }
