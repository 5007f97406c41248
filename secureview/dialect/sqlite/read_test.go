package sqlite_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// TestConstructs reads every construct and checks its printed form.
func TestConstructs(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no FROM", `select 1`, `SELECT 1 AS "1"`},
		{"semicolon", `SELECT 1 ; ;`, `SELECT 1 AS "1"`},
		{"byte order mark", "\ufeffSELECT 1", `SELECT 1 AS "1"`},
		{"comments", "SELECT /* a ) */ a -- b (\n, b FROM t -- end", "SELECT `a`, `b` FROM \"t\""},
		{"open comment", "SELECT a FROM t /* no end", "SELECT `a` FROM \"t\""},
		{"distinct", `SELECT DISTINCT a FROM t`, "SELECT DISTINCT `a` FROM \"t\""},
		{"all", `SELECT ALL a FROM t`, "SELECT `a` FROM \"t\""},
		{"stars", `SELECT *, t.* FROM t`, `SELECT *, "t".* FROM "t"`},
		{"schema", `SELECT main.t.a FROM main.t`, `SELECT "main"."t"."a" FROM "main"."t"`},
		{"qualified", `SELECT T1.Name FROM t AS T1`, `SELECT "T1"."Name" FROM "t" AS "T1"`},
		{"alias named like its table", `SELECT t.a FROM t AS t`, `SELECT "t"."a" FROM "t" AS "t"`},
		{"quoting", "SELECT [a b], `c``d`, \"e\"\"f\" FROM 'my tab' x", "SELECT `a b`, `c``d`, \"e\"\"f\" FROM \"my tab\" AS \"x\""},
		{"aliases", `SELECT a b, c AS 'd e', 1 AS "f""g" FROM t`, "SELECT `a` AS \"b\", `c` AS \"d e\", 1 AS \"f\"\"g\" FROM \"t\""},
		{"keywords as aliases", `SELECT a AS "select", b AS rows, c AS [order] FROM t AS "from"`, "SELECT `a` AS \"select\", `b` AS \"rows\", `c` AS \"order\" FROM \"t\" AS \"from\""},

		{"where", `SELECT a FROM t WHERE b = 'it''s' AND NOT c OR d`, "SELECT `a` FROM \"t\" WHERE (`b` = 'it''s' AND NOT `c`) OR `d`"},
		{"group", `SELECT a, count(*) n FROM t GROUP BY a, b HAVING n > 1`, "SELECT `a`, count(*) AS \"n\" FROM \"t\" GROUP BY `a`, `b` HAVING `n` > 1"},
		{"order", `SELECT a FROM t ORDER BY a, b ASC, c DESC NULLS LAST, d NULLS FIRST`, "SELECT `a` FROM \"t\" ORDER BY `a`, `b`, `c` DESC NULLS LAST, `d` NULLS FIRST"},
		{"limit", `SELECT a FROM t LIMIT 3`, "SELECT `a` FROM \"t\" LIMIT 3"},
		{"offset", `SELECT a FROM t LIMIT 3 OFFSET 5`, "SELECT `a` FROM \"t\" LIMIT 3 OFFSET 5"},
		{"limit with a comma", `SELECT a FROM t LIMIT 5, 3`, "SELECT `a` FROM \"t\" LIMIT 3 OFFSET 5"},

		{"with", `WITH x AS (SELECT 1 a), y(b, c) AS MATERIALIZED (VALUES (1, 2)) SELECT * FROM x, y`,
			`WITH "x" AS (SELECT 1 AS "a"), "y" ("b", "c") AS (VALUES (1, 2)) SELECT * FROM "x" JOIN "y"`},
		{"recursive", `WITH RECURSIVE n(i) AS NOT MATERIALIZED (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 9) SELECT i FROM n`,
			"WITH RECURSIVE \"n\" (\"i\") AS (SELECT 1 AS \"1\" UNION ALL SELECT `i` + 1 FROM \"n\" LIMIT 9) SELECT `i` FROM \"n\""},
		{"compound from left to right", `SELECT 1 a UNION SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4 UNION ALL SELECT 5 ORDER BY 1 LIMIT 2`,
			`SELECT 1 AS "a" UNION SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4 UNION ALL SELECT 5 ORDER BY 1 LIMIT 2`},
		{"values", `VALUES (1, 'a'), (2, NULL)`, `VALUES (1, 'a'), (2, NULL)`},

		{"comma", `SELECT * FROM a, b`, `SELECT * FROM "a" JOIN "b"`},
		{"joins", `SELECT * FROM a JOIN b ON a.x = b.x INNER JOIN c USING (y, "z") LEFT OUTER JOIN d ON 1 CROSS JOIN e`,
			`SELECT * FROM "a" JOIN "b" ON "a"."x" = "b"."x" JOIN "c" USING ("y", "z") LEFT JOIN "d" ON 1 JOIN "e"`},
		{"outer joins", `SELECT * FROM a LEFT JOIN b USING (x) RIGHT JOIN c USING (x) FULL OUTER JOIN d USING (x)`,
			`SELECT * FROM "a" LEFT JOIN "b" USING ("x") RIGHT JOIN "c" USING ("x") FULL JOIN "d" USING ("x")`},
		{"natural", `SELECT * FROM a NATURAL JOIN b NATURAL LEFT JOIN c`, `SELECT * FROM "a" NATURAL JOIN "b" NATURAL LEFT JOIN "c"`},
		{"parenthesised join", `SELECT * FROM a LEFT JOIN (b JOIN c ON b.x = c.x) ON a.x = b.x`,
			`SELECT * FROM "a" LEFT JOIN ("b" JOIN "c" ON "b"."x" = "c"."x") ON "a"."x" = "b"."x"`},
		{"needless parentheses", `SELECT * FROM ((a) JOIN (b)) JOIN (c) AS d`, `SELECT * FROM "a" JOIN "b" JOIN "c" AS "d"`},
		{"table functions", `SELECT e.value FROM t, json_each(t.j, '$.a') AS e LEFT JOIN JSON_TREE(e.value) ON 1`,
			"SELECT \"e\".\"value\" FROM \"t\" JOIN json_each(\"t\".\"j\", '$.a') AS \"e\" LEFT JOIN json_tree(\"e\".\"value\") ON 1"},
		{"derived", `SELECT d.n FROM (SELECT count(*) n FROM t) AS d`, `SELECT "d"."n" FROM (SELECT count(*) AS "n" FROM "t") AS "d"`},

		{"precedence", `SELECT a FROM t WHERE (a + b) * c - d / 2 > -e AND (f OR g)`,
			"SELECT `a` FROM \"t\" WHERE (`a` + `b`) * `c` - `d` / 2 > -`e` AND (`f` OR `g`)"},
		{"right operands", `SELECT a - (b - c), a / (b * c) FROM t`, "SELECT `a` - (`b` - `c`) AS \"a - (b - c)\", `a` / (`b` * `c`) AS \"a / (b * c)\" FROM \"t\""},
		{"minus minus", `SELECT - -1 AS x, -(-1) AS y`, `SELECT -(-1) AS "x", -(-1) AS "y"`},
		{"bits", `SELECT a | b & c << 2 >> ~d AS x FROM t`, "SELECT (((`a` | `b`) & `c`) << 2) >> ~`d` AS \"x\" FROM \"t\""},
		{"concat", `SELECT a || '-' || b AS x FROM t`, "SELECT `a` || '-' || `b` AS \"x\" FROM \"t\""},
		{"json", `SELECT a -> '$.b' ->> 'c' AS x FROM t`, "SELECT (`a` -> '$.b') ->> 'c' AS \"x\" FROM \"t\""},
		{"comparisons", `SELECT a == b, a != b, a <> b FROM t WHERE (a < b) = (c >= d)`,
			"SELECT `a` = `b` AS \"a == b\", `a` <> `b` AS \"a != b\", `a` <> `b` AS \"a <> b\" FROM \"t\" WHERE (`a` < `b`) = (`c` >= `d`)"},
		{"null tests", `SELECT 1 AS x FROM t WHERE a IS NULL OR b ISNULL OR c IS NOT NULL OR d NOTNULL OR e NOT NULL OR f IS (NULL)`,
			"SELECT 1 AS \"x\" FROM \"t\" WHERE `a` IS NULL OR `b` IS NULL OR `c` IS NOT NULL OR `d` IS NOT NULL OR `e` IS NOT NULL OR `f` IS NULL"},
		{"is", `SELECT 1 AS x FROM t WHERE a IS b OR a IS NOT b OR a IS DISTINCT FROM b OR a IS NOT DISTINCT FROM b`,
			"SELECT 1 AS \"x\" FROM \"t\" WHERE `a` IS `b` OR `a` IS NOT `b` OR `a` IS NOT `b` OR `a` IS `b`"},
		{"truth", `SELECT a IS TRUE AS x, b IS NOT false AS y, true AS z FROM t`, "SELECT `a` IS TRUE AS \"x\", `b` IS NOT false AS \"y\", true AS \"z\" FROM \"t\""},
		{"between", `SELECT 1 AS x FROM t WHERE a BETWEEN 1 AND b + 1 AND c NOT BETWEEN 'a' AND 'z'`,
			"SELECT 1 AS \"x\" FROM \"t\" WHERE `a` BETWEEN 1 AND `b` + 1 AND `c` NOT BETWEEN 'a' AND 'z'"},
		{"like", `SELECT 1 AS x FROM t WHERE a LIKE '%\%%' ESCAPE '\' OR b NOT LIKE c || '%' OR d GLOB 'x*' OR e NOT REGEXP '^x'`,
			"SELECT 1 AS \"x\" FROM \"t\" WHERE `a` LIKE '%\\%%' ESCAPE '\\' OR `b` NOT LIKE (`c` || '%') OR `d` GLOB 'x*' OR `e` NOT REGEXP '^x'"},
		{"in", `SELECT 1 AS x FROM t WHERE a IN (1, 'b') OR b NOT IN (SELECT c FROM u) OR c IN () OR (a, b) IN (VALUES (1, 2))`,
			"SELECT 1 AS \"x\" FROM \"t\" WHERE `a` IN (1, 'b') OR `b` NOT IN (SELECT `c` FROM \"u\") OR `c` IN () OR (`a`, `b`) IN (VALUES (1, 2))"},
		{"in table", `SELECT 1 AS x FROM t WHERE a IN main.u`, "SELECT 1 AS \"x\" FROM \"t\" WHERE `a` IN (SELECT * FROM \"main\".\"u\")"},
		{"row value", `SELECT 1 AS x FROM t WHERE (a, b) = (1, 2)`, "SELECT 1 AS \"x\" FROM \"t\" WHERE (`a`, `b`) = (1, 2)"},
		{"exists", `SELECT NOT EXISTS (SELECT * FROM u) AS x FROM t WHERE EXISTS (SELECT 1 FROM v)`,
			`SELECT NOT EXISTS (SELECT * FROM "u") AS "x" FROM "t" WHERE EXISTS (SELECT 1 FROM "v")`},
		{"scalar subquery", `SELECT (SELECT max(b) FROM u WHERE u.a = t.a) AS m FROM t`, "SELECT (SELECT max(`b`) FROM \"u\" WHERE \"u\".\"a\" = \"t\".\"a\") AS \"m\" FROM \"t\""},
		{"case", `SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END AS p, CASE WHEN b THEN 2 END AS q FROM t`,
			"SELECT CASE `a` WHEN 1 THEN 'x' ELSE 'y' END AS \"p\", CASE WHEN `b` THEN 2 END AS \"q\" FROM \"t\""},
		{"cast", `SELECT CAST(a AS varchar(20)) AS x, CAST(b AS Double Precision) AS y, cast(c AS decimal(10, 2)) AS z FROM t`,
			"SELECT CAST(`a` AS TEXT) AS \"x\", CAST(`b` AS REAL) AS \"y\", CAST(`c` AS NUMERIC) AS \"z\" FROM \"t\""},
		{"collate", `SELECT a FROM t WHERE -a COLLATE nocase = 'x' ORDER BY b COLLATE "rtrim"`, "SELECT `a` FROM \"t\" WHERE (-`a`) COLLATE NOCASE = 'x' ORDER BY `b` COLLATE RTRIM"},

		{"calls", `SELECT COUNT(*) AS a, Sum(DISTINCT x) AS b, max(ALL x) AS c, "upper"(y) AS d, replace(y, 'a', 'b') AS e, left(1) AS f FROM t`,
			"SELECT count(*) AS \"a\", sum(DISTINCT `x`) AS \"b\", max(`x`) AS \"c\", upper(`y`) AS \"d\", replace(`y`, 'a', 'b') AS \"e\", left(1) AS \"f\" FROM \"t\""},
		{"ordered aggregate", `SELECT group_concat(a, ',' ORDER BY b DESC) FILTER (WHERE c) AS x FROM t`,
			"SELECT group_concat(`a`, ',' ORDER BY `b` DESC) FILTER (WHERE `c`) AS \"x\" FROM \"t\""},
		{"window", `SELECT sum(a) OVER (PARTITION BY b, c ORDER BY d DESC ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE TIES) AS x FROM t`,
			"SELECT sum(`a`) OVER (PARTITION BY `b`, `c` ORDER BY `d` DESC ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE TIES) AS \"x\" FROM \"t\""},
		{"frames", `SELECT sum(a) OVER (RANGE UNBOUNDED PRECEDING) AS x, sum(a) OVER (ORDER BY b GROUPS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING EXCLUDE NO OTHERS) AS y, sum(a) OVER () AS z FROM t`,
			"SELECT sum(`a`) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS \"x\", sum(`a`) OVER (ORDER BY `b` GROUPS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS \"y\", sum(`a`) OVER () AS \"z\" FROM \"t\""},
		{"named windows", `SELECT rank() OVER w AS x, lag(a) FILTER (WHERE b) OVER (w ROWS 1 PRECEDING) AS y FROM t WINDOW w AS (ORDER BY a), v AS (w)`,
			"SELECT rank() OVER \"w\" AS \"x\", lag(`a`) FILTER (WHERE `b`) OVER (\"w\" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS \"y\" FROM \"t\" WINDOW \"w\" AS (ORDER BY `a`), \"v\" AS (\"w\")"},

		{"numbers", `SELECT 1_000 AS a, 0xFf AS b, 0x7fffffffffffffff AS c, 9223372036854775808 AS d, -9223372036854775808 AS e, 1e999 AS f, .5 AS g, 5. AS h, 1.5E-3 AS i`,
			`SELECT 1000 AS "a", 0xFf AS "b", 0x7fffffffffffffff AS "c", 9223372036854775808 AS "d", -9223372036854775808 AS "e", 1e999 AS "f", .5 AS "g", 5. AS "h", 1.5E-3 AS "i"`},
		{"long number", `SELECT ` + strings.Repeat("9", 400) + ` AS n`, `SELECT ` + strings.Repeat("9", 400) + ` AS "n"`},
		{"blob", `SELECT x'00FF' AS a, X'' AS b`, `SELECT X'00ff' AS "a", X'' AS "b"`},
		{"now", `SELECT CURRENT_DATE AS a, current_time AS b, CURRENT_TIMESTAMP AS c`, `SELECT CURRENT_DATE AS "a", CURRENT_TIME AS "b", CURRENT_TIMESTAMP AS "c"`},
		{"strings", `SELECT 'a\b' AS a, '''' AS b, '日本 🎉 ſ' AS c, '--' AS d, "dq ""x""" AS e FROM "日本"`,
			`SELECT 'a\b' AS "a", '''' AS "b", '日本 🎉 ſ' AS "c", '--' AS "d", "dq ""x""" AS "e" FROM "日本"`},
		{"printf", `SELECT printf('%.2f %5d%% %-20s', a, b, c) AS x FROM t`, "SELECT printf('%.2f %5d%% %-20s', `a`, `b`, `c`) AS \"x\" FROM \"t\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, roundTrip(t, tt.text)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// TestOwnNames checks the names of expressions without an alias.
func TestOwnNames(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string // the alias of each entry of the outermost select list
	}{
		{`SELECT a, t.b, (c), [d], "e" FROM t`, []string{"", "", "", "", ""}},
		{`SELECT *, t.* FROM t`, []string{"", ""}},
		{`SELECT count(*), a+1 , 'x' FROM t`, []string{"count(*)", "a+1", "'x'"}},
		{"SELECT  ( a\n+ 1 )\t/* of t */ FROM t", []string{"( a\n+ 1 )\t/* of t */"}},
		{"SELECT max(a) -- of all\n", []string{"max(a) -- of all"}},
		{`SELECT 1_000, +a, a COLLATE NOCASE FROM t;`, []string{"1_000", "+a", "a COLLATE NOCASE"}},
		{`SELECT (SELECT max(a) FROM t)`, []string{"(SELECT max(a) FROM t)"}},
		{`SELECT a+1 x, b+1 AS 'y' FROM t`, []string{"x", "y"}},
		{`SELECT a+1 FROM t UNION SELECT b+1 FROM t`, []string{"a+1"}},
	} {
		var d sqlite.Dialect
		q, err := d.Read(tt.text)
		if err != nil {
			t.Errorf("Read(%q): %v", tt.text, err)
			continue
		}
		if diff := cmp.Diff(tt.want, firstAliases(q.Body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

func firstAliases(b sqlast.Body) []string {
	for {
		set, ok := b.(*sqlast.SetOp)
		if !ok {
			break
		}
		b = set.Left
	}
	var out []string
	for _, it := range b.(*sqlast.Select).Items {
		out = append(out, it.Alias)
	}
	return out
}

func TestNamesOfSubqueries(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`SELECT * FROM (SELECT a COLLATE NOCASE, count(*) FROM t) d`,
			"SELECT * FROM (SELECT `a` COLLATE NOCASE AS \"a\", count(*) AS \"count(*)\" FROM \"t\") AS \"d\""},
		{`WITH c AS (SELECT max(a) FROM t) SELECT "max(a)" FROM c`,
			"WITH \"c\" AS (SELECT max(`a`) AS \"max(a)\" FROM \"t\") SELECT \"max(a)\" FROM \"c\""},
		{`SELECT a FROM t WHERE a = (SELECT max(a) FROM t)`,
			"SELECT `a` FROM \"t\" WHERE `a` = (SELECT max(`a`) FROM \"t\")"},
	} {
		if diff := cmp.Diff(tt.want, roundTrip(t, tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		text string
		code refusal.Code
		name string
		pos  int
	}{
		{``, sqlast.MultipleQueries, "", -1},
		{` ; -- nothing`, sqlast.MultipleQueries, "", -1},
		{`SELECT 1; SELECT 2`, sqlast.MultipleQueries, "", 10},
		{`SELECT 1;DROP TABLE t`, sqlast.MultipleQueries, "", 9},

		{`INSERT INTO t VALUES (1)`, sqlast.NotSelect, "INSERT", 0},
		{`REPLACE INTO t VALUES (1)`, sqlast.NotSelect, "INSERT", 0},
		{`WITH x AS (SELECT 1) DELETE FROM t`, sqlast.NotSelect, "DELETE", 0},
		{`WITH x AS (SELECT 1) UPDATE t SET a = 1`, sqlast.NotSelect, "UPDATE", 0},
		{` pragma table_info(t)`, sqlast.NotSelect, "PRAGMA", 1},
		{`ATTACH 'x' AS y`, sqlast.NotSelect, "ATTACH", 0},
		{`EXPLAIN SELECT 1`, sqlast.NotSelect, "EXPLAIN", 0},
		{`EXPLAIN QUERY PLAN SELECT 1`, sqlast.NotSelect, "EXPLAIN", 0},
		{`CREATE TABLE t AS SELECT 1`, sqlast.NotSelect, "CREATE", 0},
		{`BEGIN`, sqlast.NotSelect, "BEGIN", 0},
		{`/* hello */ SHOW TABLES`, sqlast.NotSelect, "SHOW", 12},

		{`SELECT FROM t`, sqlast.Syntax, "", 7},
		{`SELECT a FROM`, sqlast.Syntax, "", 13},
		{`SELECT a FROM [a]]`, sqlast.Syntax, "", 17},
		{`SELECT 'a`, sqlast.Syntax, "", 7},
		{`SELECT a FROM t WHERE a = 1x`, sqlast.Syntax, "", 26},
		{`SEL/**/ECT 1`, sqlast.NotSelect, "SEL", 0},
		{`(SELECT 1)`, sqlast.Syntax, "", 0},
		{`SELECT X'123'`, sqlast.Syntax, "", 7},
		{`SELECT a FROM t LIMIT 1 UNION SELECT 2`, sqlast.Syntax, "UNION", 24},
		{`SELECT a FROM t ORDER BY 1 EXCEPT SELECT 2`, sqlast.Syntax, "EXCEPT", 27},
		{`SELECT 1 FROM a LEFT INNER JOIN b`, sqlast.Syntax, "JOIN", 16},
		{`SELECT 1 FROM a NATURAL OUTER JOIN b`, sqlast.Syntax, "JOIN", 16},
		{`SELECT 1 FROM a LEFT "OUTER" JOIN b`, sqlast.Syntax, `"OUTER"`, 16},
		{`SELECT 1 FROM a NATURAL JOIN b USING (x)`, sqlast.Syntax, "NATURAL JOIN", 16},
		{`SELECT 1 FROM a ON 1`, sqlast.Syntax, "ON", 14},

		{`SELECT ?`, sqlast.Parameter, "?", 7},
		{`SELECT a FROM t WHERE a = :id`, sqlast.Parameter, ":id", 26},
		{`SELECT @x`, sqlast.Parameter, "@x", 7},
		{`SELECT 1 LIMIT $n`, sqlast.Parameter, "$n", 15},

		{`SELECT * FROM generate_series(1, 3)`, sqlast.Function, "generate_series", 14},
		{`SELECT * FROM pragma_table_info('t')`, sqlast.Function, "pragma_table_info", 14},
		{`SELECT * FROM main.json_each('[1]')`, sqlast.Function, "json_each", 14},
		{`SELECT 1 FROM t FULL JOIN json_each(t.j)`, sqlast.Unsupported, "a function after RIGHT or FULL JOIN", 16},
		{`SELECT json_each('[1]')`, sqlast.Function, "json_each", 7},
		{`SELECT 1 IN f(2)`, sqlast.Unsupported, "IN with a table-valued function", 12},
		{`SELECT a FROM t INDEXED BY i`, sqlast.Hint, "INDEXED BY", 14},
		{`SELECT a FROM t NOT INDEXED`, sqlast.Hint, "INDEXED BY", 14},
		{`SELECT a FROM t WHERE t MATCH a`, sqlast.Unsupported, "MATCH", 24},
		{`SELECT a FROM t WHERE t MATCH '` + strings.Repeat("x", 201) + `'`, sqlast.Unsupported, "MATCH", 24},
		{`SELECT snippet(t, 0, '[', ']', a, 5) FROM t`, sqlast.Function, "snippet", 7},
		{`SELECT NOT a NOT NULL FROM t`, sqlast.Unsupported, "NOT NULL", 7},
		{`SELECT 1 + NOT -a LIKE b ESCAPE NOT c NOT NULL`, sqlast.Unsupported, "NOT NULL", 7},
		{`SELECT RAISE(IGNORE)`, sqlast.Unsupported, "RAISE", 7},
		{`SELECT CAST(a AS geometry) FROM t`, sqlast.Unsupported, "CAST to geometry", 7},
		{`SELECT CAST(a AS "INT") FROM t`, sqlast.Unsupported, `CAST to "INT"`, 7},
		{`SELECT CAST(a AS) FROM t`, sqlast.Unsupported, "CAST to ", 7},
		{`SELECT a COLLATE german FROM t`, sqlast.Unsupported, "COLLATE german", 17},
		{`SELECT * FROM (a JOIN b) AS c`, sqlast.Unsupported, "an alias of a JOIN in parentheses", 28},
		{`SELECT 1 AS ""`, sqlast.Unsupported, "an empty name", 12},
		{`SELECT "a".''.""`, sqlast.Unsupported, "an empty name", 14},
		{`SELECT ''.* FROM t`, sqlast.Unsupported, "an empty name", 7},
		{`SELECT 1 FROM ''.t`, sqlast.Unsupported, "an empty name", 14},
		{`SELECT 1 FROM t JOIN u USING ('')`, sqlast.Unsupported, "an empty name", 30},
		{`SELECT "select"(1)`, sqlast.Function, "select", 7},
		{`SELECT "x y"(1)`, sqlast.Function, "x y", 7},
		{`SELECT größe(1)`, sqlast.Function, "größe", 7},

		{"SELECT 'a\x00b'", sqlast.InvalidText, "", 9},
		{"SELECT '\xff'", sqlast.InvalidText, "", 8},
		{`SELECT ` + strings.Repeat("(", 4_000) + `1` + strings.Repeat(")", 4_000), sqlast.TooDeep, "", 7 + sqlast.MaxNesting},
		{`SELECT ` + strings.Repeat("NOT ", 2_000) + `1`, sqlast.TooDeep, "", 7 + 4*sqlast.MaxDepth},
		{`SELECT 1 FROM a` + strings.Repeat(",a", 2_000), sqlast.TooDeep, "", 13 + 2*sqlast.MaxDepth},
		{`SELECT '` + strings.Repeat("x", 1<<20) + `'`, sqlast.TooLarge, "", -1},
	} {
		label := tt.text[:min(len(tt.text), 60)]
		t.Run(label, func(t *testing.T) {
			var d sqlite.Dialect
			_, err := d.Read(tt.text)
			var e *sqlast.Error
			if !errors.As(err, &e) {
				t.Fatalf("Read: %v; want a *sqlast.Error", err)
			}
			if e.Code != tt.code || e.Name != tt.name || int(e.Pos) != tt.pos {
				t.Errorf("Read: code %q, name %q, pos %d; want %q, %q, %d (%v)", e.Code, e.Name, e.Pos, tt.code, tt.name, tt.pos, err)
			}
			if len(e.Message) == 0 || len(e.Message) > 200 {
				t.Errorf("message of %d bytes", len(e.Message))
			}
		})
	}
}

// TestAcceptedNearRefusals reads statements close to a limit.
func TestAcceptedNearRefusals(t *testing.T) {
	for _, text := range []string{
		`SELECT ` + strings.Repeat("(", sqlast.MaxNesting) + `1` + strings.Repeat(")", sqlast.MaxNesting),
		`SELECT 1 AS x WHERE ` + strings.Repeat("a = 1 OR ", 500) + `1`,
		`SELECT '` + strings.Repeat("(", 5_000) + `' AS x`,
		`SELECT 1 AS x /* ` + strings.Repeat("(", 5_000) + ` */`,
		`SELECT [` + strings.Repeat("(", 5_000) + `] FROM t`,
		`SELECT x FROM t WHERE a IN (` + strings.Repeat("1,", 2_500) + `1)`,
		`SELECT '` + strings.Repeat("x", sqlast.MaxText-20) + `' AS x`,
		`SELECT 'INSERT', "DROP TABLE", [PRAGMA] FROM t`,
		`SELECT printf('%999d', 1) AS x, printf() AS y, format('%%1000000') AS z`,
		`SELECT '?', ':a' FROM t`,
		`SELECT (NOT a) NOT NULL, NOT a NOTNULL, NOT a IS NOT NULL, NOT (a NOT NULL), (NOT a) = b NOT NULL FROM t`,
		`SELECT json_each FROM json_each`,
	} {
		roundTrip(t, text)
	}
}

// TestReadNesting: parentheses are counted outside of quotes and comments, before the
// grammar reads the text.
func TestReadNesting(t *testing.T) {
	const most = sqlast.MaxNesting
	deep := strings.Repeat("(", most+1)
	for text, at := range map[string]int{ // -1: not too deep
		strings.Repeat("(", most) + strings.Repeat(")", most): -1, deep: most, strings.Repeat("()", 9*most): -1,
		strings.Repeat(")", most) + deep: 2 * most,
		"'" + deep + "'":                 -1, "''" + deep: most + 2, "'a''" + deep + "'": -1, `'"` + deep + "`'": -1,
		`"` + deep + "\" `" + deep + "` [" + deep + "]": -1, "'" + deep: -1, `'\'` + deep: most + 3, "[" + deep: -1,
		"--" + deep + "\n(": -1, "-- '\n" + deep: most + 5, "#" + deep: most + 1, "/*" + deep + "*/ /*/" + deep: -1,
		"/* ' */" + deep: most + 7, "1/2" + deep: most + 3, "/*!" + deep + "*/": -1,
	} {
		var e *sqlast.Error
		_, err := sqlite.Dialect{}.Read(text)
		tooDeep := errors.As(err, &e) && e.Code == sqlast.TooDeep
		if tooDeep != (at >= 0) || tooDeep && int(e.Pos) != at {
			t.Errorf("%.30s: %v; want it too deep at %d", text, err, at)
		}
	}
}
