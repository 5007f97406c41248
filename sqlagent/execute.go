package sqlagent

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/sqldb"
)

// execute runs the statement. What the model can cure becomes a fault; what it
// cannot (no connection, no time, a cancelled turn) ends the turn.
func (a *agent) execute(ctx context.Context, s state) (state, error) {
	ran, err := a.run(ctx, s.SQL)
	if f := failure(err); f != nil && ctx.Err() == nil {
		s.Fault = f
		a.refuse(ctx, &s)
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if s.Table != nil {
		// What ran before is given up for this, and stays part of the proof.
		s.Query.Corrections = append(s.Query.Corrections, qed.Correction{Query: s.Query.Written, Reason: "it ran, and returned no rows"})
	}
	if err := s.keep(ctx, ran.rows); err != nil {
		return s, err
	}
	s.Query = qed.Query{
		Handle:      s.Handle,
		Language:    query.SQL,
		Written:     s.SQL,
		Executed:    ran.stmt.SQL(),
		Views:       viewNames(ran.stmt),
		JoinPath:    s.Joins,
		Rows:        len(ran.rows.Rows),
		Corrections: s.Query.Corrections,
	}
	qed.Emit(ctx, qed.QueryExecuted{
		Query: ran.stmt.SQL(), Rows: len(ran.rows.Rows), Truncated: ran.rows.Truncated, Millis: ran.millis,
	})
	return s, nil
}

// keep puts rows where the state does not carry all of them from node to node,
// if the run has such a place.
func (s *state) keep(ctx context.Context, rows *qed.Table) error {
	s.Table, s.Handle = rows, ""
	if len(rows.Rows) <= keptSample {
		return nil
	}
	handle, err := qed.Save(ctx, *rows)
	switch {
	case errors.Is(err, qed.ErrTooLarge):
		return nil
	case err != nil:
		return err
	case handle != "":
		s.Handle = handle
		s.Table = &qed.Table{Columns: rows.Columns, Rows: rows.Rows[:keptSample], Truncated: true}
	}
	return nil
}

const keptSample = 5

// rows returns all the rows of s.Table; nil: nothing ran.
func (s *state) rows(ctx context.Context) (*qed.Table, error) {
	if s.Handle == "" {
		return s.Table, nil
	}
	rows, err := qed.Load[qed.Table](ctx, s.Handle)
	return &rows, err
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
// for the agent's life, unless the next turn may be let see other rows. A run
// that goes on sees the rows that it saw before.
func (a *agent) sample(ctx context.Context, s *state, name string, rows int) (string, error) {
	if rows <= 0 {
		return "", nil
	}
	key := sampleKey{name, rows}
	shared := !s.Personal && !a.perSession
	text, err := qed.Step(ctx, "sample", key.String(), func(ctx context.Context) (string, error) {
		if text, ok := a.samples.Load(key); ok && shared {
			return text.(string), nil
		}
		return a.readSample(ctx, name, rows), nil
	})
	if err != nil {
		return "", err
	}
	if shared {
		a.samples.Store(key, text)
	}
	return text, nil
}

// readSample returns rows of a table that cannot be sampled as none: what is
// wrong with it shows when it is asked for.
func (r *reader) readSample(ctx context.Context, name string, rows int) string {
	quote := r.guard.Dialect().Quote
	var columns []string
	for _, c := range r.catalog.tables[name].columns {
		if len(columns) < r.opt.MaxColumnsInSchema {
			columns = append(columns, quote(c.name))
		}
	}
	stmt, err := r.guard.Rewrite(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+quote(name)+" LIMIT "+strconv.Itoa(rows))
	if err != nil {
		return ""
	}
	table, err := r.db.Query(ctx, stmt)
	if err != nil || table == nil {
		return ""
	}
	text, _ := table.PromptLines(rows, maxSampleBytes)
	return text
}

type sampleKey struct {
	table string
	rows  int
}

func (k sampleKey) String() string { return strconv.Itoa(k.rows) + " of " + k.table }

const maxSampleBytes = 2000
