package sqlagent

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// rewrite turns the model's tables into the secure views that stand for them,
// or finds what keeps the statement from running. What it lets through is only
// shown: execute rewrites the model's text again, so that nothing between here
// and there can put another statement in its place.
func (a *agent) rewrite(ctx context.Context, s state) (state, error) {
	stmt, err := a.guard.Rewrite(ctx, s.SQL)
	var refused *refusal.Error
	switch {
	case errors.As(err, &refused):
		s.Fault = a.refusal(refused.Problems[0])
	case err != nil:
		return s, err
	default:
		qed.Emit(ctx, qed.QueryRewritten{Query: stmt.SQL(), Views: viewNames(stmt)})
	}
	return s, nil
}

// validate tells what is wrong with the statement before the database sees it.
func (a *agent) validate(ctx context.Context, s state) (state, error) {
	if s.Fault != nil {
		a.refuse(ctx, &s)
	}
	return s, nil
}

// refusal is what the model is told of a statement that the guard refused.
func (r *reader) refusal(e refusal.Problem) *fault {
	f := &fault{Code: string(e.Code), Name: e.Name, Message: e.Message, Candidates: e.Candidates}
	if r.opt.SkipColumnMessages && (e.Code == secureview.ErrUnknownColumn || e.Code == secureview.ErrAmbiguousColumn) {
		f.Message, f.Candidates = "the column "+prompt.Quote(e.Name)+" cannot be used", nil
	}
	return f
}

// refuse tells of a fault and keeps it as a correction that is due.
func (a *agent) refuse(ctx context.Context, s *state) {
	qed.Emit(ctx, qed.QueryRefused{
		Query: s.SQL, Code: s.Fault.Code, Name: s.Fault.Name, Message: s.Fault.Message, Candidates: s.Fault.Candidates,
	})
	s.Query.Corrections = append(s.Query.Corrections, qed.Correction{Query: s.SQL, Reason: s.Fault.Message})
}

func viewNames(stmt *secureview.Statement) []string {
	var names []string
	for _, v := range stmt.Views() {
		names = append(names, v.Name)
	}
	return names
}
