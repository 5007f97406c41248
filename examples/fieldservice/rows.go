package fieldservice

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// rows gathers the story's rows by table. They are written when it is told, in the order of the schema: a row that
// refers to another table comes after that table's rows, whatever order the story tells them in.
type rows struct {
	tables map[string][][]any
	ids    map[string]int
}

func newRows() *rows {
	return &rows{tables: map[string][][]any{}, ids: map[string]int{}}
}

// add tells a row whose first column is a running id, and returns that id.
func (r *rows) add(table string, values ...any) int {
	r.ids[table]++
	id := r.ids[table]
	r.link(table, append([]any{id}, values...)...)
	return id
}

// link tells a row whose key is made of other tables' keys. Truth is 0 or 1, as no engine but PostgreSQL has more.
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

// batch is how many rows one INSERT writes: a server may be far away.
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

// insert is the statement that writes so many rows of so many columns.
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
