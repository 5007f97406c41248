package hypothesis

import (
	"math"

	"github.com/qedkit/qed/internal/numeric"
)

// A TTest is the result of [WelchT].
type TTest struct {
	MeanA float64 `json:"mean_a"`
	MeanB float64 `json:"mean_b"`
	T     float64 `json:"t"`  // negative if the mean of the first sample is smaller
	DF    float64 `json:"df"` // by Welch and Satterthwaite
	P     float64 `json:"p"`  // two-sided

	// HedgesG is Hedges' g: the difference in pooled standard deviations, corrected
	// for small samples by 1 - 3/(4(n1+n2)-9). From 0.2 it is small, from 0.5
	// medium, from 0.8 large (Cohen, 1988).
	HedgesG float64 `json:"hedges_g"`
}

// WelchT compares two means by the t test of Welch (1947), which does not assume
// equal variances. Each sample needs at least two values, and the values of
// one of them must differ.
func WelchT(a, b []float64) (*TTest, error) {
	if err := check(2, a, b); err != nil {
		return nil, err
	}
	x, exp := numeric.ScaledAll(a, b)
	meanA, sdA := numeric.MeanStdDev(x[0])
	meanB, sdB := numeric.MeanStdDev(x[1])
	na, nb := float64(len(a)), float64(len(b))
	va, vb := sdA*sdA/na, sdB*sdB/nb
	if va+vb == 0 {
		return nil, fail(ErrConstant, "neither sample has values that differ")
	}
	t := &TTest{MeanA: numeric.Unscale(meanA, exp), MeanB: numeric.Unscale(meanB, exp)}
	t.T = (meanA - meanB) / math.Sqrt(va+vb)
	// By shares of the variance, whose squares stay within float64.
	fa, fb := va/(va+vb), vb/(va+vb)
	t.DF = 1 / (fa*fa/(na-1) + fb*fb/(nb-1))
	t.P = studentP(t.T, t.DF)
	pooled := math.Sqrt(((na-1)*sdA*sdA + (nb-1)*sdB*sdB) / (na + nb - 2))
	t.HedgesG = numeric.Finite((1 - 3/(4*(na+nb)-9)) * (meanA - meanB) / pooled)
	t.T = numeric.Finite(t.T)
	return t, nil
}

// An ANOVATest is the result of [WelchANOVA].
type ANOVATest struct {
	F   float64 `json:"f"`
	DF1 float64 `json:"df1"` // of the numerator
	DF2 float64 `json:"df2"` // of the denominator
	P   float64 `json:"p"`
}

// WelchANOVA compares the means of two or more samples by the analysis of variance
// of Welch (1951), which does not assume equal variances. Each sample needs at
// least two values that differ.
func WelchANOVA(samples ...[]float64) (*ANOVATest, error) {
	if len(samples) < 2 {
		return nil, fail(ErrTooFew, "%d samples, and at least 2 are needed", len(samples))
	}
	if err := check(2, samples...); err != nil {
		return nil, err
	}
	x, _ := numeric.ScaledAll(samples...)
	k := float64(len(x))
	means, weights := make([]float64, len(x)), make([]float64, len(x))
	var most float64
	for i, s := range x {
		mean, sd := numeric.MeanStdDev(s)
		if sd*sd == 0 {
			return nil, fail(ErrConstant, "sample %d", i+1)
		}
		means[i], weights[i] = mean, float64(len(s))/(sd*sd)
		most = max(most, weights[i])
	}
	var total, grand float64
	for i, w := range weights {
		total += w / most
		grand += w / most * means[i]
	}
	grand /= total
	var between, lambda float64
	for i, w := range weights {
		d := means[i] - grand
		between += w * d * d
		rest := 1 - w/most/total
		lambda += rest * rest / float64(len(x[i])-1)
	}
	t := &ANOVATest{DF1: k - 1, DF2: (k*k - 1) / (3 * lambda)}
	t.F = numeric.Finite(between / (k - 1) / (1 + 2*(k-2)/(k*k-1)*lambda))
	t.P = fisherP(t.F, t.DF1, t.DF2)
	return t, nil
}
