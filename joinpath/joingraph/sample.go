package joingraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/secureview"
)

// A Database runs statements of a guard. github.com/qedkit/qed/sqldb.DB is one.
type Database interface {
	Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error)
}

// counts has the counts of one column.
type counts struct {
	rows, notNull, distinct int64
	span                    float64 // the largest minus the smallest number; below 0 if unknown
}

// dense reports whether the values are numbers without large gaps.
func (c *counts) dense() bool { return c.span > 0 && float64(c.distinct) >= 0.3*(c.span+1) }

// gappy reports whether the values are numbers with gaps. A key that counts up has
// none, so the values are a part of those of another key.
func (c *counts) gappy() bool { return c.span > 0 && float64(c.distinct) < 0.9*(c.span+1) }

// sampleRows is the number of rows that are read of the table of the referring column.
const sampleRows = 10_000

// sampler sends statements within the limits.
type sampler struct {
	in      *inference
	ctx     context.Context
	columns map[colRef]counts
	earlier map[string]Count // by statement
	planned int
	failed  int // statements in a row
	stopped bool
}

const (
	mostFailures      = 3  // failed statements in a row, after which the database is left alone
	columnsPerMeasure = 24 // of one statement
)

var errTimeLimit = errors.New("joingraph: the time limit of the statements is over")

// measure asks the database about the proposals, and searches for edges that names
// do not show.
func (in *inference) measure(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, in.opt.Timeout, errTimeLimit)
	defer cancel()
	s := &sampler{in: in, ctx: ctx, columns: map[colRef]counts{}, earlier: map[string]Count{}}
	for _, c := range in.opt.Counts {
		s.earlier[c.SQL] = c
	}
	s.countColumns()
	s.sharedNames()
	s.measureProposals()
	s.search()
	in.scoreData()
}

// query executes one statement about tables, whose only row has n numbers, unless the
// answer is known. A failure is reported for the first table.
func (s *sampler) query(sql string, n int, tables ...string) []float64 {
	in := s.in
	if s.stopped {
		return nil
	}
	count := Count{SQL: sql, Basis: fingerprint(in.schema, "", tables...)}
	if known, ok := s.earlier[sql]; ok && known.Basis == count.Basis && len(known.Numbers) == n {
		in.out.Counts = append(in.out.Counts, known)
		return known.values()
	}
	if in.out.Statements >= in.opt.MaxStatements {
		s.stop("the limit of %d statements is reached: raise InferOptions.MaxStatements", in.opt.MaxStatements)
		return nil
	}
	in.out.Statements++
	rows, err := s.execute(sql)
	if in.opt.Progress != nil {
		in.opt.Progress(in.out.Statements, max(in.out.Statements, s.planned))
	}
	if err == nil {
		var numbers []float64
		if numbers, err = numbersOf(rows, n); err == nil {
			s.failed = 0
			for _, number := range numbers {
				if math.IsNaN(number) {
					count.Numbers = append(count.Numbers, nil)
				} else {
					count.Numbers = append(count.Numbers, &number)
				}
			}
			in.out.Counts = append(in.out.Counts, count)
			return numbers
		}
	}
	in.out.Problems = append(in.out.Problems, Problem{Table: tables[0], Message: err.Error(), Err: err})
	s.failed++
	switch {
	case s.ctx.Err() != nil:
		s.stop("%v: raise InferOptions.Timeout, or continue with what was measured", context.Cause(s.ctx))
	case s.failed == mostFailures:
		s.stop("%d statements in a row failed: the rest was not measured", mostFailures)
	}
	return nil
}

func (s *sampler) execute(sql string) (*qed.Table, error) {
	stmt, err := s.in.opt.Guard.Rewrite(s.ctx, sql)
	if err != nil {
		return nil, err
	}
	return s.in.opt.Database.Query(s.ctx, stmt)
}

