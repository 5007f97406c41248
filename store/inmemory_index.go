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
// Numbers are only appended to the lists, so a reader needs the lock only to
// get the lists.
type index struct {
	records   int // how many records of the thread are in the index
	kinds     map[Kind][]int64
	addresses map[string][]int64
	sorted    []string // the keys of addresses
}

// indexed is the length from which a thread has an index.
const indexed = 100

// add adds the records that the index does not have yet.
func (x *index) add(records []Record) {
	if x.kinds == nil {
		x.kinds, x.addresses = map[Kind][]int64{}, map[string][]int64{}
	}
	for _, rec := range records[x.records:] {
		x.kinds[rec.Kind] = append(x.kinds[rec.Kind], rec.Seq)
		if rec.Address == "" {
			continue
		}
		if x.addresses[rec.Address] == nil {
			i, _ := slices.BinarySearch(x.sorted, rec.Address)
			x.sorted = slices.Insert(x.sorted, i, rec.Address)
		}
		x.addresses[rec.Address] = append(x.addresses[rec.Address], rec.Seq)
	}
	x.records = len(records)
}

// lists returns the lists that together have the numbers of all records that r
// selects by its Address, otherwise by its Under, or by its Kinds if it has
// neither.
func (x *index) lists(r Range) [][]int64 {
	lists := [][]int64{}
	if r.Address != "" {
		return append(lists, x.addresses[r.Address])
	}
	if r.Under == "" {
		for _, kind := range slices.Compact(slices.Sorted(slices.Values(r.Kinds))) {
			lists = append(lists, x.kinds[kind])
		}
		return lists
	}
	lists = append(lists, x.addresses[r.Under])
	first, _ := slices.BinarySearch(x.sorted, r.Under+"/")
	for _, address := range x.sorted[first:] {
		if !strings.HasPrefix(address, r.Under+"/") {
			break
		}
		lists = append(lists, x.addresses[address])
	}
	return lists
}

// within returns the part of an ascending list with the numbers from low to
// high.
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
		if list = within(list, r.From, r.To); len(list) > 0 {
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
