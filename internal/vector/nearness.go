package vector

import (
	"context"
	"slices"

	"github.com/qedkit/qed/llm"
)

// Nearness returns how near in meaning text is to each of others, measured by the
// cosine of their vectors. 1 means the same meaning. 0 means as near as the nearest
// of a few unrelated texts, which are embedded as well: some embedders return
// vectors that all have nearly the same direction. The error is that of
// [Embed].
func Nearness(ctx context.Context, e llm.Embedder, text string, others []string) ([]float64, error) {
	vectors, err := Embed(ctx, e, slices.Concat(others, unrelated, []string{text}), 0)
	if err != nil {
		return nil, err
	}
	units := make([][]float32, len(vectors))
	for i, v := range vectors {
		units[i] = Unit(v)
	}
	own, n := units[len(units)-1], len(others)
	zero := -1.0
	for _, v := range units[n : len(units)-1] {
		zero = max(zero, Dot(own, v))
	}
	near := make([]float64, n)
	if zero > 1-Precision { // the embedder returns the same vector for different texts
		return near, nil
	}
	for i := range near {
		near[i] = (Dot(own, units[i]) - zero) / (1 - zero)
	}
	return near, nil
}

// unrelated are texts that have nothing to do with any query of company data.
var unrelated = []string{
	"Snow fell on the mountains during the night.", "She plays the violin, and he bakes bread.", "Why is the sky blue?",
}

const (
	// LeastNear is the nearness below which texts have different subjects.
	LeastNear = 0.2

	// SameNear is a difference of nearness that is not significant: the words
	// in common decide.
	SameNear = 0.02
)
