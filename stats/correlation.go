package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/qedkit/qed"
)

// A Correlation says how far two columns of numbers rise and fall together. It is no word on
// which of them is the cause.
type Correlation struct {
	A string `json:"a"`
	B string `json:"b"`
	N int    `json:"n"` // rows that have both

	Pearson   float64 `json:"pearson"` // of the values: a straight line; -1 to 1
	PearsonP  float64 `json:"pearson_p"`
	Spearman  float64 `json:"spearman"` // of the ranks: any rising or falling curve, few outliers do not matter
	SpearmanP float64 `json:"spearman_p"`

	Related bool   `json:"related"`           // SpearmanP is below 0.01
	Unclear string `json:"unclear,omitempty"` // why nothing can be said
}

// minPairs is from how many pairs on the distribution of Spearman's coefficient is near
// enough to Student's t.
const minPairs = 10

// Correlate correlates two columns of numbers over the rows that have both. A column that t
// does not have or that has no numbers is a [*ColumnError].
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

func correlate(a, b *column) *Correlation {
	var x, y []float64
	for i, j := 0, 0; i < len(a.at) && j < len(b.at); {
		switch {
		case a.at[i] < b.at[j]:
			i++
		case a.at[i] > b.at[j]:
			j++
		default:
			x, y = append(x, a.numbers[i]), append(y, b.numbers[j])
			i, j = i+1, j+1
		}
	}
	c := &Correlation{A: a.name, B: b.name, N: len(x), PearsonP: 1, SpearmanP: 1}
	if c.N < minPairs {
		c.Unclear = tooFew(c.N, "row", minPairs) + " that have both"
		return c
	}
	likeX, likeY := alike(x), alike(y)
	switch {
	case isConstant(likeX):
		c.Unclear = a.same("all values of " + quoted(a.name))
		return c
	case isConstant(likeY):
		c.Unclear = b.same("all values of " + quoted(b.name))
		return c
	}
	c.Pearson, c.PearsonP = pearson(x, y)
	rx, _ := ranks(likeX)
	ry, _ := ranks(likeY)
	c.Spearman, c.SpearmanP = pearson(rx, ry)
	c.Related = c.SpearmanP < strictLevel
	return c
}

// pearson returns the correlation of x and y and how likely one so far from 0 is by chance.
func pearson(x, y []float64) (r, p float64) {
	x, _ = scaled(x)
	y, _ = scaled(y)
	r = max(-1, min(1, stat.Correlation(x, y, nil)))
	if math.IsNaN(r) { // they differ by less than a square of them can show
		return 0, 1
	}
	if math.Abs(r) == 1 {
		return r, 0
	}
	df := float64(len(x) - 2)
	t := math.Abs(r) * math.Sqrt(df/((1-r)*(1+r)))
	return r, 2 * distuv.StudentsT{Sigma: 1, Nu: df}.Survival(t)
}
