package secureview_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/dialect/sqlite"
	"github.com/qedkit/qed/secureview"
)

func TestRewriteSource(t *testing.T) {
	guard, err := secureview.New(&secureview.Policy{
		Tables: map[string][]string{"t": {"a", "b"}}, RowLimit: 7,
	}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	const rows = `SELECT "t"."a" AS "a", "t"."b" AS "b" FROM "main"."t"`
	for sql, want := range map[string]string{
		"SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 1 ORDER BY 2 LIMIT 3": rows + ` LIMIT 7`,
		"SELECT n FROM (SELECT a, count(*) AS n FROM t GROUP BY a)":                   rows + ` LIMIT 7`,
		"WITH g AS (SELECT a, count(*) AS n FROM t GROUP BY a) SELECT max(n) FROM g":  rows + ` LIMIT 7`,
		"SELECT count(*) FROM t WHERE b = 'x'":                                        rows + ` WHERE "t"."b" = 'x' LIMIT 7`,
	} {
		stmt, err := guard.RewriteSource(context.Background(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if diff := cmp.Diff(want, stmt.SQL()); diff != "" {
			t.Errorf("%s:\n%s", sql, diff)
		}
	}
	for sql, want := range map[string]error{
		"SELECT a FROM t UNION SELECT b FROM t":     secureview.ErrUnsupported,
		"SELECT 1":                                  secureview.ErrUnsupported,
		"SELECT secret FROM t":                      secureview.ErrUnknownColumn,
		"SELECT max(n) FROM (SELECT c AS n FROM t)": secureview.ErrUnknownColumn,
		"SELECT a FROM other":                       secureview.ErrUnknownTable,
		"DELETE FROM t":                             secureview.ErrNotSelect,
	} {
		if _, err := guard.RewriteSource(context.Background(), sql); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", sql, err, want)
		}
	}
}
