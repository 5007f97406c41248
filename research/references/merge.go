package references

import (
	"cmp"
	"slices"
)

// Merge returns the references that several methods found in one text, such as
// those of [Find] and [Locate]. Of references that overlap, the longest one is
// kept, and of equally long ones the one that names a target, or else the
// first given. Then of references with the same [Reference.Key] only the first of
// the text is kept. The result is in the order of the text.
func Merge(found ...[]Reference) []Reference {
	all := slices.Concat(found...)
	all = slices.DeleteFunc(all, func(r Reference) bool { return r.From < 0 || r.To <= r.From })
	// Numbers of the ends of all references, so that the bytes of a long text need
	// not be marked.
	var ends []int
	for _, r := range all {
		ends = append(ends, r.From, r.To)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	index := func(end int) int { i, _ := slices.BinarySearch(ends, end); return i }

	slices.SortStableFunc(all, func(a, b Reference) int {
		return cmp.Or(cmp.Compare(b.To-b.From, a.To-a.From), cmp.Compare(exactness(b), exactness(a)))
	})
	taken := make([]bool, len(ends)) // whether a reference covers the part after an end
	var kept []Reference
	for _, r := range all {
		from, to := index(r.From), index(r.To)
		// What is taken already is not shorter than r, so it does not lie
		// within r, and covers one of its ends.
		if taken[from] || taken[to-1] {
			continue
		}
		for i := from; i < to; i++ {
			taken[i] = true
		}
		kept = append(kept, r)
	}
	slices.SortFunc(kept, order)
	seen := make(map[string]bool, len(kept))
	return slices.DeleteFunc(kept, func(r Reference) bool {
		key := r.Key()
		repeated := seen[key]
		seen[key] = true
		return repeated
	})
}

// exactness returns how much of what it refers to a reference names.
func exactness(r Reference) int {
	n := 0
	if r.Target != "" {
		n += 2
	}
	if r.Part != "" {
		n++
	}
	return n
}
