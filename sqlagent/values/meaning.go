package values

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
)

// minSimilarity is the least cosine of a value and the words that mean it.
const minSimilarity = 0.65

// meaning has the vectors of the values of an index. Vectors have length 1.
type meaning struct {
	embedder llm.Embedder
	vectors  [][]float32 // one for each entry
	asked    []asked     // one for each column that has an entry
}

// asked is a question that names a value of a column. A text that means the value in
// other words is more like this question than it is like the value alone.
type asked struct {
	entry, column int32
	text          string
	vector        []float32
}

// WithMeaning returns a dictionary with the same values whose [Dictionary.Search]
// also finds them by meaning: "waiting" can mean On hold.
//
// Search then compares the words of the text, and the text as a whole, with the
// values. The whole text adds at most one value of a column, for at most two columns.
//
// WithMeaning sends all values to the Embedder before it returns, each alone and in a
// question that names it. Each Search sends the text in one call. The errors of the
// Embedder are returned as they are.
func (d *Dictionary) WithMeaning(ctx context.Context, e llm.Embedder) (*Dictionary, error) {
	if e == nil {
		return nil, errors.New("values: WithMeaning needs an embedder")
	}
	m := &meaning{embedder: e}
	var texts []string
	for i, value := range d.index.Values {
		texts = append(texts, value)
		for _, c := range d.index.InColumns.of(int32(i)) {
			column := d.index.columns[c]
			m.asked = append(m.asked, asked{entry: int32(i), column: c, text: fmt.Sprintf("Which %s have the %s %s",
				textmatch.Spaced(column.table), textmatch.Spaced(column.column), value)})
		}
	}
	for _, a := range m.asked {
		texts = append(texts, a.text)
	}
	known, err := embedAll(ctx, e, texts)
	if err != nil {
		return nil, err
	}
	for _, value := range d.index.Values {
		m.vectors = append(m.vectors, known[value])
	}
	for i := range m.asked {
		m.asked[i].vector = known[m.asked[i].text]
	}
	out := *d
	out.meaning = m
	return &out, nil
}

// embedAll returns the vectors of texts.
func embedAll(ctx context.Context, e llm.Embedder, texts []string) (map[string][]float32, error) {
	known := map[string][]float32{}
	dimensions := 0
	var missing []string
	for _, text := range texts {
		if _, ok := known[text]; !ok {
			known[text] = nil
			missing = append(missing, text)
		}
	}
	for part := range slices.Chunk(missing, batchSize) {
		vectors, err := vector.Embed(ctx, e, part, dimensions)
		if err != nil {
			return nil, fmt.Errorf("values: %w", err)
		}
		for i, v := range vectors {
			known[part[i]] = vector.Unit(v)
			dimensions = len(v)
		}
	}
	return known, nil
}

// byMeaning adds the values that a phrase of the text, or the whole text, is near to.
// Words that name a value by their spelling are not looked up.
func (s *search) byMeaning(ctx context.Context, m *meaning, columns func(table, column string) bool) error {
	phrases := s.unexplained()
	if len(phrases) == 0 || len(m.vectors) == 0 {
		return nil
	}
	spelled := s.spelled()
	texts := []string{prompt.Clip(strings.TrimRight(s.text, "?!. "), maxAskedText)}
	for _, p := range phrases {
		texts = append(texts, strings.ToLower(s.text[p.begin:p.end]))
	}
	vectors, err := vector.Embed(ctx, m.embedder, texts, len(m.vectors[0]))
	if errors.Is(err, vector.ErrZero) {
		return nil // an embedder by words: the text has none of its words
	}
	if err != nil {
		return fmt.Errorf("values: %w", err)
	}
	for i, v := range vectors {
		vectors[i] = vector.Unit(v)
	}
	best := map[int32]asked{} // by column
	nearness := map[int32]float64{}
	for _, a := range m.asked {
		c := &s.columns[a.column]
		if near := vector.Dot(vectors[0], a.vector); near >= leastOfText && near > nearness[a.column] && !spelled[a.column] &&
			(columns == nil || columns(c.table, c.column)) {
			best[a.column], nearness[a.column] = a, near
		}
	}
	order := slices.SortedFunc(maps.Keys(best), func(a, b int32) int {
		return cmp.Or(cmp.Compare(nearness[b], nearness[a]), cmp.Compare(a, b))
	})
	for _, c := range order[:min(len(order), maxAsked)] {
		said := phrases[0]
		most := math.Inf(-1)
		for i, p := range phrases {
			if near := vector.Dot(vectors[i+1], m.vectors[best[c].entry]); near > most {
				said, most = p, near
			}
		}
		said.score, said.how, said.column = meaningShare*nearness[c], Meaning, &s.columns[c]
		s.add(best[c].entry, said)
	}
	for i, p := range phrases {
		for entry, v := range m.vectors {
			if cosine := vector.Dot(vectors[i+1], v); cosine >= minSimilarity {
				p.score, p.how = meaningShare*cosine, Meaning
				s.add(int32(entry), p)
			}
		}
	}
	return nil
}

// spelled returns the columns of which the text has a value by its spelling.
func (s *search) spelled() map[int32]bool {
	out := map[int32]bool{}
	for id, h := range s.hits {
		if h.how != Part {
			for _, c := range s.InColumns.of(id) {
				out[c] = true
			}
		}
	}
	return out
}

// meaningShare keeps matches by meaning behind those by spelling.
const meaningShare = 0.7

const (
	batchSize = 64 // values embedded in one call

	// leastOfText is the least cosine of the text and of a question that names the
	// value, such as "Which work orders have the status On hold".
	leastOfText = 0.38

	maxPhrases      = 24 // that are embedded
	maxPhraseTokens = 3
	maxAskedText    = 1000 // bytes
	maxAsked        = 2    // columns of which the text means a value as a whole
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
			if s.means(first) && s.means(last) && !slices.Contains(free[i:i+n], false) {
				out = append(out, hit{begin: first.begin, end: last.end})
			}
		}
	}
	return out
}

// means reports whether a word can mean something alone, such as HR.
func (s *search) means(t token) bool { return !t.weak || s.emphasised(t.begin, t.end, true) }