// values returns the numbers, NaN for NULL.
func (c *Count) values() []float64 {
	out := make([]float64, len(c.Numbers))
	for i, number := range c.Numbers {
		out[i] = math.NaN()
		if number != nil {
			out[i] = *number
		}
	}
	return out
}

func (s *sampler) stop(format string, args ...any) {
	s.stopped = true
	s.in.out.Problems = append(s.in.out.Problems, Problem{Message: fmt.Sprintf(format, args...), Err: context.Cause(s.ctx)})
}

// numbersOf reads the only row of a result. NULL is read as NaN.
func numbersOf(rows *qed.Table, n int) ([]float64, error) {
	if rows == nil || len(rows.Rows) != 1 || len(rows.Rows[0]) != n {
		return nil, errors.New("joingraph: the database did not return one row of counts")
	}
	out := make([]float64, n)
	for i, cell := range rows.Rows[0] {
		switch v := cell.(type) {
		case nil:
			out[i] = math.NaN()
		case int64:
			out[i] = float64(v)
		case float64:
			out[i] = v
		case string:
			f, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return nil, errors.New("joingraph: the database returned a text instead of a count")
			}
			out[i] = f
		default:
			return nil, fmt.Errorf("joingraph: the database returned a %T instead of a count", cell)
		}
	}
	return out, nil
}

// countColumns counts the columns that can be a side of an edge.
func (s *sampler) countColumns() {
	in := s.in
	for i := range in.x.tables {
		t := &in.x.tables[i]
		var list []int
		for n := range t.columns {
			c := &t.columns[n]
			if c.class == otherType || c.class == momentType || t.taken[c.name] && !t.isKey[c.name] {
				continue
			}
			if !in.opt.Columns.Allows(t.name, c.name) {
				in.out.Unsampled = append(in.out.Unsampled, t.name+"."+c.name)
				continue
			}
			list = append(list, n)
		}
		for part := range slices.Chunk(list, columnsPerMeasure) {
			s.planned++
			s.countPart(i, part)
		}
	}
}

func (s *sampler) countPart(i int, part []int) {
	t := &s.in.x.tables[i]
	quote := s.in.opt.Guard.Dialect().Quote
	var inner []string
	items := []string{"COUNT(*)"}
	for at, n := range part {
		c := &t.columns[n]
		alias := "c" + strconv.Itoa(at)
		inner = append(inner, "t."+quote(c.name)+" AS "+alias)
		items = append(items, "COUNT(s."+alias+")", "COUNT(DISTINCT s."+alias+")")
		if c.class == integerType || c.class == unknownType {
			items = append(items, "MAX(s."+alias+") - MIN(s."+alias+")")
		} else {
			items = append(items, "NULL")
		}
	}
	sql := "SELECT " + strings.Join(items, ", ") + " FROM (SELECT " + strings.Join(inner, ", ") +
		" FROM " + s.in.opt.Guard.Identifier(t.name) + " AS t LIMIT " + strconv.Itoa(sampleRows) + ") AS s"
	got := s.query(sql, len(items), t.name)
	if got == nil {
		return
	}
	for at, n := range part {
		c := counts{rows: int64(got[0]), notNull: int64(got[3*at+1]), distinct: int64(got[3*at+2]), span: got[3*at+3]}
		if math.IsNaN(c.span) || c.distinct > 1 && c.span == 0 {
			c.span = -1
		}
		s.columns[colRef{i, n}] = c
	}
}

