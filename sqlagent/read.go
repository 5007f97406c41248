package sqlagent

import (
	"context"
	"fmt"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
)

// reader is what can be said of a database and read from it without a model, for the
// agent and for a source. It does not change.
type reader struct {
	db      Database
	guard   *secureview.Guard
	catalog *catalog
	opt     Options
}

func newReader(db Database, guard *secureview.Guard, schema *joinpath.Schema, o Options) (*reader, error) {
	if d, ok := db.(interface{ Dialect() string }); ok && d.Dialect() != guard.Dialect().Name() {
		return nil, fmt.Errorf("sqlagent: %w: the database speaks %s, the guard writes %s", ErrMismatch, d.Dialect(), guard.Dialect().Name())
	}
	c, err := newCatalog(guard, schema, o)
	if err != nil {
		return nil, err
	}
	return &reader{db, guard, c, o}, nil
}

// execution is a statement that ran.
type execution struct {
	stmt   *secureview.Statement
	rows   *qed.Table
	millis int64
}

// run rewrites a statement, runs what comes of it, and spends the rows.
func (r *reader) run(ctx context.Context, sql string) (*execution, error) {
	stmt, err := r.guard.Rewrite(ctx, sql)
	if err != nil {
		return nil, err
	}
	most, err := r.rowsLeft(ctx)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	rows, err := r.db.Query(ctx, stmt)
	millis := time.Since(begun).Milliseconds()
	if err != nil {
		return nil, err
	}
	if rows == nil {
		return nil, errNoTable
	}
	if len(rows.Rows) > most {
		rows = &qed.Table{Columns: rows.Columns, Rows: rows.Rows[:most], Truncated: true}
	}
	if err := qed.Spend(ctx, qed.Limits{Rows: len(rows.Rows)}); err != nil {
		return nil, err
	}
	return &execution{stmt, rows, millis}, nil
}

// rowsLeft is how many rows a statement may return.
func (r *reader) rowsLeft(ctx context.Context) (int, error) {
	left, ok := qed.Remaining(ctx)
	switch {
	case !ok || left.Rows == 0:
		return r.opt.MaxRows, nil
	case left.Rows < 0:
		return 0, qed.Spend(ctx, qed.Limits{Rows: 1})
	}
	return min(left.Rows, r.opt.MaxRows), nil
}
