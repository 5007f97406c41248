package stats

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/qedkit/qed/internal/hypothesis"
	"github.com/qedkit/qed/internal/numeric"
)

// A Cycle is the result of a test for one cycle. The trend is removed from the
// values by a moving average over one cycle, and the phases are compared by the
// test of Kruskal and Wallis, as the X-11 method tests for stable seasonality.
type Cycle struct {
	Name   CycleName `json:"name"`
	Found  bool      `json:"found"` // P is below 0.01, and Autocorrelation is significant
	N      int       `json:"n"`     // periods in the test
	Cycles float64   `json:"cycles"`

	// Strength is the share of the variance of the ranks, without the trend, that
	// the cycle explains, 0 to 1: the eta squared of the test.
	Strength float64 `json:"strength"`
	H        float64 `json:"h"`
	DF       int     `json:"df"`
	P        float64 `json:"p"`

	// Autocorrelation is the correlation of the values with those one cycle
	// earlier, without the trend, -1 to 1.
	Autocorrelation float64 `json:"autocorrelation"`

	Phases  []Phase `json:"phases,omitempty"`  // in calendar order
	Unclear string  `json:"unclear,omitempty"` // why nothing is claimed
}

// A Phase is one part of a [Cycle], such as all Mondays.
type Phase struct {
	Name   string  `json:"name"`
	N      int     `json:"n"`      // periods with a value
	Median float64 `json:"median"` // of these values
	Effect float64 `json:"effect"` // median distance from the moving average
}

// A CycleName names a cycle.
type CycleName string

const (
	HourOfDay     CycleName = "hour of day"
	Weekday       CycleName = "weekday"
	MonthOfYear   CycleName = "month of year"
	QuarterOfYear CycleName = "quarter of year"
)

// cycles are the cycles that are tested: the period, the number of periods, and
// the names of the phases.
var cycles = []struct {
	name   CycleName
	period Period
	length int
	zero   int // phase of the period with number 0
	phase  func(time.Time) string
}{
	{HourOfDay, Hour, 24, 0, func(t time.Time) string { return t.Format("15:00") }},
	{Weekday, Day, 7, 3, func(t time.Time) string { return t.Weekday().String() }},
	{MonthOfYear, Month, 12, 0, func(t time.Time) string { return t.Month().String() }},
	{QuarterOfYear, Quarter, 4, 0, func(t time.Time) string { return fmt.Sprintf("Q%d", (t.Month()+2)/3) }},
}

const (
	minCycles      = 3       // the moving average loses half a cycle at either end
	maxCyclePoints = 100_000 // eleven years of hours
	averageBits    = 42      // of the 53 of a float64, relative to the average
)

// seasonality tests the hours of the day, the days of the week, the months and the quarters of
// the year, in this order.
func (d *dated) seasonality() (all []Cycle) {
	for i := range cycles {
		all = append(all, d.cycle(i))
	}
	return all
}

func (d *dated) cycle(which int) Cycle {
	kind := cycles[which]
	c := Cycle{Name: kind.name, P: 1}
	if len(d.times) == 0 {
		c.Unclear = "no row has a time and a value"
		return c
	}
	span := d.span(kind.period)
	c.Cycles = float64(span) / float64(kind.length)
	switch {
	case c.Cycles < minCycles:
		c.Unclear = "the data cover " + tooFew(span, string(kind.period), minCycles*kind.length)
		return c
	case span > maxCyclePoints:
		c.Unclear = fmt.Sprintf("the data cover more than %s %ss", grouped(maxCyclePoints), kind.period)
		return c
	case d.gap(kind.period) > kind.length/2:
		c.Unclear = fmt.Sprintf("most of the times are more than %d %ss apart", kind.length/2, kind.period)
		return c
	}
	s := d.series(kind.period)
	if len(s.Points) == 0 {
		c.Unclear = s.Unclear
		return c
	}
	y, exp := s.regular()
	free := withoutTrend(y, kind.length)
	first := kind.period.number(s.Points[0].Start)

	var tested [][]float64
	for phase := range kind.length {
		var values, effects []float64
		var name string
		for i := range y {
			if floorMod(first+i+kind.zero, kind.length) != phase || math.IsNaN(y[i]) {
				continue
			}
			name = kind.phase(kind.period.start(first + i))
			values = append(values, y[i])
			if !math.IsNaN(free[i]) {
				effects = append(effects, free[i])
			}
		}
		if len(effects) < 2 {
			continue
		}
		tested = append(tested, effects)
		c.N += len(effects)
		c.Phases = append(c.Phases, Phase{
			Name: name, N: len(values),
			Median: numeric.Unscale(numeric.Median(values), exp), Effect: numeric.Unscale(numeric.Median(slices.Clone(effects)), exp),
		})
	}
	if len(tested) < 2 {
		c.Unclear = tooFew(len(tested), "phase", 2)
		return c
	}
	r, err := hypothesis.KruskalWallis(tested...)
	if err != nil {
		c.Unclear = "all values are the same"
		return c
	}
	c.H, c.DF, c.P, c.Strength = r.H, r.DF, r.P, r.Effect
	c.Autocorrelation = autocorrelation(free, kind.length)
	c.Found = c.P < strictLevel && c.Autocorrelation > beyondChance/math.Sqrt(float64(c.N))
	return c
}

// gap returns the median distance between periods that have values.
func (d *dated) gap(p Period) int {
	var gaps []float64
	last := p.number(d.times[0])
	for _, t := range d.times {
		if n := p.number(t); n != last {
			gaps = append(gaps, float64(n-last))
			last = n
		}
	}
	return int(numeric.Median(gaps))
}

// regular returns the values of all periods from the first to the last, NaN for a
// period without a value, and the exponent that they are scaled by.
func (s *Series) regular() ([]float64, int) {
	first := s.Period.number(s.Points[0].Start)
	y := make([]float64, s.Period.number(s.Points[len(s.Points)-1].Start)-first+1)
	for i := range y {
		y[i] = math.NaN()
	}
	for _, p := range s.Points {
		y[s.Period.number(p.Start)-first] = p.Value
	}
	return numeric.Scaled(y)
}

// withoutTrend subtracts from each value the average of the cycle around it. In a
// cycle of even length both ends of the average count half. The first and last
// values have no such average and become NaN.
func withoutTrend(y []float64, length int) []float64 {
	free := make([]float64, len(y))
	for i := range y {
		free[i] = math.NaN()
		lo, hi := i-length/2, i+length/2
		if lo < 0 || hi >= len(y) || math.IsNaN(y[i]) {
			continue
		}
		var values, weights []float64
		for j := lo; j <= hi; j++ {
			if math.IsNaN(y[j]) {
				continue
			}
			weight := 1.0
			if length%2 == 0 && (j == lo || j == hi) {
				weight = 0.5
			}
			values, weights = append(values, y[j]), append(weights, weight)
		}
		if len(values) > 1 {
			free[i] = y[i] - stat.Mean(values, weights)
		}
	}
	// Rounding errors of the average would give equal values different ranks.
	rounded(free, numeric.Largest(y))
	return free
}

func floorMod(a, b int) int { return ((a % b) + b) % b }
