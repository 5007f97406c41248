package numeric

import (
	"math"
	"strings"
	"testing"
)

// Each row has the same chance: the sample of every tenth part of the rows has its
// share, whether the rows or their bytes are limited.
func TestReservoir(t *testing.T) {
	const total = 100_000
	for _, test := range []struct {
		name              string
		maxRows, maxBytes int
		least, most       int // rows
	}{
		{"all rows", total, math.MaxInt, total, total},
		{"rows", 5000, math.MaxInt, 5000, 5000},
		{"bytes", total, 500_000, 2000, 5000},
		{"one row at least", 10, 1, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewReservoir(test.maxRows, test.maxBytes)
			row := []any{0, strings.Repeat("x", 50)} // used again, as iterators may
			for i := range total {
				row[0] = i
				r.Add(row)
			}
			n := len(r.Rows)
			if r.Total != total || n < test.least || n > test.most {
				t.Fatalf("%d of %d rows", n, r.Total)
			}
			var parts [10]int
			seen := map[int]bool{}
			for _, row := range r.Rows {
				i := row[0].(int)
				if seen[i] {
					t.Fatalf("row %d is there twice", i)
				}
				seen[i] = true
				parts[i*10/total]++
			}
			for i, got := range parts {
				want := float64(n) / 10
				if math.Abs(float64(got)-want) > 5*math.Sqrt(want)+1 {
					t.Errorf("part %d has %d rows of %d", i, got, n)
				}
			}
		})
	}
}
