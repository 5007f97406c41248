package sqlagent

import (
	"context"
	"errors"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// rewrite replaces the tables in the model's statement by the secure views, or
// finds the problem that keeps the statement from running. The rewritten statement
// is only shown: execute rewrites the model's text again, so that a changed state
// cannot run another statement.
func (a *agent) rewrite(ctx context.Context, s state) (state, error) {
	stmt, err := a.guard.Rewrite(ctx, s.Draft.Query)
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		if again := a.renamed(ctx, &s, refused); again != nil {
			stmt, err = again, nil
		}
	}
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		s.Draft.Problems = a.problems(refused)
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if s.Draft.Problems = a.checkJoins(&s, stmt); len(s.Draft.Problems) > 0 {
		return s, nil
	}
	qed.Emit(ctx, qed.QueryRewritten{Query: stmt.SQL(), Views: a.viewNames(stmt)})
	return s, nil
}

// validate records the problem that rewrite found, before the database sees the
// statement.
func (a *agent) validate(ctx context.Context, s state) (state, error) {
	if len(s.Draft.Problems) > 0 {
		s.Draft.Refuse(ctx, s.Draft.Problems)
	}
	return s, nil
}

// problems returns the problems of a refused statement as the model may see them.
func (r *reader) problems(refused *refusal.Error) []refusal.Problem {
	problems := slices.Clone(refused.Problems)
	for i := range problems {
		p := &problems[i]
		if r.opt.HideColumns && (p.Code == secureview.ErrUnknownColumn || p.Code == secureview.ErrAmbiguousColumn) {
			p.Message, p.Candidates = "the column "+prompt.Quote(p.Name)+" cannot be used", nil
		}
	}
	return problems
}

func (r *reader) viewNames(stmt *secureview.Statement) []string {
	return lists.Map(stmt.Views(), r.nameOf)
}
