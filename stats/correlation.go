package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
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

// Correlate correlates two columns of numbers over the rows that have both. The
// errors.Is targets are ErrUnknownField, ErrAmbiguousColumn and ErrFieldType.
func Correlate(t *qed.Table, a, b string) (*Correlation, error) {
	x, err := numeric(t, a)
	if err != nil {
		return nil, err
	}
	y, err := numeric(t, b)
	if err != nil {
		return nil, err
	}
	return correlate(x, y), nil
}

func correlate(a, b *variable) *Correlation {
	var x, y []float64
	for i, j := 0, 0; i < len(a.At) && j < len(b.At); {
		switch {
		case a.At[i] < b.At[j]:
			i++
		case a.At[i] > b.At[j]:
			j++
		default:
			x, y = append(x, a.Numbers[i]), append(y, b.Numbers[j])
			i, j = i+1, j+1
		}
	}
	c := &Correlation{A: a.Name, B: b.Name, N: len(x), PearsonP: 1, SpearmanP: 1}
	if c.N < minPairs {
		c.Unclear = tooFew(c.N, "row", minPairs) + " that have both"
		return c
	}
	likeX, likeY := mergeRounded(x), mergeRounded(y)
	switch {
	case column.IsConstant(likeX):
		c.Unclear = a.allEqual("all values of " + quoted(a.Name))
		return c
	case column.IsConstant(likeY):
		c.Unclear = b.allEqual("all values of " + quoted(b.Name))
		return c
	}
	c.Pearson, c.PearsonP = pearson(x, y)
	rx, _ := ranks(likeX)
	ry, _ := ranks(likeY)
	c.Spearman, c.SpearmanP = pearson(rx, ry)
	c.Related = c.SpearmanP < strictLevel
	return c
}

// pearson returns the correlation of x and y, and the probability of one at
// least as far from 0 by chance.
func pearson(x, y []float64) (r, p float64) {
	x, _ = column.Scaled(x)
	y, _ = column.Scaled(y)
	r = max(-1, min(1, stat.Correlation(x, y, nil)))
	if math.IsNaN(r) { // the differences are too small to be squared
		return 0, 1
	}
	if math.Abs(r) == 1 {
		return r, 0
	}
	df := float64(len(x) - 2)
	t := math.Abs(r) * math.Sqrt(df/((1-r)*(1+r)))
	return r, 2 * distuv.StudentsT{Sigma: 1, Nu: df}.Survival(t)
}
