package numeric

import (
	"math/rand/v2"
	"slices"
)

// A Reservoir keeps rows that are drawn at random from all that are added, each with
// the same chance: algorithm R of Vitter (1985). The same rows give the same sample.
type Reservoir struct {
	Rows  [][]any // that are kept: all, in their order, until one is left out
	Total int     // rows that were added

	maxRows, maxBytes int
	bytes             int // of Rows
	random            *rand.Rand
}

const reservoirSeed = 19

// NewReservoir returns a Reservoir of at most maxRows rows, or of fewer if those need
// more than maxBytes.
func NewReservoir(maxRows, maxBytes int) *Reservoir {
	return &Reservoir{maxRows: maxRows, maxBytes: maxBytes, random: rand.New(rand.NewPCG(reservoirSeed, reservoirSeed))}
}

// Add adds a row. It keeps no reference to it.
func (r *Reservoir) Add(row []any) {
	r.Total++
	if r.Total <= r.maxRows {
		r.Rows = append(r.Rows, slices.Clone(row))
		r.bytes += weight(row)
	} else if i := r.random.IntN(r.Total); i < r.maxRows {
		r.bytes += weight(row) - weight(r.Rows[i])
		r.Rows[i] = slices.Clone(row)
	}
	for r.bytes > r.maxBytes && len(r.Rows) > 1 {
		r.halve()
	}
}

// halve keeps a random half of the rows, which is a smaller sample of the same rows.
func (r *Reservoir) halve() {
	r.random.Shuffle(len(r.Rows), func(i, j int) { r.Rows[i], r.Rows[j] = r.Rows[j], r.Rows[i] })
	r.maxRows = len(r.Rows) / 2
	r.Rows = slices.Clone(r.Rows[:r.maxRows])
	r.bytes = 0
	for _, row := range r.Rows {
		r.bytes += weight(row)
	}
}

// weight estimates the memory of a row in bytes.
func weight(row []any) int {
	bytes := 24 + 16*len(row)
	for _, cell := range row {
		text, _ := cell.(string)
		bytes += len(text)
	}
	return bytes
}
