// Package emptyresult finds out why an SQL statement found nothing: it looks for a row of
// each of its conditions alone, by statements of its own.
package emptyresult

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent/values"
)

const (
	maxProbes    = 8               // statements that look for a row
	maxProbeTime = 5 * time.Second // of all of them
	maxLookups   = 2               // columns whose values are looked up
	maxDistinct  = 200             // values of a column that are compared
	maxPredicate = 200             // bytes
	maxTables    = 8
)

// A Prober finds out why statements found nothing. Each of its own statements passes the
// guard. If one of them cannot run, what is not known by then stays unknown.
type Prober struct {
	DB      values.Database
	Guard   *secureview.Guard
	MaxRows int // of a statement

	Allows func(table, column string) bool   // reports whether the values of a column may be shown
	Type   func(table, column string) string // the type of a column, or "" if it is not known
}

// A search is for why one statement found nothing.
type search struct {
	*Prober
	left    int // probes
	lookups int
	stopped bool

	predicates []qed.Predicate
	combined   []bool // by predicate: it is contradicted only together with others
}

// Explain returns why a statement found nothing, or nil if it found something. What could
// not be checked is in it without a verdict: it is no error. perSession reports whether
// another caller may see other rows. readable reports whether the statement has a form that
// is probed.
func (p *Prober) Explain(
	ctx context.Context, stmt *secureview.Statement, rows *qed.Table, perSession bool,
) (e *qed.EmptyResult, readable bool) {
	none := len(rows.Rows) == 0
	if !none && !isZeroRow(rows) {
		return nil, false
	}
	b := readBlock(stmt.Query(), nil, false)
	if !none {
		if b = summary(b); b == nil {
			return nil, false
		}
	}
	ctx, cancel := context.WithTimeout(ctx, maxProbeTime)
	defer cancel()
	s := &search{Prober: p, left: maxProbes, lookups: maxLookups}
	readable = b != nil
	if readable && s.explain(ctx, b, none) == present && !none && !s.explainChosen(ctx, b) {
		return nil, false // a sum over rows is no empty result
	}
	if len(s.predicates) == 0 {
		var tables []string
		for _, t := range stmt.Tables() {
			if t.Name != "" {
				tables = lists.Add(tables, p.Guard.NameOf(t))
			}
		}
		s.add(qed.Predicate{Tables: tables[:min(len(tables), maxTables)], Verdict: dates.NotChecked}, false)
	}
	limited := perSession || slices.ContainsFunc(stmt.Reads(), secureview.TableRead.Limited)
	return &qed.EmptyResult{Predicates: s.predicates, Together: s.together(), Limited: limited}, readable
}

// add adds a predicate.
func (s *search) add(q qed.Predicate, combined bool) {
	s.predicates, s.combined = append(s.predicates, q), append(s.combined, combined)
}

// together reports whether the contradicted predicates are so only together. Next to one
// that is contradicted alone, the others are not to blame: rows meet each of them.
func (s *search) together() bool {
	combined, alone := false, false
	for i, q := range s.predicates {
		combined = combined || IsBlamed(q) && s.combined[i]
		alone = alone || IsBlamed(q) && !s.combined[i]
	}
	if !combined || !alone {
		return combined
	}
	for i, combined := range s.combined {
		if combined {
			s.predicates[i].Verdict = dates.Proved
		}
	}
	return false
}

// explain adds the predicates of a block with their verdicts. none says that the block
// returned no rows. The result is whether there are rows that meet its conditions.
func (s *search) explain(ctx context.Context, b *block, none bool) presence {
	late := b.late()
	if !none || len(late) > 0 {
		switch s.probe(ctx, b, b.tests) {
		case present:
			if none {
				s.blameLate(b, late)
			}
			return present
		case unknown:
			s.report(ctx, b)
			return unknown
		}
	}
	s.alone(ctx, b)
	if !slices.ContainsFunc(b.tests, func(t *test) bool { return t.has != present }) {
		s.combine(ctx, b)
	}
	s.report(ctx, b)
	return absent
}

// blameLate adds HAVING, QUALIFY, OFFSET or LIMIT as what no row or group meets. Which of
// several it is stays unknown.
func (s *search) blameLate(b *block, late []lateClause) {
	all := lists.Indexes(len(b.parts))
	verdict := dates.Contradicted
	if len(late) > 1 {
		verdict = dates.NotChecked
	}
	for _, c := range late {
		sql := c.keyword + " " + s.shown(b, []sqlast.Expr{c.value})
		s.add(qed.Predicate{SQL: sql, Tables: s.tablesIn(b, all), Verdict: verdict}, false)
	}
}

// probe looks for a row that meets tests.
func (s *search) probe(ctx context.Context, b *block, tests []*test) presence {
	if s.left--; s.left < 0 || s.stopped {
		return unknown
	}
	rows, err := s.rows(ctx, b.sqlOf(tests))
	switch {
	case err != nil:
		s.stopped = true
		return unknown
	case rows == nil:
		return unknown
	case len(rows.Rows) > 0:
		return present
	}
	return absent
}

