package references

// A matcher compares texts with one text by the number of characters that they
// have in common.
type matcher struct {
	b    []rune
	in   map[rune][]int // the positions of a character in b
	left [256]int16     // how often b has a character, by its last byte

	lengths, before []int // of the matches that end at a position of b, plus one
	open            []stretch
}

// A stretch is a part of both texts that is not compared yet.
type stretch struct{ aFrom, aTo, bFrom, bTo int }

func newMatcher(b []rune) *matcher {
	m := &matcher{b: b, in: map[rune][]int{}, lengths: make([]int, len(b)+1), before: make([]int, len(b)+1)}
	for i, r := range b {
		m.in[r] = append(m.in[r], i)
		m.left[byte(r)]++
	}
	return m
}

// bound returns a number that the ratio of a does not exceed: the one of the same
// characters in the best order.
func (m *matcher) bound(a []rune) float64 {
	left, common := m.left, 0
	for _, r := range a {
		if left[byte(r)] > 0 {
			left[byte(r)]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(m.b))
}

// ratio returns 2*M/T. T is the number of characters of both texts, and M the number
// of those that match: the longest common part, and then the longest common parts
// before it and after it, and so on. Of several longest ones it takes the first in
// a, and of these the first in b.
func (m *matcher) ratio(a []rune) float64 {
	common := 0
	m.open = append(m.open[:0], stretch{0, len(a), 0, len(m.b)})
	for len(m.open) > 0 {
		s := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		i, j, size := m.longest(a, s)
		if size == 0 {
			continue
		}
		common += size
		if s.aFrom < i && s.bFrom < j {
			m.open = append(m.open, stretch{s.aFrom, i, s.bFrom, j})
		}
		if i+size < s.aTo && j+size < s.bTo {
			m.open = append(m.open, stretch{i + size, s.aTo, j + size, s.bTo})
		}
	}
	return 2 * float64(common) / float64(len(a)+len(m.b))
}

// longest returns the positions and the length of the longest common part.
func (m *matcher) longest(a []rune, s stretch) (atA, atB, size int) {
	clear(m.before)
	for i := s.aFrom; i < s.aTo; i++ {
		clear(m.lengths)
		for _, j := range m.in[a[i]] {
			if j < s.bFrom {
				continue
			}
			if j >= s.bTo {
				break
			}
			n := m.before[j] + 1
			m.lengths[j+1] = n
			if n > size {
				atA, atB, size = i-n+1, j-n+1, n
			}
		}
		m.lengths, m.before = m.before, m.lengths
	}
	return atA, atB, size
}
