package sqlproof

import (
	"cmp"
	"slices"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// same are aggregates whose value does not change if rows repeat.
var same = map[string]bool{
	"min": true, "max": true, "bool_and": true, "bool_or": true, "every": true, "any_value": true, "arbitrary": true,
	"bit_and": true, "bit_or": true, "arg_max": true, "arg_min": true, "argmax": true, "argmin": true, "max_by": true,
	"min_by": true, "approx_count_distinct": true,
}

// counting are aggregates that count rows.
var counting = map[string]bool{"count": true, "count_star": true, "count_if": true, "countif": true, "regr_count": true}

// A grouping is a block with aggregates.
type grouping struct {
	*scope
	sel    *sqlast.Select
	group  []attr
	exact  bool // each row of the result is a group of all terms
	by     []sqlast.Expr
	unsure bool // a recursion is read: nothing is known
	judged map[string]judged
}

// checkAggregates checks the aggregates and window functions of a block.
func (s *scope) checkAggregates(sel *sqlast.Select, order []sqlast.Order) {
	g := &grouping{scope: s, sel: sel, exact: oneGrouping(sel), judged: map[string]judged{}}
	for _, e := range sel.GroupBy {
		e = s.term(sel, e)
		g.by = append(g.by, e)
		if _, a := s.value(s.frame, e); a != 0 && g.exact {
			g.group = append(g.group, a)
		}
	}
	g.unsure = s.unknown() || repeats(order)
	grouped := len(sel.GroupBy) > 0 || aggregates(sel)
	eachExpr(sel, order, func(e sqlast.Expr) { g.calls(e, grouped) })
	if grouped {
		g.bare(order)
		return
	}
	for _, o := range s.optional {
		s.missingRows(o)
	}
	if s.depth == 1 && !sel.Distinct {
		s.pairs()
	}
}

// aggregates reports whether a block has an aggregate of its own. Without one HAVING filters rows.
func aggregates(sel *sqlast.Select) bool {
	return sqlast.HasAggregate(sel.Having) || slices.ContainsFunc(sel.Items, func(it sqlast.Item) bool { return sqlast.HasAggregate(it.Expr) })
}

func (g *grouping) calls(e sqlast.Expr, grouped bool) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			return false
		case *sqlast.Call:
			switch {
			case n.Over != nil:
				g.window(n, grouped)
			case sqlast.IsAggregate(n):
				g.call(n, g.group)
				return false
			}
		}
		return true
	})
}

// window checks a window function. Over groups it sees each of them once.
func (g *grouping) window(call *sqlast.Call, grouped bool) {
	plain := *call
	plain.Over = nil
	if !sqlast.IsAggregate(&plain) || grouped {
		item := proof.Aggregate{Text: g.text(call), Verdict: dates.NotChecked, At: int(call.Pos)}
		if grouped && g.exact {
			item.Verdict, item.RowsRepeat, item.Affected, item.RestsOn = dates.Proved, proof.No, proof.No, "each group is one row"
		}
		g.report.Aggregates = append(g.report.Aggregates, item)
		return
	}
	g.call(call, lists.Filter(g.valuesOf(window(g.sel, call.Over).PartitionBy), func(a attr) bool { return a != 0 }))
}

// call checks an aggregate of the rows that agree in group.
func (g *grouping) call(call *sqlast.Call, group []attr) {
	defer g.when(call)()
	item := proof.Aggregate{Text: g.text(call), RowsRepeat: proof.No, Affected: proof.No, At: int(call.Pos)}
	terms, mixed := g.ownersOf(call, group)
	mixed = mixed || namesColumn(call) && len(g.columns(g.frame, call)) == 0 // it is one of an outer query
	rests := ""
	var bad []judged
	for _, t := range terms {
		j := g.judge(t, group)
		mixed = mixed || j.again
		item.Of = lists.Add(item.Of, j.of...)
		rests = cmp.Or(rests, j.restsOn)
		if len(j.by) > 0 {
			bad = append(bad, j)
		}
	}
	if len(bad) > 0 && g.chosenWithin(call, terms, group) {
		for i := range bad {
			bad[i].chosen = true
		}
	}
	constants := g.addsConstants(call)
	of := "" // the table whose rows are counted, with others if item.Counts is empty
	if (counting[call.Name] || constants) && !call.Distinct {
		counted := terms
		if call.Star || constants {
			counted = nil
		}
		more := false
		if of, more = g.countsRows(counted, group); !more {
			item.Counts = of
		}
	}
	g.decide(&item, call, group, bad, rests, len(terms))
	if mixed && item.Verdict == dates.Proved && !same[call.Name] {
		item.Verdict, item.RowsRepeat, item.Affected, item.RestsOn = dates.NotChecked, proof.Unknown, proof.Unknown, ""
	}
	if rowsOnly := len(terms) == 0 && counting[call.Name]; len(bad) == 0 && len(g.leaves) > 1 && (rowsOnly || constants) {
		g.counts(&item, of, group)
	}
	g.falseToo(&item, call)
	if item.Verdict == dates.Proved && item.RowsRepeat == proof.No {
		g.dropped(&item, call, terms)
	}
	g.report.Aggregates = append(g.report.Aggregates, item)
	g.averages(call, group)
}

