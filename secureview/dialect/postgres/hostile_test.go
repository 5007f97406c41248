package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect/postgres"
)

// hostile returns texts that are made to stop a grammar: nested as deeply as the
// length of a text allows, in every way that a tree can be nested.
func hostile() map[string]string {
	chain := func(before, middle, after string) string {
		n := (sqlast.MaxText - 200) / (len(before) + len(after))
		return "SELECT " + strings.Repeat(before, n) + middle + strings.Repeat(after, n)
	}
	return map[string]string{
		"parentheses":         chain("(", "1", ")"),
		"brackets":            chain("a[", "1", "]"),
		"arrays":              chain("ARRAY[", "1", "]"),
		"open parentheses":    chain("(", "", ""),
		"subqueries":          chain("(SELECT ", "1", ")"),
		"derived tables":      chain("1 FROM (SELECT ", "1", ") a"),
		"calls":               chain("f(", "1", ")"),
		"cases":               chain("CASE WHEN ", "1", " THEN 1 END"),
		"cases in operands":   chain("CASE ", "1", " WHEN 1 THEN 1 END"),
		"cases in results":    chain("CASE WHEN 1 THEN ", "1", " END"),
		"cases with AND":      chain("CASE WHEN 1 AND ", "1", " THEN 1 END"),
		"sums":                chain("", "1", "+1"),
		"powers":              chain("", "1", "^1"),
		"signs":               chain("", "1", " || 1"),
		"custom signs":        chain("", "1", " OPERATOR(pg_catalog.+) 1"),
		"minus":               chain("- ", "1", ""),
		"prefixes":            chain("@ ", "1", ""),
		"nots":                chain("NOT ", "1", ""),
		"casts":               chain("", "1", "::int"),
		"casts with a space":  chain("", "1", " :: int"),
		"called casts":        chain("CAST(", "1", " AS int)"),
		"null tests":          chain("", "1", " IS NULL"),
		"short null tests":    chain("", "1", " ISNULL"),
		"betweens":            chain("", "1", " BETWEEN 1 AND 1 IS NULL"),
		"betweens and tests":  chain("", "1", " BETWEEN 1 AND 1 IS NULL IS NULL IS NULL IS NULL IS NULL"),
		"in":                  chain("", "1", " IN (1) IS NULL"),
		"likes":               chain("", "1", " LIKE 1 IS NULL"),
		"collations":          chain("", "a", ` COLLATE "C"`),
		"time zones":          chain("", "a", " AT TIME ZONE b"),
		"ands":                chain("", "1", " AND 1"),
		"ors and ands":        chain("", "1", " OR 1 AND 1"),
		"unions":              chain("", "1", " UNION SELECT 1"),
		"unions with commas":  chain("", "1,1", " UNION SELECT 1,1"),
		"joins":               chain("", "1 FROM a", " JOIN a ON 1"),
		"joins with AND":      chain("", "1 FROM a", " JOIN a ON 1 AND 1"),
		"joins inside":        "SELECT 1 FROM a" + strings.Repeat(" JOIN a", 5000) + strings.Repeat(" ON 1", 5000),
		"joins and commas":    chain("", "1 FROM a", " CROSS JOIN a, a"),
		"commas":              chain("", "1 FROM a", ", a"),
		"withs":               strings.Repeat("WITH a AS (", 4000) + "SELECT 1" + strings.Repeat(") SELECT 1", 1500),
		"labels":              chain("(SELECT 1 end, 1+", "1", ")"),
		"labels and sums":     chain("", "1", "+(SELECT 1 end, 1 case, 1)"),
		"labels after points": chain("", "1", "+a.end+a.case+a.and+a.or"),
		"labels after AS":     "SELECT 1 AS end" + strings.Repeat(", 1 AS case", 5000),
		"grouping sets":       "SELECT 1 GROUP BY " + strings.Repeat("GROUPING SETS (", 2000) + "a" + strings.Repeat(")", 2000),
		"windows":             chain("f() OVER (ORDER BY ", "1", ")"),
		"filters":             chain("f() FILTER (WHERE ", "1", ")"),
		"rows":                chain("ROW(", "1", ")"),
		"strings":             chain("", "'a'", "\n'a'"),
		"escapes":             "SELECT E'a'\n'\\'" + strings.Repeat("(", 5000) + "'" + strings.Repeat("(", 5000),
		"dollars":             "SELECT 1$x$ ' $x$" + strings.Repeat("(", 5000),
		"open dollar":         "SELECT $x$" + strings.Repeat("(", 5000),
		"dollars in a name":   "SELECT a$x$" + strings.Repeat("(", 5000),
		"empty comments":      "SELECT " + strings.Repeat("/**/", 15_000) + "1",
		"signs and comments":  "SELECT 1" + strings.Repeat("+/**/", 12_000) + "1",
		"signs in a row":      "SELECT " + strings.Repeat("+", 60_000) + "1",
		"runs of signs":       chain("+-+- ", "1", ""),
		"runs between":        chain("", "1", " +-+-+-+- 1"),
		"rows of signs":       "SELECT " + strings.Repeat(strings.Repeat("+-", 15)+" ", 2000) + "1",
		"comments of signs":   "SELECT " + strings.Repeat("/*"+strings.Repeat("/*", 100)+strings.Repeat("*/", 100)+"*/ ", 140) + "1",
		"comments":            "SELECT " + strings.Repeat("/*", 20_000) + strings.Repeat("*/", 10_000) + "1",
		"comment ends":        "SELECT 1 -- \r" + strings.Repeat("(", 5000),
		"digits":              "SELECT " + strings.Repeat("9", 60_000),
		"exponent":            "SELECT 1e999999999",
		"names":               "SELECT a" + strings.Repeat(".b", 30_000),
		"long names":          "SELECT " + strings.Repeat("é", 30_000),
		"list":                chain("", "1", ",1"),
		"semicolons":          strings.Repeat(";", 60_000),
		"statements":          strings.Repeat("SELECT 1;", 7000),
		"unicode":             "SELECT U&'\\D800'",
		"large":               "SELECT '" + strings.Repeat("a", 1<<20) + "'",
	}
}

