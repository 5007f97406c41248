package sqltimes

import (
	"maps"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/wordset"
)

// A limits is what a condition says about times: for each column the values that
// it leaves. A column that is not in sets is not limited.
type limits struct {
	sets map[key]set
	only bool // the condition says nothing else
}

func (l limits) and(m limits) limits {
	sets := maps.Clone(l.sets)
	for k, s := range m.sets {
		if have, ok := sets[k]; ok {
			s = have.intersect(s)
		}
		if sets == nil {
			sets = map[key]set{}
		}
		sets[k] = s
	}
	return limits{sets, l.only && m.only}
}

// single returns the only column of l, if l says nothing else.
func (l limits) single() (k key, s set, ok bool) {
	for k, s = range l.sets {
	}
	return k, s, l.only && len(l.sets) == 1
}

// condition reads a condition. What it cannot read makes the reading incomplete.
func (r *reader) condition(e sqlast.Expr) limits {
	switch e := e.(type) {
	case nil:
		return limits{only: true}
	case *sqlast.Bool:
		return limits{only: e.Value}
	case *sqlast.Binary:
		switch e.Op {
		case sqlast.And:
			return r.condition(e.X).and(r.condition(e.Y))
		case sqlast.Or:
			r.incomplete = r.incomplete || hasTimedQuery(e)
			return r.or(r.condition(e.X), r.condition(e.Y))
		}
	case *sqlast.Unary:
		if e.Op == sqlast.Not {
			return r.not(r.condition(e.X))
		}
	}
	if k, s, ok := r.leaf(e); ok {
		return limits{map[key]set{k: s}, true}
	}
	r.leave(e)
	return limits{}
}

// hasTimedQuery reports whether a condition has a subquery with times in it. As a part
// of an OR, the subquery does not limit all rows.
func hasTimedQuery(e sqlast.Expr) bool {
	return sqlast.Any(e, func(q *sqlast.Query) bool { return sqlast.Any(q, isTime) })
}

func (r *reader) or(a, b limits) limits {
	if len(a.sets) == 0 && len(b.sets) == 0 {
		return limits{}
	}
	k, s, ok1 := a.single()
	l, t, ok2 := b.single()
	if ok1 && ok2 && k == l {
		if both, ok := s.join(t); ok {
			return limits{map[key]set{k: both}, true}
		}
	}
	r.incomplete = true
	return limits{}
}

func (r *reader) not(a limits) limits {
	if len(a.sets) == 0 {
		return limits{}
	}
	if k, s, ok := a.single(); ok {
		if others, ok := s.complement(); ok {
			return limits{map[key]set{k: others}, true}
		}
	}
	r.incomplete = true
	return limits{}
}

// flipped are the operators for exchanged operands.
var flipped = map[sqlast.BinaryOp]sqlast.BinaryOp{
	sqlast.Eq: sqlast.Eq, sqlast.Same: sqlast.Same, sqlast.Ne: sqlast.Ne, sqlast.NotSame: sqlast.NotSame,
	sqlast.Lt: sqlast.Gt, sqlast.Gt: sqlast.Lt, sqlast.Le: sqlast.Ge, sqlast.Ge: sqlast.Le,
}

// leaf reads a comparison of one column.
func (r *reader) leaf(e sqlast.Expr) (k key, s set, ok bool) {
	switch e := e.(type) {
	case *sqlast.Binary:
		turned, compares := flipped[e.Op]
		if !compares {
			return k, s, false
		}
		if subj, isSubject := r.subject(e.X, 0); isSubject {
			s, ok = r.compare(subj, e.Op, e.Y)
			return subj.key, s, ok
		}
		if subj, isSubject := r.subject(e.Y, 0); isSubject {
			s, ok = r.compare(subj, turned, e.X)
			return subj.key, s, ok
		}
	case *sqlast.Between:
		subj, isSubject := r.subject(e.X, 0)
		if !isSubject || e.Symmetric {
			return k, s, false
		}
		low, ok1 := r.compare(subj, sqlast.Ge, e.Low)
		high, ok2 := r.compare(subj, sqlast.Le, e.High)
		if s, ok = low.intersect(high), ok1 && ok2; ok && e.Not {
			s, ok = s.complement()
		}
		return subj.key, s, ok
	case *sqlast.In:
		subj, isSubject := r.subject(e.X, 0)
		if !isSubject || e.Query != nil || len(e.List) == 0 || len(e.List) > maxList {
			return k, s, false
		}
		for i, x := range e.List {
			one, read := r.compare(subj, sqlast.Eq, x)
			if !read {
				return k, s, false
			}
			if i == 0 {
				s, ok = one, true
			} else if s, ok = s.join(one); !ok {
				return k, s, false
			}
		}
		if e.Not {
			s, ok = s.complement()
		}
		return subj.key, s, ok
	case *sqlast.Like:
		return r.like(e)
	}
	return k, s, false
}

