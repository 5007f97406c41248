package shape_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/dialect/mysql"
	"github.com/qedkit/qed/dialect/postgres"
	"github.com/qedkit/qed/dialect/sqlite"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

var tables = map[string][]string{
	"t":   {"id", "boss", "n", "s"},
	"emp": {"id", "boss", "name", "tags", "hired", "gone"},
}

func guard(t testing.TB, d dialect.Dialect) *secureview.Guard {
	t.Helper()
	g, err := secureview.New(&secureview.Policy{Schema: "main", Tables: tables}, d)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// dialects maps the letters of a test to dialects.
var dialects = map[rune]dialect.Dialect{'s': sqlite.Dialect{}, 'm': mysql.Dialect{}, 'p': postgres.Dialect{}}

// list returns n texts that f makes of their numbers, joined by a separator.
func list(n int, separator string, f func(i int) string) string {
	out := make([]string, n)
	for i := range out {
		out[i] = f(i)
	}
	return strings.Join(out, separator)
}

func numbered(format string) func(int) string {
	return func(i int) string { return strings.ReplaceAll(format, "#", fmt.Sprint(i)) }
}

// chain returns n common table expressions, each of which reads the one before.
func chain(n int, first, each string) string {
	return "WITH c0 AS (" + first + "), " + list(n-1, ", ", func(i int) string {
		return fmt.Sprintf("c%d AS (%s)", i+1, strings.ReplaceAll(each, "#", fmt.Sprint(i)))
	}) + fmt.Sprintf(" SELECT x FROM c%d", n-1)
}

// A pair is a statement with a number, the largest number with which it is accepted,
// and the code with which it is refused beyond.
type pair struct {
	name     string
	dialects string
	most     int
	code     refusal.Code
	sql      func(n int) string
}

var pairs = []pair{
	{"tables", "smp", 24, secureview.ErrTooComplex, func(n int) string {
		return "SELECT 1 FROM " + list(n, ", ", numbered("t AS a#")) + " WHERE " + list(n-1, " AND ", numbered("a0.id = a#.boss"))
	}},
	{"joins", "smp", 24, secureview.ErrTooComplex, func(n int) string {
		return "SELECT 1 FROM t AS a " + list(n-1, " ", numbered("LEFT JOIN t AS a# ON a.id = a#.id"))
	}},
	{"derived tables", "smp", 12, secureview.ErrTooComplex, func(n int) string {
		return "SELECT 1 FROM " + list(n, ", ", numbered("(SELECT x.id FROM t AS x JOIN t AS y ON x.id = y.id) AS a#"))
	}},
	{"grouped derived tables", "smp", 24, secureview.ErrTooComplex, func(n int) string {
		return "SELECT 1 FROM " + list(n, ", ", numbered("(SELECT x.id FROM t AS x JOIN t AS y ON x.id = y.id GROUP BY x.id) AS a#"))
	}},
	{"semijoins", "smp", 23, secureview.ErrTooComplex, func(n int) string {
		return "SELECT 1 FROM t WHERE " + list(n, " AND ", numbered("id IN (SELECT a#.id FROM t AS a#)"))
	}},
	{"exists", "smp", 23, secureview.ErrTooComplex, func(n int) string {
		return "SELECT 1 FROM t WHERE " + list(n, " AND ", numbered("NOT EXISTS (SELECT 1 FROM t AS a# WHERE a#.id = t.id)"))
	}},
	{"many joins", "smp", 20, secureview.ErrTooComplex, func(n int) string {
		return list(n, " UNION ALL ", func(int) string {
			return "SELECT 1 FROM " + list(11, ", ", numbered("t AS a#"))
		})
	}},
	{"doubled common table expressions", "sm", 5, secureview.ErrTooComplex, func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT a.x FROM c# AS a JOIN c# AS b ON a.x = b.x")
	}},
	{"doubled grouped common table expressions", "sm", 7, secureview.ErrTooComplex, func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT a.x FROM c# AS a JOIN c# AS b ON a.x = b.x GROUP BY a.x")
	}},
	{"shared common table expressions", "p", 40, "", func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT a.x FROM c# AS a JOIN c# AS b ON a.x = b.x")
	}},
	{"doubled columns", "smp", 12, secureview.ErrTooComplex, func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT x + x AS x FROM c#")
	}},
	{"doubled columns of derived tables", "smp", 11, secureview.ErrTooComplex, func(n int) string {
		return "SELECT x FROM " + strings.Repeat("(SELECT x + x AS x FROM ", n) + "(SELECT id AS x FROM t) AS d" + strings.Repeat(") AS d", n)
	}},
	{"tripled columns", "smp", 8, secureview.ErrTooComplex, func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT CASE WHEN x > 1 THEN x ELSE x + 1 END AS x FROM c#")
	}},
	{"columns behind a limit", "smp", 60, "", func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT x + x AS x FROM c# LIMIT 10")
	}},
	{"doubled subqueries", "smp", 7, secureview.ErrTooComplex, func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT (SELECT max(t.id) FROM t WHERE t.id = q.x OR t.n = q.x) AS x FROM c# AS q")
	}},
	{"rollup", "p", 90, secureview.ErrTooComplex, func(n int) string {
		return "SELECT 1 FROM t GROUP BY ROLLUP(" + list(n, ", ", numbered("id + #")) + ")"
	}},
	{"with rollup", "m", 90, secureview.ErrTooComplex, func(n int) string {
		return "SELECT 1 FROM t GROUP BY " + list(n, ", ", numbered("id + #")) + " WITH ROLLUP"
	}},
	{"cube", "p", 8, secureview.ErrTooComplex, func(n int) string {
		return "SELECT 1 FROM t GROUP BY CUBE(" + list(n, ", ", numbered("id + #")) + ")"
	}},
	{"grouping sets", "p", 256, secureview.ErrTooComplex, func(n int) string {
		return "SELECT 1 FROM t GROUP BY GROUPING SETS(" + list(n, ", ", numbered("(id + #)")) + ")"
	}},
	{"product of rollups", "p", 15, secureview.ErrTooComplex, func(n int) string {
		terms := list(n, ", ", numbered("id + #"))
		return "SELECT 1 FROM t GROUP BY ROLLUP(" + terms + "), ROLLUP(" + terms + ")"
	}},
	{"rollups of several blocks", "p", 2, secureview.ErrTooComplex, func(n int) string {
		return list(n, " UNION ALL ", func(int) string { return "SELECT 1 FROM t GROUP BY CUBE(id, boss, n, s, id+1, id+2, id+3)" })
	}},
	{"plain grouping", "smp", 400, "", func(n int) string {
		return "SELECT 1 FROM t GROUP BY " + list(n, ", ", numbered("id + #"))
	}},
	{"counter", "smp", 999_999, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < %d) SELECT sum(i) FROM r", n)
	}},
	{"counter of rows", "smp", 99_999, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 "+
			"UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9 UNION ALL SELECT 10 "+
			"UNION ALL SELECT i + 1 FROM r WHERE i < %d) SELECT sum(i) FROM r", n)
	}},
	{"limit of a recursion", "s", 1_000_000, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT %d) SELECT sum(i) FROM r", n)
	}},
	{"two recursive arms", "s", 18, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < %[1]d "+
			"UNION ALL SELECT i + 1 FROM r WHERE i < %[1]d) SELECT count(*) FROM r", n)
	}},
	{"steps that multiply", "p", 18, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r, (VALUES (1), (2)) AS v(x) WHERE i < %d) "+
			"SELECT count(*) FROM r", n)
	}},
	{"product of recursions", "smp", 999, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < %d) SELECT count(*) FROM r AS x, r AS y", n)
	}},
	{"join of recursions", "smp", 200_000, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < %d) "+
			"SELECT count(*) FROM r AS x LEFT JOIN r AS y ON x.i = y.i", min(n, 200_000)+max(n-200_000, 0)*1_000_000)
	}},
	{"series", "p", 1_000_000, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("SELECT sum(i) FROM generate_series(1, %d) AS i", n)
	}},
	{"series in the select list", "p", 1_000_000, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("SELECT count(*) FROM (SELECT generate_series(1, %d) AS i) AS d", n)
	}},
	{"series with bounds of a subquery", "p", 1_000_000, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("WITH p AS (SELECT 1 AS a, %d AS b) SELECT count(*) FROM p, generate_series(p.a, p.b) AS i", n)
	}},
	{"product of series", "p", 1000, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("SELECT count(*) FROM generate_series(1, %d) AS i, generate_series(1, 1000) AS k", n)
	}},
	{"correlated series", "p", 999, secureview.ErrUnbounded, func(n int) string {
		return fmt.Sprintf("SELECT (SELECT count(*) FROM generate_series(1, 1000) AS k WHERE k < i) FROM generate_series(1, %d) AS i", n)
	}},
	{"uncorrelated series", "p", 200_000, "", func(n int) string {
		return fmt.Sprintf("SELECT i, (SELECT count(*) FROM generate_series(1, %[1]d) AS k) FROM generate_series(1, %[1]d) AS i", n)
	}},
	{"product of values", "smp", 6, secureview.ErrUnbounded, func(n int) string {
		ten := "SELECT 0 AS d" + strings.Repeat(" UNION ALL SELECT 1", 9)
		return "SELECT count(*) FROM " + list(n, ", ", numbered("("+ten+") AS a#"))
	}},
	{"product of unnest", "p", 3, secureview.ErrUnbounded, func(n int) string {
		return "SELECT count(*) FROM " + list(n, ", ", numbered("string_to_table('"+strings.Repeat("a,", 40)+"', ',') AS a#"))
	}},
}

