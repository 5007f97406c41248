package stats_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/internal/stats"
)

// A reading is what a package makes of a column: its kind and its values, in
// order, as text.
type reading struct {
	Kind   string
	Values []string
}

// TestPackagesAgree reads the same columns with chart, chart/lint and stats.
func TestPackagesAgree(t *testing.T) {
	for name, tt := range map[string]struct {
		typ   string // of the database
		cells []any
		want  reading
	}{
		"whole numbers":        {"", []any{1, 2, 3}, reading{"numbers", []string{"1", "2", "3"}}},
		"numbers as text":      {"", []any{"12.5", "-3", "1.5e3"}, reading{"numbers", []string{"-3", "12.5", "1500"}}},
		"decimals":             {"DECIMAL(10,2)", []any{"12.50", "3"}, reading{"numbers", []string{"3", "12.5"}}},
		"placeholders":         {"", []any{1, "N/A", 2, "NULL", "-", "", nil, "NaN"}, reading{"numbers", []string{"1", "2"}}},
		"placeholders in text": {"", []any{"FR", "N/A", nil}, reading{"texts", []string{"FR", "N/A"}}},
		"blank text":           {"", []any{"a", "", "  ", " b "}, reading{"texts", []string{"a", "b"}}},
		"booleans":             {"", []any{true, false, nil}, reading{"texts", []string{"false", "true"}}},
		"numbers and booleans": {"", []any{1, true}, reading{"texts", []string{"1", "true"}}},
		"nine of ten":          {"", []any{1, 2, 3, 4, 5, 6, 7, 8, 9, "many"}, reading{"numbers", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}}},
		"half numbers":         {"", []any{1, "a", 2, "b"}, reading{"texts", []string{"1", "2", "a", "b"}}},
		"leading zeros":        {"", []any{"00412", "00007"}, reading{"texts", []string{"00007", "00412"}}},
		"percentages":          {"", []any{"12%", "7.5 %"}, reading{"texts", []string{"12%", "7.5 %"}}},
		"separators":           {"", []any{"1,000", "2.000,50"}, reading{"texts", []string{"1,000", "2.000,50"}}},
		"currencies":           {"", []any{"$5", "7 €"}, reading{"texts", []string{"$5", "7 €"}}},
		"codes":                {"VARCHAR", []any{"10", "9"}, reading{"texts", []string{"10", "9"}}},
		"keywords":             {"keyword", []any{"200", "404"}, reading{"texts", []string{"200", "404"}}},

		"RFC 3339":      {"", []any{"2025-01-08T10:30:00Z", "2025-01-09T10:30:00Z"}, reading{"times", []string{"2025-01-08T10:30:00", "2025-01-09T10:30:00"}}},
		"RFC 1123":      {"", []any{"Wed, 08 Jan 2025 10:30:00 GMT", "Thu, 09 Jan 2025 10:30:00 +0000"}, reading{"times", []string{"2025-01-08T10:30:00", "2025-01-09T10:30:00"}}},
		"dates":         {"", []any{"2025-01-08", "2025/01/09", "2025-02"}, reading{"times", []string{"2025-01-08T00:00:00", "2025-01-09T00:00:00", "2025-02-01T00:00:00"}}},
		"dates in text": {"TEXT", []any{"2025-01-08"}, reading{"times", []string{"2025-01-08T00:00:00"}}},
		"a database":    {"timestamptz", []any{"2025-01-08 10:30:00.5+01"}, reading{"times", []string{"2025-01-08T10:30:00.5"}}},
		"summer time":   {"", []any{"2025-01-31T23:30:00+01:00", "2025-07-01T00:30:00+02:00"}, reading{"times", []string{"2025-01-31T23:30:00", "2025-07-01T00:30:00"}}},
		"two zones":     {"", []any{"2025-01-08T23:30:00+08:00", "2025-01-09T00:00:00Z"}, reading{"times", []string{"2025-01-08T15:30:00", "2025-01-09T00:00:00"}}},
		"never":         {"", []any{"2025-01-08", "0001-01-01T00:00:00Z", "9999-12-31", "0000-00-00"}, reading{"times", []string{"2025-01-08T00:00:00"}}},
		"epochs":        {"date", []any{int64(1736294400000), int64(1736380800000)}, reading{"times", []string{"2025-01-08T00:00:00", "2025-01-09T00:00:00"}}},
		"ambiguous":     {"", []any{"01/02/2025", "03.04.2025"}, reading{"texts", []string{"01/02/2025", "03.04.2025"}}},
		"zone letters":  {"", []any{"Mon, 06 Jan 2025 13:30:00 EST"}, reading{"texts", []string{"Mon, 06 Jan 2025 13:30:00 EST"}}},
		"years":         {"", []any{2023, 2024}, reading{"numbers", []string{"2023", "2024"}}},
	} {
		t.Run(name, func(t *testing.T) {
			rows := &qed.Table{Columns: []qed.Column{{Name: "c", Type: tt.typ}, {Name: "n"}}}
			for i, cell := range tt.cells {
				if err := rows.Append(cell, fmt.Sprint("row ", i)); err != nil {
					t.Fatal(err)
				}
			}
			if diff := gocmp.Diff(tt.want, readWithChart(t, rows)); diff != "" {
				t.Errorf("chart (-want +got):\n%s", diff)
			}
			got := readWithStats(t, rows)
			want := tt.want
			if want.Kind == "times" {
				want.Values = slices.Clone(want.Values)
				for i := range want.Values {
					want.Values[i] = want.Values[i][:len(got.Values[0])]
				}
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("stats (-want +got):\n%s", diff)
			}
			for typ, kind := range map[string]string{"quantitative": "numbers", "temporal": "times"} {
				codes := tt.typ == "VARCHAR" || tt.typ == "keyword" // numbers, if the spec says so
				want := tt.want.Kind == kind || kind == "numbers" && codes
				if got := lintAccepts(t, rows, typ); got != want {
					t.Errorf("lint accepts type %s: %v, want %v", typ, got, want)
				}
			}
		})
	}
}

