package references

// A matcher compares names with one name by the number of characters that they have in common.
type matcher struct {
	length int
	index  map[rune]int // of the characters of the name
	counts []int        // how often it has each
	left   []int
}

func newMatcher(b []rune) *matcher {
	m := &matcher{length: len(b), index: map[rune]int{}}
	for _, r := range b {
		i, ok := m.index[r]
		if !ok {
			i = len(m.counts)
			m.index[r], m.counts = i, append(m.counts, 0)
		}
		m.counts[i]++
	}
	return m
}

// ratio returns 2*M/T. T is the number of characters of both names, and M the number of those
// that they have in common, in any order.
func (m *matcher) ratio(a []rune) float64 {
	m.left = append(m.left[:0], m.counts...)
	common := 0
	for _, r := range a {
		if i, ok := m.index[r]; ok && m.left[i] > 0 {
			m.left[i]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+m.length)
}
