package integration_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// compare returns an error unless the rows of two executions of the statement are
// the same: as a multiset, and in the order of the columns that ORDER BY names.
//
// Fractions agree to nine digits: a sum or a variance depends on the order in which
// the engine adds.
func (s genStatement) compare(want, got [][]any) error {
	a, b := genCanonical(want), genCanonical(got)
	for i := range min(len(a), len(b)) {
		for _, key := range s.keys {
			if key < len(a[i]) && key < len(b[i]) && genFold(a[i][key]) != genFold(b[i][key]) {
				return fmt.Errorf("row %d is sorted otherwise: %q instead of %q", i+1, b[i], a[i])
			}
		}
	}
	left, right := genSorted(a), genSorted(b)
	for i := range max(len(left), len(right)) {
		switch {
		case i >= len(left):
			return fmt.Errorf("%d rows instead of %d, for example %s", len(right), len(left), right[i])
		case i >= len(right):
			return fmt.Errorf("%d rows instead of %d, without %s", len(right), len(left), left[i])
		case left[i] != right[i]:
			return fmt.Errorf("%s instead of %s", right[i], left[i])
		}
	}
	return nil
}

// genTied reports whether the rows are the same without regard to case and space. An
// engine whose collation compares that way may return any of the texts that it
// treats as equal.
func genTied(want, got [][]any) bool { return sameAfter(genFold, want, got) }

// equalNumbers reports whether the rows are the same except for the spelling of equal
// numbers: -0 and 0, 0.5 and 0.50. An engine may return any of the equal values of a
// group, and a scale that depends on how it sorts.
func equalNumbers(want, got [][]any) bool {
	return sameAfter(func(text string) string {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return text
		}
		return strconv.FormatFloat(f+0, 'g', 9, 64) // -0 + 0 is 0
	}, want, got)
}

// sameAfter reports whether the rows are the same multiset after a change of each cell.
func sameAfter(change func(string) string, want, got [][]any) bool {
	changed := func(rows [][]any) []string {
		cells := genCanonical(rows)
		for _, row := range cells {
			for i := range row {
				row[i] = change(row[i])
			}
		}
		return genSorted(cells)
	}
	return slices.Equal(changed(want), changed(got))
}

func genFold(text string) string { return strings.ReplaceAll(strings.ToLower(text), " ", "") }

func genSorted(rows [][]string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = fmt.Sprintf("%q", row)
	}
	slices.Sort(out)
	return out
}

func genCanonical(rows [][]any) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		out[i] = make([]string, len(row))
		for j, cell := range row {
			out[i][j] = cellText(cell)
		}
	}
	return out
}

func cellText(cell any) string {
	switch v := cell.(type) {
	case nil:
		return "NULL"
	case []byte:
		return genNumber(string(v))
	case string:
		return genNumber(v)
	case float64:
		return genNumber(strconv.FormatFloat(v, 'g', -1, 64))
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprintf("%v", cell)
}

// genNumber shortens a text that is a number with many digits.
func genNumber(text string) string {
	if len(text) < 10 || !strings.ContainsAny(text, ".eE") {
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return text
	}
	return strconv.FormatFloat(f, 'g', 9, 64)
}

func TestEqualNumbers(t *testing.T) {
	for _, tt := range []struct {
		want, got any
		equal     bool
	}{
		{0.0, math.Copysign(0, -1), true}, {"0.5", "0.5000", true}, {int64(2), "2.0", true}, {"a", "a", true},
		{"0.5", "-0.5", false}, {1.5, 1.25, false}, {nil, 0.0, false}, {"a", "A", false}, {"0.5", "0.5 ", false},
	} {
		want, got := [][]any{{"x", tt.want}}, [][]any{{"x", tt.got}}
		if equal := equalNumbers(want, got); equal != tt.equal {
			t.Errorf("%v and %v: %v", tt.want, tt.got, equal)
		}
	}
	if equalNumbers([][]any{{1}}, [][]any{{1}, {1}}) {
		t.Error("rows are missing")
	}
}
