package stats

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/qedkit/qed/internal/column"
)

// meanStdDev returns the mean and the sample standard deviation of x, which is 0
// for fewer than two values. x must not be empty.
func meanStdDev(x []float64) (mean, sd float64) {
	mean = column.Mean(x)
	if len(x) < 2 || column.IsConstant(x) {
		return mean, 0
	}
	small, exp := column.Scaled(x)
	return mean, column.Unscale(stat.StdDev(small, nil), exp)
}

// quantile returns the p-quantile of sorted values, interpolated between the two
// nearest ones. It is definition 7 of Hyndman and Fan (1996), as in spreadsheets,
// NumPy, R and SQL's percentile_cont. gonum's stat.Quantile uses definition 4, in
// which the median of 1, 2, 3 and 4 is 2.
func quantile(p float64, sorted []float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	a, b, part := sorted[i], sorted[i+1], h-float64(i)
	if a == b || part == 0 {
		return a
	}
	return a*(1-part) + b*part // a + (b-a)*part could be beyond float64
}

// median sorts x.
func median(x []float64) float64 {
	slices.Sort(x)
	return quantile(0.5, x)
}

// order returns the indexes of x by ascending value, equal values by index.
func order(x []float64) []int {
	places := make([]int, len(x))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(a, b)) })
	return places
}

// ranks returns the ranks of x from 1, and the size of each set of equal values.
// Equal values share the mean of their ranks.
func ranks(x []float64) (rank []float64, ties []float64) {
	places := order(x)
	rank = make([]float64, len(x))
	for i := 0; i < len(places); {
		j := i + 1
		for j < len(places) && x[places[j]] == x[places[i]] {
			j++
		}
		for _, p := range places[i:j] {
			rank[p] = float64(i+j+1) / 2
		}
		if j-i > 1 {
			ties = append(ties, float64(j-i))
		}
		i = j
	}
	return rank, ties
}
