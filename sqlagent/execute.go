package sqlagent

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/sqldb"
)

// execute runs the statement. A failure that another statement may avoid becomes a
// problem of this one. Other failures (no connection, no time, a cancelled turn)
// end the turn.
func (a *agent) execute(ctx context.Context, s state) (state, error) {
	ran, err := a.run(ctx, s.Draft.Query)
	if problems := failure(err); problems != nil && ctx.Err() == nil {
		s.Draft.Refuse(ctx, problems)
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if s.Table != nil {
		s.Draft.GiveUp(s.Query.Written, "it ran, and found nothing") // stays part of the proof
	}
	if err := s.save(ctx, ran.rows); err != nil {
		return s, err
	}
	if s.Dates, s.Timeless, err = a.readTimes(ctx, &s, ran.stmt); err != nil {
		return s, err
	}
	s.Query = qed.Query{
		Handle:   s.Handle,
		Language: query.SQL,
		Written:  s.Draft.Query,
		Executed: ran.stmt.SQL(),
		Views:    a.viewNames(ran.stmt),
		Rows:     len(ran.rows.Rows),
		Values:   s.taken(s.Draft.Query),
		Verified: a.verifiedBy(ctx, s.Examples, ran.stmt),
	}
	s.Query.Proof = a.proofOf(ctx, ran.stmt)
	s.Query.JoinPath = joinPath(s.Query.Proof)
	if s.Other = nil; s.Chosen != nil {
		s.Other = a.otherJoins(s.Query.JoinPath, s.Chosen)
	}
	qed.Emit(ctx, qed.QueryExecuted{
		Query: ran.stmt.SQL(), Rows: len(ran.rows.Rows), Truncated: ran.rows.Truncated, Millis: ran.millis,
	})
	a.explainEmpty(ctx, &s, ran)
	return s, nil
}

// failure returns the problem of a failed execution that another statement may
// avoid. It returns nil for other errors.
func failure(err error) []refusal.Problem {
	failed, ok := errors.AsType[*sqldb.Error](err)
	if !ok {
		return nil
	}
	switch failed.Kind {
	case sqldb.ErrExecution, sqldb.ErrDenied, sqldb.ErrTooLarge, sqldb.ErrTimeout:
		return []refusal.Problem{{Code: refusal.Code(failed.Kind), Message: failed.Message}}
	}
	return nil
}

// save stores the rows in the state.
func (s *state) save(ctx context.Context, rows *qed.Table) (err error) {
	s.Table, s.Handle, err = answertext.SaveRows(ctx, rows)
	return err
}

// rows returns all rows of s.Table, or nil if no statement ran.
func (s *state) rows(ctx context.Context) (*qed.Table, error) {
	return answertext.LoadRows(ctx, s.Table, s.Handle)
}
