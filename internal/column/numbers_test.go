package column_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
)

func TestSumAndMean(t *testing.T) {
	for name, test := range map[string]struct {
		x         []float64
		sum, mean float64
	}{
		"whole numbers":      {[]float64{1, 2, 3, 4}, 10, 2.5},
		"what a sum rounds":  {[]float64{1, 1e100, 1, -1e100}, 2, 0.5},
		"tenths":             {[]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1, 0.1},
		"beyond the numbers": {[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64, math.MaxFloat64},
		"the smallest":       {[]float64{5e-324, 5e-324, 5e-324}, 15e-324, 5e-324},
	} {
		if sum, mean := numeric.Sum(test.x), numeric.Mean(test.x); sum != test.sum || mean != test.mean {
			t.Errorf("%s: sum %v and mean %v, want %v and %v", name, sum, mean, test.sum, test.mean)
		}
	}
}

func TestDistinct(t *testing.T) {
	for name, test := range map[string]struct {
		cells []any
		want  int
		large int
	}{
		"numbers":                   {[]any{int64(1), 1.0, "1.0", int64(2)}, 2, 0},
		"ids that float64 rounds":   {[]any{int64(1<<53 + 1), int64(1 << 53), int64(1<<53 + 1), int64(1)}, 3, 2},
		"the same, as text and not": {[]any{"9007199254740993", int64(1<<53 + 1), int64(3)}, 2, 1},
	} {
		table := &qed.Table{Columns: []qed.Column{{Name: "c"}}}
		for _, cell := range test.cells {
			table.Rows = append(table.Rows, []any{cell})
		}
		c, err := column.Read(table, 0, "")
		if err != nil || c.DistinctNumbers() != test.want || c.Large() != test.large {
			t.Errorf("%s: %d different numbers, %d of them large, %v", name, c.DistinctNumbers(), c.Large(), err)
		}
	}
	table := &qed.Table{Columns: []qed.Column{{Name: "c"}}, Rows: [][]any{{"b"}, {"a"}, {"c"}, {"c"}}}
	c, err := column.Read(table, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]column.Count{{Text: "c", Rows: 2}, {Text: "a", Rows: 1}, {Text: "b", Rows: 1}}, c.Counts()); diff != "" {
		t.Error(diff)
	}
}