const maxList = 100

// like reads c LIKE '2026-03%'.
func (r *reader) like(e *sqlast.Like) (k key, s set, ok bool) {
	subj, ok := r.subject(e.X, 0)
	pattern, isText := e.Pattern.(*sqlast.String)
	if !ok || !isText || e.Not || e.Escape != nil || e.Op != sqlast.OpLike || subj.as != dated || subj.unit > day {
		return k, s, false
	}
	prefix, ok := strings.CutSuffix(pattern.Value, "%")
	if !ok {
		return k, s, false
	}
	for _, f := range []struct {
		layout string
		unit   unit
	}{{"2006", year}, {"2006-", year}, {"2006-01", month}, {"2006-01-", month}, {time.DateOnly, day}} {
		if at, err := time.Parse(f.layout, prefix); err == nil {
			r.markRead(pattern)
			return subj.key, of(span{at, f.unit.after(at)}), true
		}
	}
	return k, s, false
}

// leave passes over a condition that is not read. If it may be about times, the
// reading is not complete.
func (r *reader) leave(e sqlast.Expr) {
	switch e := e.(type) {
	case *sqlast.Is, *sqlast.Exists:
		return
	case *sqlast.Binary:
		_, ok1 := e.X.(*sqlast.Column)
		_, ok2 := e.Y.(*sqlast.Column)
		if ok1 && ok2 && e.Op == sqlast.Eq { // it joins two tables
			return
		}
	}
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			return false // read by itself
		case *sqlast.Column:
			r.pass(n)
		case sqlast.Expr:
			if isTime(n) || isYear(n) {
				r.incomplete = true
			}
		}
		return !r.incomplete
	})
}

// pass notes a column of a condition that is not read.
func (r *reader) pass(c *sqlast.Column) {
	if r.isDated(c) {
		r.incomplete = true
	}
	if subj, ok := r.subject(c, 0); ok {
		r.passed[subj.key.base()] = true
	}
}

// isDated reports whether the type of a column is that of dates or moments.
func (r *reader) isDated(c *sqlast.Column) bool {
	subj, ok := r.subject(c, 0)
	return ok && (subj.kind == days || subj.kind == moments)
}

// isTime reports whether an expression is, by itself, about times.
func isTime(e sqlast.Expr) bool {
	switch e := e.(type) {
	case *sqlast.Now, *sqlast.Interval:
		return true
	case *sqlast.String:
		return looksLikeTime(e.Value)
	case *sqlast.Cast:
		k, _ := kindOf("", e.Type)
		return k == days || k == moments || strings.HasPrefix(strings.ToLower(e.Type), "interval")
	case *sqlast.Call:
		return timeFunctions[e.Name]
	}
	return false
}

// isYear reports whether an expression is a number that can be a year, a date as
// digits, or the seconds of an epoch.
func isYear(e sqlast.Expr) bool {
	n, ok := e.(*sqlast.Number)
	if !ok || !n.IsWhole() {
		return false
	}
	switch len(n.Text) {
	case 4, 6, 8:
		return isCentury(n.Text)
	}
	return len(n.Text) >= 9 && len(n.Text) <= 13
}

var timeFunctions = wordset.Of(`
	date datetime time timestamp strftime julianday unixepoch timediff
	extract date_part datepart date_trunc datetrunc date_bin time_bucket age justify_days
	year quarter month week day hour minute dayofmonth dayofweek dayofyear weekday weekofyear yearweek
	isoyear isodow century decade monthname dayname last_day epoch epoch_ms
	to_char date_format to_date to_timestamp str_to_date strptime try_strptime make_date make_timestamp
	date_add date_sub adddate subdate timestampadd timestampdiff datediff date_diff datesub addtime subtime
	to_days from_days to_seconds from_unixtime unix_timestamp period_add period_diff makedate
	now today curdate current_date current_timestamp sysdate localtime localtimestamp utc_date utc_timestamp
	transaction_timestamp statement_timestamp clock_timestamp get_current_timestamp convert_tz timezone`)
