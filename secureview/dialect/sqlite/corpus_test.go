package sqlite_test

import (
	"testing"

	"github.com/qedkit/qed/internal/corpora"
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
