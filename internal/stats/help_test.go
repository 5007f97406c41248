package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
)

// near compares figures by nine digits.
var near = cmpopts.EquateApprox(1e-9, 1e-12)

// table makes a table of columns, each a name and its cells.
func table(t testing.TB, columns ...any) *qed.Table {
	t.Helper()
	var out qed.Table
	var cells [][]any
	for i := 0; i < len(columns); i += 2 {
		out.Columns = append(out.Columns, qed.Column{Name: columns[i].(string)})
		var column []any
		switch list := columns[i+1].(type) {
		case []any:
			column = list
		case []float64:
			for _, v := range list {
				column = append(column, v)
			}
		case []string:
			for _, v := range list {
				column = append(column, v)
			}
		default:
			t.Fatalf("a column of %T", list)
		}
		cells = append(cells, column)
	}
	for i := range cells[0] {
		row := make([]any, len(cells))
		for j := range cells {
			row[j] = cells[j][i]
		}
		if err := out.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	return &out
}

// dates returns n dates that are the given years, months and days apart.
func dates(from string, n, years, months, days int) []string {
	start, err := time.Parse(time.DateOnly, from)
	if err != nil {
		panic(err)
	}
	out := make([]string, n)
	for i := range out {
		out[i] = start.AddDate(years*i, months*i, days*i).Format(time.DateOnly)
	}
	return out
}

// noise returns n normally distributed values, the same ones for the same seed.
func noise(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

func mapped(x []float64, f func(int, float64) float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = f(i, v)
	}
	return out
}

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
	if d := cmp.Diff(want, got, append(opts, near)...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func numbers(text string) []float64 {
	var out []float64
	for _, word := range strings.Fields(text) {
		var v float64
		if _, err := fmt.Sscan(word, &v); err != nil {
			panic(err)
		}
		out = append(out, v)
	}
	return out
}

// nile is the flow of the Nile at Aswan from 1871 to 1970, in 10^8 cubic metres: Durbin and
// Koopman, Time Series Analysis by State Space Methods (2001).
var nile = numbers(`
1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140
1100 1210 1150 1250 1260 1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969
831 726 456 824 702 1120 1100 832 764 821 768 845 864 862 698 845 744 796 1040 759
781 865 845 944 984 897 822 1010 771 676 649 846 812 742 801 1040 860 874 848 890
744 749 838 1050 918 986 797 923 975 815 1020 906 901 1170 912 746 919 718 714 740`)

// airline is the number of passengers from January 1949 to December 1960, in thousands: Box
// and Jenkins, Time Series Analysis (1970), series G.
var airline = numbers(`
112 118 132 129 121 135 148 148 136 119 104 118 115 126 141 135 125 149 170 170 158 133 114 140
145 150 178 163 172 178 199 199 184 162 146 166 171 180 193 181 183 218 230 242 209 191 172 194
196 196 236 235 229 243 264 272 237 211 180 201 204 188 235 227 234 264 302 293 259 229 203 229
242 233 267 269 270 315 364 347 312 274 237 278 284 277 317 313 318 374 413 405 355 306 271 306
315 301 356 348 355 422 465 467 404 347 305 336 340 318 362 348 363 435 491 505 404 359 310 337
360 342 406 396 420 472 548 559 463 407 362 405 417 391 419 461 472 535 622 606 508 461 390 432`)

// michelson is the speed of light in 1,000 km/s less 299, times 1,000: NIST's Statistical
// Reference Datasets, Michelso.
var michelson = numbers(`
850 740 900 1070 930 850 950 980 980 880 1000 980 930 650 760 810 1000 1000 960 960
960 940 960 940 880 800 850 880 900 840 830 790 810 880 880 830 800 790 760 800
880 880 880 860 720 720 620 860 970 950 880 910 850 870 840 840 850 840 840 840
890 810 810 820 800 770 760 740 750 760 910 920 890 860 880 720 840 850 850 780
890 840 780 810 760 810 790 810 820 850 870 870 810 740 810 940 950 800 810 870`)

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
