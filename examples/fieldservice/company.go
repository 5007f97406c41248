package fieldservice

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Today is the day on which the company's story stops: nothing that has happened is dated later,
// and only plans (due dates, booked visits, time off) lie beyond it. A question about "now" means this day.
const Today = "2026-03-31"

// ErrNotEmpty is returned by [Create] for a database that already holds something.
var ErrNotEmpty = errors.New("fieldservice: the database is not empty; name a new file")

//go:embed schema.sql
var schema string

// Create writes the company's tables, rows and views into the SQLite database at path, in one transaction.
// The file is made where there is none; a database that holds anything is refused with [ErrNotEmpty] and left alone.
// The rows are the same on every run and every platform.
func Create(ctx context.Context, path string) error {
	name := url.URL{Path: filepath.ToSlash(path)}
	db, err := sql.Open("sqlite", "file:"+name.EscapedPath()+"?_pragma=foreign_keys(1)")
	if err != nil {
		return fmt.Errorf("fieldservice: opening the database: %w", err)
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("fieldservice: beginning: %w", err)
	}
	defer tx.Rollback()
	if err := write(ctx, tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("fieldservice: committing: %w", err)
	}
	return nil
}

// write tells the company's story from the beginning.
func write(ctx context.Context, tx *sql.Tx) error {
	var objects int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&objects); err != nil {
		return fmt.Errorf("fieldservice: looking into the database: %w", err)
	}
	if objects > 0 {
		return ErrNotEmpty
	}
	// branch and employee name each other: keys are checked when everything is there.
	if _, err := tx.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON;\n"+schema); err != nil {
		return fmt.Errorf("fieldservice: creating the tables: %w", err)
	}
	c := &company{rows: newRows(ctx, tx)}
	c.lookups()
	c.people()
	c.customers()
	c.contracts()
	c.warehouses()
	c.work()
	c.inspections()
	c.invoicing()
	c.quotes()
	c.notes()
	return c.close()
}

// company is what the later chapters of the story need to know of the earlier ones.
type company struct {
	*rows
	branches []branch
	managers []int // the key account managers' employee ids
	clients  []client
	lines    []contractLine
	parts    []part
	jobs     []*job
}

// rows writes rows through one prepared statement a table. The first error sticks, and everything after it does
// nothing, so that the story reads without error handling; close reports it.
type rows struct {
	ctx        context.Context
	tx         *sql.Tx
	statements map[string]*sql.Stmt
	ids        map[string]int
	err        error
}

func newRows(ctx context.Context, tx *sql.Tx) *rows {
	return &rows{ctx: ctx, tx: tx, statements: map[string]*sql.Stmt{}, ids: map[string]int{}}
}

// add writes a row whose first column is a running id, and returns that id.
func (r *rows) add(table string, values ...any) int {
	r.ids[table]++
	id := r.ids[table]
	r.link(table, append([]any{id}, values...)...)
	return id
}

// link writes a row whose key is made of other tables' keys.
func (r *rows) link(table string, values ...any) {
	if r.err != nil {
		return
	}
	insert := r.statements[table]
	if insert == nil {
		text := fmt.Sprintf(`INSERT INTO "%s" VALUES (?%s)`, table, strings.Repeat(", ?", len(values)-1))
		if insert, r.err = r.tx.PrepareContext(r.ctx, text); r.err != nil {
			r.err = fmt.Errorf("fieldservice: preparing %s: %w", table, r.err)
			return
		}
		r.statements[table] = insert
	}
	if _, err := insert.ExecContext(r.ctx, values...); err != nil {
		r.err = fmt.Errorf("fieldservice: writing %s: %w", table, err)
	}
}

func (r *rows) close() error {
	for _, insert := range r.statements {
		if err := insert.Close(); err != nil && r.err == nil {
			r.err = fmt.Errorf("fieldservice: closing: %w", err)
		}
	}
	return r.err
}
