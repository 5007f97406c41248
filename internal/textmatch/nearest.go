package textmatch

import (
	"cmp"
	"slices"
	"strings"
)

const (
	maxNearest   = 5
	fewTexts     = 8 // all of them are offered
	leastSimilar = 0.5
)

// Nearest returns the texts that are similar to one of those wanted, the most similar first.
// If there are few, it returns all. It sorts all in place.
func Nearest(wanted, all []string) []string {
	slices.Sort(all)
	all = slices.Compact(all)
	score := map[string]float64{}
	for _, value := range all {
		for _, want := range wanted {
			score[value] = max(score[value], likeness(want, value))
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(score[b], score[a]) })
	if len(all) > fewTexts {
		all = slices.DeleteFunc(all, func(value string) bool { return score[value] == 0 })
		all = all[:min(len(all), maxNearest)]
	}
	return all
}

// likeness returns how similar two values are, from 0 to 1: by typing errors, or because
// one contains the other, or because they begin alike.
func likeness(a, b string) float64 {
	x, y := []rune(Fold(a)), []rune(Fold(b))
	shorter := min(len(x), len(y))
	alike := 0
	for alike < shorter && x[alike] == y[alike] {
		alike++
	}
	switch similar := Similarity(x, y); {
	case shorter == 0:
		return 0
	case similar >= leastSimilar:
		return similar
	case strings.Contains(string(x), string(y)) || strings.Contains(string(y), string(x)):
		return leastSimilar
	case 2*alike >= shorter:
		return leastSimilar * float64(alike) / float64(max(len(x), len(y)))
	}
	return 0
}
