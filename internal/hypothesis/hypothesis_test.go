package hypothesis_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/internal/hypothesis"
)

var (
	short = []float64{1.1, 2.3, 2.9, 3.1, 4, 5.2}
	long  = []float64{2, 3.3, 4.9, 6.1, 7, 8.2, 9.1}
)

// berkeley has the admitted and rejected men and women of six departments: Bickel,
// Hammel and O'Connell, Science 187 (1975).
var berkeley = []hypothesis.Table2x2{
	{{512, 313}, {89, 19}}, {{353, 207}, {17, 8}}, {{120, 205}, {202, 391}},
	{{138, 279}, {131, 244}}, {{53, 138}, {94, 299}}, {{22, 351}, {24, 317}},
}

// fourDigits compares published figures.
var fourDigits = cmpopts.EquateApprox(0, 0.00005)

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func diff(t *testing.T, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, opts...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestKnownAnswers(t *testing.T) {
	wilson := must[hypothesis.Interval](t)(hypothesis.WilsonInterval(3, 20, 0.95))
	diff(t, "Wilson", hypothesis.Interval{Low: 0.0524, High: 0.3604}, wilson, fourDigits)

	welch := must[*hypothesis.TTest](t)(hypothesis.WelchT(short, long))
	diff(t, "Welch", []float64{-2.3914, 9.5285, 0.03902}, []float64{welch.T, welch.DF, welch.P}, fourDigits)

	ranks := must[*hypothesis.MannWhitneyTest](t)(hypothesis.MannWhitney(short, long))
	diff(t, "Mann-Whitney", &hypothesis.MannWhitneyTest{U: 8, P: 0.07343, Exact: true, Effect: -0.6190}, ranks, fourDigits)

	adjusted := must[[]float64](t)(hypothesis.BenjaminiHochberg(
		[]float64{.001, .008, .039, .041, .042, .06, .074, .205, .212, .216}))
	diff(t, "Benjamini-Hochberg",
		[]float64{.01, .04, .084, .084, .084, .1, .1057, .216, .216, .216}, adjusted, fourDigits)
}

func TestBerkeley(t *testing.T) {
	var pooled hypothesis.Table2x2
	for _, d := range berkeley {
		for i := range pooled {
			pooled[i][0] += d[i][0]
			pooled[i][1] += d[i][1]
		}
	}
	chi := must[*hypothesis.ChiSquareTest](t)(hypothesis.ChiSquare([][]int{pooled[0][:], pooled[1][:]}))
	within := must[*hypothesis.MantelHaenszelTest](t)(hypothesis.MantelHaenszel(berkeley))
	men := float64(pooled[0][0]) / float64(pooled[0][0]+pooled[0][1])
	women := float64(pooled[1][0]) / float64(pooled[1][0]+pooled[1][1])
	diff(t, "odds ratio", 1.841, *pooled.OddsRatio(), cmpopts.EquateApprox(0, 0.0005))
	diff(t, "chi-square", 92.205, chi.ChiSquare, cmpopts.EquateApprox(0, 0.0005))
	diff(t, "common odds ratio", 0.9047, *within.OddsRatio, fourDigits)
	diff(t, "risk difference", []float64{0.1416, -0.0184}, []float64{men - women, within.RiskDifference}, fourDigits)
}

// Two samples of rank tests that R's wilcox.test and kruskal.test document, and
// the lady who tasted tea.
func TestTextbook(t *testing.T) {
	p := must[float64](t)(hypothesis.FisherExact(hypothesis.Table2x2{{3, 1}, {1, 3}}))
	diff(t, "Fisher", 0.4857, p, fourDigits)

	h := must[*hypothesis.KruskalWallisTest](t)(hypothesis.KruskalWallis(
		[]float64{2.9, 3.0, 2.5, 2.6, 3.2}, []float64{3.8, 2.7, 4.0, 2.4}, []float64{2.8, 3.4, 3.7, 2.2, 2.0}))
	diff(t, "Kruskal-Wallis", []float64{0.7714, 0.6800}, []float64{h.H, h.P}, fourDigits)

	holm := must[[]float64](t)(hypothesis.Holm([]float64{0.01, 0.04, 0.03, 0.005}))
	diff(t, "Holm", []float64{0.03, 0.06, 0.06, 0.02}, holm, fourDigits)
}

func TestNoResult(t *testing.T) {
	nan := []float64{1, math.NaN(), 3}
	for _, test := range []struct {
		name string
		call func() error
		want error
	}{
		{"Wilson of nothing", func() error { _, err := hypothesis.WilsonInterval(0, 0, 0.95); return err }, hypothesis.ErrTooFew},
		{"Wilson of more than all", func() error { _, err := hypothesis.WilsonInterval(3, 2, 0.95); return err }, hypothesis.ErrInvalid},
		{"Wilson with certainty", func() error { _, err := hypothesis.WilsonInterval(1, 2, 1); return err }, hypothesis.ErrInvalid},
		{"Wilson with NaN", func() error { _, err := hypothesis.WilsonInterval(1, 2, math.NaN()); return err }, hypothesis.ErrInvalid},
		{"Welch of one value", func() error { _, err := hypothesis.WelchT(short, long[:1]); return err }, hypothesis.ErrTooFew},
		{"Welch of constants", func() error { _, err := hypothesis.WelchT([]float64{1, 1}, []float64{2, 2}); return err }, hypothesis.ErrConstant},
		{"Welch of NaN", func() error { _, err := hypothesis.WelchT(nan, short); return err }, hypothesis.ErrInvalid},
		{"ANOVA of one sample", func() error { _, err := hypothesis.WelchANOVA(short); return err }, hypothesis.ErrTooFew},
		{"ANOVA with a constant", func() error { _, err := hypothesis.WelchANOVA(short, []float64{2, 2}); return err }, hypothesis.ErrConstant},
		{"Mann-Whitney of nothing", func() error { _, err := hypothesis.MannWhitney(nil, short); return err }, hypothesis.ErrTooFew},
		{"Kruskal-Wallis of equal values", func() error { _, err := hypothesis.KruskalWallis([]float64{1, 1}, []float64{1}); return err }, hypothesis.ErrConstant},
		{"Kruskal-Wallis of one", func() error { _, err := hypothesis.KruskalWallis(short); return err }, hypothesis.ErrTooFew},
		{"Pearson of a constant", func() error { _, err := hypothesis.Pearson([]float64{1, 1, 1}, []float64{1, 2, 3}); return err }, hypothesis.ErrConstant},
		{"Pearson without pairs", func() error { _, err := hypothesis.Pearson(short, long); return err }, hypothesis.ErrInvalid},
		{"Spearman of two", func() error { _, err := hypothesis.Spearman(short[:2], long[:2]); return err }, hypothesis.ErrTooFew},
		{"Spearman of NaN", func() error { _, err := hypothesis.Spearman(nan, short[:3]); return err }, hypothesis.ErrInvalid},
		{"chi-square of one row", func() error { _, err := hypothesis.ChiSquare([][]int{{1, 2}}); return err }, hypothesis.ErrTooFew},
		{"chi-square of an empty row", func() error { _, err := hypothesis.ChiSquare([][]int{{1, 2}, {0, 0}}); return err }, hypothesis.ErrTooFew},
		{"chi-square of an empty column", func() error { _, err := hypothesis.ChiSquare([][]int{{1, 0}, {2, 0}}); return err }, hypothesis.ErrTooFew},
		{"chi-square of a ragged table", func() error { _, err := hypothesis.ChiSquare([][]int{{1, 2}, {1}}); return err }, hypothesis.ErrInvalid},
		{"chi-square of a negative count", func() error { _, err := hypothesis.ChiSquare([][]int{{1, 2}, {1, -1}}); return err }, hypothesis.ErrInvalid},
		{"Fisher of a negative count", func() error { _, err := hypothesis.FisherExact(hypothesis.Table2x2{{-1, 2}, {1, 1}}); return err }, hypothesis.ErrInvalid},
		{"strata of one group", func() error {
			_, err := hypothesis.MantelHaenszel([]hypothesis.Table2x2{{{1, 2}, {0, 0}}})
			return err
		}, hypothesis.ErrTooFew},
		{"strata of one outcome", func() error {
			_, err := hypothesis.MantelHaenszel([]hypothesis.Table2x2{{{1, 0}, {2, 0}}})
			return err
		}, hypothesis.ErrConstant},
		{"a p-value of 2", func() error { _, err := hypothesis.Holm([]float64{2}); return err }, hypothesis.ErrInvalid},
		{"a p-value of NaN", func() error { _, err := hypothesis.BenjaminiHochberg(nan); return err }, hypothesis.ErrInvalid},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.call(); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
		})
	}
}

