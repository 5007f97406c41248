package dialect_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// terms returns different terms of a GROUP BY.
func terms(from, count int) string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprintf("n + %d", from+i)
	}
	return strings.Join(list, ", ")
}

// nested returns conditions that are nested n times.
func nested(open string, n int) string {
	return strings.Repeat(open, n) + "true" + strings.Repeat(")", n)
}

// A text of which DuckDB's parser would make a tree that is far larger is refused
// before it is parsed, wherever comments, names and spaces stand in it.
func TestCopies(t *testing.T) {
	g, err := secureview.New(&secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{"t": {"n", "s", "j", "as"}}}, dialect.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	operands := strings.Repeat("CASE ", 24) + "n" + strings.Repeat(" WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 END", 24)
	rollup := "GROUP BY ROLLUP (" + terms(0, 700) + ")"
	for name, tt := range map[string]struct {
		text string
		code string // of the refusal; empty: the statement is accepted
	}{
		"CASE in an operand":            {"SELECT " + operands + " FROM t", "too_costly"},
		"after a name with dollars":     {"SELECT 1 AS a$b$, " + operands + " FROM t", "too_costly"},
		"after a number with a name":    {"SELECT 1e$b$, " + operands + " FROM t", "too_costly"},
		"after a comment with a return": {"SELECT --\r" + operands + " FROM t", "too_costly"},
		"after a doubled quote": {
			"SELECT E'a''\\'' AS a, " + operands + " FROM t --'",
			"too_costly",
		},
		"after a text in two lines": {
			"SELECT E'a'\n'\\'' AS a, " + operands + " FROM t --'",
			"too_costly",
		},
		"after a text and a comment": {
			"SELECT E'a' -- b\r '\\'' AS a, " + operands + " FROM t --'",
			"too_costly",
		},
		"with spaces that are not ASCII": {
			"SELECT " + strings.ReplaceAll(operands, "CASE ", "CASE\u00a0") + " FROM t",
			"syntax",
		},
		"with invisible spaces": {
			"SELECT " + strings.ReplaceAll(operands, "CASE ", "CASE\u200b") + " FROM t",
			"syntax",
		},
		"a long operand": {
			"SELECT CASE concat(s" + strings.Repeat(", s", 1000) + ")" + strings.Repeat(" WHEN 1 THEN 1", 200) +
				" END FROM t",
			"too_costly",
		},
		"long operands": {
			"SELECT 1" +
				strings.Repeat(", CASE concat(s"+strings.Repeat(", s", 300)+")"+strings.Repeat(" WHEN '1' THEN 1", 11)+" END", 7) +
				" FROM t",
			"too_costly",
		},
		"an operand with many WHENs": {
			"SELECT CASE upper(s) " + strings.Repeat(" WHEN 'a' THEN 1", 450) + " END FROM t",
			"",
		},
		"a CASE with long conditions": {
			"SELECT CASE" +
				strings.Repeat(" WHEN s = 'a' AND n IN (1"+strings.Repeat(", 1", 20)+") THEN 1", 80) +
				" END FROM t",
			"",
		},
		"a long window of many names": {
			"SELECT 1" + strings.Repeat(", sum(n) OVER w", 200) + " FROM t WINDOW w AS (PARTITION BY n" +
				strings.Repeat(", n", 400) + ")",
			"too_costly",
		},
		"a window after a long statement": {
			"SELECT n IN (1" + strings.Repeat(", 1", 2000) + ")" + strings.Repeat(", sum(n) OVER w", 20) +
				" FROM t WINDOW w AS (PARTITION BY n ORDER BY s) ORDER BY 1",
			"",
		},
		"nested subqueries": {
			"SELECT n FROM t WHERE " + nested("n = (SELECT max(n) FROM t WHERE ", 7), "too_costly",
		},
		"nested EXISTS and IN": {
			"SELECT n FROM t WHERE EXISTS (SELECT 1 FROM t WHERE " + nested("n IN (SELECT n FROM t WHERE ", 6) + ")", "too_costly",
		},
		"subqueries in a chain of common table expressions": {
			"WITH a AS (SELECT max(n) AS n FROM t WHERE " + nested("n = (SELECT max(n) FROM t WHERE ", 3) + "), " +
				"b AS (SELECT n FROM A) SELECT n FROM t WHERE " + nested("n = (SELECT max(n) FROM b WHERE ", 4), "too_costly",
		},
		"subqueries in common table expressions": {
			"WITH a AS (SELECT max(n) AS n FROM t WHERE " + nested("n = (SELECT max(n) FROM t WHERE ", 3) + "), " +
				"b AS (SELECT n FROM a WHERE n IN (SELECT n FROM t)) SELECT n FROM b WHERE " +
				nested("n = (SELECT max(n) FROM a WHERE ", 3), "",
		},
		"subqueries in subqueries": {"SELECT n FROM t WHERE " + nested("n = (SELECT max(n) FROM t WHERE ", 6), ""},
		"numbers and names before keywords": {
			"SELECT CASE 1.WHEN 1.5e3THEN CASE n WHEN 1THEN 2.END WHEN 1_0THEN t.as END, CASE t.as WHEN 1THEN 1END FROM t",
			"",
		},
		"CASE in a result": {
			"SELECT CASE n WHEN 1 THEN CASE s WHEN 'a' THEN 1 END END AS a$b$, 2 AS c$b$ FROM t",
			"",
		},
		"other spaces in quotes": {
			"SELECT 'a\u00a0b' AS \"x\u2003y\" /* \u00a0 */ FROM t -- \u3000",
			"",
		},
		"names that are not ASCII": {"SELECT n AS größe, s AS 大きさ FROM t", ""},

		"a long ROLLUP": {"SELECT 1 FROM t " + rollup, "too_costly"},
		"a long ROLLUP in a subquery": {
			"SELECT (SELECT 1 FROM t " + rollup + ") FROM t GROUP BY n",
			"too_costly",
		},
		"a long ROLLUP before HAVING": {
			"SELECT 1 FROM t " + rollup + " HAVING n > 1 ORDER BY 1",
			"too_costly",
		},
		"ROLLUP times ROLLUP": {
			"SELECT 1 FROM t GROUP BY ROLLUP (" + terms(0, 120) + "), n, ROLLUP (" + terms(200, 120) + ")",
			"too_costly",
		},
		"a subquery between them": {
			"SELECT 1 FROM t GROUP BY ROLLUP (" + terms(0, 80) + "), (SELECT 1 FROM t GROUP BY n), ROLLUP (" +
				terms(200, 80) + ")",
			"too_costly",
		},
		"a column order between them": {
			"SELECT 1 FROM t GROUP BY ROLLUP (" + terms(0, 80) + "), t.order, ROLLUP (" + terms(200, 80) + ")",
			"too_costly",
		},
		"GROUPING SETS of each other": {
			"SELECT 1 FROM t GROUP BY " + strings.Repeat("GROUPING SETS ((n, s), (j), ()), ", 9) + "n",
			"too_costly",
		},
		"sets in GROUPING SETS": {
			"SELECT 1 FROM t GROUP BY GROUPING /**/ SETS (CUBE (" + terms(0, 8) + "), n)",
			"too_costly",
		},
		"many ROLLUPs": {
			"SELECT 1 FROM t" +
				strings.Repeat(" UNION ALL SELECT 1 FROM t GROUP BY ROLLUP ("+terms(0, 90)+")", 9),
			"too_costly",
		},
		"ROLLUP": {"SELECT n, s FROM t GROUP BY ROLLUP (n, s, (j, n + 1))", ""},
		"ROLLUP times CUBE": {
			"SELECT n, s FROM t GROUP BY ROLLUP (n, s), CUBE (j, n + 1), n + 2",
			"",
		},
		"GROUPING SETS": {
			"SELECT n FROM t GROUP BY GROUPING SETS ((n, s), ROLLUP (n, j), ())",
			"",
		},
		"ROLLUP next to a long list": {
			"SELECT n FROM t GROUP BY CUBE (n, s, j, n + 1) HAVING n IN (1" + strings.Repeat(", 1", 2000) +
				")",
			"",
		},
		"a ROLLUP in each arm": {
			"SELECT n FROM t GROUP BY n" +
				strings.Repeat(" UNION ALL SELECT n FROM t GROUP BY ROLLUP (n, s)", 9),
			"",
		},
		"a function and a name rollup": {
			"SELECT n AS rollup FROM t WHERE n IN (1" + strings.Repeat(", 1", 2000) + ")",
			"",
		},
	} {
		began := time.Now()
		_, err := g.Rewrite(t.Context(), tt.text)
		var refused *refusal.Error
		switch {
		case tt.code == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tt.code != "" && (!errors.As(err, &refused) || string(refused.Problems[0].Code) != tt.code):
			t.Errorf("%s: %v after %v, want the code %s", name, err, time.Since(began), tt.code)
		}
	}
}

