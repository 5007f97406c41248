package sqlproof

import (
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// An optional is an inner join by a key that may be NULL: rows of from without it are
// missing.
type optional struct {
	from, to *leaf
	cond     *cond
	key      *sqlast.Column // of from
	other    *sqlast.Column // the key of to; nil: it has several columns
}

// optionalJoin notes that an equality of an inner join removes the rows whose key is NULL. A
// join whose table a condition names as well is a filter: nobody misses the other rows.
func (s *scope) optionalJoin(c *view, k *cond) {
	if b, ok := k.expr.(*sqlast.Binary); ok && b.Op == sqlast.Same {
		return
	}
	for x, y := range equalities(k.expr) {
		for range 2 {
			from, a := s.value(k.frame, x)
			to, b := s.value(k.frame, y)
			key, isColumn := x.(*sqlast.Column)
			other, also := y.(*sqlast.Column)
			if a != 0 && b != 0 && from != to && isColumn && also {
				t, column := columnOf(from, a)
				of, number := columnOf(to, b)
				if t != nil && of != nil && t.nulls && !t.notNull[column] &&
					of.inKey(number) &&
					!c.tested(a, k) && !s.filters(c, to) {
					if !of.isKey([]int{number}) {
						other = nil // no probe counts rows without several columns
					}
					s.optional = append(s.optional, optional{from, to, k, key, other})
				}
			}
			x, y = y, x
		}
	}
}

// filters reports whether a condition that joins nothing is about a leaf.
func (s *scope) filters(c *view, l *leaf) bool {
	return slices.ContainsFunc(s.conds, func(k cond) bool {
		return c.hard(&k) && !s.joining(&k) && slices.Contains(s.leavesOf(s.columns(k.frame, k.expr)), l.index)
	})
}

// missingRows says which rows an inner join loses.
func (s *scope) missingRows(o optional) {
	from, to := o.from.long(), o.to.long()
	s.say(proof.Finding{
		Code: proof.InnerJoinOptional, Severity: proof.Note, Subject: from, Of: []string{from}, By: []string{to}, At: int(o.key.Pos),
		Message: fmt.Sprintf("rows of %s without %s are missing: %s may be NULL", from, to, describe(o.key)),
		Fix:     fmt.Sprintf("LEFT JOIN %s keeps them", to),
		Probe:   s.probe(o),
	})
}

// probe returns a statement that counts the rows that a join loses: those of the block without
// that join which have no match. It is empty if anything else in the FROM or the WHERE names
// the table that is joined.
func (s *scope) probe(o optional) string {
	from, ok := o.from.rel.(*sqlast.Table)
	to, also := o.to.rel.(*sqlast.Table)
	if !ok || !also || o.other == nil || o.from.table == nil || s.depth != 1 || o.cond.frame != s.frame || len(o.from.table.keys) == 0 {
		return ""
	}
	id := s.idOf(o.from, from)
	rest, ok := s.without(to, o.cond)
	if id == nil || !ok {
		return ""
	}
	at := o.key.Pos
	match := &sqlast.Select{
		Pos: at, Items: []sqlast.Item{{Expr: &sqlast.Number{Pos: at, Text: "1"}}}, From: to,
		Where: &sqlast.Binary{Pos: at, Op: sqlast.Eq, X: o.other, Y: o.key},
	}
	none := &sqlast.Unary{Pos: at, Op: sqlast.Not, X: &sqlast.Exists{Pos: at, Query: &sqlast.Query{Pos: at, Body: match}}}
	rest.Where = sqlast.Conjunction(rest.Where, none)
	rest.Items = []sqlast.Item{{Expr: &sqlast.Call{Pos: at, Name: "count", Distinct: true, Args: []sqlast.Expr{id}}, Alias: "missing"}}
	text, err := s.language.Append(nil, &sqlast.Query{Pos: at, With: s.root.With, Body: rest}, false)
	if err != nil {
		return ""
	}
	return string(text)
}

// idOf returns the key of a table, if it has one of one column that statements may read.
func (s *scope) idOf(l *leaf, t *sqlast.Table) *sqlast.Column {
	for _, k := range l.table.keys {
		if len(k.columns) != 1 || !l.table.notNull[k.columns[0]] {
			continue
		}
		if i := slices.Index(l.columns, k.columns[0]); i >= 0 {
			return &sqlast.Column{Pos: t.Pos, Table: t.Alias, Name: t.Object.Columns[i], Of: t, Index: i}
		}
	}
	return nil
}

// without returns the block without a table and the condition that joins it. It fails if
// another condition or relation names the table.
func (s *scope) without(t *sqlast.Table, joins *cond) (*sqlast.Select, bool) {
	rest := &sqlast.Select{Pos: s.frame.sel.Pos}
	fine := true
	var where []sqlast.Expr
	keep := func(e sqlast.Expr) (kept []sqlast.Expr) {
		for _, c := range sqlast.Conjuncts(e) {
			if c == joins.expr {
				continue
			}
			fine = fine && !namesOf(c, t)
			kept = append(kept, c)
		}
		return kept
	}
	var take func(r sqlast.Relation) sqlast.Relation
	take = func(r sqlast.Relation) sqlast.Relation {
		j, ok := r.(*sqlast.Join)
		if !ok {
			fine = fine && (r == sqlast.Relation(t) || !namesOf(r, t))
			return r
		}
		if j.Left == sqlast.Relation(t) || j.Right == sqlast.Relation(t) {
			fine = fine && j.Kind == sqlast.InnerJoin && !j.AsOf && !j.Natural && j.Using == nil
			where = append(where, keep(j.On)...)
			if j.Left == sqlast.Relation(t) {
				return take(j.Right)
			}
			return take(j.Left)
		}
		fine = fine && !j.Natural && j.Using == nil
		kept := *j
		kept.Left, kept.Right, kept.On = take(j.Left), take(j.Right), sqlast.Conjunction(keep(j.On)...)
		return &kept
	}
	rest.From = take(s.frame.sel.From)
	rest.Where = sqlast.Conjunction(append(where, keep(s.frame.sel.Where)...)...)
	return rest, fine && rest.From != sqlast.Relation(t)
}
