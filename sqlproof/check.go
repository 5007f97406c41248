package sqlproof

import (
	"cmp"
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/sqlproof/proof"
)

// A check is a statement that is being checked.
type check struct {
	prover  *Prover
	source  string
	dialect string
	root    *sqlast.Query

	language sqlast.Language
	report   proof.Report
	depth    int // of the query that is being checked: 1 is the outermost
	objects  map[*sqlast.Object]*object
	rows     map[*sqlast.Query]*rows
	kinds    map[*sqlast.Query]string // how the rows of subqueries of conditions are joined
	nested   string                   // how those of the query that is being checked are
	within   []*sqlast.Query          // the queries around what is being described, so that a recursion ends
}

// query checks a query and those in it. outer is the frame whose columns it may name.
func (c *check) query(q *sqlast.Query, outer *frame) {
	c.depth++
	before := c.nested
	defer func() { c.depth, c.nested = c.depth-1, before }()
	c.nested = cmp.Or(c.kinds[q], subqueryKind)
	if q.With != nil {
		for _, cte := range q.With.CTEs {
			c.query(cte.Query, outer)
			c.limit(cte.Query, false)
		}
	}
	c.body(q.Body, q.OrderBy, outer)
}

func (c *check) body(b sqlast.Body, order []sqlast.Order, outer *frame) {
	switch b := b.(type) {
	case *sqlast.Query:
		c.query(b, outer)
	case *sqlast.SetOp:
		c.depth++
		defer func() { c.depth-- }()
		c.body(b.Left, nil, outer)
		c.body(b.Right, nil, outer)
	case *sqlast.Select:
		c.block(b, order, outer)
	}
}

// block checks a SELECT.
func (c *check) block(sel *sqlast.Select, order []sqlast.Order, outer *frame) {
	s := c.newScope(sel, outer)
	s.mention(sel, order)
	for i := range s.conds {
		s.selecting(s.conds[i].expr)
	}
	s.selecting(sel.Having)
	s.derived(sel.From, s.frame, sqlast.InnerJoin)
	s.checkJoins()
	s.checkConditions(sel, order)
	s.checkAggregates(sel, order)
	s.inside(sel, order)
	if c.depth == 1 {
		c.report.Meaning = s.meaning(sel, order)
	}
}

// derived checks the subqueries of a FROM.
func (s *scope) derived(r sqlast.Relation, f *frame, kind sqlast.JoinKind) {
	switch r := r.(type) {
	case *sqlast.Join:
		s.derived(r.Left, f, kind)
		s.derived(r.Right, f, r.Kind)
	case *sqlast.Derived:
		outer := f.outer
		if r.Lateral {
			outer, s.kinds[r.Query] = f, cmp.Or(joinKinds[kind], joinKinds[sqlast.InnerJoin])
		}
		s.query(r.Query, outer)
		s.limit(r.Query, false)
	}
}

// inside checks the subqueries of the expressions of a block.
func (s *scope) inside(sel *sqlast.Select, order []sqlast.Order) {
	visit := func(e sqlast.Expr) {
		sqlast.Walk(e, func(n sqlast.Node) bool {
			q, ok := n.(*sqlast.Query)
			if ok {
				s.query(q, s.frame)
			}
			return !ok
		})
	}
	eachExpr(sel, order, visit)
	eachOn(sel.From, visit)
}

// eachExpr calls visit for the expressions of a block but those of its FROM.
func eachExpr(sel *sqlast.Select, order []sqlast.Order, visit func(sqlast.Expr)) {
	some := func(list ...sqlast.Expr) {
		for _, e := range list {
			if e != nil {
				visit(e)
			}
		}
	}
	for _, it := range sel.Items {
		some(it.Expr)
	}
	some(sel.DistinctOn...)
	some(sel.Where)
	some(sel.GroupBy...)
	some(sel.Having, sel.Qualify)
	for _, w := range sel.Windows {
		some(w.PartitionBy...)
		order = slices.Concat(order, w.OrderBy)
	}
	for _, o := range order {
		some(o.Expr)
	}
}

func eachOn(r sqlast.Relation, visit func(sqlast.Expr)) {
	if j, ok := r.(*sqlast.Join); ok {
		eachOn(j.Left, visit)
		eachOn(j.Right, visit)
		if j.On != nil {
			visit(j.On)
		}
	}
}

// mention gives each column that a block names its attribute.
func (s *scope) mention(sel *sqlast.Select, order []sqlast.Order) {
	eachExpr(sel, order, func(e sqlast.Expr) { s.columns(s.frame, e) })
	for i := range s.conds {
		s.columns(s.conds[i].frame, s.conds[i].expr)
	}
}

func (c *check) say(f proof.Finding) { c.report.Findings = append(c.report.Findings, f) }

// finish puts the items into the order of the text.
func (c *check) finish() *proof.Report {
	r := &c.report
	r.Fill()
	roles := map[string]bool{} // by which the statement joins
	for i := range r.Findings {
		if r.Findings[i].Code == proof.JoinRole {
			roles[r.Findings[i].Subject] = true
		}
	}
	slices.SortStableFunc(r.Joins, func(a, b proof.Join) int { return cmp.Compare(a.At, b.At) })
	slices.SortStableFunc(r.Aggregates, func(a, b proof.Aggregate) int { return cmp.Compare(a.At, b.At) })
	rank := func(s proof.Severity) int {
		return slices.Index([]proof.Severity{proof.Error, proof.Question, proof.Note}, s)
	}
	slices.SortStableFunc(r.Findings, func(a, b proof.Finding) int {
		return cmp.Or(cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(a.At, b.At))
	})
	type same struct {
		code refusal.Code
		at   int
		text string
	}
	seen := map[same]bool{}
	r.Findings = slices.DeleteFunc(r.Findings, func(f proof.Finding) bool {
		key := same{f.Code, f.At, f.Message}
		twice := seen[key]
		seen[key] = true
		return twice || f.Code == proof.JoinRole && slices.ContainsFunc(f.Of, func(role string) bool { return roles[role] })
	})
	return r
}

// text returns the part of the statement that begins with a call, with its FILTER and OVER.
func (c *check) text(call *sqlast.Call) string {
	at, end := int(call.Pos), -1
	if 0 <= at && at < len(c.source) {
		end = scanCall(c.source, at)
	}
	if end < 0 {
		return describe(call)
	}
	return c.source[at:end]
}
