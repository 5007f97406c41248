package sqlagent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqlagent/values"
)

// ErrEmptyResult is the code of the problem of a statement that found nothing, because the
// data has no row for one of its conditions.
const ErrEmptyResult refusal.Code = "empty_result"

const (
	maxProbes      = 8               // statements that look for a row
	maxProbeTime   = 5 * time.Second // of all of them
	maxLookups     = 2               // columns whose values are looked up
	maxDistinct    = 200             // values of a column that are compared
	maxNearest     = 5
	fewValues      = 8 // all of them are offered
	leastSimilar   = 0.5
	maxPredicate   = 200 // bytes
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
	together   bool
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
	if b != nil && p.explain(ctx, b, none) == present && !none {
		return nil, false // a sum over rows is no empty result
	}
	if len(p.predicates) == 0 {
		tables := r.tablesOf(ran.stmt)
		p.predicates = []qed.Predicate{{Tables: tables[:min(len(tables), maxEmptyTables)], Verdict: dates.NotChecked}}
	}
	limited := perSession || slices.ContainsFunc(ran.stmt.Reads(), secureview.TableRead.Limited)
	return &qed.EmptyResult{Predicates: p.predicates, Together: p.together, Limited: limited}, b != nil
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

// summary returns the block whose rows a result of one row summarises, or nil if it
// summarises none.
func summary(b *block) *block {
	for ; b != nil; b = b.within(b.parts[0].relation) {
		sel := b.query.Body.(*sqlast.Select)
		switch plain := func(it sqlast.Item) bool { return !sqlast.HasAggregate(it.Expr) }; {
		case len(sel.GroupBy) > 0:
			return nil
		case !slices.ContainsFunc(sel.Items, plain):
			return b
		case len(b.parts) != 1 || len(b.tests) != 1 || len(b.tests[0].conditions) > 0:
			return nil
		}
	}
	return nil
}

// isZeroRow reports whether a result is one row with nothing but NULL and 0.
func isZeroRow(t *qed.Table) bool {
	return len(t.Rows) == 1 && !slices.ContainsFunc(t.Rows[0], func(cell any) bool { return !isZero(cell) })
}

// isZero reports whether a cell is NULL or the number 0, which drivers return as a text for
// decimals.
func isZero(cell any) bool {
	switch v := cell.(type) {
	case nil:
		return true
	case int64:
		return v == 0
	case float64:
		return v == 0
	case string:
		return strings.Contains(v, "0") && strings.Trim(v, "0.") == ""
	}
	return false
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
		p.combined(ctx, b)
	}
	p.report(ctx, b)
	return absent
}

// blameLate adds HAVING, QUALIFY, OFFSET or LIMIT as what no row or group meets.
func (p *prober) blameLate(b *block, late []lateClause) {
	all := make([]int, len(b.parts))
	for i := range all {
		all[i] = i
	}
	for _, c := range late {
		p.predicates = append(p.predicates, qed.Predicate{
			SQL: c.keyword + " " + p.shown(b, []sqlast.Expr{c.value}), Tables: p.tablesIn(b, all), Verdict: dates.Contradicted,
		})
	}
	p.together = len(late) > 1
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
		if inner := b.within(b.parts[i].relation); inner != nil {
			p.replace(ctx, bare, inner, true)
		}
		return
	}
	if inner := b.subquery(t); inner != nil && len(t.conditions) > 0 {
		p.replace(ctx, t, inner, false)
	}
}

// replace explains a block of which a test is the result. If something in it is to blame,
// that is reported instead of the test.
func (p *prober) replace(ctx context.Context, t *test, inner *block, empty bool) {
	known, together := len(p.predicates), p.together
	p.explain(ctx, inner, empty)
	t.replaced = slices.ContainsFunc(p.predicates[known:], isBlamed)
	if !t.replaced {
		p.predicates, p.together = p.predicates[:known], together
	}
}

func isBlamed(q qed.Predicate) bool { return q.Verdict == dates.Contradicted }

