package textmatch

import (
	"maps"
	"slices"
)

// Trigrams finds words that have groups of three letters in common. The zero value has
// no words. The fields are for files.
type Trigrams struct {
	Groups  []uint64 // sorted
	At      []int32  // the words of group i are Words[At[i]:At[i+1]]
	Words   []int32  // ascending in each group
	Lengths []uint8  // of the words, in letters; 0 for those that are not found
}

// NewTrigrams returns the trigrams of n words. Words of more than [MaxRunes] letters, and
// words for which word returns nil, are not found.
func NewTrigrams(n int, word func(id int32) []rune) *Trigrams {
	t := &Trigrams{Lengths: make([]uint8, n)}
	sizes := map[uint64]int32{}
	last := map[uint64]int32{} // the word that had a group last, from 1: a word has a group once
	each := func(yield func(group uint64, id int32)) {
		clear(last)
		for id := range int32(n) {
			w := word(id)
			if len(w) == 0 || len(w) > MaxRunes {
				continue
			}
			t.Lengths[id] = uint8(len(w))
			for group := range groups(w) {
				if last[group] != id+1 {
					last[group] = id + 1
					yield(group, id)
				}
			}
		}
	}
	each(func(group uint64, _ int32) { sizes[group]++ })
	t.Groups = slices.Sorted(maps.Keys(sizes))
	t.At = make([]int32, len(t.Groups)+1)
	next := sizes // where the next word of a group goes
	for i, group := range t.Groups {
		t.At[i+1] = t.At[i] + sizes[group]
		next[group] = t.At[i]
	}
	t.Words = make([]int32, t.At[len(t.Groups)])
	each(func(group uint64, id int32) {
		t.Words[next[group]] = id
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
	c.counts = append(c.counts, make([]uint8, max(0, len(t.Lengths)-len(c.counts)))...)
	c.touched = c.touched[:0]
	for group := range groups(word) {
		i, ok := slices.BinarySearch(t.Groups, group)
		if !ok {
			continue
		}
		for _, id := range t.Words[t.At[i]:t.At[i+1]] {
			if d := int(t.Lengths[id]) - len(word); d > 3 || d < -3 {
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
