package mysql_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// crashers end a MariaDB server of version 10.11 or a MySQL server of version 9.7, or have
// the same form for a reader, which does not know the types of columns.
var crashers = []string{
	"SELECT 1 FROM t WHERE JSON_EXTRACT('{}', '$.b') <=> bl",
	"SELECT 1 FROM t WHERE bl <=> JSON_EXTRACT('{}', '$.b', '$.c')",
	"SELECT 1 FROM t WHERE JSON_EXTRACT('{}', '$.b') <=> JSON_VALUE(bl, '$')",
	"SELECT 1 FROM u, t WHERE u.id = 1 AND JSON_EXTRACT(u.name, '$.z') <=> t.bl",
	"SELECT 1 FROM t WHERE NOT ((SELECT JSON_EXTRACT('{}', '$.b') LIMIT 1) <=> bl)",
	"SELECT 1 FROM t WHERE (JSON_EXTRACT('{}', '$.b'), 1) <=> (bl, 1)",
	"SELECT 1 FROM t WHERE j->'$.a' <=> bl",

	"SELECT JSON_OBJECTAGG((1, 1) = (1, vc), 1) FROM t",
	"SELECT JSON_OBJECTAGG(NOT ((1, 1) < (1, vc)), 1) FROM t",
	"SELECT JSON_OBJECTAGG(((i, vc) = (1, NULL)) = i, 1) FROM t",
	"SELECT JSON_OBJECTAGG((i, vc) NOT IN ((1, NULL)), 1) FROM t",
	"SELECT JSON_OBJECTAGG((SELECT (i, vc) = (1, NULL)), 1) FROM t",
	"SELECT 1 FROM t HAVING JSON_OBJECTAGG((1, 1) = (1, vc), 1) = 'x'",
	"SELECT JSON_OBJECTAGG(c, 1) FROM (SELECT (1, 1) = (1, vc) AS c FROM t) AS d",
	"WITH d AS (SELECT (1, 1) = (1, vc) AS c FROM t) SELECT JSON_OBJECTAGG(c, 1) FROM d",

	"SELECT GROUP_CONCAT(vc ORDER BY 1) FROM t GROUP BY i", "SELECT GROUP_CONCAT(vc ORDER BY -1) FROM t",
	"SELECT id, GROUP_CONCAT(CONCAT(vc), j ORDER BY 1) FROM t GROUP BY id WITH ROLLUP",
	"SELECT 1 FROM t GROUP BY id WITH ROLLUP HAVING GROUP_CONCAT(CONCAT(vc), j ORDER BY i, 2) > 'a'",
	"SELECT (SELECT GROUP_CONCAT(CONCAT(t.vc), t.j ORDER BY 1)) FROM t GROUP BY id WITH ROLLUP",
	"SELECT id FROM t GROUP BY id WITH ROLLUP ORDER BY GROUP_CONCAT(CONCAT(vc), j ORDER BY 1)",

	"SELECT abs((SELECT EXISTS (SELECT 1 FROM t x WHERE x.vc IN (SELECT '')))) AS r, ROW_NUMBER() OVER (ORDER BY abs((SELECT EXISTS (SELECT 1 FROM t x WHERE x.vc IN (SELECT ''))))) FROM t",
	"SELECT abs((SELECT EXISTS (SELECT 1 FROM t x WHERE x.vc IN (SELECT '')))) AS r, COUNT(*) OVER w FROM t WINDOW w AS (PARTITION BY abs((SELECT EXISTS (SELECT 1 FROM t x WHERE x.vc = ANY (SELECT '')))))",

	"SELECT id FROM t EXCEPT SELECT SUM(i) FROM t INTERSECT SELECT i FROM t",
	"SELECT id FROM t EXCEPT ALL SELECT LAG(i) OVER (ORDER BY id) FROM t INTERSECT ALL SELECT i FROM t",
	"SELECT id FROM t EXCEPT (SELECT COALESCE(MAX(i), NULL) FROM t UNION ALL SELECT i FROM t)",
	"SELECT id FROM t INTERSECT (SELECT SUM(i) FROM t EXCEPT SELECT i FROM t)",
	"SELECT id FROM t EXCEPT ((SELECT SUM(i) FROM t LIMIT 1) UNION SELECT i FROM t)",
	"SELECT id FROM t EXCEPT ((SELECT SUM(i) FROM t LIMIT 1) ORDER BY 1)",
	"SELECT id FROM t EXCEPT ((SELECT SUM(i) FROM t UNION SELECT 1) LIMIT 1)",
	"SELECT 1 FROM t WHERE 3 IN (SELECT id FROM t UNION SELECT 1 EXCEPT (SELECT SUM(i) FROM t UNION SELECT i FROM t))",

	"SELECT 1 FROM t WHERE JSON_UNQUOTE(JSON_EXTRACT('{}', '$.b')) <=> bl",
	"SELECT 1 FROM t WHERE vc <=> (SELECT name FROM u WHERE JSON_EXTRACT(j, '$.b') = 1)",
	"SELECT JSON_OBJECTAGG(vc, i) FROM t WHERE (i, vc) = (1, 'a') AND (i, vc) IN ((1, 'a'))",
	"SELECT vc IN (SELECT 'a') AS r, ROW_NUMBER() OVER (ORDER BY vc IN (SELECT name FROM u)) FROM t ORDER BY vc IN (SELECT 'a')",
	"SELECT i, x.c FROM (SELECT GROUP_CONCAT(vc ORDER BY 1) AS c, i FROM t) AS x GROUP BY i WITH ROLLUP",
	"SELECT id FROM t EXCEPT SELECT i FROM t INTERSECT SELECT SUM(i) FROM t",
	"SELECT id FROM t EXCEPT (SELECT (SELECT SUM(i) FROM t) UNION SELECT i FROM t GROUP BY i HAVING MAX(id) > 1)",
	"SELECT id FROM t INTERSECT (SELECT SUM(i) FROM t INTERSECT SELECT i FROM t)",
	"SELECT JSON_OBJECTAGG(vc, (i, vc) IN (SELECT id, name FROM u)) FROM t",
	"SELECT id FROM t EXCEPT SELECT i FROM t INTERSECT SELECT i FROM t",
	"SELECT id FROM t EXCEPT (VALUES ROW(1) UNION SELECT i FROM t)",
}

