package sqlproof

import (
	"fmt"
	"slices"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// bare checks the columns that stand next to aggregates.
func (g *grouping) bare(order []sqlast.Order) {
	c := g.seenBy(nil)
	known := closure(c.n, c.rules, g.group, c.holds)
	chosen := g.dialect == "sqlite" && extremes(g.sel, order) == 1
	visit := func(e sqlast.Expr) {
		g.outside(e, func(column *sqlast.Column) {
			l, a := g.value(g.frame, column)
			if a == 0 || !g.exact {
				return
			}
			item := proof.Aggregate{
				Text: describe(column), Of: []string{l.label}, Verdict: dates.Proved,
				RowsRepeat: proof.No, Affected: proof.No, At: int(column.Pos),
			}
			switch {
			case known[a]:
				item.RestsOn = "the group determines it"
			case chosen:
				item.RestsOn = "SQLite takes it from the row of the minimum or maximum"
			case g.unsure:
				item.Verdict, item.RowsRepeat, item.Affected = dates.NotChecked, proof.Unknown, proof.Unknown
			default:
				item.Verdict, item.Affected = dates.Contradicted, proof.Yes
				g.say(proof.Finding{
					Code: proof.BareColumn, Severity: proof.Question, Subject: item.Text, Of: item.Of, At: item.At,
					Message: fmt.Sprintf("a group can have several values of %s, and the result shows one of them", item.Text),
					Fix:     fmt.Sprintf("add %s to GROUP BY, or choose by MIN or MAX", item.Text),
				})
			}
			g.report.Aggregates = append(g.report.Aggregates, item)
		})
	}
	for _, it := range g.sel.Items {
		visit(it.Expr)
	}
	if g.sel.Having != nil {
		visit(g.sel.Having)
	}
	for _, o := range order {
		if o.Expr != nil {
			visit(g.term(g.sel, o.Expr))
		}
	}
}

// extremes returns how many different calls of min or max a block has.
func extremes(sel *sqlast.Select, order []sqlast.Order) int {
	var found []sqlast.Expr
	eachExpr(sel, order, func(e sqlast.Expr) {
		sqlast.Walk(e, func(node sqlast.Node) bool {
			if call, ok := node.(*sqlast.Call); ok && sqlast.IsAggregate(call) && (call.Name == "min" || call.Name == "max") &&
				!slices.ContainsFunc(found, func(other sqlast.Expr) bool { return sqlast.EqualExpr(call, other) }) {
				found = append(found, call)
			}
			_, query := node.(*sqlast.Query)
			return !query
		})
	})
	return len(found)
}

// outside calls visit for the columns of the block that stand outside of aggregates and of
// the terms of GROUP BY.
func (g *grouping) outside(e sqlast.Expr, visit func(*sqlast.Column)) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			return false
		case *sqlast.Call:
			if sqlast.IsAggregate(n) {
				return false
			}
		}
		if x, ok := n.(sqlast.Expr); ok && slices.ContainsFunc(g.by, func(term sqlast.Expr) bool { return sqlast.EqualExpr(x, term) }) {
			return false
		}
		if c, ok := n.(*sqlast.Column); ok && c.Of != nil {
			visit(c)
		}
		return true
	})
}
