// Package sqltimes reads what times a statement limits its rows to.
//
// It reads the tree of the statement, which is bound to tables, and never its text.
// What it reads is exact, and what it cannot read whole makes the reading
// incomplete: a comparison of a column with another one, an OR of several columns,
// a function that it does not know, or the current time.
package sqltimes

import (
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/sqlast"
)

// Read reads a resolved query. types returns the type of a column of an object, or
// an empty string.
func Read(q *sqlast.Query, dialect string, types func(o *sqlast.Object, column string) string) dates.Times {
	asMoments := read(q, dialect, types, false)
	asDays := read(q, dialect, types, true)
	for i := range asMoments.Bounds {
		b := &asMoments.Bounds[i]
		b.Exact = b.Exact && slices.Contains(asDays.Bounds, *b)
	}
	asMoments.Complete = asMoments.Complete && asDays.Complete
	return asMoments
}

func read(q *sqlast.Query, dialect string, types func(*sqlast.Object, string) string, unknownAreDays bool) dates.Times {
	r := &reader{
		dialect: dialect, types: types, unknownAreDays: unknownAreDays,
		owners: map[sqlast.Relation]*sqlast.Select{}, wheres: map[*sqlast.Select]map[key]set{},
		matched: map[*sqlast.Select]map[sqlast.Relation]bool{},
		read:    map[sqlast.Node]bool{}, passed: map[key]bool{}, top: q.Body,
	}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if sel, ok := n.(*sqlast.Select); ok {
			for _, rel := range sqlast.Relations(sel.From) {
				r.owners[rel] = sel
			}
		}
		return true
	})
	r.query(q)
	r.incomplete = r.incomplete || r.unlimitedUse()
	t := dates.Times{Bounds: r.bounds()}
	t.Looks = r.incomplete || len(r.found) > 0 || r.looks(q)
	loose := r.rest(q, &t)
	t.Complete = !r.incomplete && !loose
	return t
}

// rest looks at what is outside of conditions. It reports whether there is a date
// or the current time that was not read as a limit: a period can be meant by it.
func (r *reader) rest(q *sqlast.Query, t *dates.Times) (loose bool) {
	sqlast.Walk(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Table:
			t.Looks = t.Looks || n.Object != nil && namesTime(n.Object.Logical)
		case *sqlast.String:
			if _, isDate := r.text(strings.TrimSpace(n.Value)); isDate {
				t.Looks = true
				loose = loose || !r.read[n]
			}
		case *sqlast.Now:
			t.Looks, loose = true, true
		case sqlast.Expr:
			t.Looks = t.Looks || isTime(n)
			if c, ok := n.(*sqlast.Call); ok && isNow(c) {
				loose = true
			}
		}
		return true
	})
	return loose
}

// looks reports whether columns that may be times do more in a query than to stand in a list
// of columns.
func (r *reader) looks(q *sqlast.Query) (found bool) {
	listed := map[sqlast.Node]bool{}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			sel, ok := n.Body.(*sqlast.Select)
			numbered := func(e sqlast.Expr) bool { _, ok := number(e); return ok }
			if ok && !slices.ContainsFunc(sel.GroupBy, numbered) && !slices.ContainsFunc(n.OrderBy, func(o sqlast.Order) bool { return numbered(o.Expr) }) {
				for _, it := range sel.Items {
					listed[it.Expr] = true
				}
			}
		case *sqlast.Column:
			found = found || !listed[n] && (namesTime(n.Name) || r.isDated(n))
		}
		return !found
	})
	return found
}

func isNow(c *sqlast.Call) bool {
	if timeFunctions[c.Name] && len(c.Args) == 0 {
		return true
	}
	return timeFunctions[c.Name] && slices.ContainsFunc(c.Args, func(e sqlast.Expr) bool {
		s, ok := e.(*sqlast.String)
		return ok && s.Value == "now"
	})
}

// bounds returns what all conditions leave.
func (r *reader) bounds() []dates.Bound {
	var columns []key
	sets := map[key][][]span{}
	for _, f := range r.found {
		s := f.set
		if where, ok := r.wheres[r.owners[f.key.rel]][f.key.base()]; ok {
			s = s.intersect(where)
		}
		s, ok := s.expanded()
		if !ok || len(s.spans) == 0 {
			r.incomplete = true
			continue
		}
		if f.optional && (s.spans[0].from.IsZero() || s.spans[len(s.spans)-1].before.IsZero()) {
			continue
		}
		k := f.key.base()
		if _, ok := sets[k]; !ok {
			columns = append(columns, k)
		}
		if !slices.ContainsFunc(sets[k], func(have []span) bool { return slices.Equal(have, s.spans) }) {
			sets[k] = append(sets[k], s.spans)
		}
	}
	var bounds []dates.Bound
	halfOpen := 0
	for _, k := range columns {
		if r.passed[k] {
			r.incomplete = true
		}
		isHalf := false
		for _, spans := range withoutFrames(sets[k]) {
			for _, s := range spans {
				if s.from.IsZero() && s.before.IsZero() {
					continue // it leaves everything
				}
				isHalf = isHalf || s.from.IsZero() || s.before.IsZero()
				if b := s.bound(); !slices.Contains(bounds, b) {
					bounds = append(bounds, b)
				}
			}
		}
		if isHalf {
			halfOpen++
		}
	}
	if halfOpen > 1 { // one column for the beginning and one for the end, as of a contract
		r.incomplete = true
	}
	return bounds
}

// base returns the key of the column in the FROM that has its table.
func (k key) base() key {
	k.via = k.rel
	return k
}

// withoutFrames leaves out the sets that only frame others: a WHERE from the
// beginning of the first to the end of the last period of several CASEs.
func withoutFrames(sets [][]span) [][]span {
	return slices.DeleteFunc(slices.Clone(sets), func(frame []span) bool {
		var inside []span
		for _, s := range sets {
			within := slices.Equal(of(s...).intersect(of(frame...)).spans, s)
			if within && !slices.Equal(s, frame) {
				inside = append(inside, s...)
			}
		}
		return len(inside) > 0 && (slices.Equal(union(inside), frame) || len(frame) == 1 && hull(inside) == frame[0])
	})
}

// bound returns s as package dates writes it.
func (s span) bound() dates.Bound {
	return dates.Bound{From: format(s.from), Before: format(s.before), Exact: !nearEnd(s.from) && !nearEnd(s.before)}
}

// nearEnd reports whether a moment is in the last minute of a day: a limit that
// means the end of the day, but leaves out a part of its last second.
func nearEnd(t time.Time) bool {
	return !t.IsZero() && t.Hour() == 23 && t.Minute() == 59
}

func format(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case day.floor(t).Equal(t):
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04:05.999999999")
}
