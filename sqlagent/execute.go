package sqlagent

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/sqldb"
)

// execute runs the statement. What the model can cure becomes a fault; what it
// cannot (no connection, no time, a cancelled turn) ends the turn.
func (a *agent) execute(ctx context.Context, s state) (state, error) {
	stmt, err := a.guard.Rewrite(ctx, s.SQL)
	if err != nil {
		return s, err
	}
	begun := time.Now()
	rows, err := a.db.Query(ctx, stmt)
	if f := failure(err); f != nil && ctx.Err() == nil {
		s.Fault = f
		a.refuse(ctx, &s)
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if rows == nil {
		return s, errNoTable
	}
	if len(rows.Rows) > a.opt.MaxRows {
		rows = &qed.Table{Columns: rows.Columns, Rows: rows.Rows[:a.opt.MaxRows], Truncated: true}
	}
	if s.Table != nil {
		// What ran before is given up for this, and stays part of the proof.
		s.Query.Corrections = append(s.Query.Corrections, qed.Correction{Query: s.Query.Written, Reason: "it ran, and returned no rows"})
	}
	s.Table = rows
	s.Query = qed.Query{
		Language:    "sql",
		Written:     s.SQL,
		Executed:    stmt.SQL(),
		Views:       viewNames(stmt),
		JoinPath:    s.Joins,
		Rows:        len(rows.Rows),
		Corrections: s.Query.Corrections,
	}
	qed.Emit(ctx, qed.QueryExecuted{
		Query: stmt.SQL(), Rows: len(rows.Rows), Truncated: rows.Truncated, Millis: time.Since(begun).Milliseconds(),
	})
	return s, nil
}

// failure is the fault of an execution that another statement may not have; nil
// where there is none.
func failure(err error) *fault {
	var failed *sqldb.Error
	if !errors.As(err, &failed) {
		return nil
	}
	switch failed.Kind {
	case sqldb.ErrExecution, sqldb.ErrDenied, sqldb.ErrTooLarge, sqldb.ErrTimeout:
		return &fault{Code: string(failed.Kind), Message: failed.Message}
	}
	return nil
}

// sample returns a few rows of a table as JSON lines, of the columns that a
// prompt shows, read through the guard like any other statement. They are kept
// for the agent's life, unless the next turn may be let see other rows. A table that cannot be sampled has none: what is
// wrong with it shows when it is asked for.
func (a *agent) sample(ctx context.Context, s *state, name string, rows int) string {
	if rows <= 0 {
		return ""
	}
	key := sampleKey{name, rows}
	shared := !s.Personal && !a.perSession
	if text, ok := a.samples.Load(key); ok && shared {
		return text.(string)
	}
	quote := a.guard.Dialect().Quote
	var columns []string
	for _, c := range a.catalog.tables[name].columns {
		if len(columns) < a.opt.MaxColumnsInSchema {
			columns = append(columns, quote(c.name))
		}
	}
	stmt, err := a.guard.Rewrite(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+quote(name)+" LIMIT "+strconv.Itoa(rows))
	if err != nil {
		return ""
	}
	table, err := a.db.Query(ctx, stmt)
	if err != nil || table == nil {
		return ""
	}
	text := jsonLines(table, rows, maxSampleBytes)
	if shared {
		a.samples.Store(key, text)
	}
	return text
}

type sampleKey struct {
	table string
	rows  int
}

const maxSampleBytes = 2000
