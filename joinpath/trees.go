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
	root, all := placeAt(d.roots[len(d.roots)-1], false), d.all()
	cheapest := min(d.cost[all][root], d.cost[all][root|1])
	for _, at := range [2]place{root, root | 1} {
		if d.cost[all][at] == cheapest && !t.grow(&growth{at: at, set: all}) {
			break
		}
	}
	slices.SortFunc(t.found.trees, slices.Compare)
	return t.found
}

type ties struct {
	*dreyfus
	most   int
	chosen []int32 // edges of the tree that is being completed
	found  forest
}

// growth is a list of subtrees that are still to be chosen. Each begins at a place
// and contains a set of terminals.
type growth struct {
	at   place
	set  int
	next *growth
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
	at, set, next := todo.at, todo.set, todo.next
	cost := t.cost[set][at]
	for i, root := range t.roots[:len(t.roots)-1] {
		if root == at.table() {
			set &^= 1 << i // the table is this terminal
		}
	}
	if set == 0 {
		return t.grow(next)
	}
	if !t.branch(at, set, cost, next) {
		return false
	}
	low := set & -set
	for part := (set - 1) & set; part > 0; part = (part - 1) & set {
		if part&low == 0 {
			continue
		}
		for _, meet := range meetings(at) {
			a, b := t.cost[part][meet[0]], t.cost[set^part][meet[1]]
			if a+b+meeting(meet[0], meet[1])>>hopBits != cost {
				continue
			}
			if !t.branch(meet[0], part, a, &growth{at: meet[1], set: set ^ part, next: next}) {
				return false
			}
		}
	}
	return true
}

// meetings returns the places of two branches that meet at a place.
func meetings(at place) [][2]place {
	apart, shared := at&^1, at|1
	if !at.shared() {
		return [][2]place{{apart, apart}}
	}
	return [][2]place{{apart, shared}, {shared, apart}, {shared, shared}}
}

// branch completes the trees in which the subtree for a set begins with one edge
// at a place.
func (t *ties) branch(at place, set int, cost int64, next *growth) bool {
	table := t.tabs[at.table()]
	for _, x := range t.g.all[table] {
		to := t.news[x.to]
		if to == none || to == at.table() || t.cost[set][placeAt(to, false)] >= cost && t.cost[set][placeAt(to, true)] >= cost {
			continue
		}
		x = t.arc(table, x)
		x.to = to
		back := arc{at.table(), x.edge, x.weight, x.turn.mirrored()}
		for _, from := range [2]place{placeAt(x.to, false), placeAt(x.to, true)} {
			if t.cost[set][from] >= cost {
				continue
			}
			if there, c := step(from, back); there != at || t.cost[set][from]+c != cost {
				continue
			}
			t.chosen = append(t.chosen, x.edge)
			more := t.grow(&growth{at: from, set: set, next: next})
			t.chosen = t.chosen[:len(t.chosen)-1]
			if !more {
				return false
			}
		}
	}
	return true
}
