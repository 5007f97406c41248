package differential

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Compare returns an error unless the rows of two executions of the statement are
// the same: as a multiset, and in the order of the columns that ORDER BY names.
//
// Fractions agree to nine digits: a sum or a variance depends on the order in which
// the engine adds.
func (s Statement) Compare(want, got [][]any) error {
	a, b := canonical(want), canonical(got)
	for i := range min(len(a), len(b)) {
		for _, key := range s.keys {
			if key < len(a[i]) && key < len(b[i]) && fold(a[i][key]) != fold(b[i][key]) {
				return fmt.Errorf("row %d is sorted otherwise: %q instead of %q", i+1, b[i], a[i])
			}
		}
	}
	left, right := sorted(a), sorted(b)
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

// Tied reports whether the rows are the same without regard to case and space. An
// engine whose collation compares that way may return any of the texts that it
// treats as equal.
func Tied(want, got [][]any) bool { return sameAfter(fold, want, got) }

// EqualNumbers reports whether the rows are the same except for the spelling of equal
// numbers: -0 and 0, 0.5 and 0.50. An engine may return any of the equal values of a
// group, and a scale that depends on how it sorts.
func EqualNumbers(want, got [][]any) bool {
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
		cells := canonical(rows)
		for _, row := range cells {
			for i := range row {
				row[i] = change(row[i])
			}
		}
		return sorted(cells)
	}
	return slices.Equal(changed(want), changed(got))
}

func fold(text string) string { return strings.ReplaceAll(strings.ToLower(text), " ", "") }

func sorted(rows [][]string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = fmt.Sprintf("%q", row)
	}
	slices.Sort(out)
	return out
}

func canonical(rows [][]any) [][]string {
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
		return number(string(v))
	case string:
		return number(v)
	case float64:
		return number(strconv.FormatFloat(v, 'g', -1, 64))
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprintf("%v", cell)
}

// number shortens a text that is a number with many digits.
func number(text string) string {
	if len(text) < 10 || !strings.ContainsAny(text, ".eE") {
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return text
	}
	return strconv.FormatFloat(f, 'g', 9, 64)
}
