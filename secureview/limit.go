package secureview

import (
	"slices"
	"strconv"

	"github.com/qedkit/qed/internal/sqlast"
)

// limit bounds the rows of a resolved query, which has these columns, by most. It returns
// the bound, and whether the bound is most and not the query's own LIMIT.
func limit(q *sqlast.Query, columns []string, most int) (rows int, capped bool, err error) {
	rows, own := most, false
	switch {
	case q.Ties: // may return more rows than its number
		wrap(q, columns)
	case q.Limit == nil || sqlast.IsNegative(q.Limit): // in SQLite a negative limit means no limit
	default:
		n, ok := q.Limit.(*sqlast.Number)
		if !ok || !n.IsWhole() {
			return 0, false, &sqlast.Error{Code: sqlast.RowLimit, Name: "LIMIT", Pos: q.Limit.At(),
				Message: "LIMIT must be a whole number, not an expression"}
		}
		if asked, err := strconv.Atoi(n.Text); err == nil && asked <= most {
			rows, own = asked, true
		}
	}
	if !own {
		at := q.Pos
		if q.Limit != nil {
			at = q.Limit.At()
		}
		q.Limit = &sqlast.Number{Pos: at, Text: strconv.Itoa(rows)}
	}
	return rows, !own, nil
}

// endsAtLimit reports whether the rows of a query are rows of its FROM, in any order.
func endsAtLimit(q *sqlast.Query) bool {
	s, ok := q.Body.(*sqlast.Select)
	if !ok || q.OrderBy != nil || s.Distinct || s.DistinctOn != nil || s.GroupBy != nil || s.Having != nil || s.Qualify != nil {
		return false
	}
	collects := func(c *sqlast.Call) bool { return c.Over != nil || sqlast.IsAggregate(c) }
	return !slices.ContainsFunc(s.Items, func(it sqlast.Item) bool { return sqlast.Any(it.Expr, collects) })
}

// wrap replaces q by a query that selects its columns from q as a subquery.
func wrap(q *sqlast.Query, columns []string) {
	inner := *q
	d := &sqlast.Derived{Pos: q.Pos, Query: &inner, Alias: "subquery"}
	all := &sqlast.Select{Pos: q.Pos, From: d}
	for i, name := range columns {
		c := &sqlast.Column{Pos: q.Pos, Table: d.Alias, Name: "c" + strconv.Itoa(i+1)}
		d.Columns = append(d.Columns, c.Name)
		all.Items = append(all.Items, sqlast.Item{Expr: c, Alias: name})
	}
	*q = sqlast.Query{Pos: q.Pos, Body: all}
}
