package mysql_test

import (
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// corpus returns the text of every gold statement.
func corpus(tb testing.TB) []string { return texts(corpora.Find(tb)) }

func texts(c *corpora.Corpus) []string {
	var out []string
	for _, s := range c.Statements {
		out = append(out, s.SQL)
	}
	return out
}

// readable returns the statements of the corpus that this dialect reads.
func readable(tb testing.TB) []string {
	var out []string
	for _, text := range corpus(tb) {
		if _, err := (mysql.Dialect{}).Read(text); err == nil {
			out = append(out, text)
		}
	}
	return out
}

// TestCorpusRoundTrip: a statement that is read is printed, is read again as the
// same tree, and has the same tables for the second parser.
func TestCorpusRoundTrip(t *testing.T) {
	all, read := corpus(t), readable(t)
	for _, text := range read {
		roundTrip(t, text)
	}
	t.Logf("%d of %d statements are read", len(read), len(all))
	// The gold statements are SQLite's, which has fewer reserved words, and LIMIT in
	// an arm of INTERSECT.
	if refused := len(all) - len(read); refused > len(all)/200 {
		t.Errorf("%d of %d statements are refused", refused, len(all))
	}
}
