package joinpath

import (
	"context"
	"fmt"
	"slices"
)

// A PlanSet is the result of [Graph.Connect].
type PlanSet struct {
	// Plans has at least one plan. All plans have the same cost and contain the
	// given tables; if there are several, the schema does not determine which
	// one is right. Their order depends on their joins only.
	Plans []Plan
	// More is true if there are more plans than [Options.MaxPlans].
	More bool
	// Approximate is true if there were too many tables for an exact answer.
	// There is one plan then. Its joins cost less than twice the lowest cost, and the
	// rows that they share are not considered.
	Approximate bool
}

// Connect returns the cheapest plans that contain all the given tables, and the
// tables that are needed to connect them: the solutions of the Steiner tree
// problem. Each plan begins with the first of the given tables. A table that is
// given twice is used once; for one table the plan has no joins.
// [Options.MaxHops] does not apply. If the cheapest joins share rows only of the given
// tables, their cost is that of the joins.
//
// The answer is exact for up to 8 tables, and for up to 20 if the schema is
// small enough: 12 of 122 tables take some tens of milliseconds. For more it is
// Mehlhorn's approximation.
//
// The error is a [*refusal.Error] of code [ErrUnknownTable], [ErrDisconnected],
// or [ErrArgument] if no table is given; or it wraps the error of ctx.
func (g *Graph) Connect(ctx context.Context, tables ...string) (PlanSet, error) {
	if len(tables) == 0 {
		return PlanSet{}, refuse(ErrArgument, "no tables are given")
	}
	ids, err := g.lookup(tables...)
	if err != nil {
		return PlanSet{}, err
	}
	first := ids[0]
	slices.Sort(ids)
	ids = slices.Compact(ids)
	key := fmt.Sprint(first, ids)
	if c, ok := g.trees.Get(key); ok {
		c.Plans = slices.Clone(c.Plans)
		return c, nil
	}
	if groups := g.group(ids); len(groups) > 1 {
		return PlanSet{}, g.disconnected(groups)
	}
	found, err := g.steiner(ctx, ids)
	if err != nil {
		return PlanSet{}, fmt.Errorf("joinpath: connect: %w", err)
	}
	c := PlanSet{More: found.more, Approximate: found.approximate}
	size := len(ids)
	for _, edges := range found.trees {
		c.Plans = append(c.Plans, g.treePlan(first, edges, ids, !found.priced))
		size += len(edges)
	}
	if size <= mostCached {
		stored := c
		stored.Plans = slices.Clone(c.Plans)
		g.trees.Add(key, stored)
	}
	return c, nil
}

// mostCached is the largest answer that is cached, in tables and joins.
const mostCached = 2048
