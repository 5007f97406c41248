package integration

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/internal/hypothesis"
)

// A statisticsData has the arguments of all tests of package hypothesis.
type statisticsData struct {
	A      []float64             `json:"a"`
	B      []float64             `json:"b"`
	Groups [][]float64           `json:"groups"`
	X      []float64             `json:"x"`
	Y      []float64             `json:"y"`
	Counts [][]int               `json:"counts"`
	Strata []hypothesis.Table2x2 `json:"strata"`
	Count  int                   `json:"count"`
	N      int                   `json:"n"`
	P      []float64             `json:"p"`
}

const statisticsSets = 200

// newStatisticsData returns random data of set i: by its number with ties, small
// samples, unequal sizes, constant groups and differences whose p-values are
// extreme.
func newStatisticsData(i int) statisticsData {
	r := rand.New(rand.NewPCG(19, uint64(i)))
	size := func() int {
		switch {
		case i%4 == 0:
			return 2 + r.IntN(5)
		case i%25 == 1:
			return 500 + r.IntN(2000)
		}
		return 3 + r.IntN(60)
	}
	shift := []float64{0, 0.3, 2, 40}[i%4]
	draw := func(n int, mean float64) []float64 {
		constant := i%10 == 9 && r.IntN(2) == 0
		x := make([]float64, n)
		for j := range x {
			x[j] = mean + r.NormFloat64()*(1+mean/10)
			if i%3 == 0 {
				x[j] = math.Round(x[j])
			}
			if i%5 == 0 {
				x[j] = math.Exp(x[j] / 4)
			}
			if constant { // a whole number, whose mean SciPy does not round
				x[j] = math.Round(mean)
			}
		}
		return x
	}
	d := statisticsData{A: draw(size(), 0), B: draw(size(), shift)}
	for g := range 2 + r.IntN(5) {
		d.Groups = append(d.Groups, draw(size(), shift*float64(g)))
	}
	d.X = draw(3+size(), 1)
	d.Y = draw(len(d.X), 1)
	if i%2 == 0 {
		for j, x := range d.X {
			d.Y[j] = d.Y[j]/(1+shift*shift) + x
		}
	}
	most := []int{6, 40, 400, 9000}[i%4]
	columns := 2 + r.IntN(4)
	for range 2 + r.IntN(4) {
		row := make([]int, columns)
		for j := range row {
			row[j] = r.IntN(most)
		}
		d.Counts = append(d.Counts, row)
	}
	for range 1 + r.IntN(6) {
		d.Strata = append(d.Strata, hypothesis.Table2x2{{r.IntN(most), r.IntN(most)}, {r.IntN(most), r.IntN(1 + most/(1+i%7))}})
	}
	d.N = 1 + r.IntN(most)
	d.Count = r.IntN(d.N + 1)
	for range 1 + r.IntN(30) {
		d.P = append(d.P, math.Pow(r.Float64(), float64(1+i%40)))
	}
	return d
}

// results returns the figures in the form of the script. A test without a result
// is nil.
func (d *statisticsData) results() map[string][]float64 {
	all := map[string][]float64{}
	if t, err := hypothesis.WelchT(d.A, d.B); err == nil {
		all["welch"] = []float64{t.T, t.DF, t.P}
	}
	if t, err := hypothesis.MannWhitney(d.A, d.B); err == nil {
		all["mann_whitney"] = []float64{t.U, t.P}
	}
	if t, err := hypothesis.WelchANOVA(d.Groups...); err == nil {
		all["anova"] = []float64{t.F, t.DF1, t.DF2, t.P}
	}
	if t, err := hypothesis.KruskalWallis(d.Groups...); err == nil {
		all["kruskal"] = []float64{t.H, t.P}
	}
	if t, err := hypothesis.Pearson(d.X, d.Y); err == nil {
		all["pearson"] = []float64{t.R, t.P}
	}
	if t, err := hypothesis.Spearman(d.X, d.Y); err == nil {
		all["spearman"] = []float64{t.R, t.P}
	}
	if t, err := hypothesis.ChiSquare(d.Counts); err == nil {
		all["chi_square"] = []float64{t.ChiSquare, float64(t.DF), t.P, t.CramersV, t.MinExpected}
	}
	if p, err := hypothesis.FisherExact(d.Strata[0]); err == nil {
		all["fisher"] = []float64{p}
	}
	if t, err := hypothesis.MantelHaenszel(d.Strata); err == nil && t.OddsRatio != nil {
		all["strata"] = []float64{*t.OddsRatio, t.RiskDifference, t.ChiSquare, t.P}
	}
	if w, err := hypothesis.WilsonInterval(d.Count, d.N, 0.95); err == nil {
		all["wilson"] = []float64{w.Low, w.High}
	}
	if p, err := hypothesis.Holm(d.P); err == nil {
		all["holm"] = p
	}
	if p, err := hypothesis.BenjaminiHochberg(d.P); err == nil {
		all["benjamini_hochberg"] = p
	}
	return all
}

// TestStatistics compares package hypothesis with SciPy and statsmodels.
func TestStatistics(t *testing.T) {
	venv := cached("statistics")
	python := cmp.Or(os.Getenv("QED_STATISTICS_PYTHON"), filepath.Join(venv, "bin", "python"))
	if err := exec.Command(python, "-c", "import scipy, statsmodels").Run(); err != nil {
		missing(t, "statistics", fmt.Errorf("%s: %w", python, err), ".ci/engines, or pip install scipy==1.16.3 "+
			"statsmodels==0.14.5 and set QED_STATISTICS_PYTHON to that Python")
	}
	var sets []statisticsData
	for i := range statisticsSets {
		sets = append(sets, newStatisticsData(i))
	}
	in, err := json.Marshal(sets)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), python, "testdata/statistics.py")
	script.Stdin, script.Stderr = bytes.NewReader(in), os.Stderr
	out, err := script.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []map[string][]float64
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	compared, absent, extreme := map[string]int{}, map[string]int{}, 0
	for i := range sets {
		got := sets[i].results()
		for name, figures := range want[i] {
			if len(figures) != len(got[name]) {
				t.Errorf("set %d, %s: got %v, want %v", i, name, got[name], figures)
				continue
			}
			if figures == nil {
				absent[name]++
				continue
			}
			compared[name]++
			for j, w := range figures {
				if g := got[name][j]; math.Abs(g-w) > 1e-6*max(math.Abs(w), 1e-290) {
					t.Errorf("set %d, %s, figure %d: got %v, want %v", i, name, j, g, w)
				}
				if w > 0 && w < 1e-30 {
					extreme++
				}
			}
		}
	}
	t.Logf("equal: %v; without a result in both: %v; figures below 1e-30: %d", compared, absent, extreme)
	for name, n := range compared {
		if n < statisticsSets/2 {
			t.Errorf("%s was compared %d times only", name, n)
		}
	}
	if absent["welch"] == 0 || absent["anova"] == 0 || extreme == 0 {
		t.Error("the data has no constant groups or no extreme p-values")
	}
}
