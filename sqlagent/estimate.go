package sqlagent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// An estimator is a [Database] that estimates how many rows it reads for a statement.
type estimator interface {
	Estimate(ctx context.Context, stmt *secureview.Statement) (rows float64, err error)
}

// An expectation is what the database expects of a statement, or why it cannot run.
type expectation struct {
	Rows     float64
	Tables   []string
	Problems []refusal.Problem
}

// estimate asks the user whether a statement shall run for which the database expects to
// read more rows than the options allow.
func (a *agent) estimate(ctx context.Context, s state) (state, error) {
	// The question contains the number, so a resumed run needs the same one.
	expected, err := qed.Step(ctx, "estimate", s.Draft.Query, func(ctx context.Context) (expectation, error) {
		expected, err := a.expect(ctx, s.Draft.Query)
		if expected.Rows > float64(a.opt.MaxEstimate) {
			qed.Emit(ctx, qed.QueryEstimated{Query: s.Draft.Query, Rows: expected.Rows})
		}
		return expected, err
	})
	switch {
	case err != nil:
		return s, err
	case len(expected.Problems) > 0:
		s.Draft.Refuse(ctx, expected.Problems)
		return s, nil
	case expected.Rows <= max(float64(a.opt.MaxEstimate), s.Approved):
		return s, nil
	}
	texts, rows := a.texts(ctx), inWords(expected.Rows)
	reply, err := qed.Interrupt[string](ctx, question.Question{
		Text:    usertext.Fill(texts.TooCostly, "rows", rows, "tables", strings.Join(expected.Tables, ", ")),
		Choices: []question.Choice{{ID: "yes", Text: texts.Run}, {ID: "no", Text: texts.DoNotRun}},
	})
	switch {
	case errors.Is(err, qed.ErrCannotInterrupt):
		s.Draft.Refuse(ctx, []refusal.Problem{{Code: refusal.Code(sqldb.ErrTooLarge), Message: fmt.Sprintf("the database expects to "+
			"read about %s rows, and %d are allowed: add conditions, such as a period, or join fewer tables", rows, a.opt.MaxEstimate)}})
	case err != nil:
		return s, err
	case reply == "yes":
		s.Approved = expected.Rows
	default:
		s.Stopped = true
		s.Reason = usertext.Fill(texts.NotRun, "rows", rows)
	}
	return s, nil
}

// expect asks the database what it expects of a statement.
func (a *agent) expect(ctx context.Context, sql string) (expectation, error) {
	db, ok := a.db.(estimator)
	if !ok {
		return expectation{}, nil
	}
	stmt, err := a.guard.Rewrite(ctx, sql)
	if err != nil {
		return expectation{}, err
	}
	rows, err := db.Estimate(ctx, stmt)
	if problems := failure(err); problems != nil && ctx.Err() == nil {
		return expectation{Problems: problems}, nil
	}
	out := expectation{Rows: rows}
	for _, read := range stmt.Reads() {
		if name := plain(a.nameOf(read.Table)); !slices.Contains(out.Tables, name) {
			out.Tables = append(out.Tables, name)
		}
	}
	return out, err
}

// inWords returns a number of rows with its first two digits, which is more than an
// estimate is worth.
func inWords(rows float64) string {
	const noBreakSpace = "\u00a0"
	if rows >= 1e18 {
		return fmt.Sprintf("%.0e", rows)
	}
	unit := math.Pow(10, max(math.Floor(math.Log10(rows))-1, 0))
	return usertext.Number(int64(math.Round(rows/unit)*unit), noBreakSpace)
}
