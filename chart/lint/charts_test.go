package lint_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/refusal"
)

// charts are pairs of specs: one that breaks a rule, and one of the same kind that
// follows it. The tests in integration draw the second ones with Vega-Lite.
type charts struct {
	Columns []string
	Rows    [][]any
	Pairs   []struct {
		Name string
		Kind chart.Kind
		Bad  string
		Code refusal.Code
		Path string
		Good json.RawMessage
	}
}

func readCharts(t testing.TB) (charts, *qed.Table) {
	t.Helper()
	text, err := os.ReadFile("testdata/charts.json")
	if err != nil {
		t.Fatal(err)
	}
	var c charts
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return c, table(t, strings.Join(c.Columns, "|"), c.Rows...)
}

func TestEachRuleBothWays(t *testing.T) {
	c, rows := readCharts(t)
	if len(c.Pairs) < 30 {
		t.Fatalf("there are %d pairs", len(c.Pairs))
	}
	for _, pair := range c.Pairs {
		t.Run(pair.Name, func(t *testing.T) {
			o := lint.Options{Kind: pair.Kind, Title: pair.Name}
			_, err := lint.Check(t.Context(), []byte(pair.Bad), rows, o)
			if err == nil {
				t.Fatal("the bad one was accepted")
			}
			if got := codes(t, err); !cmp.Equal(got, []refusal.Code{pair.Code}) || err.(*refusal.Error).Problems[0].Path != pair.Path {
				t.Errorf("want %s at %q: %v", pair.Code, pair.Path, err)
			}
			s, err := lint.Check(t.Context(), pair.Good, rows, o)
			if err != nil {
				t.Fatalf("the good one: %v", err)
			}
			if s.Kind != pair.Kind || s.Title != pair.Name {
				t.Errorf("it is the %s %q", s.Kind, s.Title)
			}
			if n := len(data(t, s)); n != len(rows.Rows) {
				t.Errorf("it has %d rows", n)
			}
		})
	}
}
