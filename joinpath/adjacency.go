package joinpath

import (
	"cmp"
	"slices"
)

// arc is an edge seen from one of its tables.
type arc struct {
	to     int32
	edge   int32
	weight int64
	turn   turn
}

// adjacency holds the arcs of each table, sorted by the other table, weight and
// edge.
type adjacency [][]arc

func newAdjacency(tables int, edges []edge) adjacency {
	a := make(adjacency, tables)
	for i, e := range edges {
		a[e.from] = append(a[e.from], arc{e.to, int32(i), e.weight, e.turn})
		if e.from != e.to {
			a[e.to] = append(a[e.to], arc{e.from, int32(i), e.weight, e.turn.mirrored()})
		}
	}
	for _, arcs := range a {
		slices.SortFunc(arcs, func(x, y arc) int {
			return cmp.Or(cmp.Compare(x.to, y.to), cmp.Compare(x.weight, y.weight), cmp.Compare(x.edge, y.edge))
		})
	}
	return a
}

// between returns the arcs from u to v, cheapest first.
func (a adjacency) between(u, v int32) []arc {
	arcs := a[u]
	lo, _ := slices.BinarySearchFunc(arcs, v, func(x arc, v int32) int { return cmp.Compare(x.to, v) })
	hi, _ := slices.BinarySearchFunc(arcs, v+1, func(x arc, v int32) int { return cmp.Compare(x.to, v) })
	return arcs[lo:hi]
}

// bestPerPair returns the cheapest arcs to each other table, one of each turn.
func (a adjacency) bestPerPair() adjacency {
	b := make(adjacency, len(a))
	for v, arcs := range a {
		first := 0 // of the arcs to the same table
		for _, x := range arcs {
			if first < len(b[v]) && b[v][first].to != x.to {
				first = len(b[v])
			}
			same := func(y arc) bool { return y.turn == x.turn }
			if x.to != int32(v) && !slices.ContainsFunc(b[v][first:], same) {
				b[v] = append(b[v], x)
			}
		}
	}
	return b
}

// components returns for each table the first table of its connected component.
func (a adjacency) components() []int32 {
	out := slices.Repeat([]int32{none}, len(a))
	var stack []int32
	for v := range int32(len(out)) {
		if out[v] != none {
			continue
		}
		out[v] = v
		for stack = append(stack, v); len(stack) > 0; {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, x := range a[u] {
				if out[x.to] == none {
					out[x.to] = v
					stack = append(stack, x.to)
				}
			}
		}
	}
	return out
}