func TestReadRefusesCrashes(t *testing.T) {
	for _, text := range crashers {
		var e *sqlast.Error
		if _, err := (mysql.Dialect{}).Read(text); !errors.As(err, &e) || e.Code != sqlast.Unsupported {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"SELECT 1 FROM t WHERE JSON_EXTRACT(j, '$.b') = bl OR JSON_EXTRACT(j, '$.b') IS NULL AND bl IS NULL",
		"SELECT 1 FROM t WHERE JSON_EXTRACT(j, '$.b') = bl AND JSON_VALUE(j, '$.b') <=> bl",
		"SELECT (i, vc) = (1, 'a') AS same FROM t",
		"SELECT GROUP_CONCAT(vc ORDER BY vc) FROM t GROUP BY i",
		"SELECT i, GROUP_CONCAT(vc ORDER BY vc DESC) FROM t GROUP BY i WITH ROLLUP",
		"SELECT SUM(i) FROM t INTERSECT SELECT i FROM t EXCEPT SELECT SUM(i) FROM t",
		"SELECT id FROM t UNION SELECT SUM(i) FROM t INTERSECT SELECT i FROM t",
		"SELECT id FROM t EXCEPT (SELECT SUM(i) FROM t ORDER BY 1 LIMIT 1)",
		"SELECT id FROM t EXCEPT SELECT s FROM (SELECT SUM(i) AS s FROM t INTERSECT SELECT i FROM t) AS x",
	} {
		if _, err := (mysql.Dialect{}).Read(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A window function in a subquery with ORDER BY.
func TestRewriteRefusesCrashes(t *testing.T) {
	tables := map[string][]string{"t": {"id", "n"}, "u": {"id", "m"}, "v": {"id", "k"}}
	g, err := secureview.New(&secureview.Policy{Schema: "d", Tables: tables, Views: map[string]string{"v": "secure_v"}}, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	const from = " FROM t JOIN v ON t.id = v.id"
	for _, subquery := range []string{
		"SELECT sum(k) OVER () FROM u ORDER BY 1", "SELECT sum(v.k) OVER () + m AS x FROM u ORDER BY m, x LIMIT 1", "SELECT 1 FROM u ORDER BY max(m) OVER () - k",
		"SELECT max(m) OVER w - k AS x FROM u WINDOW w AS (ORDER BY m) ORDER BY x + 1", "SELECT CASE WHEN max(m) OVER () > 1 THEN k END FROM u ORDER BY 1",
		"SELECT u.id FROM u WHERE m > (SELECT lag(k) OVER (ORDER BY w.m) FROM u AS w ORDER BY 1 LIMIT 1)", "SELECT DISTINCT max(m) OVER () - t.n FROM u ORDER BY 1",
		"SELECT sum(m) OVER () FROM u WHERE m > k ORDER BY 1", "SELECT sum(m) OVER () FROM u ORDER BY k, 1", "SELECT m FROM u ORDER BY sum(m) OVER ()",
	} {
		for _, text := range []string{"SELECT n, (" + subquery + ") AS x" + from, "SELECT n" + from + " WHERE (" + subquery + ") > 1"} {
			if _, err := g.Rewrite(t.Context(), text); !errors.Is(err, secureview.ErrUnsupported) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	for _, text := range []string{
		"SELECT 1 FROM t JOIN (SELECT id FROM v WHERE k = (SELECT lag(k) OVER (ORDER BY m) AS x FROM u ORDER BY x LIMIT 1)) AS d ON d.id = t.id",
		"WITH d AS (SELECT id FROM v WHERE k = (SELECT lag(k) OVER (ORDER BY m) AS x FROM u ORDER BY x LIMIT 1)) SELECT 1 FROM t JOIN d ON d.id = t.id",
	} {
		if _, err := g.Rewrite(t.Context(), text); !errors.Is(err, secureview.ErrUnsupported) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, subquery := range []string{
		"SELECT sum(k) OVER () FROM u", "SELECT max(m) OVER () - k FROM u LIMIT 1", "SELECT sum(m) OVER () FROM u WHERE m > k", "SELECT m + k FROM u ORDER BY 1",
		"SELECT w.s - k FROM (SELECT sum(m) OVER () AS s FROM u) AS w ORDER BY 1", "SELECT max(m) - k FROM u ORDER BY 1",
	} {
		for _, text := range []string{"SELECT n, (" + subquery + ") AS x" + from, "SELECT sum(v.k) OVER () AS s" + from + " ORDER BY s - t.n"} {
			if _, err := g.Rewrite(t.Context(), text); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// GROUP BY an expression in a side of INTERSECT or EXCEPT.
func TestRewriteRefusesGroupedArms(t *testing.T) {
	tables := map[string][]string{"t": {"id", "n"}, "v": {"id", "k"}}
	g, err := secureview.New(&secureview.Policy{Schema: "d", Tables: tables, Views: map[string]string{"v": "secure_v"}}, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	const y = "(SELECT max(n) AS m FROM t GROUP BY id) AS y"
	const arm = "SELECT m + 1 FROM " + y + " GROUP BY m + 1"
	for _, text := range []string{
		"SELECT 1 FROM (" + arm + " INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT 7 EXCEPT ALL " + arm + ") AS x",
		"SELECT 1 FROM (SELECT 3 UNION (SELECT 7 INTERSECT ALL " + arm + ")) AS x",
		"SELECT 1 FROM (SELECT 7 EXCEPT (" + arm + " LIMIT 3)) AS x",
		"WITH x AS (" + arm + " INTERSECT SELECT 7) SELECT 1 FROM x",
		"SELECT (" + arm + " INTERSECT SELECT 7) AS x FROM t",
		"SELECT id FROM t WHERE n > (" + arm + " INTERSECT SELECT 7)",
		"SELECT id FROM t WHERE EXISTS (SELECT 7 EXCEPT " + arm + ")",
		"SELECT id FROM t WHERE n > ALL (" + arm + " INTERSECT SELECT 7)",
		"SELECT id FROM t WHERE n IN (SELECT * FROM (" + arm + " INTERSECT SELECT 7) AS x)",
		"SELECT 1 FROM (SELECT m = 1 FROM " + y + " GROUP BY 1 INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT -m AS s FROM t, " + y + " GROUP BY id, s HAVING count(*) > 1 INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT m AS s FROM " + y + " GROUP BY s + 1, s INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT m / 2 FROM (SELECT count(*) AS m FROM t GROUP BY id) AS y GROUP BY m / 2 INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT -m FROM (SELECT * FROM " + y + ") AS z GROUP BY -m INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT -s FROM (SELECT DISTINCT coalesce(m) AS s FROM " + y + ") AS z GROUP BY -s INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT -m FROM ((SELECT sum(n) AS m FROM t GROUP BY id ORDER BY 1)) AS y GROUP BY -m INTERSECT SELECT 7) AS x",
		"WITH y (m) AS (SELECT sum(n) FROM t GROUP BY id) SELECT 1 FROM (SELECT -m FROM y GROUP BY -m INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT k + 1 FROM v GROUP BY k + 1 INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT n + 1 FROM t GROUP BY n + 1 INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT id + 1 FROM (SELECT id, max(n) AS m FROM t GROUP BY id) AS y GROUP BY id + 1 INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT -m FROM (SELECT sum(n) AS m FROM t GROUP BY id LIMIT 9) AS y GROUP BY -m INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT -m FROM (SELECT sum(n) AS m FROM t UNION SELECT 3) AS y GROUP BY -m INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT -m FROM (SELECT sum(n) OVER () AS m FROM t) AS y GROUP BY -m INTERSECT SELECT 7) AS x",
		"SELECT (SELECT y.m + id FROM t GROUP BY y.m + id INTERSECT SELECT 7) AS x FROM " + y,
		arm + " INTERSECT SELECT 7",
		"SELECT 3 UNION (SELECT 7 EXCEPT " + arm + ") ORDER BY 1 LIMIT 3",
		"SELECT 1 FROM (" + arm + " EXCEPT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT m + 1 FROM " + y + " GROUP BY m + 1 WITH ROLLUP INTERSECT SELECT 7) AS x",
	} {
		var e *refusal.Error
		if _, err := g.Rewrite(t.Context(), text); !errors.As(err, &e) || !strings.Contains(e.Error(), "GROUP BY an expression") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"SELECT 1 FROM (" + arm + " UNION ALL SELECT 7) AS x",
		"SELECT 1 FROM (SELECT m FROM " + y + " GROUP BY m INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT m FROM " + y + " GROUP BY 1 INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT DISTINCT m + 1 FROM " + y + " INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT s FROM (SELECT m + 1 AS s FROM " + y + ") AS z GROUP BY s INTERSECT SELECT 7) AS x",
		"SELECT 1 FROM (SELECT s FROM (SELECT k + 1 AS s FROM v) AS z GROUP BY s INTERSECT SELECT 7) AS x",
	} {
		if _, err := g.Rewrite(t.Context(), text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Servers know a column of a view by the table that the view reads. A table of that name
// is printed with another alias where they may take one column for another.
func TestRewritePrintsOtherAlias(t *testing.T) {
	tables := map[string][]string{"t": {"id", "n"}, "v": {"id", "k"}}
	g, err := secureview.New(&secureview.Policy{Schema: "d", Tables: tables, Views: map[string]string{"v": "secure_v"}}, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for text, other := range map[string]bool{
		"SELECT lag(id) OVER (ORDER BY id) FROM v ORDER BY id":                                                   true,
		"SELECT 1 + max(k) OVER w FROM v WINDOW w AS (ORDER BY k)":                                               true,
		"SELECT 1 FROM v ORDER BY max(k) OVER (ORDER BY k)":                                                      true,
		"SELECT max(v.id) OVER (ORDER BY v.id) FROM (SELECT id FROM v AS x) AS v":                                true,
		"WITH v AS (SELECT id FROM t AS v) SELECT max(v.id) OVER (ORDER BY v.id) FROM v":                         true,
		"SELECT sum(a.k) OVER (ORDER BY v.k) FROM v JOIN v AS a ON a.id = v.id":                                  true,
		"SELECT lag(a.id) OVER (PARTITION BY V.id ORDER BY a.id) FROM v AS V, v a":                               true,
		"SELECT k AS id FROM v ORDER BY v.id":                                                                    true,
		"SELECT k AS id, count(*) OVER w AS n FROM v WINDOW w AS (PARTITION BY v.id) ORDER BY 2, 1":              true,
		"SELECT a.id FROM v a JOIN v ON v.id = 5 - a.id ORDER BY v.id":                                           true,
		"SELECT a.id FROM v a JOIN t AS v ON v.id = 5 - a.id ORDER BY v.id":                                      true,
		"SELECT a.id + 0 FROM v a JOIN v ON v.id = 5 - a.id ORDER BY v.id + 0":                                   true,
		"SELECT a.id FROM (SELECT id FROM v) AS a JOIN t AS v ON v.id = 5 - a.id ORDER BY v.id":                  true,
		"SELECT v.k AS id, count(*) FROM v GROUP BY v.id, v.k":                                                   true,
		"SELECT v.id AS k, (SELECT c.id FROM v c WHERE c.k = v.k ORDER BY v.id, c.id DESC LIMIT 1) AS x FROM v":  true,
		"SELECT v.id, (SELECT c.k AS id FROM v c WHERE c.k = v.k ORDER BY v.id, c.id LIMIT 1) AS x FROM v":       true,
		"SELECT v.id, (SELECT c.id FROM (SELECT id FROM v) c WHERE c.id > 0 ORDER BY v.id, c.id LIMIT 1) FROM v": true,

		"SELECT sum(a.k) OVER (ORDER BY b.k) FROM v AS b JOIN v AS a ON a.id = b.id": false,
		"SELECT sum(a.n) OVER (ORDER BY t.n) FROM t JOIN t AS a ON a.id = t.id":      false,
		"SELECT lag(n) OVER (ORDER BY n) FROM t ORDER BY n":                          false,
		"SELECT a.id FROM v a JOIN v b ON b.id = 5 - a.id ORDER BY b.id":             false,
		"SELECT n AS id FROM t ORDER BY t.id":                                        false,
		"SELECT k, id, count(*) FROM v GROUP BY k, id HAVING k > 1 ORDER BY v.id":    false,
	} {
		stmt, err := g.Rewrite(t.Context(), text)
		if err != nil || strings.Contains(ascii.Lower(stmt.SQL()), "as `v:1`") != other {
			t.Errorf("%s: %v, %v", text, stmt, err)
		}
	}
	stmt, err := g.Rewrite(t.Context(), "SELECT k AS id, (SELECT max(n) FROM t AS `v:1` WHERE `v:1`.id = v.id) AS m FROM v ORDER BY v.id")
	const want = "SELECT `v:2`.`k` AS `id`, (SELECT max(`v:1`.`n`) FROM `d`.`t` AS `v:1` WHERE `v:1`.`id` = `v:2`.`id`) AS `m` " +
		"FROM `d`.`secure_v` AS `v:2` ORDER BY `v:2`.`id` LIMIT 1000"
	if err != nil || stmt.SQL() != want {
		t.Errorf("%v, %v", stmt, err)
	}
}

// TestReadRefusesInterval: the grammar reads INTERVAL .. + x <> y as (INTERVAL .. + x)
// <> y, servers as INTERVAL .. + (x <> y).
func TestReadRefusesInterval(t *testing.T) {
	for _, text := range []string{
		"SELECT INTERVAL 1 DAY + a <> b FROM t", "SELECT a = INTERVAL 1 DAY + b FROM t", "SELECT interval 1 day + a IS NULL FROM t",
		"SELECT INTERVAL 1 DAY + a IN (b) FROM t", "SELECT INTERVAL 1 DAY + a BETWEEN b AND c FROM t", "SELECT INTERVAL 1 DAY + a LIKE b FROM t",
		"SELECT INTERVAL 1 MONTH + a + INTERVAL 1 DAY FROM t", "SELECT INTERVAL 1 DAY + a AND b FROM t", "SELECT NOT INTERVAL 1 DAY + a FROM t",
	} {
		var e *sqlast.Error
		if _, err := (mysql.Dialect{}).Read(text); !errors.As(err, &e) || e.Code != sqlast.Unsupported || e.Name != "INTERVAL" {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"SELECT INTERVAL 1 DAY + a FROM t ORDER BY INTERVAL 1 DAY + a", "SELECT (INTERVAL 1 DAY + a) <> b FROM t",
		"SELECT a + INTERVAL 1 DAY <> b - INTERVAL 1 DAY FROM t", "SELECT INTERVAL(1, a, b) + 1 FROM t", "SELECT DATE_ADD(a, INTERVAL 1 DAY) = b FROM t",
	} {
		if _, err := (mysql.Dialect{}).Read(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Names in an ORDER BY that means nothing are still those of the policy.
func TestRewriteChecksOrderOfSet(t *testing.T) {
	g, err := secureview.New(&secureview.Policy{Schema: "d", Tables: map[string][]string{"t": {"id", "n"}}}, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	const text = "SELECT n FROM t WHERE n IN (SELECT DISTINCT id FROM t ORDER BY "
	if _, err := g.Rewrite(t.Context(), text+"hidden)"); !errors.Is(err, secureview.ErrUnknownColumn) {
		t.Error(err)
	}
	stmt, err := g.Rewrite(t.Context(), text+"id)")
	if err != nil || strings.Contains(stmt.SQL(), "ORDER BY") {
		t.Error(stmt, err)
	}
}

// A column of an outer query in HAVING of a subquery is printed as (SELECT column). It has
// to be qualified.
func TestRewriteOuterGroup(t *testing.T) {
	g, err := secureview.New(&secureview.Policy{Schema: "d", Tables: map[string][]string{"t": {"x"}, "u": {"a"}}}, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	const selected, refused, written = "selected", "refused", "as written"
	for _, tt := range []struct{ text, want string }{
		{"SELECT x AS y FROM t o HAVING (SELECT max(a) FROM u GROUP BY o.x HAVING # > 5) > 0", selected},
		{"SELECT x AS y FROM t o GROUP BY x HAVING (SELECT max(a) FROM u GROUP BY a, x HAVING # > 5) > 0", selected},
		{"SELECT x AS y FROM t o HAVING (SELECT o.x FROM u GROUP BY 1 HAVING # > 5) > 0", selected},
		{"SELECT x AS y FROM t o HAVING (SELECT max(a) FROM u WHERE a IN (SELECT a FROM u GROUP BY o.x HAVING # > 5)) > 0", selected},
		{"SELECT x AS y, (SELECT a FROM u GROUP BY o.x HAVING (SELECT a FROM u GROUP BY o.x HAVING # > 5) > 0) FROM t o", selected},
		{"SELECT x AS y, (SELECT a FROM u GROUP BY o.x WITH ROLLUP HAVING (SELECT a FROM u GROUP BY o.x HAVING # > 5) > 0) FROM t o", refused},
		{"SELECT x AS y FROM t o GROUP BY x WITH ROLLUP HAVING (SELECT max(a) FROM u GROUP BY o.x HAVING # > 5) > 0", refused},
		{"SELECT x AS y FROM t o HAVING (SELECT max(a) FROM u GROUP BY o.x WITH ROLLUP HAVING # > 5) > 0", written},
		{"SELECT x AS y FROM t o HAVING (SELECT max(a) FROM u GROUP BY a HAVING # > 5) > 0", selected},
		{"SELECT x AS y FROM t o WHERE (SELECT max(a) FROM u GROUP BY o.x HAVING # > 5) > 0", selected},
	} {
		stmt, err := g.Rewrite(t.Context(), strings.ReplaceAll(tt.text, "#", "o.x"))
		got := written
		switch {
		case errors.Is(err, secureview.ErrAmbiguousColumn):
			got = refused
		case err != nil:
			t.Error(err)
		case strings.Contains(stmt.SQL(), "HAVING (SELECT `o`.`x`) > 5"):
			got = selected
		}
		if got != tt.want {
			t.Errorf("%s is %s instead of %s", tt.text, got, tt.want)
		}
		for _, name := range []string{"x", "y"} {
			if stmt, err := g.Rewrite(t.Context(), strings.ReplaceAll(tt.text, "#", name)); err == nil {
				t.Errorf("%s of %s: accepted as %s", name, tt.text, stmt.SQL())
			}
		}
	}
}
