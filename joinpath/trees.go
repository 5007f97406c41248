package joinpath

import "slices"

// trees lists the cheapest trees, at most a given number of them.
//
// Each tree is listed once, because there is one way only to take it apart: at
// each table the branch with the lowest terminal is first. A choice that fits the
// costs always leads to a tree, so the work is proportional to the number of trees
// listed, not to the number of ways to build them. No tree has a loop: without
// one of the loop's edges it would be cheaper, as every edge has a cost.
func (d *dreyfus) trees(most int) forest {
	t := ties{dreyfus: d, most: most}
	t.grow(&growth{table: d.roots[len(d.roots)-1], set: d.all()})
	slices.SortFunc(t.found.trees, slices.Compare)
	return t.found
}

type ties struct {
	*dreyfus
	most   int
	chosen []int32 // edges of the tree that is being completed
	found  forest
}

// growth is a list of subtrees that are still to be chosen. Each begins at a table
// and contains a set of terminals.
type growth struct {
	table int32
	set   int
	next  *growth
}

// grow completes the chosen edges to trees in every way. It returns false if
// there are more trees than wanted.
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
			set &^= 1 << i // v is this terminal
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
		if !t.branch(v, part, t.cost[part][v], &growth{table: v, set: set ^ part, next: next}) {
			return false
		}
	}
	return true
}

// branch completes the trees in which the subtree for a set begins with one edge
// at v.
func (t *ties) branch(v int32, set int, cost int64, next *growth) bool {
	for _, x := range t.links[v] {
		if x.weight+t.cost[set][x.to] != cost {
			continue
		}
		t.chosen = append(t.chosen, x.edge)
		more := t.grow(&growth{table: x.to, set: set, next: next})
		t.chosen = t.chosen[:len(t.chosen)-1]
		if !more {
			return false
		}
	}
	return true
}
