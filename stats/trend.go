package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Trend says whether a [Series] rises or falls, by the test of Mann (1945) and Kendall
// (1975), which asks only how often a later value is larger than an earlier one. The slope
// is Sen's (1968), the median of the slopes of all pairs. Neither supposes a distribution,
// and no single value can make or hide a trend.
//
// Values that follow each other are often alike, which looks like a trend. So the variance
// of the test is corrected for the autocorrelation of what the slope leaves, as by Hamed and
// Rao (1998), but never made smaller. Of ten points or fewer without ties P is exact.
type Trend struct {
	Direction Direction `json:"direction"`
	Period    Period    `json:"period"`
	N         int       `json:"n"` // points

	Slope     float64 `json:"slope"`      // of the value, for each period
	SlopeLow  float64 `json:"slope_low"`  // with SlopeHigh the bounds of its 95 % confidence interval
	SlopeHigh float64 `json:"slope_high"` //
	Start     float64 `json:"start"`      // of the line through the medians, at the first point
	End       float64 `json:"end"`        // at the last one

	Tau        float64 `json:"tau"` // Kendall's, without regard to ties: -1 always falling, 1 always rising
	P          float64 `json:"p"`
	Correction float64 `json:"correction"` // by what the variance was multiplied: 1 means not at all

	Unclear string `json:"unclear,omitempty"` // why nothing can be said
}

// A Direction is where a trend goes.
type Direction string

const (
	Rising  Direction = "rising"
	Falling Direction = "falling"
	Flat    Direction = "none"    // P is not below 0.05
	Unknown Direction = "unknown" // it is unclear
)

const (
	minTrendPoints = 6  // of five, only those without a single exception could count
	maxExact       = 10 // points of which P is counted out

	// beyondChance is how many standard deviations away from 0 a normal value comes once in
	// twenty times.
	beyondChance = 1.959963984540054
)

// Trend returns the trend of the series.
func (s *Series) Trend() *Trend {
	t := &Trend{Direction: Unknown, Period: s.Period, N: len(s.Points), P: 1, Correction: 1}
	y := make([]float64, len(s.Points))
	at := make([]float64, len(s.Points))
	for i, p := range s.Points {
		y[i] = p.Value
		at[i] = float64(s.Period.number(p.Start))
	}
	switch {
	case s.Unclear != "":
		t.Unclear = s.Unclear
		return t
	case t.N < minTrendPoints:
		t.Unclear = tooFew(t.N, string(s.Period), minTrendPoints)
		return t
	case len(s.Points) > maxPoints:
		t.Unclear = fmt.Sprintf("it has %s points, and a trend is told of %s at most", grouped(t.N), grouped(maxPoints))
		return t
	}
	ranked := alike(y)
	if isConstant(ranked) {
		t.Direction, t.Start, t.End = Flat, y[0], y[0]
		return t
	}
	y, exp := scaled(y)
	slopes, score := compareAll(at, y, ranked)
	slope := quantile(0.5, slopes)
	left := make([]float64, len(y))
	for i := range y {
		left[i] = y[i] - slope*(at[i]-at[0])
	}
	start := median(slices.Clone(left))
	rounded(left, largest(y))

	n := float64(t.N)
	_, ties := ranks(ranked)
	variance := n * (n - 1) * (2*n + 5)
	for _, k := range ties {
		variance -= k * (k - 1) * (2*k + 5)
	}
	variance /= 18
	if t.N > maxExact {
		t.Correction = likeness(left)
	}
	sd := math.Sqrt(variance * t.Correction)
	t.Tau = score / (n * (n - 1) / 2)
	if t.N <= maxExact && ties == nil {
		t.P = exactP(t.N, score)
	} else {
		z := max(0, math.Abs(score)-1) / sd
		t.P = min(1, 2*distuv.UnitNormal.Survival(z))
	}
	low, high := bounds(slopes, sd)
	t.Slope, t.SlopeLow, t.SlopeHigh = unscale(slope, exp), unscale(low, exp), unscale(high, exp)
	t.Start, t.End = unscale(start, exp), unscale(start+slope*(at[len(at)-1]-at[0]), exp)
	switch {
	case t.P >= level:
		t.Direction = Flat
	case score > 0:
		t.Direction = Rising
	default:
		t.Direction = Falling
	}
	return t
}

// compareAll returns the slopes of all pairs, sorted, and how many more of them rise than fall,
// by what is ranked.
func compareAll(at, y, ranked []float64) (slopes []float64, score float64) {
	slopes = make([]float64, 0, len(y)*(len(y)-1)/2)
	for i := range y {
		for j := i + 1; j < len(y); j++ {
			slopes = append(slopes, (y[j]-y[i])/(at[j]-at[i]))
			switch {
			case ranked[j] > ranked[i]:
				score++
			case ranked[j] < ranked[i]:
				score--
			}
		}
	}
	slices.Sort(slopes)
	return slopes, score
}

// bounds returns the confidence interval of 95 % of Sen's slope.
func bounds(slopes []float64, sd float64) (low, high float64) {
	n, c := float64(len(slopes)), beyondChance*sd
	last := len(slopes) - 1
	i := max(0, int(math.RoundToEven((n-c)/2))-1)
	j := min(last, int(math.RoundToEven((n+c)/2)))
	return slopes[i], slopes[j]
}

// exactP returns how many of all orders of n different values have a score as far from 0.
func exactP(n int, score float64) float64 {
	// orders[k] is how many orders of i values have k pairs that fall: an i-th value can be
	// put in front of none of the others, or of any number of them.
	orders := []float64{1}
	for i := 2; i <= n; i++ {
		next := make([]float64, len(orders)+i-1)
		for k, many := range orders {
			for add := range i {
				next[k+add] += many
			}
		}
		orders = next
	}
	var far, all float64
	pairs := float64(n * (n - 1) / 2)
	for k, many := range orders {
		all += many
		if math.Abs(pairs-2*float64(k)) >= math.Abs(score) {
			far += many
		}
	}
	return far / all
}

// likeness returns by what the variance of the score grows as values are like those before
// them: the correction of Hamed and Rao, of the autocorrelations that are no chance. They are
// looked for in the first quarter of the lags, where many values have a say.
func likeness(left []float64) float64 {
	rank, _ := ranks(left)
	n := float64(len(rank))
	sure := beyondChance / math.Sqrt(n)
	var total float64
	for lag := 1; lag <= len(rank)/4; lag++ {
		r := autocorrelation(rank, lag)
		if math.Abs(r) > sure {
			k := n - float64(lag)
			total += k * (k - 1) * (k - 2) * r
		}
	}
	return max(1, 1+2/(n*(n-1)*(n-2))*total)
}

// autocorrelation returns how far values are like those that stand lag places before them,
// as a share of their variance, -1 to 1. NaN among them is unknown, and counted nowhere.
func autocorrelation(y []float64, lag int) float64 {
	var mean, all, pairs float64
	var known int
	for _, v := range y {
		if !math.IsNaN(v) {
			known++
			mean += (v - mean) / float64(known)
		}
	}
	for i, v := range y {
		if math.IsNaN(v) {
			continue
		}
		all += (v - mean) * (v - mean)
		if i >= lag && !math.IsNaN(y[i-lag]) {
			pairs += (v - mean) * (y[i-lag] - mean)
		}
	}
	if all == 0 {
		return 0
	}
	return pairs / all
}
