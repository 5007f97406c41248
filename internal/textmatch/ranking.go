package textmatch

import (
	"cmp"
	"container/heap"
	"slices"
)

// The parameters of BM25.
const (
	saturation = 1.2 // limits what repeated words add
	LengthLoss = 0.75
)

// A Lexical scores documents by their words. Documents are numbered from 0 in the
// order in which they are added. Adding and removing a document costs what its own
// words cost.
type Lexical struct {
	lengthLoss float64
	ids        map[string]int32 // of words
	words      []string
	postings   [][]posting // by the id of the word
	in         []int32     // how many documents have the word, by its id
	documents  []lexicalDocument
	live       int     // documents that are not removed
	total      float64 // the lengths of the live documents
}

// A lexicalDocument is what is needed to score and to remove a document.
type lexicalDocument struct {
	words   []int32 // ids; nil after the document was removed
	length  float32
	removed bool
}

// A posting is a document that contains a word, and how much weight it has there.
type posting struct {
	document int32
	weight   float32
}

// A Weight is how often a document has a word, or how much the word says.
type Weight struct {
	Word   int32 // its id
	Weight float32
}

// NewLexical indexes documents, each given by its words with their weights: how often
// they occur, or how much they say. lengthLoss is how much long documents lose, from 0
// to 1; [LengthLoss] is usual.
func NewLexical(documents []map[string]float64, lengthLoss float64) *Lexical {
	x := &Lexical{lengthLoss: lengthLoss, ids: map[string]int32{}}
	for _, weights := range documents {
		var all []Weight
		for word, weight := range weights {
			all = append(all, Weight{x.ID(word), float32(weight)})
		}
		x.Add(all)
	}
	return x
}

// ID returns the id of a word, which is its number, from 0, in the order in which ID
// saw new words.
func (x *Lexical) ID(word string) int32 {
	id, known := x.ids[word]
	if !known {
		id = int32(len(x.words))
		x.ids[word] = id
		x.words = append(x.words, word)
		x.postings = append(x.postings, nil)
		x.in = append(x.in, 0)
	}
	return id
}

// Add adds a document.
func (x *Lexical) Add(weights []Weight) {
	d := lexicalDocument{words: make([]int32, len(weights))}
	n := int32(len(x.documents))
	for i, w := range weights {
		d.words[i] = w.Word
		d.length += w.Weight
		x.postings[w.Word] = append(x.postings[w.Word], posting{n, w.Weight})
		x.in[w.Word]++
	}
	x.documents = append(x.documents, d)
	x.live++
	x.total += float64(d.length)
}

// Remove removes a document. Its number is not used again.
func (x *Lexical) Remove(document int) {
	d := &x.documents[document]
	for _, id := range d.words {
		x.in[id]--
	}
	x.live--
	x.total -= float64(d.length)
	*d = lexicalDocument{removed: true}
}

// Weights returns the words of each document, and nil for a removed one.
func (x *Lexical) Weights() [][]Weight {
	weights := make([][]Weight, len(x.documents))
	for i, d := range x.documents {
		if !d.removed {
			weights[i] = make([]Weight, 0, len(d.words))
		}
	}
	for id, list := range x.postings {
		for _, p := range list {
			if !x.documents[p.document].removed {
				weights[p.document] = append(weights[p.document], Weight{int32(id), p.weight})
			}
		}
	}
	return weights
}

// Compacted returns a Lexical of the documents that are not removed, numbered anew.
// Words keep their ids.
func (x *Lexical) Compacted() *Lexical {
	weights := x.Weights()
	y := &Lexical{
		lengthLoss: x.lengthLoss, ids: x.ids, words: x.words,
		postings: make([][]posting, len(x.words)), in: make([]int32, len(x.words)),
	}
	for i, d := range x.documents {
		if !d.removed {
			y.Add(weights[i])
		}
	}
	return y
}

// Words returns the words of all documents, sorted.
func (x *Lexical) Words() []string {
	var all []string
	for id, word := range x.words {
		if x.in[id] > 0 {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return all
}

// Rarity returns the weight of a word by how few documents have it, or 0 if none has.
func (x *Lexical) Rarity(word string) float64 {
	id, known := x.ids[word]
	if !known || x.in[id] == 0 {
		return 0
	}
	return Rarity(int(x.in[id]), x.live)
}

// Scores returns the score of every document for words with weights. counts reports
// whether a word counts in a document; nil means that all do.
func (x *Lexical) Scores(query map[string]float64, counts func(word string, document int) bool) []float64 {
	scores := make([]float64, len(x.documents))
	asked := make([]string, 0, len(query))
	for word := range query {
		if x.Rarity(word) > 0 {
			asked = append(asked, word)
		}
	}
	slices.Sort(asked) // sums of floats depend on their order
	perLength := saturation * x.lengthLoss / max(1, x.total/float64(max(1, x.live)))
	for _, word := range asked {
		factor := query[word] * x.Rarity(word) * (saturation + 1)
		for _, p := range x.postings[x.ids[word]] {
			d := &x.documents[p.document]
			if !d.removed && (counts == nil || counts(word, int(p.document))) {
				weight := float64(p.weight)
				scores[p.document] += factor * weight / (weight + saturation*(1-x.lengthLoss) + perLength*float64(d.length))
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

// OfRank returns what a rank, from 0, adds to a fused score.
func OfRank(rank int) float64 { return 1 / float64(rankOffset+rank+1) }

// Fuse combines lists of scores of the same documents by their ranks, so that scores of
// different kinds count alike. A score of 0 or less has no rank.
func Fuse(lists ...[]float64) []float64 {
	out := make([]float64, len(lists[0]))
	for _, scores := range lists {
		for rank, s := range Best(scores, len(scores)) {
			out[s.Document] += OfRank(rank)
		}
	}
	return out
}
