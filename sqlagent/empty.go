package sqlagent

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// ErrEmptyResult is the code of the problem of a statement that found nothing, because the
// data has no row for one of its conditions.
const ErrEmptyResult refusal.Code = "empty_result"

const (
	maxProbes      = 8               // statements that look for a row
	maxProbeTime   = 5 * time.Second // of all of them
	maxLookups     = 2               // columns whose values are looked up
	maxDistinct    = 200             // values of a column that are compared
	maxPredicate   = 200             // bytes
	maxEmptyTables = 8
)

// A prober finds out why a statement found nothing. Each of its statements passes the
// guard. If one of them cannot run, what is not known by then stays unknown.
type prober struct {
	*reader
	left    int // probes
	lookups int
	stopped bool

	predicates []qed.Predicate
	combined   []bool // by predicate: it is contradicted only together with others
}

// whyEmpty returns why a statement found nothing, or nil if it found something. What could
// not be checked is in it without a verdict: it is no error. readable reports whether the
// statement has a form that is probed.
func (r *reader) whyEmpty(ctx context.Context, ran *execution, perSession bool) (e *qed.EmptyResult, readable bool) {
	none := len(ran.rows.Rows) == 0
	if !none && !isZeroRow(ran.rows) {
		return nil, false
	}
	b := readBlock(ran.stmt.Query(), nil, false)
	if !none {
		if b = summary(b); b == nil {
			return nil, false
		}
	}
	ctx, cancel := context.WithTimeout(ctx, maxProbeTime)
	defer cancel()
	p := &prober{reader: r, left: maxProbes, lookups: maxLookups}
	readable = b != nil
	if readable && p.explain(ctx, b, none) == present && !none && !p.explainChosen(ctx, b) {
		return nil, false // a sum over rows is no empty result
	}
	if len(p.predicates) == 0 {
		tables := r.tablesOf(ran.stmt)
		p.add(qed.Predicate{Tables: tables[:min(len(tables), maxEmptyTables)], Verdict: dates.NotChecked}, false)
	}
	limited := perSession || slices.ContainsFunc(ran.stmt.Reads(), secureview.TableRead.Limited)
	return &qed.EmptyResult{Predicates: p.predicates, Together: p.together(), Limited: limited}, readable
}

// add adds a predicate.
func (p *prober) add(q qed.Predicate, combined bool) {
	p.predicates, p.combined = append(p.predicates, q), append(p.combined, combined)
}

// together reports whether the contradicted predicates are so only together. Next to one
// that is contradicted alone, the others are not to blame: rows meet each of them.
func (p *prober) together() bool {
	combined, alone := false, false
	for i, q := range p.predicates {
		combined = combined || isBlamed(q) && p.combined[i]
		alone = alone || isBlamed(q) && !p.combined[i]
	}
	if !combined || !alone {
		return combined
	}
	for i, combined := range p.combined {
		if combined {
			p.predicates[i].Verdict = dates.Proved
		}
	}
	return false
}

// explainEmpty records why a statement found nothing. If another one may find something,
// that is a problem of the statement, which the model corrects once in a turn.
func (a *agent) explainEmpty(ctx context.Context, s *state, ran *execution) {
	empty, readable := a.whyEmpty(ctx, ran, a.perSession)
	if empty == nil {
		return
	}
	s.Query.Empty = empty
	qed.Emit(ctx, qed.QueryEmpty{Query: s.Query.Executed, Empty: *empty})
	if !s.Retried {
		s.Draft.Problems = remedy(empty, readable)
		s.Retried = len(s.Draft.Problems) > 0
	}
}

// explain adds the predicates of a block with their verdicts. none says that the block
// returned no rows. The result is whether there are rows that meet its conditions.
func (p *prober) explain(ctx context.Context, b *block, none bool) presence {
	late := b.late()
	if !none || len(late) > 0 {
		switch p.probe(ctx, b, b.tests) {
		case present:
			if none {
				p.blameLate(b, late)
			}
			return present
		case unknown:
			p.report(ctx, b)
			return unknown
		}
	}
	p.alone(ctx, b)
	if !slices.ContainsFunc(b.tests, func(t *test) bool { return t.has != present }) {
		p.combine(ctx, b)
	}
	p.report(ctx, b)
	return absent
}

