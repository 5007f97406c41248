// Package ranking orders texts by how well they fit a query: by the words that both
// have (BM25), and by several orders together (reciprocal rank fusion).
package ranking

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/qedkit/qed/internal/words"
)

// The parameters of BM25.
const (
	saturation = 1.2 // limits what repeated words add
	LengthLoss = 0.75
)

// A Lexical scores documents by their words. It does not change.
type Lexical struct {
	postings map[string][]posting
	rarity   map[string]float64
	lengths  []float64 // of each document, as it enters the formula
}

// A posting is a document that contains a word, and how much weight it has there.
type posting struct {
	document int32
	weight   float32
}

// NewLexical indexes documents, each given by its words with their weights: how often
// they occur, or how much they say. lengthLoss is how much long documents lose, from 0
// to 1; [LengthLoss] is usual.
func NewLexical(documents []map[string]float64, lengthLoss float64) *Lexical {
	x := &Lexical{postings: map[string][]posting{}, rarity: map[string]float64{}, lengths: make([]float64, len(documents))}
	var total float64
	for i, weights := range documents {
		for word, weight := range weights {
			x.postings[word] = append(x.postings[word], posting{int32(i), float32(weight)})
			x.lengths[i] += weight
		}
		total += x.lengths[i]
	}
	average := max(1, total/float64(max(1, len(documents))))
	for i, length := range x.lengths {
		x.lengths[i] = saturation * (1 - lengthLoss + lengthLoss*length/average)
	}
	for word, in := range x.postings {
		x.rarity[word] = words.Rarity(len(in), len(documents))
	}
	return x
}

// Words returns the words of all documents, sorted.
func (x *Lexical) Words() []string {
	all := make([]string, 0, len(x.postings))
	for word := range x.postings {
		all = append(all, word)
	}
	slices.Sort(all)
	return all
}

// Rarity returns the weight of a word by how few documents have it, or 0 if none has.
func (x *Lexical) Rarity(word string) float64 { return x.rarity[word] }

// Scores returns the score of every document for words with weights. counts reports
// whether a word counts in a document; nil means that all do.
func (x *Lexical) Scores(query map[string]float64, counts func(word string, document int) bool) []float64 {
	scores := make([]float64, len(x.lengths))
	asked := make([]string, 0, len(query))
	for word := range query {
		asked = append(asked, word)
	}
	slices.Sort(asked) // sums of floats depend on their order
	for _, word := range asked {
		factor := query[word] * x.rarity[word] * (saturation + 1)
		for _, p := range x.postings[word] {
			if counts == nil || counts(word, int(p.document)) {
				weight := float64(p.weight)
				scores[p.document] += factor * weight / (weight + x.lengths[p.document])
			}
		}
	}
	return scores
}

// A Scored is the score of a document, which is given by its index.
type Scored struct {
	Document int
	Score    float64
}

// Best returns the k highest of the scores above zero, the highest first, and equal ones
// in the order of the documents.
func Best(scores []float64, k int) []Scored {
	var top worstFirst
	for document, score := range scores {
		switch {
		case score <= 0:
		case len(top) < k:
			heap.Push(&top, Scored{document, score})
		case len(top) > 0 && score > top[0].Score:
			top[0] = Scored{document, score}
			heap.Fix(&top, 0)
		}
	}
	slices.SortFunc(top, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Document, b.Document))
	})
	return top
}

// worstFirst is a heap whose first element is the next one to be replaced.
type worstFirst []Scored

func (w worstFirst) Len() int      { return len(w) }
func (w worstFirst) Swap(i, j int) { w[i], w[j] = w[j], w[i] }
func (w *worstFirst) Push(x any)   { *w = append(*w, x.(Scored)) }
func (w *worstFirst) Pop() any     { panic("ranking: Best never pops") }

func (w worstFirst) Less(i, j int) bool {
	return w[i].Score < w[j].Score || w[i].Score == w[j].Score && w[i].Document > w[j].Document
}

// rankOffset is the constant of reciprocal rank fusion (Cormack, Clarke and Buettcher,
// 2009).
const rankOffset = 60

// Fuse combines lists of scores of the same documents by their ranks, so that scores of
// different kinds count alike. A score of 0 or less has no rank.
func Fuse(lists ...[]float64) []float64 {
	out := make([]float64, len(lists[0]))
	for _, scores := range lists {
		for rank, s := range Best(scores, len(scores)) {
			out[s.Document] += 1 / float64(rankOffset+rank+1)
		}
	}
	return out
}
