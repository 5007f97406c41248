package store

import (
	"slices"
	"sort"
	"strings"
)

// An index has the numbers of the records of an [InMemory] thread by their kind
// and by their address, in ascending order. It is made for a thread that is
// read by kind or address when it is long, and is continued at each such read.
//
// A list of numbers is only appended to and cut, or replaced, so a reader needs
// the lock only to get the lists.
type index struct {
	through int64 // the number of the last record in the index
	kinds   map[Kind][]int64
	root    node // of addresses
}

// A node has the numbers of the records of one address, and the nodes of the
// addresses below it by their next name.
type node struct {
	numbers []int64
	below   map[string]*node
}

// indexed is the length from which a thread has an index.
const indexed = 100

// add adds the records that the index does not have yet.
func (x *index) add(l *log) {
	if x.kinds == nil {
		x.kinds = map[Kind][]int64{}
	}
	for rec := range l.between(Range{From: x.through + 1}) {
		x.kinds[rec.Kind] = append(x.kinds[rec.Kind], rec.Seq)
		if rec.Address == "" {
			continue
		}
		n := &x.root
		for name := range strings.SplitSeq(rec.Address, "/") {
			next := n.below[name]
			if next == nil {
				if n.below == nil {
					n.below = map[string]*node{}
				}
				next = new(node)
				n.below[name] = next
			}
			n = next
		}
		n.numbers = append(n.numbers, rec.Seq)
	}
	x.through = l.last()
}

// find returns the node of an address, or nil.
func (n *node) find(address string) *node {
	for name := range strings.SplitSeq(address, "/") {
		if n = n.below[name]; n == nil {
			return nil
		}
	}
	return n
}

// lists adds the lists of the node and of the nodes below it.
func (n *node) lists(lists [][]int64) [][]int64 {
	if n == nil {
		return lists
	}
	lists = append(lists, n.numbers)
	for _, below := range n.below {
		lists = below.lists(lists)
	}
	return lists
}

// remove removes a number from an address, and the nodes that are then empty.
func (n *node) remove(address string, seq int64) {
	name, rest, more := strings.Cut(address, "/")
	next := n.below[name]
	if more {
		next.remove(rest, seq)
	} else {
		switch i, _ := slices.BinarySearch(next.numbers, seq); i {
		case 0:
			next.numbers = next.numbers[1:]
		default:
			next.numbers = slices.Concat(next.numbers[:i], next.numbers[i+1:])
		}
	}
	if len(next.numbers) == 0 && len(next.below) == 0 {
		delete(n.below, name)
	}
}

// lists returns the lists that together have the numbers of all records that r
// selects by its Address, otherwise by its Under, or by its Kinds if it has
// neither.
func (x *index) lists(r Range) [][]int64 {
	lists := [][]int64{}
	switch {
	case r.Address != "":
		if n := x.root.find(r.Address); n != nil {
			lists = append(lists, n.numbers)
		}
	case r.Under != "":
		lists = x.root.find(r.Under).lists(lists)
	default:
		for _, kind := range slices.Compact(slices.Sorted(slices.Values(r.Kinds))) {
			lists = append(lists, x.kinds[kind])
		}
	}
	return lists
}

// trim removes the numbers below before of some kinds, and returns the lowest
// of them, or 0 if there is none.
func (x *index) trim(l *log, before int64, kinds []Kind) (lowest int64) {
	for _, kind := range kinds {
		gone := within(x.kinds[kind], 0, before-1)
		if len(gone) == 0 {
			continue
		}
		x.kinds[kind] = x.kinds[kind][len(gone):]
		if lowest == 0 || gone[0] < lowest {
			lowest = gone[0]
		}
		for _, seq := range gone {
			if address := l.get(seq).Address; address != "" {
				x.root.remove(address, seq)
			}
		}
	}
	return lowest
}

// within returns the part of an ascending list with the numbers from low to
// high; a high of 0 means no limit.
func within(list []int64, low, high int64) []int64 {
	if high > 0 {
		list = list[:sort.Search(len(list), func(i int) bool { return list[i] > high })]
	}
	return list[sort.Search(len(list), func(i int) bool { return list[i] >= low }):]
}

// A merge returns the numbers of several ascending lists in the order of a
// range.
type merge struct {
	lists  [][]int64
	newest bool
}

// maxLists limits the lists that are merged number by number.
const maxLists = 16

func newMerge(lists [][]int64, r Range) *merge {
	m := &merge{newest: r.NewestFirst}
	for _, list := range lists {
		if list = within(list, r.From, max(r.To, 0)); len(list) > 0 {
			m.lists = append(m.lists, list)
		}
	}
	if len(m.lists) > maxLists {
		all := slices.Concat(m.lists...)
		slices.Sort(all)
		m.lists = [][]int64{all}
	}
	return m
}

// next returns the next number, or 0.
func (m *merge) next() (seq int64) {
	from := -1
	for i, list := range m.lists {
		switch {
		case len(list) == 0:
		case m.newest && (from < 0 || list[len(list)-1] > seq):
			from, seq = i, list[len(list)-1]
		case !m.newest && (from < 0 || list[0] < seq):
			from, seq = i, list[0]
		}
	}
	if from < 0 {
		return 0
	}
	if list := m.lists[from]; m.newest {
		m.lists[from] = list[:len(list)-1]
	} else {
		m.lists[from] = list[1:]
	}
	return seq
}
