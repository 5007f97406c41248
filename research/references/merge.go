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
	slices.SortStableFunc(all, func(a, b Reference) int {
		return cmp.Or(cmp.Compare(b.To-b.From, a.To-a.From), cmp.Compare(exactness(b), exactness(a)))
	})
	var kept []Reference // in the order of the text
	for _, r := range all {
		i, _ := slices.BinarySearchFunc(kept, r.From, func(k Reference, from int) int { return cmp.Compare(k.From, from) })
		if i < len(kept) && kept[i].From < r.To || i > 0 && kept[i-1].To > r.From {
			continue
		}
		kept = slices.Insert(kept, i, r)
	}
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
