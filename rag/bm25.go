package rag

import (
	"context"

	"github.com/qedkit/qed/internal/words"
)

// The parameters of BM25: k1 limits what repeated words add, b is how much long
// chunks lose.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// bm25 scores chunks by the words that they share with a query.
type bm25 struct {
	postings map[string][]posting // of each word
	lengths  []float64            // of each chunk, as it enters the formula
}

// A posting is a chunk that contains a word count times.
type posting struct {
	chunk int32
	count int32
}

func newBM25(texts []string) *bm25 {
	b := &bm25{postings: map[string][]posting{}, lengths: make([]float64, len(texts))}
	var total float64
	for i, text := range texts {
		counts := map[string]int32{}
		for _, w := range words.Split(text, nil) {
			counts[w]++
			b.lengths[i]++
		}
		for w, n := range counts {
			b.postings[w] = append(b.postings[w], posting{chunk: int32(i), count: n})
		}
		total += b.lengths[i]
	}
	average := max(1, total/float64(len(texts)))
	for i, length := range b.lengths {
		b.lengths[i] = bm25K1 * (1 - bm25B + bm25B*length/average)
	}
	return b
}

// scores returns the score of every chunk. A word that the query repeats counts
// once.
func (b *bm25) scores(_ context.Context, query string) ([]float64, error) {
	scores := make([]float64, len(b.lengths))
	seen := map[string]bool{}
	for _, w := range words.Split(query, nil) {
		postings := b.postings[w]
		if seen[w] || len(postings) == 0 {
			continue
		}
		seen[w] = true
		rarity := words.Rarity(len(postings), len(scores))
		for _, p := range postings {
			count := float64(p.count)
			scores[p.chunk] += rarity * count * (bm25K1 + 1) / (count + b.lengths[p.chunk])
		}
	}
	return scores, nil
}
