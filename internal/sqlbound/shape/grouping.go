package shape

import (
	"math"

	"github.com/qedkit/qed/internal/sqlast"
)

// grouping adds the groupings of a block to the sum, if it has several.
func (s *shaper) grouping(b *sqlast.Select) {
	all := groupings{sets: 1}
	for _, e := range b.GroupBy {
		g := groupingsOf(e)
		all = groupings{sets: all.sets * g.sets, terms: all.terms*g.sets + g.terms*all.sets}
	}
	if b.Rollup {
		all = rollup(b.GroupBy)
	}
	if all.sets > 1 {
		s.sum.sets += all.sets
		s.sum.terms += all.terms
		b.Groupings = int(min(all.sets, maxSets))
		s.checkGroups(b.GroupBy[0].At(), all)
	}
}

// checkGroups refuses too many groupings, of one GROUP BY or of the statement.
func (s *shaper) checkGroups(at sqlast.Pos, g groupings) {
	if g.sets > maxSets || g.terms > maxTerms {
		s.fail(sqlast.TooComplex, at, "GROUP BY", "GROUP BY groups in more than %d ways, or by more than %d terms in all of them: "+
			"use fewer columns in ROLLUP, CUBE and GROUPING SETS", maxSets, maxTerms)
	}
}

// groupings are the groupings that a term of GROUP BY expands to, and the number of
// terms in all of them.
type groupings struct{ sets, terms float64 }

func groupingsOf(e sqlast.Expr) groupings {
	g, ok := e.(*sqlast.GroupingSet)
	if !ok {
		return groupings{1, termsOf(e)}
	}
	switch g.Kind {
	case sqlast.GroupingRollup:
		return rollup(g.Items)
	case sqlast.GroupingCube:
		sets, terms := math.Exp2(float64(len(g.Items))), 0.0
		for _, item := range g.Items {
			terms += termsOf(item) * sets / 2
		}
		return groupings{sets, terms}
	case sqlast.GroupingSets:
		var all groupings
		for _, item := range g.Items {
			one := groupingsOf(item)
			all.sets += one.sets
			all.terms += one.terms
		}
		return all
	}
	return groupings{sets: 1}
}

func rollup(items []sqlast.Expr) groupings {
	all := groupings{sets: float64(len(items) + 1)}
	for i, item := range items {
		all.terms += termsOf(item) * float64(len(items)-i)
	}
	return all
}

func termsOf(e sqlast.Expr) float64 {
	if row, ok := e.(*sqlast.Row); ok {
		return float64(len(row.Items))
	}
	return 1
}