func TestBounds(t *testing.T) {
	for _, p := range pairs {
		for _, letter := range p.dialects {
			d := dialects[letter]
			t.Run(d.Name()+"/"+p.name, func(t *testing.T) {
				g := guard(t, d)
				if _, err := g.Rewrite(context.Background(), p.sql(p.most)); err != nil {
					t.Errorf("with %d: %v", p.most, err)
				}
				if p.code == "" {
					return
				}
				if _, err := g.Rewrite(context.Background(), p.sql(p.most+1)); !errors.Is(err, p.code) {
					t.Errorf("with %d: %v, not %s", p.most+1, err, p.code)
				}
			})
		}
	}
}

// accepted are statements whose recursion or series ends.
var accepted = []struct{ dialects, sql string }{
	{"smp", "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 100) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 0 AS i UNION SELECT i + 2 FROM r WHERE 100 >= i + 2) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 100 AS i UNION ALL SELECT i - 1 FROM r WHERE i > 0 AND i <> 7) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i * 2 FROM r WHERE i BETWEEN 1 AND 100000) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE f(n, a, b) AS (SELECT 1, 0, 1 UNION ALL SELECT n + 1, b, a + b FROM f WHERE n < 20) SELECT a FROM f"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < (SELECT max(n) FROM t)) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT min(n) AS i FROM t UNION ALL SELECT i + 1 FROM r WHERE i < 100) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE b AS (SELECT max(n) AS m FROM t), r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r, b WHERE i < b.m) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE h AS (SELECT id, boss, 0 AS depth FROM emp WHERE boss IS NULL " +
		"UNION ALL SELECT e.id, e.boss, h.depth + 1 FROM emp AS e JOIN h ON e.boss = h.id) SELECT id, depth FROM h"},
	{"smp", "WITH RECURSIVE h AS (SELECT id FROM emp WHERE id = 1 UNION SELECT e.id FROM emp AS e, h WHERE e.boss = h.id) SELECT count(*) FROM h"},
	{"smp", "WITH RECURSIVE h AS (SELECT id, 1 AS d FROM emp UNION ALL SELECT e.id, d + 1 FROM h JOIN emp AS e ON e.boss = h.id WHERE h.d < 10) SELECT * FROM h"},
	{"smp", "WITH RECURSIVE h AS (SELECT id FROM emp UNION ALL SELECT e.id FROM h JOIN (SELECT id, boss FROM emp WHERE id > 3) AS e ON e.boss = h.id) SELECT * FROM h"},
	{"smp", "WITH RECURSIVE m AS (SELECT id, hired, gone, 0 AS k FROM emp UNION ALL SELECT id, hired, gone, k + 1 FROM m WHERE k < gone) SELECT id, k FROM m"},
	{"s", "WITH RECURSIVE d(day) AS (SELECT '2024-01-01' UNION ALL SELECT date(day, '+1 day') FROM d WHERE day < '2024-12-31') SELECT day FROM d"},
	{"s", "WITH RECURSIVE d(day) AS (SELECT date('now', '-30 days') UNION ALL SELECT date(day, '+1 day') FROM d WHERE day < date('now')) SELECT day FROM d"},
	{"s", "WITH RECURSIVE d(m) AS (SELECT date('2020-01-15', 'start of month') UNION ALL SELECT date(m, '+1 month') FROM d " +
		"WHERE date(m, '+1 month') <= '2024-12-31') SELECT m FROM d"},
	{"s", "WITH RECURSIVE d(day) AS (SELECT min(hired) FROM emp UNION ALL SELECT date(day, '+1 day') FROM d WHERE day < (SELECT max(hired) FROM emp)) SELECT day FROM d"},
	{"s", "WITH RECURSIVE s(word, rest) AS (SELECT '', tags || ',' FROM emp UNION ALL " +
		"SELECT substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1) FROM s WHERE rest <> '') SELECT word FROM s WHERE word <> ''"},
	{"s", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r LIMIT 9) SELECT i FROM r"},
	{"m", "WITH RECURSIVE d AS (SELECT DATE('2024-01-01') AS day UNION ALL SELECT DATE_ADD(day, INTERVAL 1 DAY) FROM d WHERE day < '2024-12-31') SELECT day FROM d"},
	{"m", "WITH RECURSIVE d AS (SELECT CAST('2024-01-01' AS DATE) AS day UNION ALL SELECT day + INTERVAL 1 MONTH FROM d WHERE day + INTERVAL 1 MONTH <= CURDATE()) SELECT day FROM d"},
	{"m", "WITH RECURSIVE d AS (SELECT MIN(hired) AS day FROM emp UNION ALL SELECT DATE_ADD(day, INTERVAL 1 DAY) FROM d WHERE day < (SELECT MAX(hired) FROM emp)) SELECT day FROM d"},
	{"p", "WITH RECURSIVE d AS (SELECT DATE '2024-01-01' AS day UNION ALL SELECT (day + INTERVAL '1 day')::date FROM d WHERE day < DATE '2024-12-31') SELECT day FROM d"},
	{"p", "WITH RECURSIVE d AS (SELECT DATE '2024-01-01' AS day UNION ALL SELECT day + 1 FROM d WHERE day < '2024-12-31') SELECT day FROM d"},
	{"p", "SELECT d::date FROM generate_series('2024-01-01', '2024-12-31', '1 day') AS d"},
	{"p", "SELECT d FROM generate_series(DATE '2024-01-01', CURRENT_DATE, INTERVAL '1 month') AS d"},
	{"p", "SELECT d FROM generate_series(date_trunc('month', CURRENT_DATE) - INTERVAL '11 months', date_trunc('month', now()), '1 month') AS d"},
	{"p", "SELECT d FROM generate_series('2024-01-01'::timestamp, '2024-01-02'::timestamp, '15 minutes') AS d"},
	{"p", "SELECT generate_series('2024-01-01'::date, '2024-12-31'::date, '1 day')::date AS d"},
	{"p", "SELECT d FROM generate_series((SELECT min(hired) FROM emp)::timestamp, (SELECT max(hired) FROM emp)::timestamp, '1 day') AS d"},
	{"p", "SELECT e.id, k FROM emp AS e, generate_series(1, e.boss) AS k"},
	{"p", "SELECT DATE '2024-01-01' + i FROM generate_series(0, DATE '2024-12-31' - DATE '2024-01-01') AS i"},
	{"p", "WITH days AS (SELECT generate_series('2015-01-01'::date, '2024-12-31', '1 day')::date AS d), " +
		"daily AS (SELECT days.d, count(e.id) AS n FROM days LEFT JOIN emp AS e ON e.hired = days.d GROUP BY days.d) " +
		"SELECT days.d, daily.n FROM days LEFT JOIN daily ON daily.d = days.d"},
	{"p", "SELECT e.id, x FROM emp AS e, unnest(string_to_array(e.tags, ',')) AS x, unnest(ARRAY[1, 2, 3]) AS y"},
	{"smp", "SELECT * FROM emp AS e CROSS JOIN (SELECT 1 AS k UNION ALL SELECT 2) AS v"},
}

