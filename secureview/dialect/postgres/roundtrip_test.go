package postgres_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect/postgres"
)

var ignorePositions = cmpopts.IgnoreTypes(sqlast.Pos(0))

// roundTrip reads a statement, prints it and reads the printed text: the trees have
// to be equal, and printing again has to give the same text.
func roundTrip(tb testing.TB, text string) string {
	tb.Helper()
	var d postgres.Dialect
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
	if !sqlast.Equal(first, second) {
		tb.Fatalf("%q printed as %q is another tree (-first +second):\n%s", text, printed, cmp.Diff(first, second, ignorePositions))
	}
	again, err := d.Append(nil, second, false)
	if err != nil || string(again) != string(printed) {
		tb.Fatalf("%q printed as %q, then as %q, %v", text, printed, again, err)
	}
	return string(printed)
}

// corpus returns the text of every gold statement.
func corpus(tb testing.TB) []string { return texts(corpora.Find(tb)) }

func texts(c *corpora.Corpus) []string {
	var out []string
	for _, s := range c.Statements {
		out = append(out, s.SQL)
	}
	return out
}

// TestCorpusRoundTrip: a statement that is read is printed and is read again as the
// same tree.
func TestCorpusRoundTrip(t *testing.T) {
	if testing.Short() {
		t.Skip("reads thousands of statements")
	}
	all := corpus(t)
	refused := 0
	postgres.DropInstances()
	for _, text := range all {
		if _, err := (postgres.Dialect{}).Read(text); err != nil {
			t.Logf("refused: %s: %v", text, err)
			refused++
			continue
		}
		roundTrip(t, text)
	}
	t.Logf("%d of %d statements are read", len(all)-refused, len(all))
	// The gold statements are SQLite's, which has ' as a quote of names, LIMIT with a
	// comma, and fewer keywords.
	if refused > len(all)/50 {
		t.Errorf("%d of %d statements are refused", refused, len(all))
	}
}
