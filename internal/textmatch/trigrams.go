package textmatch

import (
	"maps"
	"slices"
)

// Trigrams finds words that have groups of three letters in common. The zero value has
// no words.
type Trigrams struct {
	groups  []uint64 // sorted
	at      []int32  // the words of group i are words[at[i]:at[i+1]]
	words   []int32  // ascending in each group
	lengths []uint8  // of the words, in letters; 0 for those that are not found
}

// NewTrigrams returns the trigrams of n words. Words of more than [MaxRunes] letters, and
// words for which word returns nil, are not found.
func NewTrigrams(n int, word func(id int32) []rune) *Trigrams {
	t := &Trigrams{lengths: make([]uint8, n)}
	sizes := map[uint64]int32{}
	last := map[uint64]int32{} // the word that had a group last, from 1: a word has a group once
	each := func(yield func(group uint64, id int32)) {
		clear(last)
		for id := range int32(n) {
			w := word(id)
			if len(w) == 0 || len(w) > MaxRunes {
				continue
			}
			t.lengths[id] = uint8(len(w))
			for group := range groups(w) {
				if last[group] != id+1 {
					last[group] = id + 1
					yield(group, id)
				}
			}
		}
	}
	each(func(group uint64, _ int32) { sizes[group]++ })
	t.groups = slices.Sorted(maps.Keys(sizes))
	t.at = make([]int32, len(t.groups)+1)
	next := sizes // where the next word of a group goes
	for i, group := range t.groups {
		t.at[i+1] = t.at[i] + sizes[group]
		next[group] = t.at[i]
	}
	t.words = make([]int32, t.at[len(t.groups)])
	each(func(group uint64, id int32) {
		t.words[next[group]] = id
		next[group]++
	})
	return t
}

// Common is the memory of searches, of which one is made at a time.
type Common struct {
	counts  []uint8 // zero between searches
	touched []int32
}

// Near returns the words of about the same length with the most groups in common. They
// are about limit words, and four times as many at most. The slice is good until the
// next search.
func (t *Trigrams) Near(word []rune, limit int, c *Common) []int32 {
	if len(word) == 0 || len(word) > MaxRunes {
		return nil
	}
	c.counts = append(c.counts, make([]uint8, max(0, len(t.lengths)-len(c.counts)))...)
	c.touched = c.touched[:0]
	for group := range groups(word) {
		i, ok := slices.BinarySearch(t.groups, group)
		if !ok {
			continue
		}
		for _, id := range t.words[t.at[i]:t.at[i+1]] {
			if d := int(t.lengths[id]) - len(word); d > 3 || d < -3 {
				continue
			}
			if c.counts[id] == 0 {
				c.touched = append(c.touched, id)
			}
			c.counts[id]++
		}
	}
	var counts [MaxRunes + 2]int
	for _, id := range c.touched {
		counts[c.counts[id]]++
	}
	least, n := len(counts)-1, 0
	for ; least > 1 && n+counts[least] <= limit; least-- {
		n += counts[least]
	}
	if n > 0 && n+counts[least] > 4*limit {
		least++
	}
	near := c.touched[:0]
	for _, id := range c.touched {
		if int(c.counts[id]) >= least && len(near) < 4*limit {
			near = append(near, id)
		}
		c.counts[id] = 0
	}
	return near
}

// groups yields every three neighbouring letters of a word, with a mark at both ends.
func groups(w []rune) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		const edge = 1
		a, b := uint64(edge), uint64(w[0])
		for i := 1; i <= len(w); i++ {
			c := uint64(edge)
			if i < len(w) {
				c = uint64(w[i])
			}
			if !yield(a<<42 | b<<21 | c) {
				return
			}
			a, b = b, c
		}
	}
}