// combined finds the fewest tests that no row meets together, each of which rows meet
// alone.
func (p *prober) combined(ctx context.Context, b *block) {
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
		t.has = absent
	}
	p.together = true
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
		p.predicates = append(p.predicates, q)
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
		for _, r := range relationsIn(b.parts[i].relation) {
			if name := p.relationName(r); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// lookup adds which values the column of a test has: the first and the last one if the
// test bounds them, and otherwise those that are nearest to what it compares with. Values
// that the model must not see are not looked up.
func (p *prober) lookup(ctx context.Context, b *block, t *test, q *qed.Predicate) {
	if t.column == nil {
		return
	}
	table, ok := t.column.Of.(*sqlast.Table)
	if !ok || table.Object == nil {
		return
	}
	name := p.relationName(table)
	q.Column = name + "." + t.column.Name
	if !p.opt.Columns.Allows(name, t.column.Name) || p.stopped || p.lookups == 0 {
		return
	}
	p.lookups--
	whole := &block{with: nil, parts: []part{{relation: table}}}
	column := *t.column
	if p.isBound(ctx, b, t) {
		items := []sqlast.Item{{Expr: &sqlast.Call{Name: "min", Args: []sqlast.Expr{&column}}},
			{Expr: &sqlast.Call{Name: "max", Args: []sqlast.Expr{&column}}}}
		rows, err := p.rows(ctx, whole.reading(items, map[int]bool{0: true}, nil, 1))
		if err == nil && rows != nil && len(rows.Rows) == 1 && len(rows.Rows[0]) == 2 && rows.Rows[0][0] != nil {
			q.From, q.To = cell(rows.Rows[0][0]), cell(rows.Rows[0][1])
		}
		return
	}
	q.Nearest = p.nearestValues(ctx, whole, name, &column, literals(t.conditions))
}

// isBound reports whether a test is about times, or compares with a bound.
func (p *prober) isBound(ctx context.Context, b *block, t *test) bool {
	for _, e := range t.conditions {
		switch e := e.(type) {
		case *sqlast.Between:
			return true
		case *sqlast.Binary:
			if slices.Contains([]sqlast.BinaryOp{sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge}, e.Op) {
				return true
			}
		}
	}
	stmt := p.statement(ctx, b.sqlOf([]*test{t}))
	return stmt != nil && stmt.Times(func(table dialect.TableName, column string) string {
		return p.catalog.typeOf(p.nameOf(table), column)
	}).Looks
}

// nearestValues returns the values of a column that are nearest to what a statement
// compares with, or all if there are few.
func (p *prober) nearestValues(
	ctx context.Context, whole *block, table string, column *sqlast.Column, wanted []string,
) []string {
	if len(wanted) == 0 {
		return nil
	}
	q := whole.reading([]sqlast.Item{{Expr: column}}, map[int]bool{0: true}, nil, maxDistinct)
	q.Body.(*sqlast.Select).Distinct = true
	rows, err := p.rows(ctx, q)
	if err != nil || rows == nil {
		return nil
	}
	var all []string
	for _, row := range rows.Rows {
		if text, ok := row[0].(string); ok && text != "" && len(text) <= maxPredicate {
			all = append(all, text)
		}
	}
	if rows.Truncated || len(rows.Rows) >= min(maxDistinct, p.rowLimit) {
		all = p.find(ctx, table, column.Name, wanted)
	}
	return nearest(wanted, all)
}

// find looks up values of a column that has many.
func (p *prober) find(ctx context.Context, table, column string, wanted []string) (found []string) {
	finder, err := values.NewTableFinder(p.db, p.guard, values.Lookup{Kind: column, Table: table, Name: column})
	if err != nil {
		return nil
	}
	for _, text := range wanted[:min(len(wanted), maxLookups)] {
		entities, err := finder.Find(ctx, text, column)
		if err != nil {
			return found
		}
		for _, e := range entities {
			found = append(found, e.Name)
		}
	}
	return found
}

// nearest returns values that are similar to one of those wanted, the most similar first.
// If there are few, it returns all.
func nearest(wanted, all []string) []string {
	slices.Sort(all)
	all = slices.Compact(all)
	score := map[string]float64{}
	for _, value := range all {
		for _, want := range wanted {
			score[value] = max(score[value], similarity(want, value))
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(score[b], score[a]) })
	if len(all) > fewValues {
		all = slices.DeleteFunc(all, func(value string) bool { return score[value] == 0 })
		all = all[:min(len(all), maxNearest)]
	}
	return all
}

// similarity returns how similar two values are, from 0 to 1: by typing errors, or because
// one contains the other, or because they begin alike.
func similarity(a, b string) float64 {
	x, y := []rune(textmatch.Fold(a)), []rune(textmatch.Fold(b))
	shorter := min(len(x), len(y))
	alike := 0
	for alike < shorter && x[alike] == y[alike] {
		alike++
	}
	switch similar := textmatch.Similarity(x, y); {
	case shorter == 0:
		return 0
	case similar >= leastSimilar:
		return similar
	case strings.Contains(string(x), string(y)) || strings.Contains(string(y), string(x)):
		return leastSimilar
	case 2*alike >= shorter:
		return leastSimilar * float64(alike) / float64(max(len(x), len(y)))
	}
	return 0
}

// literals returns the texts that conditions compare a column with.
func literals(conditions []sqlast.Expr) (all []string) {
	add := func(list ...sqlast.Expr) {
		for _, e := range list {
			if s, ok := e.(*sqlast.String); ok && strings.Trim(s.Value, "% ") != "" {
				all = append(all, strings.Trim(s.Value, "% "))
			}
		}
	}
	for _, e := range conditions {
		switch e := e.(type) {
		case *sqlast.Binary:
			switch e.Op {
			case sqlast.Or:
				all = append(all, literals([]sqlast.Expr{e.X, e.Y})...)
			case sqlast.Eq, sqlast.Same:
				add(e.X, e.Y)
			}
		case *sqlast.In:
			if !e.Not {
				add(e.List...)
			}
		case *sqlast.Like:
			if !e.Not {
				add(e.Pattern)
			}
		}
	}
	return all
}

// cell returns a value of a column for people.
func cell(v any) string { return prompt.Clip(prompt.OneLine(fmt.Sprint(v)), maxPredicate) }

// remedy returns the problem of a statement that found nothing, if another statement may
// find something: the data has other values, two tables are joined so that no row
// matches, or the cause is of a form that is not probed.
func remedy(e *qed.EmptyResult, readable bool) []refusal.Problem {
	const keep = ". If the question means exactly this, write the same query again"
	message := ""
	for _, q := range e.Predicates {
		joins := len(q.Tables) > 1 && !e.Together
		if !isBlamed(q) || len(q.Nearest) == 0 && !joins {
			continue
		}
		message += "; no row of " + strings.Join(q.Tables, ", ") + " meets " + q.SQL
		if len(q.Nearest) > 0 {
			message += ", and " + q.Column + " has values such as " + quotedList(q.Nearest)
		}
	}
	if message == "" && readable {
		return nil
	}
	return []refusal.Problem{{Code: ErrEmptyResult, Message: "the query ran and found nothing" + message + keep}}
}

func quotedList(all []string) string {
	quoted := make([]string, len(all))
	for i, value := range all {
		quoted[i] = prompt.Quote(value)
	}
	return strings.Join(quoted, ", ")
}

// because returns why nothing was found, in words, or "" if that is not known, or if the
// reason is an expression that says no more than the query does.
func because(texts *texts, e *qed.EmptyResult) string {
	if e == nil || slices.ContainsFunc(e.Predicates, func(q qed.Predicate) bool {
		return isBlamed(q) && !e.Together && q.SQL != "" && q.Column == "" && len(q.Tables) == 1
	}) {
		return ""
	}
	var reasons, all, known []string
	for _, q := range e.Predicates {
		if !isBlamed(q) {
			continue
		}
		tables := strings.Join(q.Tables, ", ")
		switch {
		case q.SQL == "":
			reasons = append(reasons, usertext.Fill(texts.NoRows, "table", tables))
		case e.Together:
			all = append(all, q.SQL)
		default:
			reasons = append(reasons, usertext.Fill(texts.NoRowHas, "tables", tables, "condition", q.SQL))
		}
		switch {
		case len(q.Nearest) > 0:
			known = append(known, usertext.Fill(texts.HasValues, "column", q.Column, "values", quotedList(q.Nearest)))
		case q.From != "":
			known = append(known, usertext.Fill(texts.HasSpan, "column", q.Column, "from", q.From, "to", q.To))
		}
	}
	if len(all) > 0 {
		reasons = append(reasons, usertext.Fill(texts.NoRowHasAll, "conditions", strings.Join(all, "; ")))
	}
	if len(reasons) == 0 {
		return ""
	}
	text := texts.NothingFound
	if e.Limited {
		text = texts.NothingVisible
	}
	return strings.Join(append([]string{usertext.Fill(text, "reasons", strings.Join(reasons, "; "))}, known...), " ")
}