// readWithChart reads column c of rows as the x of a line.
func readWithChart(t *testing.T, rows *qed.Table) reading {
	t.Helper()
	spec, err := chart.New(t.Context(), rows, &chart.Options{Kind: chart.Line, X: "c", Aggregate: chart.Count})
	if err != nil {
		t.Fatal(err)
	}
	var drawn struct {
		Encoding struct{ X struct{ Type string } }
		Data     struct{ Values []struct{ C any } }
	}
	if err := json.Unmarshal(spec.JSON, &drawn); err != nil {
		t.Fatal(err)
	}
	out := reading{Kind: map[string]string{"quantitative": "numbers", "temporal": "times", "nominal": "texts"}[drawn.Encoding.X.Type]}
	for _, v := range drawn.Data.Values {
		text := fmt.Sprint(v.C)
		switch {
		case text == "(none)":
			continue
		case out.Kind == "times":
			text = clock(t, text)
		}
		out.Values = append(out.Values, text)
	}
	if out.Kind == "texts" {
		slices.Sort(out.Values)
	}
	return out
}

// clock returns the wall clock of a time in a chart.
func clock(t *testing.T, text string) string {
	t.Helper()
	for _, form := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(form, text); err == nil {
			return at.Format("2006-01-02T15:04:05.999")
		}
	}
	t.Fatalf("%q is not a time", text)
	return ""
}

// readWithStats reads column c of rows, whose other columns identify the rows.
func readWithStats(t *testing.T, rows *qed.Table) reading {
	t.Helper()
	all, err := stats.Describe(rows, "c")
	if err != nil {
		t.Fatal(err)
	}
	out := reading{Kind: string(all[0].Kind)}
	switch all[0].Kind {
	case stats.Numbers:
		byRow, err := stats.CompareGroups(rows, "c", "n")
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(byRow.Groups, func(a, b stats.Group) int { return cmp.Compare(a.Sum, b.Sum) })
		for _, g := range byRow.Groups {
			out.Values = append(out.Values, fmt.Sprint(g.Sum))
		}
	case stats.Times:
		out.Values = wallTimes(t, rows)
	default:
		out.Kind = "texts" // a chart has no type for booleans
		for _, v := range all[0].Texts.Top {
			out.Values = append(out.Values, v.Value)
		}
		slices.Sort(out.Values)
	}
	return out
}

// wallTimes returns the clock times of column c, to the minute, hour or day that
// a series of them can have.
func wallTimes(t *testing.T, rows *qed.Table) []string {
	t.Helper()
	var s *stats.Series
	var err error
	form := ""
	for _, form = range []string{"2006-01-02T15:04", "2006-01-02T15", "2006-01-02"} {
		period := map[int]stats.Period{16: stats.Minute, 13: stats.Hour, 10: stats.Day}[len(form)]
		if s, err = stats.NewSeries(rows, "c", "", &stats.SeriesOptions{Period: period}); !errors.Is(err, stats.ErrTooLarge) {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range s.Points {
		if p.Rows > 0 {
			out = append(out, p.Start.Format(form))
		}
	}
	return out
}

func lintAccepts(t *testing.T, rows *qed.Table, typ string) bool {
	t.Helper()
	_, err := lint.Check(t.Context(), fmt.Appendf(nil, `{"mark":"point","encoding":{"x":{"field":"c","type":%q}}}`, typ), rows, lint.Options{})
	if err != nil && !errors.Is(err, lint.ErrFieldType) {
		t.Fatal(err)
	}
	return err == nil
}
