package stats_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/internal/stats"
)

func TestSeriesPeriod(t *testing.T) {
	weekdays := []string{}
	for _, day := range dates("2025-01-06", 60, 0, 0, 1) {
		if at, _ := time.Parse(time.DateOnly, day); at.Weekday() != time.Saturday && at.Weekday() != time.Sunday {
			weekdays = append(weekdays, day)
		}
	}
	minutes := []string{}
	for i := range 90 {
		minutes = append(minutes, time.Date(2025, 1, 6, 10, i, 30, 0, time.UTC).Format(time.RFC3339))
	}
	for _, tt := range []struct {
		name string
		at   []string
		want stats.Period
	}{
		{"minutes", minutes, stats.Minute},
		{"a week of days", dates("2025-01-08", 7, 0, 0, 1), stats.Day},
		{"days without weekends", weekdays, stats.Day},
		{"every fifth day", dates("2025-01-06", 30, 0, 0, 5), stats.Week},
		{"months", dates("2020-01-28", 24, 0, 1, 0), stats.Month},
		{"quarters", dates("2020-03-31", 12, 0, 3, 0), stats.Quarter},
		{"years", dates("1871-01-01", 100, 1, 0, 0), stats.Year},
		{"too many days", dates("2015-01-01", 3000, 0, 0, 1), stats.Week},
		{"one day", dates("2025-01-08", 1, 0, 0, 1), stats.Day},
	} {
		s := must[*stats.Series](t)(stats.NewSeries(table(t, "at", tt.at), "at", "", nil))
		if s.Period != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, s.Period, tt.want)
		}
	}
}

func points(s *stats.Series) map[string]float64 {
	out := map[string]float64{}
	for _, p := range s.Points {
		out[p.Start.Format("2006-01-02 15:04")] = p.Value
	}
	return out
}

func TestSeriesAggregates(t *testing.T) {
	tab := table(t,
		"at", []any{"2025-01-06", "2025-01-06T23:59:00+09:00", "2025-01-06 08:00", "2025-01-08", "2025-01-08", nil},
		"v", []any{int64(1), "2", 9.0, nil, int64(4), int64(5)})
	for _, tt := range []struct {
		value string
		how   stats.Aggregate
		want  map[string]float64
	}{
		{"v", "", map[string]float64{"2025-01-06 00:00": 4, "2025-01-08 00:00": 4}},
		{"v", stats.Median, map[string]float64{"2025-01-06 00:00": 2, "2025-01-08 00:00": 4}},
		{"v", stats.Min, map[string]float64{"2025-01-06 00:00": 1, "2025-01-08 00:00": 4}},
		{"v", stats.Max, map[string]float64{"2025-01-06 00:00": 9, "2025-01-08 00:00": 4}},
		{"v", stats.Sum, map[string]float64{"2025-01-06 00:00": 12, "2025-01-07 00:00": 0, "2025-01-08 00:00": 4}},
		{"v", stats.Count, map[string]float64{"2025-01-06 00:00": 3, "2025-01-07 00:00": 0, "2025-01-08 00:00": 1}},
		{"", "", map[string]float64{"2025-01-06 00:00": 3, "2025-01-07 00:00": 0, "2025-01-08 00:00": 2}},
	} {
		s := must[*stats.Series](t)(stats.NewSeries(tab, "at", tt.value, &stats.SeriesOptions{Period: stats.Day, Aggregate: tt.how}))
		diff(t, string(s.Aggregate)+" of "+tt.value, tt.want, points(s))
		if s.Rows+s.Missing != 6 {
			t.Errorf("%d rows and %d missing of 6", s.Rows, s.Missing)
		}
	}
}

func TestSeriesPeriods(t *testing.T) {
	tab := table(t, "at", []string{"1969-12-29T23:30:15Z", "2024-02-29T12:00:00Z"})
	for p, want := range map[stats.Period][]string{
		stats.Day:     {"1969-12-29 00:00", "2024-02-29 00:00"},
		stats.Week:    {"1969-12-29 00:00", "2024-02-26 00:00"},
		stats.Month:   {"1969-12-01 00:00", "2024-02-01 00:00"},
		stats.Quarter: {"1969-10-01 00:00", "2024-01-01 00:00"},
		stats.Year:    {"1969-01-01 00:00", "2024-01-01 00:00"},
	} {
		for i, at := range tab.Rows {
			one := table(t, "at", []any{at[0]}, "v", []float64{1})
			s := must[*stats.Series](t)(stats.NewSeries(one, "at", "v", &stats.SeriesOptions{Period: p}))
			if got := s.Points[0].Start.Format("2006-01-02 15:04"); got != want[i] {
				t.Errorf("the %s of %v starts at %s, want %s", p, at[0], got, want[i])
			}
		}
	}
}

