package stats

import (
	"cmp"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/qedkit/qed"
)

// A Summary says what is in a column. Of Numbers, Texts and Times the one of its Kind is
// there; Booleans have Texts.
type Summary struct {
	Column   string `json:"column"`
	Kind     Kind   `json:"kind"`
	Rows     int    `json:"rows"`
	Count    int    `json:"count"`           // the values that the figures rest on
	Missing  int    `json:"missing"`         // null, blank, and what stands for nothing
	Other    int    `json:"other,omitempty"` // not of the kind, and left out
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
	Q1     float64 `json:"q1"` // a quarter of the values lies below; interpolated as spreadsheets do
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	Max    float64 `json:"max"`

	// StdDev is the standard deviation with n-1. Nil: there are less than two values.
	StdDev *float64 `json:"std_dev,omitempty"`
	// Skew is the adjusted Fisher-Pearson coefficient, positive where the long tail is of
	// large values. Nil: there are less than three values, or all are equal, or would be but for
	// what reckoning rounds off.
	Skew *float64 `json:"skew,omitempty"`
}

// A TextSummary has the most frequent values of a column.
type TextSummary struct {
	Top  []ValueCount `json:"top"`            // at most ten, the most frequent first, then by text
	Rest int          `json:"rest,omitempty"` // rows whose value is not among them
}

// A ValueCount is a value and how many rows have it.
type ValueCount struct {
	Value string  `json:"value"`
	Count int     `json:"count"`
	Share float64 `json:"share"` // of the values, 0 to 1
}

// A TimeSummary says what span a column of times has. A time without a zone is UTC.
type TimeSummary struct {
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Days  float64   `json:"days"` // between them, of 24 hours
}

// topValues is how many values a TextSummary has.
const topValues = 10

// Describe summarises the columns of the names, or all of t when there are none.
// A name that t does not have is a [*ColumnError].
func Describe(t *qed.Table, columns ...string) ([]Summary, error) {
	if t == nil {
		return nil, errNoTable
	}
	var places []int
	for _, name := range columns {
		place, err := find(t, name)
		if err != nil {
			return nil, err
		}
		places = append(places, place)
	}
	if len(columns) == 0 {
		places = everyPlace(t)
	}
	var all []Summary
	for _, place := range places {
		c, err := read(t, place, false)
		if err != nil {
			return nil, err
		}
		all = append(all, c.summary())
	}
	return all, nil
}

func (c *column) summary() Summary {
	s := Summary{Column: c.name, Kind: c.kind, Rows: c.rows, Count: len(c.at), Missing: c.missing, Other: c.other}
	switch c.kind {
	case Numbers:
		s.Numbers, s.Distinct = summariseNumbers(c.numbers)
		if c.large != nil {
			s.Distinct = c.different()
		}
	case Times:
		s.Times, s.Distinct = summariseTimes(c.times)
	case Texts, Booleans:
		s.Texts, s.Distinct = summariseTexts(c.texts)
	}
	return s
}

// summariseNumbers needs one value or more.
func summariseNumbers(x []float64) (*NumberSummary, int) {
	sorted := slices.Sorted(slices.Values(x))
	mean, sd := meanStdDev(sorted)
	s := &NumberSummary{
		Sum: sum(sorted), Mean: mean,
		Min: sorted[0], Q1: quantile(0.25, sorted), Median: quantile(0.5, sorted), Q3: quantile(0.75, sorted),
		Max: sorted[len(sorted)-1],
	}
	if len(x) > 1 {
		s.StdDev = &sd
	}
	if len(x) > 2 && !isConstant(alike(x)) {
		small, _ := scaled(sorted)
		skew := finite(stat.Skew(around(small), nil))
		s.Skew = &skew
	}
	return s, len(slices.Compact(sorted))
}

// around returns how far sorted values are from the middle one, which does not change their
// skew: of large values that are near to each other, the mean would be rounded by too much.
func around(sorted []float64) []float64 {
	out := make([]float64, len(sorted))
	for i, v := range sorted {
		out[i] = v/2 - sorted[len(sorted)/2]/2 // half of it: all of it may be beyond float64
	}
	return out
}

func summariseTimes(times []time.Time) (*TimeSummary, int) {
	sorted := slices.SortedStableFunc(slices.Values(times), time.Time.Compare)
	first, last := sorted[0], sorted[len(sorted)-1]
	// Not last.Sub(first), which ends at 292 years.
	days := float64(last.Unix()-first.Unix()) / (24 * 60 * 60)
	return &TimeSummary{first, last, days}, len(slices.CompactFunc(sorted, time.Time.Equal))
}

func summariseTexts(texts []string) (*TextSummary, int) {
	counts := map[string]int{}
	for _, text := range texts {
		counts[text]++
	}
	all := make([]ValueCount, 0, len(counts))
	for value, n := range counts {
		all = append(all, ValueCount{value, n, float64(n) / float64(len(texts))})
	}
	slices.SortFunc(all, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	s := &TextSummary{Top: all[:min(len(all), topValues)], Rest: len(texts)}
	for _, v := range s.Top {
		s.Rest -= v.Count
	}
	return s, len(all)
}
