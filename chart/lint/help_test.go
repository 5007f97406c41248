package lint_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/refusal"
)

// table makes a table from names, separated by |, and rows.
func table(t testing.TB, names string, rows ...[]any) *qed.Table {
	t.Helper()
	out := &qed.Table{}
	for name := range strings.SplitSeq(names, "|") {
		out.Columns = append(out.Columns, qed.Column{Name: name})
	}
	for _, row := range rows {
		if err := out.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// codes returns the codes of a refusal.
func codes(t testing.TB, err error) []refusal.Code {
	t.Helper()
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	var out []refusal.Code
	for _, p := range refused.Problems {
		out = append(out, p.Code)
	}
	return out
}

// hasNote reports whether a note of s contains text.
func hasNote(s *chart.Spec, text string) bool {
	return strings.Contains(strings.Join(s.Notes, "\n"), text)
}
