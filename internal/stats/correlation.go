package stats

import (
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/hypothesis"
	"github.com/qedkit/qed/internal/numeric"
)

// A Correlation measures how far two columns of numbers rise and fall together.
// It does not show that one of them is the cause.
type Correlation struct {
	A string `json:"a"`
	B string `json:"b"`
	N int    `json:"n"` // rows with both

	Pearson   float64 `json:"pearson"` // of the values, for a straight line; -1 to 1
	PearsonP  float64 `json:"pearson_p"`
	Spearman  float64 `json:"spearman"` // of the ranks, for any rising or falling curve; robust to outliers
	SpearmanP float64 `json:"spearman_p"`

	Related bool   `json:"related"`           // SpearmanP is below 0.01
	Unclear string `json:"unclear,omitempty"` // why nothing is claimed
}

// minPairs is the number of pairs from which Spearman's coefficient is close
// enough to Student's t distribution.
const minPairs = 10

func correlate(a, b *variable) *Correlation {
	x, y, _ := column.InBoth(a.Column, b.Column)
	c := &Correlation{A: a.Name, B: b.Name, N: len(x), PearsonP: 1, SpearmanP: 1}
	if c.N < minPairs {
		c.Unclear = tooFew(c.N, "row", minPairs) + " that have both"
		return c
	}
	likeX, likeY := numeric.MergeRounded(x), numeric.MergeRounded(y)
	switch {
	case numeric.IsConstant(likeX):
		c.Unclear = a.allEqual("all values of " + quoted(a.Name))
		return c
	case numeric.IsConstant(likeY):
		c.Unclear = b.allEqual("all values of " + quoted(b.Name))
		return c
	}
	linear, err := hypothesis.Pearson(x, y)
	if err == nil { // or the differences are too small to be squared
		c.Pearson, c.PearsonP = linear.R, linear.P
	}
	ranked, err := hypothesis.Spearman(likeX, likeY)
	if err != nil {
		c.Unclear = "the ranks of the values do not differ"
		return c
	}
	c.Spearman, c.SpearmanP = ranked.R, ranked.P
	c.Related = c.SpearmanP < strictLevel
	return c
}
