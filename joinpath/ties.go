package joinpath

import "slices"

// trees lists all cheapest trees, up to a number.
//
// Each is listed once, because it is taken apart in one way only: at each table,
// the branch with the lowest terminal first. A choice that fits the costs always
// leads to a tree, so the work grows with the number of trees listed and not with
// the number of ways to build them. No tree holds a loop: leaving out an edge of
// it would be cheaper still, and no edge is free.
func (d *dreyfus) trees(most int) forest {
	t := ties{dreyfus: d, most: most}
	t.grow(&growth{table: d.roots[len(d.roots)-1], set: d.all()})
	slices.SortFunc(t.found.trees, slices.Compare)
	return t.found
}

type ties struct {
	*dreyfus
	most   int
	chosen []int32 // edges of the tree at hand
	found  forest
}

// growth is a list of trees that are still to be chosen, each for a set of
// terminals and beginning at a table.
type growth struct {
	table int32
	set   int
	next  *growth
}

// grow completes the tree at hand in every way. It returns false when enough are
// found.
func (t *ties) grow(todo *growth) bool {
	if todo == nil {
		if len(t.found.trees) == t.most {
			t.found.more = true
			return false
		}
		tree := slices.Clone(t.chosen)
		slices.Sort(tree)
		t.found.trees = append(t.found.trees, tree)
		return true
	}
	v, set, next := todo.table, todo.set, todo.next
	cost := t.cost[set][v]
	for i, root := range t.roots[:len(t.roots)-1] {
		if root == v {
			set &^= 1 << i // reached
		}
	}
	if set == 0 {
		return t.grow(next)
	}
	if !t.branch(v, set, cost, next) {
		return false
	}
	low := set & -set
	for part := (set - 1) & set; part > 0; part = (part - 1) & set {
		if part&low == 0 || t.cost[part][v]+t.cost[set^part][v] != cost {
			continue
		}
		if !t.branch(v, part, t.cost[part][v], &growth{v, set ^ part, next}) {
			return false
		}
	}
	return true
}

// branch tries the trees for a set that leave a table by one edge.
func (t *ties) branch(v int32, set int, cost int64, next *growth) bool {
	for _, x := range t.links[v] {
		if x.weight+t.cost[set][x.to] != cost {
			continue
		}
		t.chosen = append(t.chosen, x.edge)
		more := t.grow(&growth{x.to, set, next})
		t.chosen = t.chosen[:len(t.chosen)-1]
		if !more {
			return false
		}
	}
	return true
}
