package secureview

import (
	"maps"
	"slices"
)

// classes are the columns that are equal in a part of a statement. [classes.undo]
// forgets what held for a part alone.
type classes struct {
	number  map[column]int
	columns []column
	root    []int // of each column: a column of the same class, or itself
	size    []int // of the class of a root
	united  []int // the roots that became part of others, oldest first
	kept    [][2]column
}

type mark struct{ united, kept int }

func (c *classes) mark() mark { return mark{len(c.united), len(c.kept)} }

// undo forgets what was united after the mark, other than by keep.
func (c *classes) undo(m mark) {
	for _, n := range slices.Backward(c.united[m.united:]) {
		c.size[c.root[n]] -= c.size[n]
		c.root[n] = n
	}
	c.united = c.united[:m.united]
	for _, pair := range c.kept[m.kept:] {
		c.unite(pair[0], pair[1])
	}
}

func (c *classes) find(x column) int {
	n, ok := c.number[x]
	if !ok {
		n = len(c.columns)
		c.number[x] = n
		c.columns, c.root, c.size = append(c.columns, x), append(c.root, n), append(c.size, 1)
	}
	for c.root[n] != n {
		n = c.root[n]
	}
	return n
}

func (c *classes) unite(x, y column) {
	a, b := c.find(x), c.find(y)
	if a == b {
		return
	}
	if c.size[a] > c.size[b] {
		a, b = b, a
	}
	c.root[a] = b
	c.size[b] += c.size[a]
	c.united = append(c.united, a)
}

// keep is unite for columns of a part that are equal wherever the part is named.
func (c *classes) keep(x, y column) {
	c.kept = append(c.kept, [2]column{x, y})
	c.unite(x, y)
}

func (c *classes) same(x, y column) bool { return c.find(x) == c.find(y) }

// of returns the other columns of the class of a column.
func (c *classes) of(x column) []column {
	root := c.find(x)
	if c.size[root] == 1 {
		return nil
	}
	var all []column
	for _, other := range c.columns {
		if other != x && c.find(other) == root {
			all = append(all, other)
		}
	}
	return all
}

// all returns the classes of several columns, without literals.
func (c *classes) all() [][]column {
	members := map[int][]column{}
	for _, x := range c.columns {
		if root := c.find(x); x.table != noTable && c.size[root] > 1 {
			members[root] = append(members[root], x)
		}
	}
	var all [][]column
	for _, root := range slices.Sorted(maps.Keys(members)) {
		if len(members[root]) > 1 {
			all = append(all, members[root])
		}
	}
	return all
}
