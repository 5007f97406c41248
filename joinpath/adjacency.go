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
}

// adjacency holds the arcs of all tables in one slice, those of a table next to
// each other, sorted by table, weight and edge.
type adjacency struct {
	start []int32
	arcs  []arc
}

func newAdjacency(tables int, edges []edge) adjacency {
	a := adjacency{start: make([]int32, tables+1)}
	each := func(yield func(from int32, x arc)) {
		for i, e := range edges {
			yield(e.from, arc{e.to, int32(i), e.weight})
			if e.from != e.to {
				yield(e.to, arc{e.from, int32(i), e.weight})
			}
		}
	}
	total := 0
	each(func(from int32, _ arc) { a.start[from+1]++; total++ })
	for v := range tables {
		a.start[v+1] += a.start[v]
	}
	a.arcs = make([]arc, total)
	next := slices.Clone(a.start)
	each(func(from int32, x arc) {
		a.arcs[next[from]] = x
		next[from]++
	})
	for v := range int32(tables) {
		slices.SortFunc(a.of(v), func(x, y arc) int {
			return cmp.Or(cmp.Compare(x.to, y.to), cmp.Compare(x.weight, y.weight), cmp.Compare(x.edge, y.edge))
		})
	}
	return a
}

func (a *adjacency) of(v int32) []arc { return a.arcs[a.start[v]:a.start[v+1]] }

// between returns the arcs from u to v, cheapest first.
func (a *adjacency) between(u, v int32) []arc {
	arcs := a.of(u)
	lo, _ := slices.BinarySearchFunc(arcs, v, func(x arc, v int32) int { return cmp.Compare(x.to, v) })
	hi, _ := slices.BinarySearchFunc(arcs, v+1, func(x arc, v int32) int { return cmp.Compare(x.to, v) })
	return arcs[lo:hi]
}

// bestPerPair keeps the first arc to each other table.
func (a *adjacency) bestPerPair() adjacency {
	b := adjacency{start: make([]int32, len(a.start))}
	for v := range int32(len(a.start) - 1) {
		last := v // skips arcs to itself
		for _, x := range a.of(v) {
			if x.to != last && x.to != v {
				b.arcs = append(b.arcs, x)
				last = x.to
			}
		}
		b.start[v+1] = int32(len(b.arcs))
	}
	return b
}

// components numbers the connected parts by their first table.
func (a *adjacency) components() []int32 {
	const unseen = -1
	out := make([]int32, len(a.start)-1)
	for v := range out {
		out[v] = unseen
	}
	var stack []int32
	for v := range int32(len(out)) {
		if out[v] != unseen {
			continue
		}
		out[v] = v
		for stack = append(stack, v); len(stack) > 0; {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, x := range a.of(u) {
				if out[x.to] == unseen {
					out[x.to] = v
					stack = append(stack, x.to)
				}
			}
		}
	}
	return out
}

// group splits tables, which are sorted, into those that can be joined.
func (g *Graph) group(tables []int32) [][]string {
	var out [][]string
	place := map[int32]int{}
	for _, v := range tables {
		c := g.component[v]
		if _, ok := place[c]; !ok {
			place[c] = len(out)
			out = append(out, nil)
		}
		out[place[c]] = append(out[place[c]], g.names[v])
	}
	return out
}