// TestHostile: for every hostile text Read returns a tree or a *sqlast.Error. None
// stops the grammar, and statements after it are read as before.
func TestHostile(t *testing.T) {
	roundTrip(t, constructs[0].text) // starts the grammar
	slowest, slow := time.Duration(0), ""
	for name, text := range hostile() {
		for _, text := range []string{text, text[:min(len(text), 20_000)], "SELECT (" + text + ")"} {
			start := time.Now()
			_, err := postgres.Dialect{}.Read(text)
			if took := time.Since(start); took > slowest {
				slowest, slow = took, name
			}
			var e *sqlast.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%s: %T: %v", name, err, err)
			}
			if e != nil && (len(e.Error()) > 500 || strings.Contains(e.Message, "the grammar fails")) {
				t.Errorf("%s: %s", name, e.Message)
			}
		}
	}
	roundTrip(t, constructs[0].text)
	if t.Logf("the slowest, %s, took %v", slow, slowest); slowest > 20*time.Second {
		t.Errorf("%s took %v", slow, slowest)
	}
}

// TestDeepest: the deepest texts that are given to the grammar do not stop it, for
// every operator and at any depth of parentheses.
func TestDeepest(t *testing.T) {
	for name, link := range map[string][2]string{
		"sums": {"", "+1"}, "signs": {"", " || 1"}, "nots": {"NOT ", ""}, "casts": {"", "::int"}, "tests": {"", " IS NULL"},
		"collations": {"", ` COLLATE "C"`}, "zones": {"", " AT TIME ZONE b"}, "powers": {"", "^1"},
		"betweens": {"", " BETWEEN 1 AND 1 IS NULL"}, "likes": {"", " LIKE 1 IS NULL"}, "operators": {"", " OPERATOR(pg_catalog.+) 1"},
	} {
		for _, around := range [][2]string{{"", ""}, {"(SELECT ", ")"}, {"f(", ")"}, {"CASE WHEN ", " THEN 1 END"}, {"ARRAY[", "]"}, {"1 FROM (SELECT ", ") a"}} {
			read := 0
			for _, n := range []int{30, 90, 180, 300, 390, 600} {
				text := strings.Repeat(link[0], n) + "a" + strings.Repeat(link[1], n)
				if around[0] != "" {
					text = strings.Repeat(around[0], 95) + text + strings.Repeat(around[1], 95)
				}
				_, err := postgres.Dialect{}.Read("SELECT " + text)
				var e *sqlast.Error
				if errors.As(err, &e) && strings.Contains(e.Message, "the grammar fails") {
					t.Errorf("%s in %q: %s", name, around[0], e.Message)
				}
				if err == nil {
					read++
				}
			}
			if read == 0 && around[0] == "" {
				t.Errorf("%s: none is read", name)
			}
		}
	}
}

// TestConcurrent: several goroutines use one Dialect, some with statements that are
// refused.
func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 3 {
				for _, tt := range constructs {
					q, err := postgres.Dialect{}.Read(tt.text)
					if err != nil {
						t.Errorf("Read(%q): %v", tt.text, err)
						continue
					}
					if got, err := (postgres.Dialect{}).Append(nil, q, false); err != nil || string(got) != tt.want {
						t.Errorf("Append(%q) = %q, %v", tt.text, got, err)
					}
				}
				postgres.Dialect{}.Read("SELECT FROM WHERE")
			}
		})
	}
	wg.Wait()
}
