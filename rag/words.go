package rag

import (
	"context"

	"github.com/qedkit/qed/internal/words"
)

// The parameters of BM25: how much a word counts that comes again, and how much
// more it counts in a short chunk.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// lexicon knows in which chunks each word is.
type lexicon struct {
	postings map[string][]posting
	lengths  []float64 // of each chunk, as BM25 weighs it
}

type posting struct {
	chunk int32
	count int32
}

func newLexicon(texts []string) *lexicon {
	l := &lexicon{postings: map[string][]posting{}, lengths: make([]float64, len(texts))}
	var total float64
	for i, text := range texts {
		counts := map[string]int32{}
		for _, w := range words.Split(text, nil) {
			counts[w]++
			l.lengths[i]++
		}
		for w, n := range counts {
			l.postings[w] = append(l.postings[w], posting{int32(i), n})
		}
		total += l.lengths[i]
	}
	average := max(1, total/float64(len(texts)))
	for i, length := range l.lengths {
		l.lengths[i] = bm25K1 * (1 - bm25B + bm25B*length/average)
	}
	return l
}

// scores weighs the words that a query and each chunk have in common.
func (l *lexicon) scores(_ context.Context, query string) ([]float64, error) {
	scores := make([]float64, len(l.lengths))
	seen := map[string]bool{}
	for _, w := range words.Split(query, nil) {
		found := l.postings[w]
		if seen[w] || len(found) == 0 {
			continue
		}
		seen[w] = true
		rarity := words.Rarity(len(found), len(scores))
		for _, p := range found {
			count := float64(p.count)
			scores[p.chunk] += rarity * count * (bm25K1 + 1) / (count + l.lengths[p.chunk])
		}
	}
	return scores, nil
}
