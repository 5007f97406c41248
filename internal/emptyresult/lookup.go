package emptyresult

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqlagent/values"
)

// lookup adds which values the column of a test has: the first and the last one if the
// test bounds them, and otherwise those that are nearest to what it compares with. Values
// that the model must not see are not looked up.
func (s *search) lookup(ctx context.Context, b *block, t *test, q *qed.Predicate) {
	if t.column == nil {
		return
	}
	table, ok := t.column.Of.(*sqlast.Table)
	if !ok || table.Object == nil {
		return
	}
	name := s.relationName(table)
	q.Column = name + "." + t.column.Name
	if !s.Allows(name, t.column.Name) || s.stopped || s.lookups == 0 {
		return
	}
	s.lookups--
	whole := &block{with: nil, parts: []part{{relation: table}}}
	column := *t.column
	if s.isBound(ctx, b, t) {
		items := []sqlast.Item{{Expr: &sqlast.Call{Name: "min", Args: []sqlast.Expr{&column}}},
			{Expr: &sqlast.Call{Name: "max", Args: []sqlast.Expr{&column}}}}
		rows, err := s.rows(ctx, whole.reading(items, map[int]bool{0: true}, nil, 1))
		if err == nil && rows != nil && len(rows.Rows) == 1 && len(rows.Rows[0]) == 2 && rows.Rows[0][0] != nil {
			q.From, q.To = cell(rows.Rows[0][0]), cell(rows.Rows[0][1])
		}
		return
	}
	if t.combined {
		return // rows have the values that the test compares with
	}
	q.Nearest = s.nearestValues(ctx, whole, name, &column, literals(t.conditions))
}

// isBound reports whether a test is about times, or compares with a bound.
func (s *search) isBound(ctx context.Context, b *block, t *test) bool {
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
	stmt := s.statement(ctx, b.sqlOf([]*test{t}))
	return stmt != nil && stmt.Times(func(table dialect.TableName, column string) string {
		return s.Type(s.Guard.NameOf(table), column)
	}).Looks
}

// nearestValues returns the values of a column that are nearest to what a statement
// compares with, or all if there are few. Of a column with many, it compares those that a
// search finds and the most frequent ones: a search misses a swapped letter.
func (s *search) nearestValues(
	ctx context.Context, whole *block, table string, column *sqlast.Column, wanted []string,
) []string {
	if len(wanted) == 0 {
		return nil
	}
	q := whole.reading([]sqlast.Item{{Expr: column}}, map[int]bool{0: true}, nil, maxDistinct)
	q.Body.(*sqlast.Select).GroupBy = []sqlast.Expr{column}
	all, more := s.texts(ctx, q)
	if more {
		q.OrderBy = []sqlast.Order{{Expr: &sqlast.Call{Name: "count", Star: true}, Desc: true}}
		q.Limit = &sqlast.Number{Text: strconv.Itoa(s.MaxRows)}
		found := s.find(ctx, table, column.Name, wanted)
		frequent, _ := s.texts(ctx, q)
		all = append(found, frequent...)
	}
	return textmatch.Nearest(wanted, all)
}

// texts returns the texts of a query for values of a column, and whether there may be more.
func (s *search) texts(ctx context.Context, q *sqlast.Query) (all []string, more bool) {
	rows, err := s.rows(ctx, q)
	if err != nil || rows == nil {
		return nil, false
	}
	for _, row := range rows.Rows {
		if text, ok := row[0].(string); ok && text != "" && len(text) <= maxPredicate {
			all = append(all, text)
		}
	}
	return all, rows.Truncated || len(rows.Rows) >= min(maxDistinct, s.MaxRows)
}

// find looks up values of a column that has many.
func (s *search) find(ctx context.Context, table, column string, wanted []string) (found []string) {
	finder, err := values.NewTableFinder(s.DB, s.Guard, values.Lookup{Kind: column, Table: table, Name: column})
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
