package resolve

// What the mistakes of people who type cost: those that happen most are the cheapest, and
// the first letter is hardly ever wrong.
const (
	costEdit   = 1.0
	costSwap   = 0.8 // of two neighbours
	costDouble = 0.5 // a letter once or twice
	costFirst  = 1.5
)

const maxWordRunes = 40 // longer words are compared as a whole

// distance is what it costs to make b of a: a restricted Damerau-Levenshtein distance with
// weights. It is more than limit where it would cost more than that.
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

// gapCost is what it costs that the other word lacks letter i of s.
func gapCost(s []rune, i int) float64 {
	switch {
	case i > 0 && s[i] == s[i-1], i+1 < len(s) && s[i] == s[i+1]:
		return costDouble
	case i == 0:
		return costFirst
	}
	return costEdit
}

// alike says how alike two different words are, from 0 to 1. A number is like no other word, and
// in a word of a few letters any mistake makes another word.
func alike(a, b []rune) float64 {
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
	return 1 - perMistake*d/float64(long)
}

// perMistake is what a mistake takes off, beside the length of the word.
const perMistake = 0.8