// blameLate adds HAVING, QUALIFY, OFFSET or LIMIT as what no row or group meets. Which of
// several it is stays unknown.
func (p *prober) blameLate(b *block, late []lateClause) {
	all := lists.Indexes(len(b.parts))
	verdict := dates.Contradicted
	if len(late) > 1 {
		verdict = dates.NotChecked
	}
	for _, c := range late {
		sql := c.keyword + " " + p.shown(b, []sqlast.Expr{c.value})
		p.add(qed.Predicate{SQL: sql, Tables: p.tablesIn(b, all), Verdict: verdict}, false)
	}
}

// probe looks for a row that meets tests.
func (p *prober) probe(ctx context.Context, b *block, tests []*test) presence {
	if p.left--; p.left < 0 || p.stopped {
		return unknown
	}
	rows, err := p.rows(ctx, b.sqlOf(tests))
	switch {
	case err != nil:
		p.stopped = true
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
func (p *prober) rows(ctx context.Context, q *sqlast.Query) (*qed.Table, error) {
	stmt := p.statement(ctx, q)
	if stmt == nil {
		return nil, nil
	}
	rows, err := p.db.Query(ctx, stmt)
	if err == nil && rows == nil {
		err = errNoTable
	}
	return rows, err
}

// alone probes each test of a block: those on one part first, and of these the ones that
// compare with a value.
func (p *prober) alone(ctx context.Context, b *block) {
	tests := slices.Clone(b.tests)
	slices.SortStableFunc(tests, func(x, y *test) int {
		return cmp.Or(cmp.Compare(len(x.parts), len(y.parts)), cmp.Compare(y.values(), x.values()))
	})
	for _, t := range tests {
		if slices.ContainsFunc(t.parts, func(i int) bool { return b.parts[i].has == absent }) {
			continue // there is no row to check
		}
		switch t.has = p.probe(ctx, b, []*test{t}); t.has {
		case present:
			for _, i := range t.parts {
				b.parts[i].has = present
			}
		case absent:
			p.look(ctx, b, t)
		}
	}
}

// look finds out whether a test that no row meets fails because a part has no rows, or
// because a subquery has none.
func (p *prober) look(ctx context.Context, b *block, t *test) {
	for _, i := range t.parts {
		bare := &test{parts: []int{i}}
		if len(t.conditions) == 0 {
			bare = t
		} else if b.parts[i].has == unknown {
			bare.has = p.probe(ctx, b, []*test{bare})
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
			p.replace(ctx, bare, inner, with, b.recursive, true)
		}
		return
	}
	if inner := b.subquery(t); inner != nil && len(t.conditions) > 0 {
		p.replace(ctx, t, inner, b.with, b.recursive, false)
	}
}

// replace explains a query of which a test is the result. If something in it is to blame,
// that is reported instead of the test.
func (p *prober) replace(ctx context.Context, t *test, inner *sqlast.Query, with []*sqlast.CTE, recursive, empty bool) {
	known := len(p.predicates)
	if b := readBlock(inner, with, recursive); b != nil {
		p.explain(ctx, b, empty)
		t.replaced = slices.ContainsFunc(p.predicates[known:], isBlamed)
	}
	if !t.replaced {
		p.predicates, p.combined = p.predicates[:known], p.combined[:known]
	}
}

func isBlamed(q qed.Predicate) bool { return q.Verdict == dates.Contradicted }

// combine finds the fewest tests that no row meets together, each of which rows meet
// alone.
func (p *prober) combine(ctx context.Context, b *block) {
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
		found := p.probe(ctx, b, set[:middle])
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
		if rest := slices.Delete(slices.Clone(set), i, i+1); p.probe(ctx, b, rest) == absent {
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
func (p *prober) report(ctx context.Context, b *block) {
	for _, t := range b.tests {
		if t.replaced {
			continue
		}
		q := qed.Predicate{SQL: p.shown(b, t.conditions), Tables: p.tablesIn(b, t.parts), Verdict: dates.NotChecked}
		switch t.has {
		case present:
			q.Verdict = dates.Proved
		case absent:
			q.Verdict = dates.Contradicted
			p.lookup(ctx, b, t, &q)
		}
		p.add(q, t.combined)
	}
}

// shown returns conditions for people, in one line.
func (p *prober) shown(b *block, conditions []sqlast.Expr) string {
	var all sqlast.Expr
	for _, e := range conditions {
		all = and(all, e)
	}
	if all == nil {
		return ""
	}
	return prompt.Clip(prompt.OneLine(p.text(b, all)), maxPredicate)
}

func (p *prober) tablesIn(b *block, parts []int) (names []string) {
	for _, i := range parts {
		for _, r := range sqlast.Relations(b.parts[i].relation) {
			if name := p.relationName(r); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
