package sqlagent

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlproof"
	"github.com/qedkit/qed/sqlproof/proof"
)

// renamed returns a refused statement whose names code has repaired, because they can have
// one meaning only, or nil.
func (a *agent) renamed(ctx context.Context, s *state, refused *refusal.Error) *secureview.Statement {
	if a.opt.HideColumns {
		return nil
	}
	sql := s.Draft.Query
	again := a.accepted(ctx, moved(sql, refused.Problems))
	if again == nil {
		again = a.qualified(ctx, sql, refused.Problems)
	}
	if again == nil {
		again = a.lookedUp(ctx, sql, refused.Problems)
	}
	if again == nil || !s.Draft.Repair(ctx, query.SQL, again.Source(), a.problems(refused)) {
		return nil
	}
	return again
}

// accepted returns a statement that the guard accepts, or nil.
func (a *agent) accepted(ctx context.Context, sql string) *secureview.Statement {
	if sql == "" {
		return nil
	}
	stmt, err := a.guard.Rewrite(ctx, sql)
	if err != nil {
		return nil
	}
	return stmt
}

// moved returns a refused statement with the columns that it takes from a wrong table, if
// exactly one table of its FROM has each of them. It is empty if anything else is wrong.
func moved(sql string, problems []refusal.Problem) string {
	var edits []proof.Edit
	for _, p := range problems {
		if p.Code != secureview.ErrUnknownColumn || len(p.Candidates) != 1 {
			return ""
		}
		// A similar name may be another thing.
		table, column, ok := strings.Cut(p.Candidates[0], ".")
		if !ok || table == "" || !ascii.EqualFold(column, lastPart(p.Name)) {
			return ""
		}
		at, length := nameAt(sql, p)
		if length == 0 {
			return ""
		}
		edits = append(edits, proof.Edit{At: at, Length: length, Text: p.Candidates[0]})
	}
	return edited(sql, edits)
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// nameAt returns where a statement has the name of a problem, with the table before it, and
// its length. It is 0 if another text stands there.
func nameAt(sql string, p refusal.Problem) (at, length int) {
	lines := strings.SplitAfterN(sql, "\n", p.Line+1)
	if p.Line < 1 || p.Line > len(lines) {
		return 0, 0
	}
	at = len(strings.Join(lines[:p.Line-1], ""))
	for i := range lines[p.Line-1] {
		if p.Column--; p.Column == 0 {
			at += i
			break
		}
	}
	isName := func(r rune) bool { return r == '.' || r >= 0x80 || ascii.IsWordByte(byte(r)) }
	end := strings.IndexFunc(sql[at:], func(r rune) bool { return !isName(r) })
	if end < 0 {
		end = len(sql) - at
	}
	if p.Column > 0 || !ascii.EqualFold(lastPart(sql[at:at+end]), lastPart(p.Name)) {
		return 0, 0
	}
	return at, end
}

// edited returns a statement with some changes, which do not overlap.
func edited(sql string, edits []proof.Edit) string {
	slices.SortFunc(edits, func(a, b proof.Edit) int { return b.At - a.At })
	for _, e := range edits {
		sql = sql[:e.At] + e.Text + sql[e.At+e.Length:]
	}
	return sql
}

const (
	maxQualified = 10 // names of a statement that may get a table
	maxMeant     = 7  // tables of a name; the guard does not list more than one more
)

// qualified returns a refused statement with a table before each name that several tables
// have, if it does not matter which: see [sqlproof.Prover.Same].
func (a *agent) qualified(ctx context.Context, sql string, problems []refusal.Problem) *secureview.Statement {
	type name struct {
		at      int
		aliases []string
	}
	var names []name
	for len(names) < maxQualified && len(problems) == 1 && problems[0].Code == secureview.ErrAmbiguousColumn {
		p := problems[0]
		at, length := nameAt(sql, p)
		if length == 0 || len(p.Candidates) == 0 || len(p.Candidates) > maxMeant || strings.Contains(sql[at:at+length], ".") {
			return nil
		}
		added := name{at: at}
		for _, c := range p.Candidates {
			alias, _, _ := strings.Cut(c, ".")
			added.aliases = append(added.aliases, alias)
		}
		for i := range names {
			if names[i].at > at {
				names[i].at += len(p.Candidates[0]) - length
			}
		}
		names = append(names, added)
		sql = sql[:at] + p.Candidates[0] + sql[at+length:]
		stmt, err := a.guard.Rewrite(ctx, sql)
		if refused, ok := errors.AsType[*refusal.Error](err); ok {
			problems = refused.Problems
			continue
		}
		if err != nil || !a.prover.Check(stmt).OK() || slices.ContainsFunc(names, func(n name) bool { return !a.prover.Same(stmt, n.at, n.aliases) }) {
			return nil
		}
		return stmt
	}
	return nil
}

// certain returns the statement without the errors that code can repair, if it has no others:
// shares of whole numbers become decimal, and with [Options.RepairJoins] joins that only
// repeat rows become EXISTS.
func (a *agent) certain(ctx context.Context, s *state, stmt *secureview.Statement) (*secureview.Statement, error) {
	report := a.prover.Check(stmt)
	if report.OK() {
		return stmt, nil
	}
	repaired := a.repaired(stmt, report)
	if repaired == "" {
		return stmt, nil
	}
	again, err := a.guard.Rewrite(ctx, repaired)
	if err != nil || !a.prover.Check(again).OK() || !s.Draft.Repair(ctx, query.SQL, repaired, unproved(report)) {
		return stmt, ctx.Err()
	}
	return again, nil
}

// repaired returns the text of a repaired statement, or "".
func (a *agent) repaired(stmt *secureview.Statement, report *proof.Report) string {
	var edits []proof.Edit
	for _, f := range report.Findings {
		switch {
		case f.Severity != proof.Error:
		case f.Edit != nil:
			edits = append(edits, *f.Edit)
		case f.Code == proof.FanOut && a.opt.RepairJoins && len(edits) == 0:
			return sqlproof.WithoutRepeats(stmt)
		default:
			return ""
		}
	}
	return edited(stmt.Source(), edits)
}