// rows runs a query that was made from the tree of another statement. It returns nil if
// the guard does not allow it.
func (s *search) rows(ctx context.Context, q *sqlast.Query) (*qed.Table, error) {
	stmt := s.statement(ctx, q)
	if stmt == nil {
		return nil, nil
	}
	rows, err := s.DB.Query(ctx, stmt)
	if err == nil && rows == nil {
		err = errors.New("the database returned neither a table nor an error")
	}
	return rows, err
}

// alone probes each test of a block: those on one part first, and of these the ones that
// compare with a value.
func (s *search) alone(ctx context.Context, b *block) {
	tests := slices.Clone(b.tests)
	slices.SortStableFunc(tests, func(x, y *test) int {
		return cmp.Or(cmp.Compare(len(x.parts), len(y.parts)), cmp.Compare(y.values(), x.values()))
	})
	for _, t := range tests {
		if slices.ContainsFunc(t.parts, func(i int) bool { return b.parts[i].has == absent }) {
			continue // there is no row to check
		}
		switch t.has = s.probe(ctx, b, []*test{t}); t.has {
		case present:
			for _, i := range t.parts {
				b.parts[i].has = present
			}
		case absent:
			s.look(ctx, b, t)
		}
	}
}

// look finds out whether a test that no row meets fails because a part has no rows, or
// because a subquery has none.
func (s *search) look(ctx context.Context, b *block, t *test) {
	for _, i := range t.parts {
		bare := &test{parts: []int{i}}
		if len(t.conditions) == 0 {
			bare = t
		} else if b.parts[i].has == unknown {
			bare.has = s.probe(ctx, b, []*test{bare})
			b.parts[i].has = bare.has
		}
		if bare.has != absent {
			continue
		}
		b.parts[i].has = absent
		if bare != t {
			b.tests = append(b.tests, bare)
			t.has = unknown
		}
		if inner, with := b.within(b.parts[i].relation); inner != nil {
			s.replace(ctx, bare, inner, with, b.recursive, true)
		}
		return
	}
	if inner := b.subquery(t); inner != nil && len(t.conditions) > 0 {
		s.replace(ctx, t, inner, b.with, b.recursive, false)
	}
}

// replace explains a query of which a test is the result. If something in it is to blame,
// that is reported instead of the test.
func (s *search) replace(ctx context.Context, t *test, inner *sqlast.Query, with []*sqlast.CTE, recursive, empty bool) {
	known := len(s.predicates)
	if b := readBlock(inner, with, recursive); b != nil {
		s.explain(ctx, b, empty)
		t.replaced = slices.ContainsFunc(s.predicates[known:], IsBlamed)
	}
	if !t.replaced {
		s.predicates, s.combined = s.predicates[:known], s.combined[:known]
	}
}

// IsBlamed reports whether no row meets a predicate.
func IsBlamed(q qed.Predicate) bool { return q.Verdict == dates.Contradicted }

// combine finds the fewest tests that no row meets together, each of which rows meet
// alone.
func (s *search) combine(ctx context.Context, b *block) {
	set := slices.Clone(b.tests)
	if len(set) < 2 {
		return
	}
	// A join comes before the other tests of its last part, so that no two parts are
	// probed without what joins them.
	slices.SortStableFunc(set, func(x, y *test) int {
		return cmp.Or(cmp.Compare(x.last(), y.last()), cmp.Compare(len(y.parts), len(x.parts)))
	})
	fewest, most := 2, len(set)
	for fewest < most {
		middle := (fewest + most) / 2
		found := s.probe(ctx, b, set[:middle])
		if found == unknown {
			break
		}
		if found == present {
			fewest = middle + 1
		} else {
			most = middle
		}
	}
	set = set[:most]
	for i := len(set) - 2; i >= 0 && len(set) > 2; i-- {
		if rest := slices.Delete(slices.Clone(set), i, i+1); s.probe(ctx, b, rest) == absent {
			set = rest
		}
	}
	for _, t := range set {
		t.has, t.combined = absent, true
	}
}

// last returns the last part of a test, or -1.
func (t *test) last() int {
	if len(t.parts) == 0 {
		return -1
	}
	return t.parts[len(t.parts)-1]
}

// report adds the predicates of a block.
func (s *search) report(ctx context.Context, b *block) {
	for _, t := range b.tests {
		if t.replaced {
			continue
		}
		q := qed.Predicate{SQL: s.shown(b, t.conditions), Tables: s.tablesIn(b, t.parts), Verdict: dates.NotChecked}
		switch t.has {
		case present:
			q.Verdict = dates.Proved
		case absent:
			q.Verdict = dates.Contradicted
			s.lookup(ctx, b, t, &q)
		}
		s.add(q, t.combined)
	}
}

// shown returns conditions for people, in one line.
func (s *search) shown(b *block, conditions []sqlast.Expr) string {
	all := sqlast.Conjunction(conditions...)
	if all == nil {
		return ""
	}
	return prompt.Clip(prompt.OneLine(s.text(b, all)), maxPredicate)
}

func (s *search) tablesIn(b *block, parts []int) (names []string) {
	for _, i := range parts {
		for _, r := range sqlast.Relations(b.parts[i].relation) {
			if name := s.relationName(r); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
