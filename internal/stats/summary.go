package stats

import (
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
)

// A Summary describes a column. One of Numbers, Texts and Times is set, by Kind;
// Booleans have Texts.
type Summary struct {
	Column   string `json:"column"`
	Kind     Kind   `json:"kind"`
	Rows     int    `json:"rows"`
	Count    int    `json:"count"`           // values that the figures are computed from
	Missing  int    `json:"missing"`         // null, blank or a placeholder
	Other    int    `json:"other,omitempty"` // not of the Kind, and left out
	Distinct int    `json:"distinct"`

	Numbers *NumberSummary `json:"numbers,omitempty"`
	Texts   *TextSummary   `json:"texts,omitempty"`
	Times   *TimeSummary   `json:"times,omitempty"`
}

// A NumberSummary has the figures of a column of numbers.
type NumberSummary struct {
	Sum    float64 `json:"sum"`
	Mean   float64 `json:"mean"`
	Min    float64 `json:"min"`
	Q1     float64 `json:"q1"` // first quartile, interpolated as spreadsheets do
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	Max    float64 `json:"max"`

	// StdDev is the sample standard deviation. It is nil for fewer than two values.
	StdDev *float64 `json:"std_dev,omitempty"`
	// Skew is the adjusted Fisher-Pearson coefficient. It is positive if the long
	// tail has large values, and nil for fewer than three values and if all are
	// equal but for rounding errors.
	Skew *float64 `json:"skew,omitempty"`
}

// A TextSummary has the most frequent values of a column.
type TextSummary struct {
	Top  []ValueCount `json:"top"`            // at most ten, the most frequent first, then by text
	Rest int          `json:"rest,omitempty"` // rows with another value
}

// A ValueCount is a value and its number of rows.
type ValueCount struct {
	Value string  `json:"value"`
	Count int     `json:"count"`
	Share float64 `json:"share"` // of all values, 0 to 1
}

// A TimeSummary is the range of a column of times. Times without a zone are UTC.
type TimeSummary struct {
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Days  float64   `json:"days"` // between First and Last, of 24 hours
}

// topValues is the length of TextSummary.Top.
const topValues = 10

func (c *variable) summary() Summary {
	s := Summary{Column: c.Name, Kind: Kind(c.Kind), Rows: c.Rows, Count: len(c.At), Missing: c.Missing, Other: c.Other}
	switch s.Kind {
	case Numbers:
		s.Numbers, s.Distinct = summariseNumbers(c.Numbers), c.DistinctNumbers()
	case Times:
		s.Times, s.Distinct = summariseTimes(c.SortedTimes())
	case Texts, Booleans:
		s.Texts, s.Distinct = summariseTexts(c.Counts(), len(c.Texts))
	}
	return s
}

// summariseNumbers needs at least one value.
func summariseNumbers(x []float64) *NumberSummary {
	sorted := slices.Sorted(slices.Values(x))
	mean, sd := numeric.MeanStdDev(sorted)
	s := &NumberSummary{
		Sum: numeric.Sum(sorted), Mean: mean,
		Min: sorted[0], Q1: numeric.Quantile(0.25, sorted), Median: numeric.Quantile(0.5, sorted), Q3: numeric.Quantile(0.75, sorted),
		Max: sorted[len(sorted)-1],
	}
	if len(x) > 1 {
		s.StdDev = &sd
	}
	if len(x) > 2 && !numeric.IsConstant(numeric.MergeRounded(x)) {
		small, _ := numeric.Scaled(sorted)
		skew := numeric.Finite(stat.Skew(around(small), nil))
		s.Skew = &skew
	}
	return s
}

// around returns the distances of sorted values from the middle one, which have
// the same skew. The mean of large values close to each other would lose digits.
func around(sorted []float64) []float64 {
	out := make([]float64, len(sorted))
	for i, v := range sorted {
		out[i] = v/2 - sorted[len(sorted)/2]/2 // half of it: the whole may be beyond float64
	}
	return out
}

// summariseTimes needs the different times in order, and their number is the second
// result.
func summariseTimes(times []time.Time) (*TimeSummary, int) {
	first, last := times[0], times[len(times)-1]
	// last.Sub(first) is limited to 292 years.
	days := float64(last.Unix()-first.Unix()) / (24 * 60 * 60)
	return &TimeSummary{First: first, Last: last, Days: days}, len(times)
}

// summariseTexts returns the summary of n texts, and how many different ones they
// are.
func summariseTexts(counts []column.Count, n int) (*TextSummary, int) {
	s := &TextSummary{Rest: n}
	for _, v := range counts[:min(len(counts), topValues)] {
		s.Top = append(s.Top, ValueCount{Value: v.Text, Count: v.Rows, Share: float64(v.Rows) / float64(n)})
		s.Rest -= v.Rows
	}
	return s, len(counts)
}
