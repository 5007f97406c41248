package sqlitedb

import (
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func TestValues(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{`SELECT 1 AS "1", 'a (b' AS "n"`, 1},
		{`SELECT "t"."a", "t"."b" FROM "main"."t" WHERE "t"."c" IN ('x', 'y')`, 5},
		{`SELECT "t"."a", "t"."a" AS "b" FROM "main"."t" LIMIT 5`, 3},
		{`SELECT "x"."a", "y"."a" FROM "main"."t" AS "x" JOIN "main"."t" AS "y"`, 4},
		{"SELECT upper(\"t\".\"a\") AS \"n\" FROM \"main\".\"t\" ORDER BY `n`", 5},
		{`SELECT "d"."a", "d"."b" FROM (SELECT "t"."a", "t"."b" FROM "main"."t") AS "d"`, 6},
		{`SELECT "d"."a" FROM "main"."t" AS "d" WHERE "d"."a" IN (SELECT "d"."b" FROM "cte" AS "d")`, 5},
		{`SELECT "t"".x"."a", "t"".x"."b" FROM "main"."t"".x" LIMIT 9`, 3},
	} {
		if got := values(test.text); got != test.want {
			t.Errorf("%s: %d values, want %d", test.text, got, test.want)
		}
	}
}

// Real statements keep the whole limit.
func TestValuesOfCorpus(t *testing.T) {
	c := corpora.Find(t)
	guards := map[string]*secureview.Guard{}
	for _, s := range c.Schemas {
		policy := &secureview.Policy{Dialect: "sqlite", Tables: s.Tables, DoubleQuotedStrings: true}
		g, err := secureview.New(policy, sqlite.Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		guards[s.DB] = g
	}
	limited := 0
	for _, s := range c.Statements {
		stmt, err := guards[s.DB].Rewrite(t.Context(), s.SQL)
		if err == nil && valueLimit(stmt.SQL(), 1<<20) < 1<<20 {
			limited++
			t.Log(values(stmt.SQL()), stmt.SQL())
		}
	}
	if limited*1000 > len(c.Statements) {
		t.Errorf("%d of %d statements have a lower limit", limited, len(c.Statements))
	}
}
