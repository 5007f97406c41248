package rag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qedkit/qed/internal/option"
)

// A Reranker scores texts by how well they answer a query, such as a cross-encoder.
// It returns one score for each text; a higher one is better. A score of zero or
// less means that the text is not relevant. It must be safe for concurrent use.
type Reranker interface {
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// ErrRerank is matched by the error of a search whose [Reranker] returns scores
// that cannot be used: too few, too many, or not a number.
var ErrRerank = errors.New("the reranker's scores cannot be used")

// Reranked returns a Searcher that finds hits with s, scores them with r, and
// returns the best K of them.
//
// candidates is the number of hits that r scores; 0 means 50. If [Query.K] is
// larger, r scores K hits. The score of r replaces that of s. An error of r is the
// error of the search. Scores that cannot be used are an error that matches
// [ErrRerank].
func Reranked(s Searcher, r Reranker, candidates int) (Searcher, error) {
	if s == nil || r == nil {
		return nil, errors.New("rag: Reranked needs a searcher and a reranker")
	}
	err := option.Default("rag: Reranked: candidates", &candidates, 50)
	return reranked{s, r, candidates}, err
}

type reranked struct {
	searcher   Searcher
	reranker   Reranker
	candidates int
}

// Search implements [Searcher].
func (x reranked) Search(ctx context.Context, q Query) ([]Hit, error) {
	k := q.K
	q.K = max(k, x.candidates)
	hits, err := x.searcher.Search(ctx, q)
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.Chunk.searchText()
	}
	scores, err := x.reranker.Rerank(ctx, q.Text, texts)
	if err != nil {
		return nil, fmt.Errorf("rag: rerank: %w", err)
	}
	if len(scores) != len(hits) {
		return nil, fmt.Errorf("rag: %w: %d scores for %d texts", ErrRerank, len(scores), len(hits))
	}
	hits = slices.Clone(hits)
	for i, score := range scores {
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return nil, fmt.Errorf("rag: %w: the score of text %d is %v", ErrRerank, i+1, score)
		}
		hits[i].Score = score
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(k, len(hits))], nil
}
