package values

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
)

// MeaningOptions are the options of [Dictionary.WithMeaning]. Nil and zero fields mean
// the defaults.
type MeaningOptions struct {
	// BatchSize is the number of values embedded in one call. 0 means 64.
	BatchSize int

	// MinSimilarity is the least cosine of a value that is found by its meaning. 0
	// means 0.6. Good values depend on the Embedder.
	MinSimilarity float64

	// Earlier is a dictionary with vectors of the same Embedder. Values that it has
	// are not embedded again. It may be nil.
	Earlier *Dictionary
}

// meaning has the vectors of the entries of an index.
type meaning struct {
	embedder llm.Embedder
	least    float64
	vectors  [][]float32 // of length 1, one for each entry
}

// WithMeaning returns a dictionary with the same values that finds them by meaning
// too: "waiting" can mean On hold. It embeds all values before it returns, and
// [Dictionary.Search] embeds the text in one call. The errors of the Embedder are
// returned as they are.
//
// The values of the columns go to the Embedder.
func (d *Dictionary) WithMeaning(ctx context.Context, e llm.Embedder, opt *MeaningOptions) (*Dictionary, error) {
	var o MeaningOptions
	if opt != nil {
		o = *opt
	}
	if e == nil {
		return nil, errors.New("values: WithMeaning needs an embedder")
	}
	if err := option.Default("values: MeaningOptions.BatchSize", &o.BatchSize, 64); err != nil {
		return nil, err
	}
	if err := option.Default("values: MeaningOptions.MinSimilarity", &o.MinSimilarity, 0.6); err != nil {
		return nil, err
	}
	known := map[string][]float32{}
	dimensions := 0
	if o.Earlier != nil && o.Earlier.meaning != nil {
		for i, v := range o.Earlier.meaning.vectors {
			known[o.Earlier.index.entries[i].value] = v
			dimensions = len(v)
		}
	}
	m := &meaning{embedder: e, least: o.MinSimilarity, vectors: make([][]float32, len(d.index.entries))}
	var missing []int
	for i, entry := range d.index.entries {
		if m.vectors[i] = known[entry.value]; m.vectors[i] == nil {
			missing = append(missing, i)
		}
	}
	for batch := range slices.Chunk(missing, o.BatchSize) {
		texts := make([]string, len(batch))
		for i, at := range batch {
			texts[i] = d.index.entries[at].value
		}
		vectors, err := vector.Embed(ctx, e, texts, dimensions)
		if err != nil {
			return nil, fmt.Errorf("values: %w", err)
		}
		for i, v := range vectors {
			m.vectors[batch[i]] = vector.Unit(v)
			dimensions = len(v)
		}
	}
	out := *d
	out.meaning = m
	return &out, nil
}

// byMeaning adds the values that a phrase of the text is near to. Words that name a
// value by their spelling are not looked up.
func (s *search) byMeaning(ctx context.Context, m *meaning) error {
	phrases := s.unexplained()
	if len(phrases) == 0 || len(m.vectors) == 0 {
		return nil
	}
	texts := make([]string, len(phrases))
	for i, p := range phrases {
		texts[i] = strings.ToLower(s.text[p.begin:p.end])
	}
	vectors, err := vector.Embed(ctx, m.embedder, texts, len(m.vectors[0]))
	if errors.Is(err, vector.ErrZero) {
		return nil // an embedder by words: the text has none of its words
	}
	if err != nil {
		return fmt.Errorf("values: %w", err)
	}
	for i, p := range phrases {
		asked := vector.Unit(vectors[i])
		for entry, v := range m.vectors {
			if cosine := vector.Dot(asked, v); cosine >= m.least {
				p.score, p.how = meaningShare*cosine, Meaning
				s.add(int32(entry), p)
			}
		}
	}
	return nil
}

// meaningShare keeps matches by meaning behind those by spelling.
const meaningShare = 0.7

const (
	maxPhrases      = 24 // that are embedded
	maxPhraseTokens = 3
)

// unexplained returns the phrases of the text that no value explains by its spelling,
// the single words first.
func (s *search) unexplained() []hit {
	free := make([]bool, len(s.tokens))
	for i, t := range s.tokens {
		free[i] = true
		for _, h := range s.hits {
			if h.how != Part && h.begin < t.end && t.begin < h.end {
				free[i] = false
			}
		}
	}
	var out []hit
	for n := 1; n <= maxPhraseTokens; n++ {
		for i := 0; i+n <= len(s.tokens) && len(out) < maxPhrases; i++ {
			first, last := s.tokens[i], s.tokens[i+n-1]
			if !first.weak && !last.weak && !slices.Contains(free[i:i+n], false) {
				out = append(out, hit{begin: first.begin, end: last.end})
			}
		}
	}
	return out
}