func TestMannWhitneyEqual(t *testing.T) {
	got := must[*hypothesis.MannWhitneyTest](t)(hypothesis.MannWhitney([]float64{1, 1}, []float64{1}))
	diff(t, "of equal values", &hypothesis.MannWhitneyTest{U: 1, P: 1}, got)
}

// Statistics do not depend on the unit of the values, even at the limits of
// float64.
func TestHugeAndTiny(t *testing.T) {
	for _, unit := range []float64{1e307, 1e-300} {
		x, y := slices.Clone(short), slices.Clone(long)
		for i := range x {
			x[i] *= unit
		}
		for i := range y {
			y[i] *= unit
		}
		close := cmpopts.EquateApprox(1e-9, 0)
		means := cmpopts.IgnoreFields(hypothesis.TTest{}, "MeanA", "MeanB")
		diff(t, "Welch", must[*hypothesis.TTest](t)(hypothesis.WelchT(short, long)),
			must[*hypothesis.TTest](t)(hypothesis.WelchT(x, y)), close, means)
		diff(t, "ANOVA", must[*hypothesis.ANOVATest](t)(hypothesis.WelchANOVA(short, long)),
			must[*hypothesis.ANOVATest](t)(hypothesis.WelchANOVA(x, y)), close)
		diff(t, "Pearson", must[*hypothesis.CorrelationTest](t)(hypothesis.Pearson(short, long[:6])),
			must[*hypothesis.CorrelationTest](t)(hypothesis.Pearson(x, y[:6])), close)
	}
}

// Without outcomes in one group the odds ratio is not a number that JSON has.
func TestOddsRatioByZero(t *testing.T) {
	r := must[*hypothesis.MantelHaenszelTest](t)(hypothesis.MantelHaenszel([]hypothesis.Table2x2{{{5, 0}, {3, 2}}}))
	if r.OddsRatio != nil {
		t.Errorf("odds ratio %v, want none", *r.OddsRatio)
	}
	if got := (hypothesis.Table2x2{{5, 0}, {3, 2}}).OddsRatio(); got != nil {
		t.Errorf("odds ratio %v, want none", *got)
	}
}
