package sqlagent

import (
	"context"
	"slices"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// doubt returns what contradicts a statement that could run: it does not join as the user
// chose, reads other times than it should, or computes what the keys of its tables
// contradict. The model gets these problems once
// in a turn. If it keeps its statement the rows are read, and the answer says what is
// doubtful.
func (a *agent) doubt(ctx context.Context, s *state, stmt *secureview.Statement) ([]refusal.Problem, error) {
	if s.Kept != "" || s.Draft.Refused >= a.opt.MaxCorrections || len(s.Draft.Tried) >= a.opt.MaxStatements {
		return nil, nil
	}
	differ, err := a.checkTimes(ctx, s, stmt)
	if err != nil {
		return nil, err
	}
	report := a.proverFor(ctx).Check(stmt)
	problems := slices.Concat(a.checkChoice(s, report), differ, unproved(report))
	if len(problems) > 0 {
		s.Kept = s.Draft.Query
	}
	return problems, nil
}

// keep has the doubtful statement run, if the model has no other.
func (s *state) keep() {
	if s.Kept != "" && s.Draft.Query == "" && s.Table == nil {
		s.Draft.Query, s.Reason = s.Kept, ""
	}
}
