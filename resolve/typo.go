package resolve

import "slices"

// The costs of typing errors: frequent ones are cheap. The first letter is hardly
// ever wrong.
const (
	costEdit   = 1.0
	costSwap   = 0.8 // of neighbouring letters
	costDouble = 0.5 // a letter once in place of twice, or twice in place of once
	costFirst  = 1.5
)

const maxWordRunes = 40 // longer words only match themselves

// distance returns the cost of turning a into b: a weighted optimal string
// alignment distance. If it is more than limit, some number above limit is
// returned.
func distance(a, b []rune, limit float64) float64 {
	if len(a) > maxWordRunes || len(b) > maxWordRunes {
		return limit + 1
	}
	if d := len(a) - len(b); float64(max(d, -d))*costDouble > limit {
		return limit + 1
	}
	var rows [3][maxWordRunes + 1]float64
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

// similarity returns the similarity of two different words, from 0 to 1. Words of
// one or two letters are not similar to any other: an error makes another word.
func similarity(a, b []rune) float64 {
	long, short := max(len(a), len(b)), min(len(a), len(b))
	if short < 3 {
		return 0
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
		return 0
	}
	return 1 - perError*d/float64(long)
}

// perError is how much an error of cost 1 lowers the similarity, divided by the
// length of the word.
const perError = 0.8

// isTypo reports whether a typed word can hardly be another word than the right
// one: two neighbouring letters of a long word are swapped, or a letter is repeated
// where no word repeats it. Most other single errors make another name: Hamburg and
// Homburg, Maria and Marina, Anderson and Andersson.
func isTypo(typed, right []rune) bool {
	same := 0
	for same < min(len(typed), len(right)) && typed[same] == right[same] {
		same++
	}
	a, b := typed[same:], right[same:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case same == 0:
		return false
	case len(a) == 2 && len(b) == 2:
		return len(typed) >= minSwapped && a[0] == b[1] && a[1] == b[0]
	case len(a) == 1 && len(b) == 0:
		end := same == len(typed)-1 && a[0] == typed[same-1] && slices.Contains(neverLastTwice, a[0])
		thrice := same > 1 && a[0] == typed[same-1] && a[0] == typed[same-2]
		return len(right) >= minRepeated && (end || thrice)
	}
	return false
}

const (
	minSwapped  = 7 // letters; swapped letters of shorter words often make another, as in Brian and Brain
	minRepeated = 5
)

// neverLastTwice are letters that words hardly ever end with in pairs.
var neverLastTwice = []rune("hijquvwxy")

// doubtful lowers a score below scoreTaken, so that the user is asked.
func doubtful(score float64) float64 {
	const from = 0.80
	if score <= from {
		return score
	}
	return from + (score-from)*(scoreAsked-from)/(1-from)
}
