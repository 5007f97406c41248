package textmatch

import "math"

// The costs of typing errors: frequent ones are cheap. The first letter is hardly
// ever wrong.
const (
	costEdit   = 1.0
	costSwap   = 0.8 // of neighbouring letters
	costDouble = 0.5 // a letter once in place of twice, or twice in place of once
	costFirst  = 1.5
)

// MaxRunes is the length of the longest word that is similar to another.
const MaxRunes = 40

// distance returns the cost of turning a into b: a weighted optimal string
// alignment distance. If it is more than limit, some number above limit is
// returned.
func distance(a, b []rune, limit float64) float64 {
	if len(a) > MaxRunes || len(b) > MaxRunes {
		return limit + 1
	}
	if d := len(a) - len(b); float64(max(d, -d))*costDouble > limit {
		return limit + 1
	}
	var rows [3][MaxRunes + 1]float64
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := 1; j <= len(b); j++ {
		last[j] = last[j-1] + gapCost(b, j-1)
	}
	for i := 1; i <= len(a); i++ {
		row[0] = last[0] + gapCost(a, i-1)
		best := row[0]
		for j := 1; j <= len(b); j++ {
			change := costEdit
			switch {
			case a[i-1] == b[j-1]:
				change = 0
			case i == 1 && j == 1:
				change = costFirst
			}
			row[j] = min(last[j]+gapCost(a, i-1), row[j-1]+gapCost(b, j-1), last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+costSwap)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// gapCost is the cost of leaving out letter i of s.
func gapCost(s []rune, i int) float64 {
	switch {
	case i > 0 && s[i] == s[i-1], i+1 < len(s) && s[i] == s[i+1]:
		return costDouble
	case i == 0:
		return costFirst
	}
	return costEdit
}

// Similarity returns the similarity of two different words, from 0 to 1. Words of
// one or two letters are not similar to any other: an error makes another word.
func Similarity(a, b []rune) float64 {
	d := Errors(a, b)
	if math.IsInf(d, 1) {
		return 0
	}
	return 1 - perError*d/float64(max(len(a), len(b)))
}

// Errors returns how many typing errors make one word of another. Frequent errors count
// less than one, and a false first letter more. It is infinite if the words are different
// ones: they have more errors than a word of their length can have.
func Errors(a, b []rune) float64 {
	long, short := max(len(a), len(b)), min(len(a), len(b))
	if short < 3 {
		return math.Inf(1)
	}
	limit := 2.5
	switch {
	case long <= 5:
		limit = 1
	case long <= 8:
		limit = 2
	}
	d := distance(a, b, limit)
	if d > limit {
		return math.Inf(1)
	}
	return d
}

// perError is how much an error of cost 1 lowers the similarity, divided by the
// length of the word.
const perError = 0.8
