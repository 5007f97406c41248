package textmatch

// Trigrams finds words that have groups of three letters in common. The zero value
// has no words. It does not change while it is searched.
type Trigrams struct {
	words   map[uint64][]int32 // by group
	lengths []int              // by word, in letters
}

// Add adds a word with an id, which is higher than those before. Words of more than
// [MaxRunes] letters are not found.
func (t *Trigrams) Add(id int32, word []rune) {
	if len(word) == 0 || len(word) > MaxRunes {
		return
	}
	if t.words == nil {
		t.words = map[uint64][]int32{}
	}
	for group := range groups(word) {
		if list := t.words[group]; len(list) == 0 || list[len(list)-1] != id {
			t.words[group] = append(list, id)
		}
	}
	t.lengths = append(t.lengths, make([]int, int(id)+1-len(t.lengths))...)
	t.lengths[id] = len(word)
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
		for _, id := range t.words[group] {
			if d := t.lengths[id] - len(word); d > 3 || d < -3 {
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
