package qed

import (
	"cmp"
	"context"
	"slices"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/internal/words"
	"github.com/qedkit/qed/llm"
)

// nearness says how near in meaning a text is to each of others, by their vectors: 1 is the same, and 0 as near as it is to what has nothing to
// do with it. That is measured, as there are embedders whose vectors all have much the same direction.
func nearness(ctx context.Context, e llm.Embedder, text string, others []string) ([]float64, error) {
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
	if strange > 1-sameSum { // the embedder tells nothing apart
		return near, nil
	}
	for i := range near {
		near[i] = (vector.Dot(own, units[i]) - strange) / (1 - strange)
	}
	return near, nil
}

// strangers are texts with which no query of company data has to do.
var strangers = []string{"Snow fell on the mountains during the night.", "She plays the violin, and he bakes bread.", "Why is the sky blue?"}

const (
	leastNear = 0.2              // what is less near is another subject
	sameNear  = 0.02             // of what differs by less, words tell more
	sameSum   = vector.Precision // sums of floats that differ by less are the same
)

// tellWords tells that an embedder failed, so that words must do.
func tellWords(ctx context.Context, err error) {
	Emit(ctx, MemoryIncomplete{"earlier turns are compared by their words alone, as nothing could be embedded: " + prompt.Clip(err.Error(), maxReason)})
}

// alike weighs the words that a text has in common with each of others: rare ones among these count more. 0 means none.
func alike(text string, others []string) []float64 {
	return inCommon(contentWords(text), others)
}

// inCommon is alike of the words of a text, each once and in their order in the alphabet.
func inCommon(asked []string, others []string) []float64 {
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

// ranked returns the indices of scores above 0, best first, and of equal ones the last first: what is newer.
func ranked(scores []float64) []int {
	var order []int
	for i := len(scores) - 1; i >= 0; i-- {
		if scores[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// contentWords returns the words of a text that say what it is about, each once and in their order in the alphabet: a sum of floats depends on it.
func contentWords(text string) []string {
	content := words.Split(text, askingWords)
	slices.Sort(content)
	return slices.Compact(content)
}

// askingWords say that something is asked for, and not what.
var askingWords = words.SetOf("about again all every find found get give have many much no out please results retrieve row rows show tell those us")

// subjectWords returns the words of a request for an earlier query that say which it is, and not what is to be done with it.
func subjectWords(request string) []string {
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
