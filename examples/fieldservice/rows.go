package fieldservice

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/strictjson"
)

// rowsFile has the company's rows in the order of the schema, so that a row follows the
// rows that it refers to. A line is the name of a table, or a row of that table as an array.
// Booleans are 0 and 1, because only PostgreSQL has a boolean type.
//
//go:embed rows.jsonl
var rowsFile string

// batch is the number of rows per INSERT. It saves round trips to a server.
const batch = 200

// writeRows writes the rows of all tables.
func writeRows(ctx context.Context, tx *sql.Tx, e *engine) error {
	lines := json.NewDecoder(strings.NewReader(rowsFile))
	lines.UseNumber()
	table, rows := "", [][]any(nil)
	for {
		var line any
		err := lines.Decode(&line)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("fieldservice: rows.jsonl: %w", err)
		}
		if row, ok := line.([]any); ok {
			rows = append(rows, lists.Map(row, strictjson.Cell))
			continue
		}
		for some := range slices.Chunk(rows, batch) {
			if _, err := tx.ExecContext(ctx, e.insert(table, len(some), len(some[0])), slices.Concat(some...)...); err != nil {
				return fmt.Errorf("fieldservice: writing %s: %w", table, err)
			}
		}
		if err != nil {
			return nil
		}
		table, rows = line.(string), nil
	}
}

// insert returns the INSERT for a number of rows and columns.
func (e *engine) insert(table string, rows, columns int) string {
	row := make([]string, columns)
	all := make([]string, rows)
	for r := range all {
		for c := range row {
			row[c] = e.mark(r*columns + c + 1)
		}
		all[r] = "(" + strings.Join(row, ", ") + ")"
	}
	return "INSERT INTO " + e.quote(table) + " VALUES " + strings.Join(all, ", ")
}
