// Package likeness compares texts of a conversation: by the words that they have
// in common, and by the vectors of an embedder.
package likeness

import (
	"cmp"
	"context"
	"slices"

	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/internal/words"
	"github.com/qedkit/qed/llm"
)

// Nearness returns how near in meaning text is to each of others, by their
// vectors: 1 is the same meaning, and 0 is as near as text is to unrelated texts.
// The latter is measured with unrelated texts of the package's own, because the
// vectors of some embedders all have much the same direction.
func Nearness(ctx context.Context, e llm.Embedder, text string, others []string) ([]float64, error) {
	vectors, err := vector.Embed(ctx, e, slices.Concat(others, strangers, []string{text}), 0)
	if err != nil {
		return nil, err
	}
	units := make([][]float32, len(vectors))
	for i, v := range vectors {
		units[i] = vector.Unit(v)
	}
	own, n := units[len(units)-1], len(others)
	strange := -1.0
	for _, v := range units[n : len(units)-1] {
		strange = max(strange, vector.Dot(own, v))
	}
	near := make([]float64, n)
	if strange > 1-SameSum { // the embedder tells nothing apart
		return near, nil
	}
	for i := range near {
		near[i] = (vector.Dot(own, units[i]) - strange) / (1 - strange)
	}
	return near, nil
}

// strangers are texts that are unrelated to any query of company data.
var strangers = []string{"Snow fell on the mountains during the night.", "She plays the violin, and he bakes bread.", "Why is the sky blue?"}

const (
	LeastNear = 0.2              // texts that are less near have another subject
	SameNear  = 0.02             // where nearness differs by less, words decide
	SameSum   = vector.Precision // sums of floats that differ by less are equal
)

// Alike returns for each of others how many words it has in common with text.
// Words that few of the others have count more.
func Alike(text string, others []string) []float64 {
	return InCommon(contentWords(text), others)
}

// InCommon is like [Alike], for the sorted words of a text.
func InCommon(asked []string, others []string) []float64 {
	scores := make([]float64, len(others))
	if len(asked) == 0 {
		return scores
	}
	in := make(map[string][]int, len(asked)) // where each word is
	for i, other := range others {
		for _, w := range contentWords(other) {
			if _, found := slices.BinarySearch(asked, w); found {
				in[w] = append(in[w], i)
			}
		}
	}
	for _, w := range asked {
		rarity := words.Rarity(len(in[w]), len(others))
		for _, i := range in[w] {
			scores[i] += rarity
		}
	}
	return scores
}

// Ranked returns the indices of scores above 0, best first. Of equal scores the
// last comes first.
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

// contentWords returns the words of a text that say what it is about, each once
// and sorted: a sum of floats depends on its order.
func contentWords(text string) []string {
	content := words.Split(text, askingWords)
	slices.Sort(content)
	return slices.Compact(content)
}

// askingWords only say that something is asked for.
var askingWords = words.SetOf("about again all every find found get give have many much no out please results retrieve row rows show tell those us")

// SubjectWords returns the sorted words of a request for an earlier query that say
// which query it is, without those that say what to do with it.
func SubjectWords(request string) []string {
	return slices.DeleteFunc(contentWords(request), func(w string) bool { return doingWords[w] })
}

var doingWords = stemmed("analyse analyze analysis bar chart compare data display draw earlier explain findings graph insights last latest line pie plot previous queries query summarise " +
	"summarize summary table trend trends visualise visualize visualization")

func stemmed(list string) words.Set {
	set := words.Set{}
	for _, w := range contentWords(list) {
		set[w] = true
	}
	return set
}
