package profile_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/analyst/profile"
	"github.com/qedkit/qed/internal/stats"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// cells returns a source with a column v of these cells.
func cells(t testing.TB, columnType string, values ...any) profile.Source {
	t.Helper()
	return table(t, "v "+columnType, len(values), func(row int, cells []any) { cells[0] = values[row] })
}

func read(t testing.TB, s profile.Source, opt *profile.Options) *profile.Profile {
	t.Helper()
	p, err := profile.Read(t.Context(), s, opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(p); err != nil {
		t.Error(err)
	}
	return p
}

func ptr[T any](v T) *T { return &v }

func TestColumns(t *testing.T) {
	type (
		column  = profile.Column
		figure  = profile.Figure
		count   = profile.Count
		problem = profile.ProblemKind
	)
	for _, test := range []struct {
		name, columnType string
		cells            []any
		want             column
		problems         []problem
	}{
		{"numbers", "INTEGER", []any{1, 2, 2, nil, 4}, column{Kind: profile.Numbers, Values: 4, Nulls: ptr(1), Distinct: figure{Value: 3},
			Min: int64(1), Max: int64(4), Mean: ptr(2.25), Mode: &count{Value: int64(2), Rows: 2},
			Quantiles: &profile.Quantiles{P05: 1.15, Q1: 1.75, Median: 2, Q3: 2.5, P95: 3.7}}, nil},
		{"outliers", "REAL", []any{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 100.0}, column{Kind: profile.Numbers, Values: 9, Nulls: ptr(0), Distinct: figure{Value: 9},
			Min: 1.0, Max: 100.0, Mean: ptr(136.0 / 9), Quantiles: &profile.Quantiles{P05: 1.4, Q1: 3, Median: 5, Q3: 7, P95: 63.2},
			OutliersIQR: &profile.Outliers{Low: -3, High: 13, Count: 1}, OutliersMAD: &profile.Outliers{Low: 5 - 7/0.6745, High: 5 + 7/0.6745, Count: 1}}, nil},
		{"half of the numbers are equal", "INTEGER", []any{5, 5, 5, 5, 5, 5, 5, 5, 90}, column{Kind: profile.Numbers, Values: 9, Nulls: ptr(0), Distinct: figure{Value: 2},
			Min: int64(5), Max: int64(90), Mean: ptr(130.0 / 9), Mode: &count{Value: int64(5), Rows: 8}, Quantiles: &profile.Quantiles{P05: 5, Q1: 5, Median: 5, Q3: 5, P95: 56},
			OutliersIQR: &profile.Outliers{Low: 5, High: 90},
			OutliersMAD: &profile.Outliers{Low: 5 - 3.5*1.253314*85/9, High: 5 + 3.5*1.253314*85/9, Count: 1}}, nil},
		{"constant", "INTEGER", []any{7, 7}, column{Kind: profile.Numbers, Values: 2, Nulls: ptr(0), Distinct: figure{Value: 1},
			Min: int64(7), Max: int64(7), Mean: ptr(7.0), Mode: &count{Value: int64(7), Rows: 2},
			Quantiles: &profile.Quantiles{P05: 7, Q1: 7, Median: 7, Q3: 7, P95: 7}}, []problem{profile.Constant}},
		{"one value", "TEXT", []any{"a"}, column{Kind: profile.Texts, Values: 1, Nulls: ptr(0), Distinct: figure{Value: 1}, Min: "a", Max: "a", Mode: &count{Value: "a", Rows: 1}}, nil},
		{"whole floats", "", []any{1, 1.0, 2.5}, column{Kind: profile.Numbers, Values: 3, Nulls: ptr(0), Distinct: figure{Value: 2},
			Min: int64(1), Max: 2.5, Mean: ptr(1.5), Mode: &count{Value: int64(1), Rows: 2}, Quantiles: &profile.Quantiles{P05: 1, Q1: 1, Median: 1, Q3: 1.75, P95: 2.35}}, nil},
		{"texts", "TEXT", []any{"b", "a ", "b", nil, " "}, column{Kind: profile.Texts, Values: 3, Nulls: ptr(1), Blanks: 1, Distinct: figure{Value: 2},
			Min: "a ", Max: "b", Mode: &count{Value: "b", Rows: 2}}, []problem{profile.SurroundingSpaces}},
		{"dates", "TEXT", []any{"2024-03-01", "2024-02-29", "0001-01-01", "1850-01-01"}, column{Kind: profile.Times, Values: 3, Nulls: ptr(0), Distinct: figure{Value: 3},
			Min: "1850-01-01", Max: "2024-03-01"}, []problem{profile.Placeholders, profile.SuspiciousDates}},
		{"good dates", "TEXT", []any{"2024-03-01", "1900-01-01"}, column{Kind: profile.Times, Values: 2, Nulls: ptr(0), Distinct: figure{Value: 2},
			Min: "1900-01-01", Max: "2024-03-01"}, nil},
		{"years", "YEAR", []any{2020, 2021}, column{Kind: profile.Numbers, Values: 2, Nulls: ptr(0), Distinct: figure{Value: 2},
			Min: int64(2020), Max: int64(2021), Mean: ptr(2020.5), Quantiles: &profile.Quantiles{P05: 2020.05, Q1: 2020.25, Median: 2020.5, Q3: 2020.75, P95: 2020.95}}, nil},
		{"numbers as texts", "TEXT", []any{"10", "9", "x"}, column{Kind: profile.Texts, Values: 3, Nulls: ptr(0), Distinct: figure{Value: 3}, Min: "10", Max: "x"},
			[]problem{profile.MixedTypes}},
		{"codes", "TEXT", []any{"10", "9"}, column{Kind: profile.Texts, Values: 2, Nulls: ptr(0), Distinct: figure{Value: 2}, Min: "10", Max: "9"}, nil},
		{"names with a number", "TEXT", []any{"a", "b", "7"}, column{Kind: profile.Texts, Values: 3, Nulls: ptr(0), Distinct: figure{Value: 3}, Min: "7", Max: "b"}, nil},
		{"one text in ten", "", []any{1, 2, 3, 4, 5, 6, 7, 8, 9, "x"}, column{Kind: profile.Numbers, Values: 9, Other: 1, Nulls: ptr(0), Distinct: figure{Value: 9},
			Min: int64(1), Max: int64(9), Mean: ptr(5.0), Quantiles: &profile.Quantiles{P05: 1.4, Q1: 3, Median: 5, Q3: 7, P95: 8.6},
			OutliersIQR: &profile.Outliers{Low: -3, High: 13}, OutliersMAD: &profile.Outliers{Low: 5 - 7/0.6745, High: 5 + 7/0.6745}}, []problem{profile.MixedTypes}},
		{"numbers and texts", "", []any{1, "x", "y"}, column{Kind: profile.Texts, Values: 3, Nulls: ptr(0), Distinct: figure{Value: 3}}, nil},
		{"placeholders", "", []any{1, "N/A", "-"}, column{Kind: profile.Numbers, Values: 1, Nulls: ptr(0), Distinct: figure{Value: 1},
			Min: int64(1), Max: int64(1), Mean: ptr(1.0), Mode: &count{Value: int64(1), Rows: 1}, Quantiles: &profile.Quantiles{P05: 1, Q1: 1, Median: 1, Q3: 1, P95: 1}}, []problem{profile.Placeholders}},
		{"nulls", "TEXT", []any{nil, nil}, column{Kind: profile.Empty, Nulls: ptr(2)}, []problem{profile.AllMissing}},
		{"huge numbers", "REAL", []any{-1.7e308, 1.7e308, 1.7e308, -1.7e308, 1.6e308, 1.5e308, 1.4e308, 0.0}, column{Kind: profile.Numbers, Values: 8, Nulls: ptr(0), Distinct: figure{Value: 6},
			Min: -1.7e308, Max: 1.7e308, Mean: ptr(4.5e308 / 8), Mode: &count{Value: -1.7e308, Rows: 2},
			Quantiles:   &profile.Quantiles{P05: -1.7e308, Q1: -1.7e308 / 4, Median: 1.45e308, Q3: 1.625e308, P95: 1.7e308},
			OutliersIQR: &profile.Outliers{Low: -math.MaxFloat64, High: math.MaxFloat64}, OutliersMAD: &profile.Outliers{Low: 1.45e308 - 3.5*0.25e308/0.6745, High: math.MaxFloat64, Count: 3}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := read(t, cells(t, test.columnType, test.cells...), nil).Columns[0]
			var problems []problem
			for _, p := range got.Problems {
				problems = append(problems, p.Kind)
			}
			got.Problems = nil
			test.want.Name, test.want.Type = "v", test.columnType
			near := cmp.Comparer(func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*math.Abs(a) })
			if diff := cmp.Diff(test.want, got, near) + cmp.Diff(test.problems, problems); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Random tables have the figures that package stats finds in their rows.
func TestEqualToStats(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var numbers []float64
		var values []any
		for range 8 + random.IntN(300) {
			v := math.Round(100*math.Exp(2*random.NormFloat64())) / 4
			numbers, values = append(numbers, v), append(values, v)
		}
		want := stats.Outlying(numbers)
		got := read(t, cells(t, "REAL", values...), nil).Columns[0]
		type figures struct {
			Q1, Median, Q3, Low, High float64
			IQR, MAD                  int
		}
		if diff := cmp.Diff(
			figures{want.Q1, want.Median, want.Q3, want.LowFence, want.HighFence, want.BeyondFences, want.BeyondScore},
			figures{got.Quantiles.Q1, got.Quantiles.Median, got.Quantiles.Q3, got.OutliersIQR.Low, got.OutliersIQR.High, got.OutliersIQR.Count, got.OutliersMAD.Count},
		); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestDistribution(t *testing.T) {
	var numbers []any
	for i := range 100 {
		numbers = append(numbers, i, i)
	}
	s := cells(t, "INTEGER", append(numbers, 99)...)
	got := read(t, s, &profile.Options{IncludeDistribution: true, OmitNulls: true}).Columns[0]
	total := 0
	for _, bin := range got.Histogram {
		total += bin.Count
	}
	if got.Nulls != nil || len(got.Histogram) != 10 || total != 201 || got.Histogram[9].To != 99 || got.Histogram[9].Count != 21 {
		t.Errorf("%+v", got)
	}
	if len(got.Top) != 10 || got.Top[0] != (profile.Count{Value: int64(99), Rows: 3}) || got.Top[1] != (profile.Count{Value: int64(0), Rows: 2}) {
		t.Errorf("%v", got.Top)
	}
	if got := read(t, s, nil).Columns[0]; got.Histogram != nil || got.Top != nil || got.Nulls == nil {
		t.Errorf("%+v", got)
	}
}

// In columns with many different values the quantiles and the numbers of values and
// outliers are estimates, and no value is the most frequent one.
func TestManyValues(t *testing.T) {
	if testing.Short() {
		t.Skip("profiles 150,000 rows")
	}
	const rows = 150_000
	source := table(t, "id INTEGER, v REAL, name TEXT, at TEXT", rows, func(row int, cells []any) {
		cells[0] = row
		cells[1] = float64(row)
		if row >= rows-500 {
			cells[1] = 1e7 + float64(row)
		}
		cells[2] = fmt.Sprint("name ", row)
		if row >= rows/2 && row%10 == 0 { // long after the sample is full
			cells[2] = "late"
		}
		cells[3] = fmt.Sprintf("2024-01-01 10:00:00.%06d", row)
	})
	source.Policy.RowLimit = 10
	p := read(t, source, &profile.Options{IncludeDistribution: true})
	if p.Rows != rows || p.DuplicateRows.Value != 0 || p.DuplicateRows.Estimate {
		t.Errorf("%d rows, duplicates %+v", p.Rows, p.DuplicateRows)
	}
	within := func(name string, got, want, share float64) {
		t.Helper()
		if math.Abs(got-want) > share*want {
			t.Errorf("%s: %v, want about %v", name, got, want)
		}
	}
	for _, c := range p.Columns {
		want := rows
		if c.Name == "name" {
			want -= rows/20 - 1
		}
		within(c.Name+" distinct", float64(c.Distinct.Value), float64(want), 0.03)
		if !c.Distinct.Estimate {
			t.Errorf("%s: %+v", c.Name, c.Distinct)
		}
	}
	v := p.Columns[1]
	within("median", v.Quantiles.Median, rows/2, 0.03)
	for _, bin := range v.Histogram { // equal bins would have nearly all rows in the first
		within("bin", float64(bin.Count), rows/10, 0.03)
	}
	if v.Quantiles.Sample != 50_000 || !v.OutliersIQR.Estimate || !v.OutliersMAD.Estimate || v.Mode != nil || v.Top != nil {
		t.Errorf("%+v %+v %+v %v", v.Quantiles, v.OutliersIQR, v.OutliersMAD, v.Mode)
	}
	within("outliers beyond the fences", float64(v.OutliersIQR.Count), 500, 0.2)
	within("outliers by score", float64(v.OutliersMAD.Count), 500, 0.2)
	if mode := p.Columns[2].Mode; mode != nil {
		t.Errorf("mode %+v", mode)
	}
	if at := p.Columns[3]; at.Kind != profile.Times || at.Max != "2024-01-01 10:00:00.149999" {
		t.Errorf("%+v", at)
	}
}

// What an analyst would report of numbers, and what not.
func TestFindings(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 38))
	column := func(n int, value func(i int) any) []any {
		all := make([]any, n)
		for i := range all {
			all[i] = value(i)
		}
		return all
	}
	normal := func(int) any { return 50 + 8*r.NormFloat64() }
	with := func(v any, every int) func(int) any {
		return func(i int) any {
			if i%every == every-1 {
				return v
			}
			return normal(i)
		}
	}
	for _, test := range []struct {
		name, columnType string
		cells            []any
		want             profile.ProblemKind
		count            int
	}{
		{"normal", "REAL", column(500, normal), "", 0},
		{"with a long tail", "REAL", column(500, func(int) any { return math.Exp(1 + 0.8*r.NormFloat64()) }), "", 0},
		{"above and below 0", "REAL", column(500, func(int) any { return 10 * r.NormFloat64() }), "", 0},
		{"two kinds, 30 times apart", "REAL", column(500, func(i int) any { return []float64{1, 30}[i%2] * (1 + 0.1*r.NormFloat64()) }), "", 0},
		{"cents", "REAL", column(500, func(i int) any { return []float64{1, 1, 1, 100}[i%4] * (50 + 8*r.NormFloat64()) }), profile.MixedUnits, 125},
		{"thousands", "REAL", column(500, func(i int) any { return []float64{1, 1000}[i%2] * (50 + 8*r.NormFloat64()) }), profile.MixedUnits, 250},
		{"one value", "REAL", append(column(499, normal), 1e6), profile.OneValueMakesMean, 1},
		{"a few large ones", "REAL", column(1000, func(i int) any {
			if i%250 == 9 {
				return 9000 + float64(i)
			}
			return 50 + 8*r.NormFloat64()
		}), profile.MeanFarFromMedian, 1000},
		{"a negative number", "REAL", column(500, with(-3.0, 250)), profile.NegativeValues, 2},
		{"German decimals", "TEXT", column(60, func(i int) any { return fmt.Sprintf("%d,5", 10+i) }), profile.NumbersAsText, 60},
		{"separators and units", "TEXT", []any{"1.234,50 €", "12 €", "7,10 €", "0,99 €", "950 €", "10"}, profile.NumbersAsText, 6},
		{"percent", "TEXT", []any{"12 %", "7,5 %", "8%", "100 %", "0,2 %"}, profile.NumbersAsText, 5},
		{"leading zeros", "TEXT", column(60, func(i int) any { return fmt.Sprintf("0%d,5", 10+i) }), "", 0},
		{"codes", "TEXT", column(60, func(i int) any { return fmt.Sprint(1000 + i) }), "", 0},
		{"telephones", "TEXT", column(60, func(i int) any { return fmt.Sprintf("030-%d 44", 100+i) }), "", 0},
	} {
		problems := read(t, cells(t, test.columnType, test.cells...), nil).Columns[0].Problems
		var got profile.Problem
		if len(problems) > 0 {
			got = problems[0]
		}
		if len(problems) > 1 || got.Kind != test.want || got.Count != test.count {
			t.Errorf("%s: %+v, want %d of %q", test.name, problems, test.count, test.want)
		}
	}
}

// Periods of which the data is broken, and such that differ by a season.
func TestPeriods(t *testing.T) {
	type broken = map[string]profile.ProblemKind // by column
	for _, test := range []struct {
		name string
		rows func(day time.Time) (n int, value float64)
		want broken
	}{
		{"even", func(day time.Time) (int, float64) { return 3, 50 }, broken{}},
		{"working days", func(day time.Time) (int, float64) {
			if day.Weekday() == time.Sunday || day.Weekday() == time.Saturday {
				return 0, 0
			}
			return 4, 50
		}, broken{}},
		{"a season", func(day time.Time) (int, float64) {
			if day.Month() == time.December {
				return 9, 80
			}
			return 3, 50
		}, broken{}},
		{"ends early", func(day time.Time) (int, float64) {
			if day.Year() == 2024 && day.Month() == time.December && day.Day() > 5 {
				return 0, 0
			}
			return 3, 50
		}, broken{}},
		{"a missing week", func(day time.Time) (int, float64) {
			if day.Month() == time.May && day.Day() > 7 && day.Day() < 15 {
				return 0, 0
			}
			return 3, 50
		}, broken{"day": profile.MissingPeriod}},
		{"one row a month", func(day time.Time) (int, float64) { return 1 / day.Day(), 50 }, broken{}},
		{"one row at the end of a month", func(day time.Time) (int, float64) { return 1 / day.AddDate(0, 0, 1).Day(), 50 }, broken{}},
		{"one row a week", func(day time.Time) (int, float64) { return max(0, 1-int(day.Weekday())), 50 }, broken{}},
		{"one row now and then", func(day time.Time) (int, float64) { return max(0, 1-day.YearDay()*day.YearDay()%19%7), 50 }, broken{}},
		{"a month without its row", func(day time.Time) (int, float64) {
			if day.Month() == time.May && day.Year() == 2024 {
				return 0, 0
			}
			return 1 / day.Day(), 50
		}, broken{"day": profile.MissingPeriod}},
		{"a week without its row", func(day time.Time) (int, float64) {
			if day.Month() == time.May && day.Year() == 2024 && day.Day() > 7 && day.Day() < 15 {
				return 0, 0
			}
			return max(0, 1-int(day.Weekday())), 50
		}, broken{"day": profile.MissingPeriod}},
		{"a month in another unit", func(day time.Time) (int, float64) {
			if day.Month() == time.May && day.Year() == 2024 {
				return 3, 0.5
			}
			return 3, 50
		}, broken{"v": profile.PeriodOutOfLine}},
		{"a month that was loaded ten times", func(day time.Time) (int, float64) {
			if day.Month() == time.May && day.Year() == 2024 {
				return 30, 50
			}
			return 3, 50
		}, broken{"day": profile.PeriodOutOfLine}},
	} {
		type row struct {
			day   string
			value float64
		}
		var all []row
		r := rand.New(rand.NewPCG(5, 38))
		for day := time.Date(2023, 7, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2025; day = day.AddDate(0, 0, 1) {
			n, value := test.rows(day)
			for range n {
				all = append(all, row{day.Format(time.DateOnly), value * (1 + 0.2*r.NormFloat64())})
			}
		}
		p := read(t, table(t, "day TEXT, v REAL", len(all), func(i int, cells []any) { cells[0], cells[1] = all[i].day, all[i].value }), nil)
		got := broken{}
		for _, c := range p.Columns {
			for _, problem := range c.Problems {
				if problem.Kind == profile.MissingPeriod || problem.Kind == profile.PeriodOutOfLine {
					got[c.Name] = problem.Kind
				}
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestDuplicateRows(t *testing.T) {
	source := table(t, "a INTEGER, b TEXT", 10, func(row int, cells []any) {
		cells[0], cells[1] = row%5, []any{"x", nil}[row%2]
		if row >= 8 {
			cells[0], cells[1] = 0, "x" // row 0
		}
	})
	if got := read(t, source, nil).DuplicateRows; got == nil || *got != (profile.Figure{Value: 2}) {
		t.Errorf("%+v", got)
	}
	// Rows are not equal because some of their columns are.
	p := read(t, source, &profile.Options{Columns: []string{"B", "b"}})
	if p.DuplicateRows != nil || len(p.Columns) != 1 {
		t.Errorf("%+v", p)
	}
}

// TestDuplicateRowsOfMany has more rows than fit: the number is an estimate.
func TestDuplicateRowsOfMany(t *testing.T) {
	if testing.Short() {
		t.Skip("profiles 1,320,000 rows")
	}
	const many = 1_200_000
	source := table(t, "a INTEGER", many+many/10, func(row int, cells []any) { cells[0] = row % many })
	got := read(t, source, nil).DuplicateRows
	if !got.Estimate || math.Abs(float64(got.Value)-many/10) > many/10/20 {
		t.Errorf("%+v, want about %d", got, many/10)
	}
}

func TestRefused(t *testing.T) {
	source := cells(t, "INTEGER", 1)
	hidden := source
	hidden.Policy = &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{"other": {"v"}}}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name   string
		ctx    context.Context
		source profile.Source
		opt    *profile.Options
		want   error
	}{
		{"column", t.Context(), source, &profile.Options{Columns: []string{"w"}}, secureview.ErrUnknownColumn},
		{"column with a quote", t.Context(), source, &profile.Options{Columns: []string{`v" FROM sqlite_schema --`}}, secureview.ErrUnknownColumn},
		{"table", t.Context(), hidden, nil, secureview.ErrUnknownTable},
		{"context", canceled, source, nil, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := profile.Read(test.ctx, test.source, test.opt)
			if !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
	if _, err := profile.Read(t.Context(), profile.Source{}, nil); err == nil {
		t.Error("an empty source is accepted")
	}
	var refused *refusal.Error
	if _, err := profile.Read(t.Context(), hidden, nil); !errors.As(err, &refused) {
		t.Error(err)
	}
}

// Columns that the policy does not list are not read.
func TestPolicy(t *testing.T) {
	source := table(t, "a INTEGER, secret TEXT", 3, func(row int, cells []any) { cells[0], cells[1] = 1, fmt.Sprint(row) })
	source.Policy.Tables["t"] = []string{"a"}
	p := read(t, source, nil)
	if len(p.Columns) != 1 || p.Columns[0].Name != "a" || p.DuplicateRows.Value != 2 {
		t.Errorf("%+v", p)
	}
}

func TestNoRows(t *testing.T) {
	p := read(t, cells(t, "TEXT"), &profile.Options{IncludeDistribution: true})
	if p.Rows != 0 || len(p.Columns) != 1 || p.Columns[0].Kind != profile.Empty || p.Columns[0].Problems != nil {
		t.Errorf("%+v", p)
	}
}

// Long texts are cut, and others are not.
func TestLongTexts(t *testing.T) {
	source := cells(t, "TEXT", strings.Repeat("x", 100))
	long := read(t, source, nil).Columns[0]
	if long.Max != strings.Repeat("x", 100) {
		t.Error(long.Max)
	}
	source = cells(t, "TEXT", strings.Repeat("x", 1000))
	if got := read(t, source, nil).Columns[0].Mode.Value.(string); len(got) > 210 || !strings.HasPrefix(got, "xxx") {
		t.Error(got)
	}
}

func Example() {
	ctx := context.Background()
	d, err := dataset.Load(ctx, strings.NewReader("city,price\nBerlin,1.50\nBonn,2.75\nBonn ,N/A\n"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	p, err := profile.Read(ctx, profile.Source{DB: d.DB, Policy: d.Policy, Dialect: d.Guard.Dialect(), Table: d.Table}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range p.Columns {
		fmt.Println(c.Name, c.Kind, c.Values, *c.Nulls, c.Distinct.Value, c.Min)
		for _, problem := range c.Problems {
			fmt.Println("-", problem.Message)
		}
	}
	// Output:
	// city texts 3 0 3 Berlin
	// - 1 texts begin or end with white space
	// price numbers 2 1 2 1.5
}
