package postgres_test

import (
	"testing"

	"github.com/qedkit/qed/secureview/dialect/postgres"
)

// Comments are white space wherever PostgreSQL has them, also between two words that
// the grammar reads together.
func TestComments(t *testing.T) {
	var d postgres.Dialect
	print := func(text string) string {
		q, err := d.Read(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		out, err := d.Append(nil, q, false)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return string(out)
	}
	for _, tt := range []struct{ with, without string }{
		{"SELECT a NOT /* c */ IN (1) FROM t", "SELECT a NOT IN (1) FROM t"},
		{"SELECT a NOT -- c\nLIKE 'x' FROM t", "SELECT a NOT LIKE 'x' FROM t"},
		{"SELECT a FROM t ORDER BY a NULLS/**/FIRST", "SELECT a FROM t ORDER BY a NULLS FIRST"},
		{"SELECT a FROM unnest(ARRAY[1]) WITH /* a /* b */ c */ ORDINALITY AS t (a, n)", "SELECT a FROM unnest(ARRAY[1]) WITH ORDINALITY AS t (a, n)"},
		{"SELECT TIMESTAMP WITH /**/ TIME ZONE '2020-01-01'", "SELECT TIMESTAMP WITH TIME ZONE '2020-01-01'"},
		{"SELECT '-- no', $$ /* no */ $$, \"/* no */\", E'\\'-- no' FROM t -- c", "SELECT '-- no', $$ /* no */ $$, \"/* no */\", E'\\'-- no' FROM t"},
		{"SELECT 1 +/* c */- 2, 3 -/**/-4", "SELECT 1 + - 2, 3 - -4"},
		{"/* c */ SELECT/**/1 -- end", "SELECT 1"},
	} {
		if got, want := print(tt.with), print(tt.without); got != want {
			t.Errorf("%s\nis read as %s\ninstead of %s", tt.with, got, want)
		}
	}
}
