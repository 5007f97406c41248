package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/qedkit/qed/internal/numeric"
)

// A Trend is the result of a trend test on a [Series], by Mann (1945) and Kendall
// (1975). The test compares all pairs of values. The slope is that of Sen (1968),
// the median of the slopes of all pairs. Neither assumes a distribution, and no
// single value can create or hide a trend.
//
// Autocorrelated values look like a trend. So the variance of the test is
// corrected for the autocorrelation of the residuals, as by Hamed and Rao (1998),
// but never reduced. P is exact for up to ten points without ties.
type Trend struct {
	Direction Direction `json:"direction"`
	Period    Period    `json:"period"`
	N         int       `json:"n"` // number of points

	Slope     float64 `json:"slope"`     // change of the value per period
	SlopeLow  float64 `json:"slope_low"` // bounds of the 95 % confidence interval
	SlopeHigh float64 `json:"slope_high"`
	Start     float64 `json:"start"` // value of the line at the first point
	End       float64 `json:"end"`   // at the last point

	Tau        float64 `json:"tau"` // Kendall's, without regard to ties: -1 always falls, 1 always rises
	P          float64 `json:"p"`
	Correction float64 `json:"correction"` // factor of the variance; 1 means no correction

	Unclear string `json:"unclear,omitempty"` // why nothing is claimed
}

// A Direction is the direction of a [Trend].
type Direction string

const (
	Rising  Direction = "rising"
	Falling Direction = "falling"
	Flat    Direction = "none"    // P is not below 0.05
	Unknown Direction = "unknown" // Unclear has the reason
)

const (
	minTrendPoints = 6  // of five, only points without any exception could be significant
	maxExact       = 10 // points for which P is computed exactly

	// beyondChance is the number of standard deviations from 0 that a normally
	// distributed value exceeds once in twenty times.
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
		t.Unclear = fmt.Sprintf("it has %s points, and a trend is computed for at most %s", grouped(t.N), grouped(maxPoints))
		return t
	}
	ranked := numeric.MergeRounded(y)
	if numeric.IsConstant(ranked) {
		t.Direction, t.Start, t.End = Flat, y[0], y[0]
		return t
	}
	y, exp := numeric.Scaled(y)
	slopes, score := compareAll(at, y, ranked)
	slope := numeric.Quantile(0.5, slopes)
	residuals := make([]float64, len(y))
	for i := range y {
		residuals[i] = y[i] - slope*(at[i]-at[0])
	}
	start := numeric.Median(slices.Clone(residuals))
	rounded(residuals, numeric.Largest(y))

	n := float64(t.N)
	_, ties := numeric.Ranks(ranked)
	variance := n * (n - 1) * (2*n + 5)
	for _, k := range ties {
		variance -= k * (k - 1) * (2*k + 5)
	}
	variance /= 18
	if t.N > maxExact {
		t.Correction = varianceFactor(residuals)
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
	t.Slope, t.SlopeLow, t.SlopeHigh = numeric.Unscale(slope, exp), numeric.Unscale(low, exp), numeric.Unscale(high, exp)
	t.Start, t.End = numeric.Unscale(start, exp), numeric.Unscale(start+slope*(at[len(at)-1]-at[0]), exp)
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

// compareAll returns the slopes of all pairs, sorted, and the number of rising
// pairs minus that of falling ones, by the values of ranked.
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

// bounds returns the 95 % confidence interval of Sen's slope.
func bounds(slopes []float64, sd float64) (low, high float64) {
	n, c := float64(len(slopes)), beyondChance*sd
	last := len(slopes) - 1
	i := max(0, int(math.RoundToEven((n-c)/2))-1)
	j := min(last, int(math.RoundToEven((n+c)/2)))
	return slopes[i], slopes[j]
}

// exactP returns the share of all orders of n different values whose score is at
// least as far from 0.
func exactP(n int, score float64) float64 {
	// orders[k] is the number of orders of i values with k falling pairs. The i-th
	// value can be inserted before any number of the others.
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

// varianceFactor returns the correction of Hamed and Rao for autocorrelated
// residuals: the factor by which the variance of the score grows. It uses the
// significant autocorrelations in the first quarter of the lags, which have enough
// pairs of values.
func varianceFactor(residuals []float64) float64 {
	rank, _ := numeric.Ranks(residuals)
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

// autocorrelation returns the correlation of values with those lag positions
// before them, -1 to 1. It skips NaN, which is an unknown value.
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
