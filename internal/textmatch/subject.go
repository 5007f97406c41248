package textmatch

import (
	"cmp"
	"slices"

	"github.com/qedkit/qed/internal/wordset"
)

// Alike returns a score for each of others: the sum of the weights of the words
// that it has in common with text. A word weighs more if few of the others have
// it.
func Alike(text string, others []string) []float64 {
	return InCommon(contentWords(text), others)
}

// InCommon is [Alike] for a text of which the words are given. They must be sorted
// and come from [SubjectWords].
func InCommon(asked, others []string) []float64 {
	scores := make([]float64, len(others))
	if len(asked) == 0 {
		return scores
	}
	in := make(map[string][]int, len(asked)) // indices of the others with a word
	for i, other := range others {
		for _, w := range contentWords(other) {
			if _, found := slices.BinarySearch(asked, w); found {
				in[w] = append(in[w], i)
			}
		}
	}
	for _, w := range asked {
		rarity := Rarity(len(in[w]), len(others))
		for _, i := range in[w] {
			scores[i] += rarity
		}
	}
	return scores
}

// Ranked returns the indices of the scores above 0, the highest score first. Of
// equal scores the last comes first.
func Ranked(scores []float64) []int {
	var order []int
	for i := len(scores) - 1; i >= 0; i-- {
		if scores[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// contentWords returns the content words of a text, without duplicates. They are
// sorted, because the rounding of a sum depends on its order.
func contentWords(text string) []string {
	content := Split(text, askingWords)
	slices.Sort(content)
	return slices.Compact(content)
}

// askingWords are words of a request that do not name its subject.
var askingWords = wordset.Of("about again all every find found get give have many much no out please results " +
	"retrieve row rows show tell those us")

// SubjectWords returns the sorted content words of a request for an earlier query,
// without the words that only name what to do with its result. It returns none for
// a request such as "show the last query as a bar chart".
func SubjectWords(request string) []string {
	return slices.DeleteFunc(contentWords(request), func(w string) bool { return doingWords[w] })
}

// doingWords are words for what can be done with a result.
var doingWords = stemmed("analyse analyze analysis bar chart compare data display draw earlier explain findings " +
	"graph insights last latest line pie plot previous queries query summarise summarize summary table trend trends " +
	"visualise visualize visualization")

// stemmed returns the set of the words in list as contentWords returns them.
func stemmed(list string) Set {
	set := Set{}
	for _, w := range contentWords(list) {
		set[w] = true
	}
	return set
}
