package joinpath

import (
	"cmp"
	"slices"
)

// mehlhorn joins any number of terminals by a tree that costs less than twice
// the cheapest (K. Mehlhorn, Information Processing Letters 27, 1988): every
// table goes to its nearest terminal, and the edges that lead from one terminal's
// tables to another's are taken as in a minimum spanning tree. It takes little
// longer than looking at every edge.
func (g *Graph) mehlhorn(terminals []int32) forest {
	n := len(g.names)
	distance := slices.Repeat([]int64{far}, n)
	owner := slices.Repeat([]int32{none}, n)
	back := slices.Repeat([]arc{{to: none}}, n) // towards the owner
	var q queue
	for _, t := range terminals {
		distance[t], owner[t] = 0, t
		q.push(reached{0, t})
	}
	for len(q) > 0 {
		at := q.pop()
		if at.distance > distance[at.table] {
			continue
		}
		for _, x := range g.best.of(at.table) {
			if c := at.distance + x.weight>>hopBits; c < distance[x.to] {
				distance[x.to], owner[x.to] = c, owner[at.table]
				back[x.to] = arc{to: at.table, edge: x.edge}
				q.push(reached{c, x.to})
			}
		}
	}

	type bridge struct {
		cost       int64
		edge, a, b int32
	}
	var bridges []bridge
	for v := range int32(n) {
		for _, x := range g.best.of(v) {
			if v < x.to && owner[v] != owner[x.to] {
				bridges = append(bridges, bridge{distance[v] + x.weight>>hopBits + distance[x.to], x.edge, v, x.to})
			}
		}
	}
	slices.SortFunc(bridges, func(x, y bridge) int {
		return cmp.Or(cmp.Compare(x.cost, y.cost), cmp.Compare(x.edge, y.edge))
	})

	leader := make([]int32, n)
	for v := range leader {
		leader[v] = int32(v)
	}
	find := func(v int32) int32 {
		for leader[v] != v {
			leader[v] = leader[leader[v]]
			v = leader[v]
		}
		return v
	}
	taken := make([]bool, n) // tables whose way to the owner is in the tree
	var tree []int32
	for _, b := range bridges {
		x, y := find(owner[b.a]), find(owner[b.b])
		if x == y {
			continue
		}
		leader[x] = y
		tree = append(tree, b.edge)
		for _, v := range []int32{b.a, b.b} {
			for ; back[v].to != none && !taken[v]; v = back[v].to {
				taken[v] = true
				tree = append(tree, back[v].edge)
			}
		}
	}
	slices.Sort(tree)
	return forest{trees: [][]int32{tree}, approximate: true}
}
