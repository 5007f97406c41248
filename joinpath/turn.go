package joinpath

import (
	"iter"
	"slices"
)

// turnPrice is the cost of going from many rows to the one that they share and on to
// many others: from inspections to their employee's company and on to all of its
// customers. It costs as much as 20 joins, so that a chain of joins in which each row
// keeps its own row of the next table is taken where there is one.
const turnPrice = 20 * hopPrice

// The price in millionths, and as a part of a weight.
const (
	price      = int64(turnPrice * costUnit)
	turnWeight = price << hopBits
)

// A turn says how an arc leads from one table to another. The zero turn leads from one
// row to one row, or nothing is known about it.
type turn uint8

const (
	fans    turn = 1 << iota // one row of the first table has many of the second
	gathers                  // one row of the second table has many of the first
	leaves                   // the first table is kept out of the middle, see [Options.Aside]
	enters                   // the second is

	rows  = fans | gathers
	aside = leaves | enters
)

// mirrored returns the turn of the arc in the other direction.
func (t turn) mirrored() turn { return t&(fans|leaves)<<1 | t>>1&(fans|leaves) }

// A place is a table that was reached, and how: its last bit is 1 if many rows of an
// earlier table share one of its rows.
type place int32

func placeAt(table int32, shared bool) place {
	if shared {
		return place(table<<1 | 1)
	}
	return place(table << 1)
}

func (p place) table() int32 { return int32(p >> 1) }
func (p place) shared() bool { return p&1 == 1 }

// next returns the place to which an arc leads, and the price of the turn on the way.
func (p place) next(x arc) (place, int64) {
	to := place(x.to) << 1
	if x.turn&rows == 0 {
		return to | p&1, 0
	}
	if x.turn&gathers != 0 {
		to |= 1
	}
	if p&1 == 1 && x.turn&fans != 0 {
		return to, turnWeight
	}
	return to, 0
}

// meeting returns the price of joining two halves of a chain, or two branches of a tree,
// that meet at one table.
func meeting(a, b place) int64 {
	if a.shared() && b.shared() {
		return turnWeight
	}
	return 0
}

// shared returns the nodes of a tree at which many rows share one row with many others, a
// node for each branch after the first. A row that joins of one row to one row lead on is
// the same row. Nodes that were asked for are left out.
func (g *Graph) shared(asked func(node int32) bool, edges iter.Seq2[int32, [2]int32]) (nodes []int32) {
	same := map[int32]int32{} // nodes that are joined one to one
	find := func(v int32) int32 {
		for {
			next, ok := same[v]
			if !ok {
				return v
			}
			v = next
		}
	}
	for edge, ends := range edges {
		if g.edges[edge].turn&rows != 0 || asked(ends[0]) || asked(ends[1]) {
			continue
		}
		if a, b := find(ends[0]), find(ends[1]); a != b {
			same[a] = b
		}
	}
	branched := map[int32]bool{}
	count := func(node int32) {
		if asked(node) {
			return
		}
		if branched[find(node)] {
			nodes = append(nodes, node)
		}
		branched[find(node)] = true
	}
	for edge, ends := range edges {
		if g.edges[edge].turn&fans != 0 {
			count(ends[0])
		}
		if g.edges[edge].turn&gathers != 0 {
			count(ends[1])
		}
	}
	return nodes
}

// sharedIn returns the tables with shared rows of a tree, without those that were asked for.
func (g *Graph) sharedIn(tree, asked []int32) []int32 {
	return g.shared(func(table int32) bool { return slices.Contains(asked, table) }, func(yield func(int32, [2]int32) bool) {
		for _, i := range tree {
			if !yield(i, [2]int32{g.edges[i].from, g.edges[i].to}) {
				return
			}
		}
	})
}
