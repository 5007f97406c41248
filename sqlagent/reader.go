package sqlagent

import (
	"context"
	"fmt"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/emptyresult"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqlproof"
)

// reader describes a database and reads from it without a model, for the agent and
// for a source. It does not change.
type reader struct {
	db      Database
	guard   *secureview.Guard
	catalog *catalog
	opt     Options

	prover *sqlproof.Prover
	empty  *emptyresult.Prober

	rowLimit int // the lower of those of the policy and the database
}

func newReader(db Database, guard *secureview.Guard, schema *joinpath.Schema, o Options) (*reader, error) {
	if d, ok := db.(interface{ Dialect() string }); ok && d.Dialect() != guard.Dialect().Name() {
		return nil, fmt.Errorf("sqlagent: %w: the database has the dialect %s, the guard %s",
			ErrMismatch, d.Dialect(), guard.Dialect().Name())
	}
	c, err := newCatalog(guard, schema, o)
	if err != nil {
		return nil, err
	}
	limit := guard.RowLimit()
	if d, ok := db.(interface{ MaxRows() int }); ok && d.MaxRows() > 0 {
		limit = min(limit, d.MaxRows())
	}
	empty := &emptyresult.Prober{DB: db, Guard: guard, MaxRows: limit, Allows: o.Columns.Allows, Type: c.typeOf}
	return &reader{
		db: db, guard: guard, catalog: c, opt: o, prover: sqlproof.New(c.schema), empty: empty, rowLimit: limit,
	}, nil
}

// execution is a statement that ran.
type execution struct {
	stmt   *secureview.Statement
	rows   *qed.Table
	millis int64
}

// run rewrites a statement, runs the result, and spends the rows.
func (r *reader) run(ctx context.Context, sql string) (*execution, error) {
	stmt, err := r.guard.Rewrite(ctx, sql)
	if err != nil {
		return nil, err
	}
	limit, err := budget.RowsLeft(ctx, r.rowLimit)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	rows, err := r.db.Query(ctx, stmt)
	millis := time.Since(began).Milliseconds()
	if err != nil {
		return nil, err
	}
	if rows == nil {
		return nil, errNoTable
	}
	if len(rows.Rows) > limit {
		rows = &qed.Table{Columns: rows.Columns, Rows: rows.Rows[:limit], Truncated: true}
	}
	if err := budget.Spend(ctx, budget.Limits{Rows: len(rows.Rows)}); err != nil {
		return nil, err
	}
	return &execution{stmt: stmt, rows: rows, millis: millis}, nil
}

// nameOf returns the name of a table that a statement reads, as the catalog has it. It
// is empty for a subquery.
func (r *reader) nameOf(t dialect.TableName) string {
	if t.Name == "" {
		return ""
	}
	return r.guard.NameOf(t)
}

// dates returns what a prompt says about dates. The zone of the database wins over
// that of the turn's calendar: queries group and compare in it.
func (r *reader) dates(ctx context.Context, text string) (dates.Facts, error) {
	facts, err := answertext.FactsFor(ctx, r.db, text)
	if err != nil {
		return facts, fmt.Errorf("sqlagent: %w", err)
	}
	return facts, nil
}
