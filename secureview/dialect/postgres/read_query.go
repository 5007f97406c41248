package postgres

import (
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

// naming is the use of the names of a query's columns.
type naming uint8

const (
	unnamed naming = iota // not used: a subquery used as a value
	named                 // used by the caller or by the outer query
	unseen                // not used, like the values: a subquery of EXISTS
)

// subselect reads a node that has to be a query.
func (r *reader) subselect(n message, nm naming) *sqlast.Query {
	kind, m := n.node()
	if kind != kindSelect {
		r.notSelect(kind)
		return nil
	}
	return r.query(m, nm)
}

func (r *reader) notSelect(kind int) {
	name, ok := map[int]string{kindInsert: "INSERT", kindUpdate: "UPDATE", kindDelete: "DELETE", kindMerge: "MERGE"}[kind]
	if !ok {
		name = "this statement"
	}
	r.fail(sqlast.NotSelect, r.keyword(name, 0), name, name+" is not allowed: write a SELECT")
}

func (r *reader) query(m message, nm naming) *sqlast.Query {
	if !r.enter() {
		return nil
	}
	defer r.leave()
	r.refuseSideEffects(m)
	q := &sqlast.Query{Pos: r.at}
	if with := m.child(selectWith); with != nil {
		q.With = r.with(with)
	}
	if nm == unnamed && m.has(selectSort) {
		nm = named // ORDER BY may use the names
	}
	q.Body = r.body(m, nm)
	q.OrderBy = r.orderBy(m.list(selectSort))
	for i := range q.OrderBy {
		r.term(q.OrderBy[i].Expr)
	}
	q.Limit = r.limit(m.child(selectLimit))
	if q.Ties = m.number(selectLimitOption) == 3; q.Ties && q.Limit == nil {
		r.unsupported(r.at, "NULL in FETCH FIRST .. WITH TIES")
	}
	q.Offset = r.limit(m.child(selectOffset))
	return q
}

// limit reads an operand of LIMIT or OFFSET. It returns nil for NULL, which the
// grammar also has for ALL.
func (r *reader) limit(n message) sqlast.Expr {
	e := r.optional(n)
	if _, null := e.(*sqlast.Null); null {
		return nil
	}
	return e
}

// refuseSideEffects refuses what a SELECT does in addition to returning rows.
func (r *reader) refuseSideEffects(m message) {
	if m.has(selectInto) {
		r.fail(sqlast.Into, r.keyword("INTO", 0), "INTO", "SELECT .. INTO is not allowed")
	}
	if m.has(selectLocking) {
		r.fail(sqlast.Locking, r.keyword("FOR", r.at), "FOR", "locking clauses are not allowed: a SELECT here only reads, so leave it out")
	}
}

func (r *reader) with(m message) *sqlast.With {
	r.check(m, set(1, 2, 3), "this WITH")
	return &sqlast.With{Pos: r.pos(m, 3), Recursive: m.flag(2), CTEs: lists.Map(m.list(1), r.cte)}
}

var cteFields = set(1, 2, 3, 4, 7)

// cte reads a common table expression. It ignores MATERIALIZED and NOT
// MATERIALIZED, which do not change the rows.
func (r *reader) cte(n message) *sqlast.CTE {
	_, m := n.node()
	at := r.pos(m, 7)
	switch {
	case m.has(5):
		r.unsupported(at, "SEARCH")
	case m.has(6):
		r.unsupported(at, "CYCLE")
	}
	r.check(m, cteFields, "this common table expression")
	return &sqlast.CTE{Pos: at, Name: m.text(1), Columns: r.strings(m, 2), Query: r.subselect(m.child(4), named)}
}

func (r *reader) body(m message, nm naming) sqlast.Body {
	switch {
	case m.number(selectOp) > 1:
		return r.setOp(m, nm)
	case m.has(selectValues):
		return &sqlast.Values{Pos: r.at, Rows: lists.Map(m.list(selectValues), func(n message) []sqlast.Expr {
			_, row := n.node()
			return r.exprs(row.list(1))
		})}
	}
	return r.selectBlock(m, nm)
}

var setKinds = map[int]sqlast.SetKind{2: sqlast.Union, 3: sqlast.Intersect, 4: sqlast.Except}

func (r *reader) setOp(m message, nm naming) sqlast.Body {
	if !r.enter() {
		return nil
	}
	defer r.leave()
	kind, ok := setKinds[m.number(selectOp)]
	if !ok {
		r.unsupported(r.at, "this set operation")
	}
	if nm == unseen {
		nm = unnamed
	}
	left := r.arm(m.child(selectLeft), nm)
	right := r.arm(m.child(selectRight), unnamed)
	return &sqlast.SetOp{Pos: r.at, Kind: kind, All: m.flag(selectAll), Left: left, Right: right}
}

// arm returns a query only if it has a WITH, ORDER BY, LIMIT or OFFSET. Otherwise
// the parentheses are in the shape of the tree.
func (r *reader) arm(m message, nm naming) sqlast.Body {
	if m.has(selectWith) || m.has(selectSort) || m.has(selectLimit) || m.has(selectOffset) {
		return r.query(m, nm)
	}
	r.refuseSideEffects(m)
	return r.body(m, nm)
}

func (r *reader) selectBlock(m message, nm naming) sqlast.Body {
	targets := m.list(selectTargets)
	if len(targets) == 0 && (nm != unseen || m.has(selectDistinct)) {
		r.unsupported(r.at, "a SELECT without columns")
		return nil
	}
	if m.flag(selectGroupDistinct) {
		r.unsupported(r.at, "GROUP BY DISTINCT")
	}
	s := &sqlast.Select{Pos: r.at, Items: make([]sqlast.Item, len(targets))}
	if len(targets) == 0 {
		s.Items = []sqlast.Item{{Expr: &sqlast.Number{Pos: r.at, Text: "1"}}} // EXISTS ignores the columns
	} else {
		_, first := targets[0].node()
		s.Pos = r.pos(first, 4)
	}
	if distinct := m.list(selectDistinct); len(distinct) > 0 {
		if len(distinct[0]) == 0 {
			s.Distinct = true
		} else {
			s.DistinctOn = r.exprs(distinct)
			for _, e := range s.DistinctOn {
				r.term(e)
			}
		}
	}
	if nm == unnamed && (m.has(selectDistinct) || m.has(selectGroup)) {
		nm = named // DISTINCT ON and GROUP BY may use the names
	}
	for i, n := range targets {
		s.Items[i] = r.item(n, nm)
	}
	s.From = r.from(m.list(selectFrom))
	s.Where = r.optional(m.child(selectWhere))
	s.GroupBy = r.groupBy(m.list(selectGroup))
	s.Having = r.optional(m.child(selectHaving))
	s.Windows = lists.Map(m.list(selectWindows), func(n message) *sqlast.Window {
		_, w := n.node()
		return r.window(w)
	})
	return s
}

func (r *reader) item(n message, nm naming) sqlast.Item {
	_, m := n.node()
	r.pos(m, 4)
	r.check(m, set(1, 3, 4), "this entry of the select list")
	value := m.child(3)
	if star := r.star(value); star != nil {
		return sqlast.Item{Expr: star}
	}
	it := sqlast.Item{Expr: r.expr(value), Alias: m.text(1)}
	if _, plain := it.Expr.(*sqlast.Column); it.Alias == "" && nm == named && !plain {
		it.Alias, it.Unnamed = ownName(value), true
	}
	return it
}

// star reads * and t.*. It returns nil for anything else.
func (r *reader) star(n message) sqlast.Expr {
	kind, m := n.node()
	if kind != kindColumnRef {
		return nil
	}
	if kind, _ := m.last(1).node(); kind != kindStar {
		return nil
	}
	s := &sqlast.Star{Pos: r.pos(m, 2)}
	names := m.list(1)
	for _, n := range names[:len(names)-1] {
		s.Schema, s.Table = s.Table, r.string(n)
	}
	r.withoutDatabase(s.Pos, len(names) > 3)
	return s
}

// groupBy reads the terms of a GROUP BY. (a, b) is two terms.
func (r *reader) groupBy(list []message) []sqlast.Expr {
	terms := flat(nil, r.exprs(list))
	for _, e := range terms {
		r.term(e)
	}
	return terms
}

// flat appends terms without the parentheses around several of them.
func flat(terms, list []sqlast.Expr) []sqlast.Expr {
	for _, e := range list {
		if row, ok := e.(*sqlast.Row); ok && !row.Explicit {
			terms = flat(terms, row.Items)
		} else {
			terms = append(terms, e)
		}
	}
	return terms
}

var groupingKinds = map[int]sqlast.GroupingKind{
	1: sqlast.GroupingEmpty, 3: sqlast.GroupingRollup, 4: sqlast.GroupingCube, 5: sqlast.GroupingSets,
}

func (r *reader) groupingSet(m message) sqlast.Expr {
	kind, ok := groupingKinds[m.number(1)]
	if !ok {
		r.unsupported(r.at, "this grouping")
	}
	return &sqlast.GroupingSet{Pos: r.pos(m, 3), Kind: kind, Items: r.exprs(m.list(2))}
}

// term refuses +1 in ORDER BY, GROUP BY or DISTINCT ON: it is a constant in
// PostgreSQL, but the number of a column in other databases.
func (r *reader) term(e sqlast.Expr) {
	sign, ok := e.(*sqlast.Unary)
	if !ok || sign.Op != sqlast.Plus {
		return
	}
	if _, ok := sign.X.(*sqlast.Number); ok {
		r.unsupported(sign.Pos, "a constant instead of a column's number")
	}
}

func (r *reader) orderBy(list []message) []sqlast.Order {
	return lists.Map(list, func(n message) sqlast.Order {
		_, m := n.node()
		o := sqlast.Order{Expr: r.expr(m.child(1))}
		switch m.number(2) {
		case 3:
			o.Desc = true
		case 4:
			r.unsupported(r.at, "ORDER BY .. USING")
		}
		switch m.number(3) {
		case 2:
			o.Nulls = sqlast.NullsFirst
		case 3:
			o.Nulls = sqlast.NullsLast
		}
		return o
	})
}