// when adds to the block the conditions under which a call takes a value, and returns a function
// that removes them: its FILTER, and that of a CASE with one value. A sum may take 0 otherwise.
// DISTINCT drops equal values of the rows that a condition leaves, as it does without one.
func (g *grouping) when(call *sqlast.Call) (undo func()) {
	return g.given(func() {
		if call.Distinct {
			return
		}
		g.where(g.frame, call.Filter, 0)
		sums := call.Name == "sum" || call.Name == "total"
		if len(call.Args) > 0 && (sums || call.Name == "avg" || call.Name == "count") {
			f, e := g.follow(g.frame, call.Args[0])
			if is, other := choice(e); is != nil && (other == nil || isNull(other) || sums && isZero(other)) {
				g.where(f, is, 0)
			}
		}
	})
}

// given adds conditions to the block, and returns a function that removes them.
func (g *grouping) given(add func()) (undo func()) {
	conds, rules, views, known := len(g.conds), len(g.rules), g.views, g.judged
	add()
	if len(g.conds) == conds {
		return func() {}
	}
	for i := range g.conds[conds:] {
		g.rules = append(g.rules, g.said(&g.conds[conds+i])...)
	}
	added := len(g.rules)
	g.views, g.judged = nil, map[string]judged{}
	return func() {
		g.conds, g.rules = g.conds[:conds], slices.Delete(g.rules, rules, added)
		g.views, g.judged = views, known
	}
}

// chosenWithin reports whether a sum computes with comparisons and no row repeats if these hold, as
// in SUM(ROUND(o.total * (i.line = 1), 2)): it may take each row once.
func (g *grouping) chosenWithin(call *sqlast.Call, terms []term, group []attr) bool {
	if call.Distinct || len(call.Args) == 0 || call.Name != "sum" && call.Name != "total" {
		return false
	}
	if _, isCase := call.Args[0].(*sqlast.Case); isCase { // see when
		return false
	}
	compared := false
	defer g.given(func() {
		sqlast.Walk(call, func(n sqlast.Node) bool {
			switch e := n.(type) {
			case *sqlast.Query:
				return false
			case *sqlast.Binary:
				if e.Op == sqlast.Eq {
					g.where(g.frame, e, 0)
					compared = true
				}
			}
			return true
		})
	})()
	return compared && !slices.ContainsFunc(terms, func(t term) bool { return len(g.judge(t, group).by) > 0 })
}

// choice returns the condition of a CASE or IF with one condition, and the value that it has if
// that is not true. The value is nil for NULL that is not written.
func choice(e sqlast.Expr) (is, other sqlast.Expr) {
	switch e := e.(type) {
	case *sqlast.Case:
		if len(e.Whens) != 1 {
			return nil, nil
		}
		if is = e.Whens[0].Cond; e.Operand != nil {
			is = &sqlast.Binary{Op: sqlast.Eq, X: e.Operand, Y: is}
		}
		return is, e.Else
	case *sqlast.Call:
		if (e.Name == "if" || e.Name == "iif") && len(e.Args) == 3 {
			return e.Args[0], e.Args[2]
		}
	}
	return nil, nil
}

func isZero(e sqlast.Expr) bool {
	n, ok := e.(*sqlast.Number)
	return ok && strings.Trim(n.Text, "0.") == ""
}

// ownersOf returns the rows whose values a call aggregates. One that adds or counts
// constants counts the rows that it is chosen by. mixed says that CASE or COALESCE chooses
// between a value whose row determines the joined row and one whose row does not, such as the
// amount of a payment and the total of its order.
func (g *grouping) ownersOf(call *sqlast.Call, group []attr) (all []term, mixed bool) {
	args := call.Args
	switch call.Name {
	case "json_object_agg", "jsonb_object_agg", "json_objectagg", "json_group_object",
		"corr", "covar_pop", "covar_samp", "weighted_avg", "wavg":
	case "percentile_cont", "percentile_disc", "mode":
		if call.Within {
			args = lists.Map(call.OrderBy, func(o sqlast.Order) sqlast.Expr { return o.Expr })
		}
	default:
		args = args[:min(1, len(args))]
	}
	if len(args) == 0 {
		return nil, false
	}
	pick := func(terms []term) []term {
		deciding := lists.Filter(terms, func(t term) bool {
			return len(g.seenBy(g.leavesOf(t)).missing(lists.Add(t, group...))) == 0
		})
		if len(deciding) == 0 {
			return terms
		}
		mixed = mixed || len(deciding) < len(terms)
		return deciding[:1]
	}
	for _, arg := range args {
		all = product(all, g.terms(g.frame, arg, pick))
	}
	if len(all) == 0 {
		if rows := g.rowsUnder(args[0]); len(rows) > 0 {
			all = []term{rows}
		}
	}
	return all, mixed
}

// averages says that an average of averages of several rows does not weigh the groups.
func (g *grouping) averages(call *sqlast.Call, group []attr) {
	if call.Name != "avg" || len(call.Args) == 0 {
		return
	}
	l, a := g.value(g.frame, call.Args[0])
	if c := g.seenBy(nil); l == nil || l.rows == nil || closure(c.n, c.rules, group, c.holds)[l.row] {
		return
	}
	if l.column(a).average {
		g.say(proof.Finding{
			Code: proof.AverageOfAverages, Severity: proof.Question, Subject: g.text(call), At: int(call.Pos),
			Message: g.text(call) + " is an average of averages: each group weighs the same, however many rows it has",
			Fix:     "divide the sum of all rows by their number, or say that each group weighs the same",
		})
	}
}