// sharedNames proposes edges between columns of the same name, to the only one whose
// values are unique.
func (s *sampler) sharedNames() {
	in := s.in
	named := map[colRef]bool{}
	for _, p := range in.proposals {
		if p.from == nil && p.rule != ruleSharedName {
			named[colRef{p.child, p.column}] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.x.having)) {
		refs := in.x.having[name]
		unique := lists.Filter(refs, func(ref colRef) bool {
			c := s.columns[ref]
			return c.distinct >= leastUnique && c.distinct == c.rows
		})
		if len(refs) < 2 || len(unique) != 1 {
			continue
		}
		parent := unique[0]
		in.proposals = slices.DeleteFunc(in.proposals, func(p proposal) bool {
			return p.rule == ruleSharedName && in.x.tables[p.child].columns[p.column].compact == name
		})
		for _, ref := range refs {
			if ref == parent || ref.table == parent.table || named[ref] || in.x.tables[ref.table].taken[in.x.tables[ref.table].columns[ref.column].name] {
				continue
			}
			c := candidate{child: ref.table, column: ref.column, parent: parent.table, key: -1 - parent.column, rule: ruleSharedName}
			if p, ok := in.proposal(c); ok {
				in.proposals = append(in.proposals, p)
			}
		}
	}
}

// leastUnique is the number of different values from which a column without
// duplicates is taken for a key.
const leastUnique = 8

// measureProposals measures what names suggest, the likeliest first.
func (s *sampler) measureProposals() {
	in := s.in
	order := lists.Indexes(len(in.proposals))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in.proposals[b].logit, in.proposals[a].logit) })
	s.planned += len(order)
	for _, i := range order {
		if p := &in.proposals[i]; p.from == nil {
			p.data = s.match(p.candidate)
		}
	}
}

// match counts the values of one column that are in another. It returns nil if
// that cannot be measured.
func (s *sampler) match(c candidate) *measured {
	x := s.in.x
	to := x.parentColumn(c)
	from, ok := s.columns[colRef{c.child, c.column}]
	key, both := s.columns[colRef{c.parent, to}]
	if !ok || !both {
		return nil
	}
	m := &measured{
		rows: from.rows, notNull: from.notNull, distinct: from.distinct,
		keyRows: key.rows, keyNotNull: key.notNull, keyDistinct: key.distinct,
		chance:  key.dense() && (from.distinct <= 1 || from.span >= 0),
		partial: from.rows >= sampleRows || key.rows >= sampleRows,
	}
	if from.distinct == 0 || key.distinct == 0 {
		return m
	}
	child, parent := &x.tables[c.child], &x.tables[c.parent]
	quote := s.in.opt.Guard.Dialect().Quote
	column, keyColumn := quote(child.columns[c.column].name), quote(parent.columns[to].name)
	span := "NULL"
	if m.chance {
		span = "MAX(CASE WHEN s.m = 1 THEN s.v END) - MIN(CASE WHEN s.m = 1 THEN s.v END)"
	}
	sql := "SELECT COUNT(*), COALESCE(SUM(s.m), 0), COUNT(DISTINCT s.v), COUNT(DISTINCT CASE WHEN s.m = 1 THEN s.v END), " +
		span + " FROM (SELECT q.v AS v, CASE WHEN q.v IN (SELECT p." + keyColumn + " FROM " + s.in.opt.Guard.Identifier(parent.name) +
		" AS p WHERE p." + keyColumn + " IS NOT NULL) THEN 1 ELSE 0 END AS m FROM (SELECT t." + column + " AS v FROM " +
		s.in.opt.Guard.Identifier(child.name) + " AS t WHERE t." + column + " IS NOT NULL LIMIT " + strconv.Itoa(sampleRows) +
		") AS q) AS s"
	got := s.query(sql, 5, child.name, parent.name)
	if got == nil {
		return nil
	}
	m.notNull, m.matchedRows, m.distinct, m.matched = int64(got[0]), int64(got[1]), int64(got[2]), int64(got[3])
	if m.chance && !math.IsNaN(got[4]) && got[4] > 0 && key.span > 0 {
		m.reach = round(got[4] / key.span)
	}
	return m
}

// fills reports whether values drawn from a key at random have a range as wide as
// that of the key: the gaps at both ends are not larger than chance leaves.
func fills(span, width float64, values int64) bool {
	return width > 0 && span <= width && span >= width*(1-4/float64(values+1))
}
