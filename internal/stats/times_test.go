package stats_test

import (
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/stats"
)

// TestZoneLetters checks that the zone of the host has no effect: letters for a
// zone are read only if they mean the same everywhere.
func TestZoneLetters(t *testing.T) {
	newYork := time.FixedZone("EST", -5*60*60)
	host := time.Local
	defer func() { time.Local = host }()
	for _, local := range []*time.Location{time.UTC, newYork} {
		time.Local = local
		for text, want := range map[string]string{
			"Mon, 06 Jan 2025 13:30:00 GMT":   "2025-01-06T13:30:00Z",
			"Mon, 06 Jan 2025 13:30:00 UTC":   "2025-01-06T13:30:00Z",
			"Mon, 06 Jan 2025 13:30:00 -0500": "2025-01-06T18:30:00Z",
			"2025-01-06 13:30:00 -0500 EST":   "2025-01-06T18:30:00Z",
			"2025-01-06 13:30:00 UTC":         "2025-01-06T13:30:00Z",
			"Mon, 06 Jan 2025 13:30:00 EST":   "",
			"Mon, 06 Jan 2025 13:30:00 MST":   "",
			"Mon, 06 Jan 2025 13:30:00 -05":   "",
			"Mon, 06 Jan 2025 13:30:00 GMT+3": "",
			"2025-01-06 13:30:00 EST":         "",
		} {
			s := describe(t, []any{text})
			got := ""
			if s.Times != nil {
				got = s.Times.First.UTC().Format(time.RFC3339)
			}
			if got != want {
				t.Errorf("in %s, %s is %q, want %q", local, text, got, want)
			}
		}
	}
}

// TestTimesOfSeveralZones checks that a sentence compares times of different zones
// in UTC.
func TestTimesOfSeveralZones(t *testing.T) {
	for name, tt := range map[string]struct {
		at   []string
		says string
	}{
		"two zones": {[]string{"2025-01-02T00:00:00+14:00", "2025-01-01T12:00:00-08:00"}, "from 2025-01-01 10:00 to 2025-01-01 20:00 UTC"},
		"one zone":  {[]string{"2025-01-02T00:00:00+14:00", "2025-01-03T12:00:00+14:00"}, "from 2025-01-02 to 2025-01-03 12:00."},
	} {
		raw, err := call(t, stats.NewAnalysisTool(), map[string]any{"rows": rowsOf(table(t, "at", tt.at))})
		if r := decode(t, raw, err); !strings.Contains(r.Text, tt.says) {
			t.Errorf("%s: %s", name, r.Text)
		}
	}
}

// weekdays returns the Mondays to Fridays of n weeks.
func weekdays(from string, weeks int) []string {
	var out []string
	for i, day := range dates(from, 7*weeks, 0, 0, 1) {
		if i%7 < 5 {
			out = append(out, day)
		}
	}
	return out
}

// TestPeriodsOfOfficeDays checks that a weekend without data does not make a month
// incomplete, and that the text does not claim more than the data show.
func TestPeriodsOfOfficeDays(t *testing.T) {
	office := weekdays("2024-12-30", 48) // to Friday, the 28th of November
	for name, tt := range map[string]struct {
		at          []string
		first, last bool
		points      int
	}{
		"from new year's eve":     {office, true, false, 11},
		"from the 1st of January": {office[2:], false, false, 11},
		"from the 2nd":            {office[3:], true, false, 10},
		"to the 27th of November": {office[:len(office)-1], true, true, 10},
		"each Monday":             {dates("2024-02-05", 65, 0, 0, 7), false, false, 15}, // to the 28th of April 2025
		"too few to say":          {weekdays("2025-03-03", 4), true, true, 0},           // to Friday, the 28th
		"all days of the week":    {dates("2025-01-02", 331, 0, 0, 1), true, true, 9},   // to the 28th of November
	} {
		t.Run(name, func(t *testing.T) {
			rows := table(t, "at", tt.at, "v", make([]float64, len(tt.at)))
			s := must[*stats.Series](t)(stats.NewSeries(rows, "at", "v", &stats.SeriesOptions{Period: stats.Month, Aggregate: stats.Sum}))
			diff(t, "series", []any{tt.first, tt.last, tt.points}, []any{s.CutFirst, s.CutLast, len(s.Points)})
			raw, err := call(t, stats.NewPatternTool(), map[string]any{"rows": rowsOf(rows), "value": "v", "period": "month", "aggregate": "sum"})
			if r := decode(t, raw, err); tt.points > 0 && (tt.first || tt.last) != strings.Contains(r.Text, "may not be complete") {
				t.Error(r.Text)
			}
		})
	}
}

// TestRowsWithoutAValue checks that a period whose rows all lack a value is unknown
// and not 0, and that the text counts the rows that are not in the figures.
func TestRowsWithoutAValue(t *testing.T) {
	var months, amounts []any
	for i, m := range dates("2025-01-01", 12, 0, 1, 0) {
		var v any = 100.0
		if i >= 5 && i <= 8 {
			v = nil
		}
		if i != 2 { // March has no rows at all
			months, amounts = append(months, m), append(amounts, v)
		}
	}
	months, amounts = append(months, nil), append(amounts, 7.0)
	rows := table(t, "month", months, "amount", amounts)
	for a, tt := range map[stats.Aggregate]struct {
		points, blank int
		june          float64 // -1: there is no point
	}{
		stats.Sum:   {8, 4, -1},
		stats.Count: {12, 0, 0},
		stats.Mean:  {7, 4, -1},
	} {
		s := must[*stats.Series](t)(stats.NewSeries(rows, "month", "amount", &stats.SeriesOptions{Period: stats.Month, Aggregate: a}))
		june := -1.0
		for _, p := range s.Points {
			if p.Start.Month() == time.June {
				june = p.Value
			}
		}
		diff(t, string(a), []any{tt.points, tt.blank, tt.june, 5}, []any{len(s.Points), s.Blank, june, s.Missing})
	}
	in := map[string]any{"rows": rowsOf(rows), "time": "month", "value": "amount", "period": "month", "aggregate": "sum"}
	raw, err := call(t, stats.NewPatternTool(), in)
	r := decode(t, raw, err)
	if !strings.Contains(string(raw), `"missing":5`) || !strings.Contains(string(raw), `"blank":4`) || !strings.Contains(r.Text, "not in the figures over time: 5.") {
		t.Errorf("%s", raw)
	}
	in["rows"] = rowsOf(table(t, "month", dates("2025-01-01", 12, 0, 1, 0), "amount", make([]float64, 12)))
	raw, err = call(t, stats.NewPatternTool(), in)
	if r := decode(t, raw, err); strings.Contains(string(raw), `"missing"`) || strings.Contains(r.Text, "not in the figures") {
		t.Errorf("of all rows: %s", raw)
	}
}
