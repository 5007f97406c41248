package sqlagent

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// A rowReader reads results of any size, as *sqldb.DB does.
type rowReader interface {
	Rows(ctx context.Context, stmt *secureview.Statement, opt sqldb.RowsOptions) iter.Seq2[[]any, error]
}

// scanner is a source that can read all rows of a query.
type scanner struct {
	*source
	rows  rowReader
	guard *secureview.Guard // without a limit on rows
}

// Scan implements [query.Scanner].
func (s *scanner) Scan(
	ctx context.Context, q json.RawMessage, row func(columns []qed.Column, cells []any) bool,
) (*query.Result, error) {
	sql, err := written(q)
	if err != nil {
		return nil, err
	}
	stmt, err := s.guard.Rewrite(ctx, sql)
	if err != nil {
		return nil, s.refused(ctx, err)
	}
	table := new(qed.Table)
	opt := sqldb.RowsOptions{MaxRows: -1, MaxBytes: -1, Columns: func(c []qed.Column) { table.Columns = c }}
	began, n := time.Now(), 0
	for cells, err := range s.rows.Rows(ctx, stmt, opt) {
		if err != nil {
			return nil, s.refused(ctx, err)
		}
		if !row(table.Columns, cells) {
			break
		}
		n++
	}
	return &query.Result{
		Table: table,
		Query: qed.Query{
			Language: query.SQL, Written: sql, Executed: stmt.SQL(), Views: s.viewNames(stmt),
			Rows: n, Millis: time.Since(began).Milliseconds(),
		},
		HowToRetrieve: s.retrieval(s.tablesOf(stmt), sql),
	}, nil
}
