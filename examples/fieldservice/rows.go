package fieldservice

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// rows collects rows by table. They are written at the end, in the order of the schema,
// so that a row follows the rows that it refers to.
type rows struct {
	tables map[string][][]any
	ids    map[string]int
}

func newRows() *rows {
	return &rows{tables: map[string][][]any{}, ids: map[string]int{}}
}

// add adds a row whose first column is the next id, and returns the id.
func (r *rows) add(table string, values ...any) int {
	r.ids[table]++
	id := r.ids[table]
	r.link(table, append([]any{id}, values...)...)
	return id
}

// link adds a row whose key consists of other tables' keys. It stores booleans as 0 and 1,
// because only PostgreSQL has a boolean type.
func (r *rows) link(table string, values ...any) {
	for i, v := range values {
		switch v {
		case true:
			values[i] = 1
		case false:
			values[i] = 0
		}
	}
	r.tables[table] = append(r.tables[table], values)
}

// batch is the number of rows per INSERT. It saves round trips to a server.
const batch = 200

func (r *rows) write(ctx context.Context, tx *sql.Tx, e *engine) error {
	for _, table := range tableNames(schema) {
		for some := range slices.Chunk(r.tables[table], batch) {
			if _, err := tx.ExecContext(ctx, e.insert(table, len(some), len(some[0])), slices.Concat(some...)...); err != nil {
				return fmt.Errorf("fieldservice: writing %s: %w", table, err)
			}
		}
	}
	return nil
}

// insert returns the INSERT for a number of rows and columns.
func (e *engine) insert(table string, rows, columns int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + e.quote(table) + " VALUES ")
	for n := range rows * columns {
		switch {
		case n == 0:
			b.WriteString("(")
		case n%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		b.WriteString(e.mark(n + 1))
	}
	b.WriteString(")")
	return b.String()
}