func TestAccepted(t *testing.T) {
	for _, tt := range accepted {
		for _, letter := range tt.dialects {
			g := guard(t, dialects[letter])
			if _, err := g.Rewrite(context.Background(), tt.sql); err != nil {
				t.Errorf("%s: %s\n%v", g.Dialect().Name(), tt.sql, err)
			}
		}
	}
}

// endless are statements whose recursion or series has no visible end.
var endless = []struct{ dialects, sql string }{
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i FROM r WHERE i < 10) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i > 0) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i - 1 FROM r WHERE i < 10) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 10 OR i > 20) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < i + 10) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i, 9 AS m UNION ALL SELECT i + 1, m + 1 FROM r WHERE i < m) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 0 AS i UNION ALL SELECT i * 2 FROM r WHERE i < 10) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 0.00001 FROM r WHERE i < 100) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i, 1 AS k UNION ALL SELECT i + 1, k FROM r WHERE k < 10) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT e.id FROM r, emp AS e) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r, emp AS e WHERE i < 10 AND e.id > 3) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 'x' AS s UNION ALL SELECT concat(s, 'x') FROM r WHERE length(s) < 100) SELECT s FROM r"},
	{"s", "WITH RECURSIVE d(day) AS (SELECT '0001-01-01' UNION ALL SELECT datetime(day, '+1 second') FROM d WHERE day < '2024-12-31') SELECT day FROM d"},
	{"s", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r LIMIT -1) SELECT i FROM r"},
	{"p", "SELECT d FROM generate_series('2024-01-01'::timestamp, 'infinity'::timestamp, '1 day') AS d"},
	{"p", "SELECT d FROM generate_series('1900-01-01'::timestamp, '2024-01-01'::timestamp, '1 second') AS d"},
	{"p", "SELECT count(*) FROM generate_series(1, (SELECT 1000000000)) AS i"},
	{"p", "SELECT count(*) FROM generate_series(1, 1000000000 / 2) AS i"},
	{"p", "SELECT count(*) FROM generate_series(1, 10, 0.000001) AS i"},
	{"p", "SELECT count(*) FROM generate_series(1, power(10, 9)::integer) AS i"},
	{"p", "SELECT count(*) FROM generate_series(1, 1000) AS a JOIN generate_series(1, 2000) AS b ON a <> b"},
	{"p", "WITH a AS (SELECT 1 AS k, i FROM generate_series(1, 2000) AS i) SELECT count(*) FROM a JOIN a AS b ON a.k = b.k"},
}

