package hypothesis

import (
	"math"
	"slices"

	"github.com/qedkit/qed/internal/numeric"
)

// A MannWhitneyTest is the result of [MannWhitney].
type MannWhitneyTest struct {
	U     float64 `json:"u"` // pairs in which the value of the first sample is larger; equal ones are half a pair
	P     float64 `json:"p"` // two-sided
	Exact bool    `json:"exact"`

	// Effect is the rank-biserial correlation, -1 to 1: the share of pairs in which
	// the first sample is larger, less the share in which it is smaller.
	Effect float64 `json:"effect"`
}

// maxExact is the size of the smaller sample up to which MannWhitney is exact.
const maxExact = 8

// MannWhitney compares two samples by the test of Mann and Whitney (1947). P is
// exact if no values are equal and one sample has at most 8 of them. Otherwise it
// is by the normal distribution, corrected for ties and continuity, and 1 if all
// values are equal.
func MannWhitney(a, b []float64) (*MannWhitneyTest, error) {
	if err := check(1, a, b); err != nil {
		return nil, err
	}
	rank, ties := numeric.Ranks(slices.Concat(a, b))
	na, nb := float64(len(a)), float64(len(b))
	var total float64
	for _, r := range rank[:len(a)] {
		total += r
	}
	t := &MannWhitneyTest{U: total - na*(na+1)/2}
	t.Effect = 2*t.U/(na*nb) - 1
	if len(ties) == 0 && min(len(a), len(b)) <= maxExact {
		t.Exact = true
		t.P = exactP(min(len(a), len(b)), max(len(a), len(b)), int(min(t.U, na*nb-t.U)))
		return t, nil
	}
	n := na + nb
	spread := n + 1
	for _, tied := range ties {
		spread -= (tied*tied*tied - tied) / (n * (n - 1))
	}
	if len(ties) == 1 && int(ties[0]) == len(rank) {
		t.P = 1
		return t, nil
	}
	z := (max(t.U, na*nb-t.U) - na*nb/2 - 0.5) / math.Sqrt(na*nb/12*spread)
	t.P = min(1, math.Erfc(z/math.Sqrt2))
	return t, nil
}

// exactP returns the probability, two-sided, of a U of at most u for samples of m
// and n values that all differ. The number of orders with each U is a coefficient
// of a Gaussian binomial, which is built factor by factor in O(m*u).
func exactP(m, n, u int) float64 {
	ways := make([]float64, u+1)
	ways[0] = 1
	all := 1.0
	for i := 1; i <= m; i++ {
		for j := u; j >= n+i; j-- {
			ways[j] -= ways[j-n-i]
		}
		for j := i; j <= u; j++ {
			ways[j] += ways[j-i]
		}
		all *= float64(n+i) / float64(i)
	}
	var few float64
	for _, w := range ways {
		few += w
	}
	return min(1, 2*few/all)
}

// A KruskalWallisTest is the result of [KruskalWallis].
type KruskalWallisTest struct {
	H  float64 `json:"h"` // corrected for ties
	DF int     `json:"df"`
	P  float64 `json:"p"` // by the chi-squared distribution

	// Effect is the share of the variance of the ranks that the groups explain, 0
	// to 1: the eta squared of H, (H-k+1)/(n-k). Below 0.01 it is negligible, from
	// 0.06 medium, from 0.14 large (Tomczak and Tomczak, 2014).
	Effect float64 `json:"effect"`
}

// KruskalWallis compares two or more samples by the test of Kruskal and Wallis
// (1952). P is close if each sample has five values or more.
func KruskalWallis(samples ...[]float64) (*KruskalWallisTest, error) {
	if len(samples) < 2 {
		return nil, fail(ErrTooFew, "%d samples, and at least 2 are needed", len(samples))
	}
	if err := check(1, samples...); err != nil {
		return nil, err
	}
	all := slices.Concat(samples...)
	rank, ties := numeric.Ranks(all)
	n, k := float64(len(all)), float64(len(samples))
	correction := 1.0
	for _, t := range ties {
		correction -= (t*t*t - t) / (n*n*n - n)
	}
	if numeric.IsConstant(all) || correction <= 0 {
		return nil, fail(ErrConstant, "all %d are equal", len(all))
	}
	t := &KruskalWallisTest{DF: len(samples) - 1}
	var at int
	for _, g := range samples {
		var total float64
		for range g {
			total += rank[at]
			at++
		}
		// Relative to the middle rank, so that no digits cancel out.
		d := total/float64(len(g)) - (n+1)/2
		t.H += float64(len(g)) * d * d
	}
	t.H *= 12 / (n * (n + 1)) / correction
	t.P = chiSquareP(t.H, k-1)
	if n > k {
		t.Effect = max(0, min(1, (t.H-k+1)/(n-k)))
	}
	return t, nil
}