// A month in which the data begin or end would look like a fall.
func TestSeriesCutsPartsOfPeriods(t *testing.T) {
	for _, tt := range []struct {
		name        string
		at          []string
		how         stats.Aggregate
		first, last bool
		points      int
	}{
		{"within months", dates("2025-01-10", 100, 0, 0, 1), stats.Sum, true, true, 2},
		{"whole months", dates("2025-01-01", 90, 0, 0, 1), stats.Sum, false, false, 3},
		{"one figure a month", dates("2025-01-15", 12, 0, 1, 0), stats.Sum, false, false, 12},
		{"means need no whole month", dates("2025-01-10", 100, 0, 0, 1), stats.Mean, false, false, 4},
		{"within one month", dates("2025-01-10", 5, 0, 0, 1), stats.Sum, true, true, 0},
	} {
		values := make([]float64, len(tt.at))
		s := must[*stats.Series](t)(stats.NewSeries(table(t, "at", tt.at, "v", values), "at", "v",
			&stats.SeriesOptions{Period: stats.Month, Aggregate: tt.how}))
		diff(t, tt.name, []any{tt.first, tt.last, tt.points}, []any{s.CutFirst, s.CutLast, len(s.Points)})
		if (tt.points == 0) != (s.Unclear != "") {
			t.Errorf("%s: unclear: %q", tt.name, s.Unclear)
		}
	}
}

func TestSeriesRefuses(t *testing.T) {
	tab := table(t, "at", dates("2015-01-01", 3000, 0, 0, 1), "v", make([]float64, 3000), "port", make([]string, 3000))
	if _, err := stats.NewSeries(tab, "at", "v", &stats.SeriesOptions{Period: stats.Day}); err == nil {
		t.Error("too many points: no error")
	}
	if _, err := stats.NewSeries(tab, "at", "", &stats.SeriesOptions{Aggregate: stats.Mean}); err == nil {
		t.Error("the mean of no column: no error")
	}
	if _, err := stats.NewSeries(tab, "v", "v", nil); !errors.Is(err, stats.ErrFieldType) {
		t.Errorf("zeros as times: %v", err)
	}
	if s := must[*stats.Series](t)(stats.NewSeries(tab, "port", "v", nil)); s.Unclear == "" || len(s.Points) != 0 {
		t.Errorf("an empty column of times: %+v", s)
	}
}

func TestTimesOfNumbers(t *testing.T) {
	for _, cell := range []any{int64(1736294400), int64(1736294400_000), 1736294400000.0, int64(1736294400_000_000), "1736294400000", int64(1736294400_000_000_000)} {
		s := must[*stats.Series](t)(stats.NewSeries(table(t, "at", []any{cell}), "at", "", &stats.SeriesOptions{Period: stats.Day}))
		diff(t, "a time", map[string]float64{"2025-01-08 00:00": 1}, points(s))
	}
	years := must[*stats.Series](t)(stats.NewSeries(table(t, "year", []any{int64(2023), "2024", 2025.0}, "v", []float64{1, 2, 3}), "year", "v", nil))
	diff(t, "years", map[string]float64{"2023-01-01 00:00": 1, "2024-01-01 00:00": 2, "2025-01-01 00:00": 3}, points(years))
}

func TestTimeForms(t *testing.T) {
	for _, text := range []string{
		"2025-01-08T10:30:00Z", "2025-01-08T10:30:00.123456789+01:00", "2025-01-08T10:30:00", "2025-01-08T10:30", "2025-01-08 10:30",
		"2025-01-08 10:30:00", "2025-01-08 10:30:00.5", "2025-01-08 10:30:00+01", "2025-01-08 10:30:00.5 +0100 CET", "2025-01-08 10:30:00 UTC",
		"2025-01-08 10:30:00 +0000 UTC m=+0.5", "Wed, 08 Jan 2025 10:30:00 GMT", "Wed, 08 Jan 2025 10:30:00 +0100", "2025-01-08T10:30:00+0100",
		"2025-01-08T10:30Z", "2025-01-08", "2025/01/08", "2025-01",
	} {
		s := must[[]stats.Summary](t)(stats.Describe(table(t, "at", []string{text})))[0]
		if s.Kind != stats.Times || s.Times.First.Year() != 2025 {
			t.Errorf("%q: %s", text, s.Kind)
		}
	}
	for _, text := range []string{"2025-13-01", "2025-02-30", "2025-1-8", "20250108T103000", "10:30", "08.01.2025", "0000-00-00", "2025-01-08 25:00", "Wed, 08"} {
		s := must[[]stats.Summary](t)(stats.Describe(table(t, "at", []string{text})))[0]
		if s.Kind != stats.Texts {
			t.Errorf("%q: %s, want texts", text, s.Kind)
		}
	}
}

// FuzzDescribe checks that every row is counted once, whatever its cells are.
func FuzzDescribe(f *testing.F) {
	for _, seed := range []string{"", "12", "-0.5e3", "00412", "NaN", "2025-01-08", "2025-01-08 10:30:00 +0100 CET m=+1", "Mon, 06 Jan 2025", "9999-12-31"} {
		f.Add(seed, "7")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		tab := table(t, "c", []string{a, b}, "d", []string{b, a})
		for _, s := range must[[]stats.Summary](t)(stats.Describe(tab)) {
			if s.Count+s.Missing+s.Other != s.Rows || s.Distinct > s.Count {
				t.Errorf("%+v", s)
			}
		}
		s, err := stats.NewSeries(tab, "c", "", nil)
		if err != nil && !errors.Is(err, stats.ErrFieldType) {
			t.Error(err)
		}
		if err == nil && s.Rows+s.Missing != 2 {
			t.Errorf("%d rows and %d missing of 2", s.Rows, s.Missing)
		}
		diff(t, "again", s, func() *stats.Series { s, _ := stats.NewSeries(tab, "c", "", nil); return s }(), cmpopts.EquateEmpty())
	})
}