func TestEndless(t *testing.T) {
	for _, tt := range endless {
		for _, letter := range tt.dialects {
			g := guard(t, dialects[letter])
			if _, err := g.Rewrite(context.Background(), tt.sql); !errors.Is(err, secureview.ErrUnbounded) {
				t.Errorf("%s: %s\n%v", g.Dialect().Name(), tt.sql, err)
			}
		}
	}
}

// A recursion that data ends is printed with a bound where the engine has one.
func TestPrintedBound(t *testing.T) {
	const hierarchy = "WITH RECURSIVE h AS (SELECT id FROM emp UNION ALL SELECT e.id FROM emp AS e JOIN h ON e.boss = h.id) SELECT h.id FROM h"
	for letter, want := range map[rune]string{
		's': "LIMIT 1000000) SELECT",
		'p': `FROM (SELECT "h"."id" FROM "h" LIMIT 1000000) AS "h" LIMIT 1000`,
	} {
		g := guard(t, dialects[letter])
		stmt, err := g.Rewrite(context.Background(), hierarchy)
		if err != nil || !strings.Contains(stmt.SQL(), want) {
			t.Errorf("%v: %v does not have %s", err, stmt, want)
		}
		const counter = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 100) SELECT r.i FROM r"
		if stmt, err = g.Rewrite(context.Background(), counter); err != nil || strings.Contains(stmt.SQL(), "1000000") {
			t.Errorf("%v: %v has a bound that it does not need", err, stmt)
		}
	}
}
