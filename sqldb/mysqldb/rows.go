package mysqldb

import (
	"context"
	"database/sql"
	"encoding/hex"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
)

// scan runs a statement of this package and returns its rows as texts. NULL is
// returned as the empty text.
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
		row := lists.Map(cells, func(c sql.NullString) string { return c.String })
		list = append(list, row)
	}
	return columns, list, rows.Err()
}

// scanMaps is scan for statements whose columns differ between servers: the
// keys of a row are the names of its columns in lower case.
func scanMaps(ctx context.Context, conn *sql.Conn, query string) ([]map[string]string, error) {
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

// literalText returns a character literal that does not depend on how the session
// interprets quotes and backslashes.
func literalText(value string) string { return "_utf8mb4 X'" + hex.EncodeToString([]byte(value)) + "'" }
