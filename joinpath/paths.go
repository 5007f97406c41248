package joinpath

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed/refusal"
)

// ShortestPath returns the cheapest chain of at most [Options.MaxHops] joins from
// one table to another. Among chains of the same cost it returns the one with
// the fewest joins, then the one whose tables come first alphabetically, then
// the one whose relationships do. From a table to itself the plan has no joins.
//
// The error is a [*refusal.Error] of code [ErrUnknownTable], [ErrNoPath] if every
// chain is longer than MaxHops, or [ErrDisconnected], which matches [ErrNoPath]
// as well.
func (g *Graph) ShortestPath(from, to string) (Plan, error) {
	a, b, err := g.ends(from, to)
	if err != nil {
		return Plan{}, err
	}
	key := [2]int32{a, b}
	plan, known := g.paths.Get(key)
	if !known {
		if a == b {
			plan = g.chainPlan(a, nil)
		} else {
			s := g.borrow()
			s.asked = [2]int32{a, b}
			path, ok := s.find(g, a, b, g.opt.MaxHops)
			g.release(s)
			if ok {
				plan = g.chainPlan(a, path)
			}
		}
		g.paths.Add(key, plan)
	}
	if plan.tree == nil {
		return Plan{}, g.noPath(a, b)
	}
	return plan, nil
}

// ends looks up two tables. Unlike lookup it does not allocate.
func (g *Graph) ends(from, to string) (a, b int32, err error) {
	a, okA := g.id(from)
	b, okB := g.id(to)
	if !okA || !okB {
		_, err = g.lookup(from, to)
	}
	return a, b, err
}

func (g *Graph) noPath(a, b int32) error {
	if g.component[a] != g.component[b] {
		return g.disconnected([][]string{{g.names[a]}, {g.names[b]}})
	}
	return refuse(ErrNoPath, "no path of at most %d joins between %q and %q; Options.MaxHops is the limit",
		g.opt.MaxHops, g.names[a], g.names[b])
}

// disconnected lists the groups of connected tables. It mentions relationships
// that were ignored, because a relationship without a confidence is a common
// mistake.
func (g *Graph) disconnected(groups [][]string) error {
	var b strings.Builder
	b.WriteString("no joins connect these groups of tables: ")
	for i, group := range groups[:min(len(groups), maxQuoted)] {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(quoteNames(group))
	}
	if more := len(groups) - maxQuoted; more > 0 {
		fmt.Fprintf(&b, " | and %d more", more)
	}
	if g.unsure > 0 {
		fmt.Fprintf(&b, "; %d relationships are below Options.MinConfidence, which is %v", g.unsure, g.opt.MinConfidence)
	}
	return &refusal.Error{
		Package:  "joinpath",
		Problems: []refusal.Problem{{Code: ErrDisconnected, Message: b.String()}},
		Err:      ErrNoPath,
	}
}
