package sqlagent

import (
	"context"
	"time"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent/values"
	"github.com/qedkit/qed/sqlproof"
	"github.com/qedkit/qed/sqlproof/proof"
)

// prove compares a statement that may run with what is known about its tables, and with
// what was asked. What contradicts it goes back to the model once.
func (a *agent) prove(ctx context.Context, s state) (state, error) {
	stmt, err := a.guard.Rewrite(ctx, s.Draft.Query)
	if err != nil {
		return s, err
	}
	if stmt, err = a.certain(ctx, &s, stmt); err != nil {
		return s, err
	}
	problems, err := a.doubt(ctx, &s, stmt)
	if err == nil && len(problems) > 0 {
		s.Draft.Refuse(ctx, problems)
	}
	return s, err
}

// proverFor returns the prover with the values that the caller of the turn may see, of
// columns whose values the host has read completely.
func (r *reader) proverFor(ctx context.Context) *sqlproof.Prover {
	if r.opt.Values == nil {
		return r.prover
	}
	dictionary, err := r.opt.Values(ctx)
	if err != nil || dictionary == nil {
		return r.prover
	}
	caller := values.CallerOf(ctx)
	if owner, shared := dictionary.Owner(); !shared && owner != caller || len(dictionary.Problems()) > 0 {
		return r.prover
	}
	return r.prover.WithValues(func(table, column string) []string {
		for _, c := range dictionary.Columns() {
			if c.Table == table && c.Column == column && !c.Many && !c.Partial && c.Skipped == 0 && r.opt.Columns.Allows(table, column) {
				return c.Values
			}
		}
		return nil
	})
}

// unproved returns the errors of a report as problems of the statement, and texts that its
// columns do not have.
func unproved(r *proof.Report) (problems []refusal.Problem) {
	for _, f := range r.Findings {
		if f.Severity != proof.Error && f.Code != proof.ValueUnknown {
			continue
		}
		p := refusal.Problem{Code: f.Code, Name: f.Subject, Message: f.Message}
		if f.Fix != "" {
			p.Message += ": " + f.Fix
		}
		problems = append(problems, p)
	}
	return problems
}

// countTime is how long the rows that a join loses may be counted.
const countTime = 2 * time.Second

// proofOf returns what is known about a statement that ran, with the number of rows that
// its joins lose. If these cannot be counted in time, the report says that there may be some.
func (r *reader) proofOf(ctx context.Context, stmt *secureview.Statement) *proof.Report {
	report := r.proverFor(ctx).Check(stmt)
	if ctx.Err() != nil {
		return report
	}
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	for i := len(report.Findings) - 1; i >= 0; i-- {
		if missing, ok := r.count(ctx, report.Findings[i].Probe); ok {
			report.Count(i, missing)
		}
	}
	return report
}

// count returns the number that a statement of a report returns.
func (r *reader) count(ctx context.Context, probe string) (n int64, ok bool) {
	if probe == "" || ctx.Err() != nil {
		return 0, false
	}
	stmt, err := r.guard.Rewrite(ctx, probe)
	if err != nil {
		return 0, false
	}
	table, err := r.db.Query(ctx, stmt)
	if err != nil || table == nil || len(table.Rows) != 1 || len(table.Rows[0]) != 1 {
		return 0, false
	}
	n, ok = table.Rows[0][0].(int64)
	return n, ok
}