// A keyword counts after a number and after a name that is another keyword.
func TestKeywords(t *testing.T) {
	for _, value := range []string{"1", "1. ", "1.", ".5", "1_0.5e-1_0", "1e5", "t.as ", "$end ", "$ end "} {
		text := "SELECT CASE concat(s" + strings.Repeat(", s", 500) + ")" +
			strings.Repeat(" WHEN CASE WHEN true THEN "+value+"END THEN 1 WHEN '2' THEN "+value, 50) + "WHEN 1 THEN 1 END FROM t"
		if _, err := (dialect.Dialect{}).Read(text); err == nil || !strings.Contains(err.Error(), "a CASE has a long operand") {
			t.Errorf("after %q: %v", value, err)
		}
	}
	text := "SELECT 1 FROM t GROUP BY CUBE (a, b, c, d, e), $order, CUBE (f, g, h, i, j)"
	if _, err := (dialect.Dialect{}).Read(text); err == nil || !strings.Contains(err.Error(), "256 ways") {
		t.Errorf("GROUP BY with a parameter: %v", err)
	}
}

// DuckDB takes no other character for a space than those that are refused.
func TestSpaces(t *testing.T) {
	var dialect dialect.Dialect
	for r := rune(0x80); r < 0x3100; r++ {
		_, err := dialect.Read("SELECT" + string(r) + "1")
		var e *sqlast.Error
		if !errors.As(err, &e) {
			t.Errorf("%U separates words: %v", r, err)
		}
	}
}
