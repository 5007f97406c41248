package shape_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/sqlbound/shapetest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func guard(t testing.TB, d dialect.Dialect) *secureview.Guard {
	t.Helper()
	g, err := secureview.New(&secureview.Policy{Schema: "main", Tables: shapetest.Tables}, d)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// dialects maps letters to dialects.
var dialects = map[rune]dialect.Dialect{'s': sqlite.Dialect{}, 'm': mysql.Dialect{}, 'p': postgres.Dialect{}}

func TestBounds(t *testing.T) {
	for _, p := range shapetest.Pairs {
		for _, letter := range p.Dialects {
			d := dialects[letter]
			t.Run(d.Name()+"/"+p.Name, func(t *testing.T) {
				g := guard(t, d)
				if _, err := g.Rewrite(context.Background(), p.SQL(p.Most)); err != nil {
					t.Errorf("with %d: %v", p.Most, err)
				}
				if p.Code == "" {
					return
				}
				if _, err := g.Rewrite(context.Background(), p.SQL(p.Most+1)); !errors.Is(err, p.Code) {
					t.Errorf("with %d: %v, not %s", p.Most+1, err, p.Code)
				}
			})
		}
	}
}

func TestAccepted(t *testing.T) {
	for _, tt := range shapetest.Statements() {
		for _, letter := range tt.Dialects {
			g := guard(t, dialects[letter])
			if _, err := g.Rewrite(context.Background(), tt.SQL); err != nil {
				t.Errorf("%s: %s\n%v", g.Dialect().Name(), tt.SQL, err)
			}
		}
	}
}

// A recursion that data ends is printed with a bound where the engine has one, above
// which the statement fails.
func TestPrintedBound(t *testing.T) {
	const hierarchy = "WITH RECURSIVE h AS (SELECT id FROM emp UNION ALL SELECT e.id FROM emp AS e JOIN h ON e.boss = h.id) SELECT h.id FROM h"
	for letter, want := range map[rune]string{
		's': `LIMIT 1000001) SELECT "h"."id" AS "id" FROM (SELECT "h"."id" FROM (SELECT "h"."id", row_number() OVER () AS "row" ` +
			`FROM "h") AS "h" WHERE CASE WHEN "h"."row" > 1000000 THEN json_extract("h"."row", 'a recursion makes more than 1000000 rows`,
		'p': `JOIN "h" ON "e"."boss" = "h"."id") SELECT "h"."id" AS "id" FROM (SELECT "h"."id" FROM (SELECT "h"."id", ` +
			`pg_catalog.row_number() OVER () AS "row" FROM "h") AS "h" WHERE CASE WHEN "h"."row" > 1000000 THEN ` +
			`CAST(pg_catalog.concat('a recursion makes more than 1000000 rows`,
	} {
		g := guard(t, dialects[letter])
		stmt, err := g.Rewrite(context.Background(), hierarchy)
		if err != nil || !strings.Contains(stmt.SQL(), want) || !strings.Contains(stmt.SQL(), `ELSE TRUE END LIMIT 1000001) AS "h" LIMIT 1000`) {
			t.Errorf("%v: %v does not have %s", err, stmt, want)
		}
	}
}

// A LIMIT of the statement in a recursion is kept up to the bound, and refused if it is
// computed.
func TestLimitOfRecursion(t *testing.T) {
	g := guard(t, sqlite.Dialect{})
	const hierarchy = "WITH RECURSIVE h AS (SELECT id FROM emp UNION ALL SELECT e.id FROM emp AS e JOIN h ON e.boss = h.id LIMIT "
	for _, tt := range []struct {
		limit, printed string // empty: refused
		own            bool   // the recursion has no bound of the guard
	}{
		{"7", "LIMIT 7)", true},
		{"7 OFFSET 5", "LIMIT 7 OFFSET 5)", true},
		{"5, 7", "LIMIT 7 OFFSET 5)", true},
		{"7 OFFSET -5", "LIMIT 7 OFFSET -5)", true},
		{"2000000 OFFSET -5", "LIMIT 1000001 OFFSET -5)", false},
		{"2000000", "LIMIT 1000001)", false},
		{"-1", "LIMIT 1000001)", false},
		{"-1 OFFSET 5", "LIMIT 1000001 OFFSET 5)", false},
		{"-1 OFFSET -5", "LIMIT 1000001 OFFSET -5)", false},
		{"7 OFFSET 2000000", "LIMIT 7 OFFSET 2000000)", true},
		{"-1 OFFSET 2 + 3", "LIMIT 1000001 OFFSET 2 + 3)", false},
		{"3 + 4", "", false},
	} {
		stmt, err := g.Rewrite(context.Background(), hierarchy+tt.limit+") SELECT h.id FROM h")
		switch {
		case tt.printed == "":
			if !errors.Is(err, secureview.ErrRowLimit) {
				t.Errorf("%s: %v", tt.limit, err)
			}
		case err != nil || !strings.Contains(stmt.SQL(), tt.printed) || strings.Contains(stmt.SQL(), "row_number") == tt.own:
			t.Errorf("%s: %v, %v", tt.limit, stmt, err)
		}
	}
}
