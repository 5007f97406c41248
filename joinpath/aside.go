package joinpath

import (
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/refusal"
)

// asidePrice is the cost of a join of a table that is kept out of the middle. A plan through
// such a table has two of them, and costs as much as 200 joins more.
const asidePrice = 100 * hopPrice

// The same in millionths, and as a part of a weight.
const (
	asideCost   = int64(asidePrice * costUnit)
	asideWeight = asideCost << hopBits
)

// A table to which half of the tables of a schema refer is kept out of the middle: almost
// any two tables have such a company or tenant in common. A schema has to have leastForHub
// tables, as in a small one half of the tables are few.
const leastForHub = 20

// keepAside marks the ends of edges that are kept out of the middle: those of tables and
// roles that the host names, and those of tables to which half of the others refer.
func (g *Graph) keepAside(s *Schema, names []string) error {
	tables, roles := g.hubs(), map[string]bool{}
	for _, name := range names {
		id, table := g.id(name)
		role := func(r Relationship) bool { return r.hasRole(map[string]bool{ascii.Lower(name): true}) }
		switch {
		case table:
			tables[id] = true
		case slices.ContainsFunc(s.Relationships, role):
			roles[ascii.Lower(name)] = true
		default:
			return &refusal.Error{Package: "joinpath", Problems: []refusal.Problem{
				unknownName(name, g.names, true, "table, role or referring column of Options.Aside"),
			}}
		}
	}
	for i := range g.edges {
		e := &g.edges[i]
		role := e.rel.hasRole(roles)
		if tables[e.from] || role && e.cardinality == OneToMany {
			e.turn |= leaves
		}
		if tables[e.to] || role && e.cardinality != OneToMany {
			e.turn |= enters
		}
	}
	return nil
}

// hasRole reports whether the role of a relationship, or a column of its from side, is one of
// the names.
func (r Relationship) hasRole(names map[string]bool) bool {
	columns, _ := r.Columns()
	return slices.ContainsFunc(append(columns, r.Role), func(c string) bool { return names[ascii.Lower(c)] })
}

// hubs returns the tables to which half of the other tables refer.
func (g *Graph) hubs() map[int32]bool {
	out := map[int32]bool{}
	if len(g.names) < leastForHub {
		return out
	}
	referring := map[int32]map[int32]bool{}
	for _, e := range g.edges {
		from, to := e.from, e.to
		if e.cardinality == OneToMany {
			from, to = to, from
		}
		if referring[to] == nil {
			referring[to] = map[int32]bool{}
		}
		if from != to {
			referring[to][from] = true
		}
	}
	for table, by := range referring {
		out[table] = 2*len(by) >= len(g.names)-1
	}
	return out
}

// asideOf returns how many ends of an arc from a table are kept out of the middle and were
// not asked for.
func asideOf(from int32, x arc, asked []int32) (n int64) {
	if x.turn&leaves != 0 && !slices.Contains(asked, from) {
		n++
	}
	if x.turn&enters != 0 && !slices.Contains(asked, x.to) {
		n++
	}
	return n
}

// costOf returns the cost of an arc from a table in a plan for the tables that were asked for.
func costOf(from int32, x arc, asked []int32) int64 {
	cost := x.weight >> hopBits
	if x.turn&aside != 0 {
		cost += asideOf(from, x, asked) * asideCost
	}
	return cost
}

// arc returns the edge as an arc from its first table.
func (e *edge) arc() arc { return arc{to: e.to, weight: e.weight, turn: e.turn} }
