package claims

import (
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
)

// maxTallied is how many groups, or values of groups, a Tally counts.
const maxTallied = 10_000

// A Tally has the exact counts and sums of the groups of a claim, of rows that pass and
// of which only a sample is kept.
type Tally struct {
	metric, by int
	means      bool
	reader     column.Reader
	sums       map[string]*tallied
	values     map[[2]string]int // rows by group and value
}

type tallied struct {
	n   int
	sum numeric.Stream
}

// NewTally returns the Tally of a claim about rows with these columns. It is nil, and
// stays empty, for a claim that has no counts or means.
func NewTally(columns []qed.Column, claim *Claim) *Tally {
	if claim == nil || claim.OfResult() || claim.Kind == Correlation {
		return nil
	}
	index := func(name string) int {
		return slices.IndexFunc(columns, func(c qed.Column) bool { return c.Name == name })
	}
	t := &Tally{
		metric: index(claim.Metric), by: index(claim.By), means: claim.Kind == Means,
		sums: map[string]*tallied{}, values: map[[2]string]int{},
	}
	if t.metric < 0 || t.by < 0 && claim.Kind != Share {
		return nil // Check refuses the claim
	}
	t.reader = column.NewReader(columns[t.metric].Type, column.Numbers)
	return t
}

// Add adds a row. It keeps no reference to it.
func (t *Tally) Add(row []any) {
	if !t.complete() {
		return
	}
	group := ""
	if t.by >= 0 {
		name, ok := column.Text(row[t.by])
		if !ok {
			return
		}
		group = name
	}
	if !t.means {
		if value, ok := column.Text(row[t.metric]); ok {
			t.values[[2]string{group, value}]++
		}
		return
	}
	if class, number, _, err := t.reader.Classify(row[t.metric]); err == nil && class == column.CellNumber {
		s := t.sums[group]
		if s == nil {
			s = &tallied{}
			t.sums[group] = s
		}
		s.n++
		s.sum.Add(number, 1)
	}
}

// complete reports whether the Tally counted all rows.
func (t *Tally) complete() bool {
	return t != nil && len(t.sums) <= maxTallied && len(t.values) <= maxTallied
}

// mean returns the mean of a group, or the share of an outcome. It is nil if it is
// unknown.
func (t *Tally) mean(group, outcome string) *float64 {
	if !t.complete() {
		return nil
	}
	var mean float64
	if t.means {
		s := t.sums[group]
		if s == nil {
			return nil
		}
		mean = numeric.Finite(s.sum.Mean())
		return &mean
	}
	with, all := t.count(group, outcome)
	if all == 0 {
		return nil
	}
	mean = float64(with) / float64(all)
	return &mean
}

// count returns how many rows of a group have the outcome, and how many have a value.
func (t *Tally) count(group, outcome string) (with, all int) {
	for key, n := range t.values {
		if key[0] != group {
			continue
		}
		all += n
		if key[1] == outcome {
			with += n
		}
	}
	return with, all
}
