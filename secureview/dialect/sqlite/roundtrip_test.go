package sqlite_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

var ignorePositions = cmpopts.IgnoreTypes(sqlast.Pos(0))

// roundTrip reads a statement, prints it and reads the printed text: the trees have
// to be equal, and printing again has to give the same text.
func roundTrip(tb testing.TB, text string) string {
	tb.Helper()
	var d sqlite.Dialect
	first, err := d.Read(text)
	if err != nil {
		tb.Fatalf("Read(%q): %v", text, err)
	}
	printed, err := d.Append(nil, first, false)
	if err != nil {
		tb.Fatalf("Append(%q): %v", text, err)
	}
	second, err := d.Read(string(printed))
	if err != nil {
		tb.Fatalf("Read(%q) of the printed %q: %v", text, printed, err)
	}
	// A name that the reader gives to an item is printed as an alias.
	if diff := cmp.Diff(first, second, ignorePositions, cmpopts.IgnoreFields(sqlast.Item{}, "Unnamed")); diff != "" {
		tb.Fatalf("%q printed as %q is another tree (-first +second):\n%s", text, printed, diff)
	}
	again, err := d.Append(nil, second, false)
	if err != nil || string(again) != string(printed) {
		tb.Fatalf("%q printed as %q, then as %q, %v", text, printed, again, err)
	}
	return string(printed)
}

func TestCorpusRoundTrip(t *testing.T) {
	var d sqlite.Dialect
	refused := 0
	for _, text := range corpus(t) {
		if _, err := d.Read(text); err != nil {
			t.Logf("refused: %s: %v", text, err)
			refused++
			continue
		}
		roundTrip(t, text)
	}
	if refused > 2 {
		t.Errorf("%d statements refused; two have a syntax error", refused)
	}
}
