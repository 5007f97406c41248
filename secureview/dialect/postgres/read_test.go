package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview/dialect/postgres"
)

// constructs are all constructs that are read, and their printed form.
var constructs = []struct{ name, text, want string }{
	{"no FROM", `select 1`,
		`SELECT 1 AS "?column?"`},
	{"semicolon", `SELECT 1 ; ;`,
		`SELECT 1 AS "?column?"`},
	{"comments", "SELECT /* a /* b */ ) */ a -- b (\n, b FROM t -- end",
		`SELECT "a", "b" FROM "t"`},
	{"distinct", `SELECT DISTINCT a FROM t`,
		`SELECT DISTINCT "a" FROM "t"`},
	{"all", `SELECT ALL a FROM t`,
		`SELECT "a" FROM "t"`},
	{"distinct on", `SELECT DISTINCT ON (a, lower(b)) c FROM t`,
		`SELECT DISTINCT ON ("a", lower("b")) "c" FROM "t"`},
	{"stars", `SELECT *, t.*, s.t.* FROM t`,
		`SELECT *, "t".*, "s"."t".* FROM "t"`},
	{"schema", `SELECT main.t.a FROM main.t`,
		`SELECT "main"."t"."a" FROM "main"."t"`},
	{"folding", `SELECT T1."Name", T1.Name FROM t AS T1`,
		`SELECT "t1"."Name", "t1"."name" FROM "t" AS "t1"`},
	{"aliases", `SELECT a b, c AS "d e", 1 AS "f""g" FROM t`,
		`SELECT "a" AS "b", "c" AS "d e", 1 AS "f""g" FROM "t"`},
	{"keywords as aliases", `SELECT a AS select, b rows, c AS "order" FROM t AS "from"`,
		`SELECT "a" AS "select", "b" AS "rows", "c" AS "order" FROM "t" AS "from"`},
	{"where", `SELECT a FROM t WHERE b = 'it''s' AND NOT c OR d`,
		`SELECT "a" FROM "t" WHERE ("b" = 'it''s' AND NOT "c") OR "d"`},
	{"group", `SELECT a, count(*) n FROM t GROUP BY a, (b, c), (d) HAVING count(*) > 1`,
		`SELECT "a", count(*) AS "n" FROM "t" GROUP BY "a", "b", "c", "d" HAVING count(*) > 1`},
	{"grouping sets", `SELECT 1 AS x FROM t GROUP BY ROLLUP (a, (b, c)), CUBE (a), GROUPING SETS ((a, b), a, (), ROLLUP (b)), ()`,
		`SELECT 1 AS "x" FROM "t" GROUP BY ROLLUP ("a", ("b", "c")), CUBE ("a"), GROUPING SETS (("a", "b"), "a", (), ROLLUP ("b")), ()`},
	{"order", `SELECT a FROM t ORDER BY a, b ASC, c DESC NULLS LAST, d NULLS FIRST`,
		`SELECT "a" FROM "t" ORDER BY "a", "b", "c" DESC NULLS LAST, "d" NULLS FIRST`},
	{"limit", `SELECT a FROM t LIMIT 3 OFFSET 5`,
		`SELECT "a" FROM "t" LIMIT 3 OFFSET 5`},
	{"offset alone", `SELECT a FROM t OFFSET 5 ROWS`,
		`SELECT "a" FROM "t" OFFSET 5`},
	{"fetch", `SELECT a FROM t OFFSET 1 FETCH NEXT 5 ROWS ONLY`,
		`SELECT "a" FROM "t" LIMIT 5 OFFSET 1`},
	{"fetch one", `SELECT a FROM t FETCH FIRST ROW ONLY`,
		`SELECT "a" FROM "t" LIMIT 1`},
	{"limit all", `SELECT a FROM t LIMIT ALL`,
		`SELECT "a" FROM "t"`},
	{"with", `WITH x AS (SELECT 1 a), y(b, c) AS MATERIALIZED (VALUES (1, 2)) SELECT * FROM x, y`,
		`WITH "x" AS (SELECT 1 AS "a"), "y" ("b", "c") AS (VALUES (1, 2)) SELECT * FROM "x" JOIN "y" ON TRUE`},
	{"recursive", `WITH RECURSIVE n(i) AS NOT MATERIALIZED (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n`,
		`WITH RECURSIVE "n" ("i") AS (SELECT 1 AS "?column?" UNION ALL SELECT "i" + 1 FROM "n") SELECT "i" FROM "n"`},
	{"set operations", `SELECT 1 a UNION SELECT 2 INTERSECT SELECT 3 EXCEPT ALL SELECT 4 ORDER BY 1 LIMIT 2`,
		`SELECT 1 AS "a" UNION SELECT 2 INTERSECT SELECT 3 EXCEPT ALL SELECT 4 ORDER BY 1 LIMIT 2`},
	{"arms in parentheses", `(SELECT 1 UNION SELECT 2) INTERSECT (SELECT 3 ORDER BY 1 LIMIT 1)`,
		`(SELECT 1 AS "?column?" UNION SELECT 2) INTERSECT (SELECT 3 AS "?column?" ORDER BY 1 LIMIT 1)`},
	{"an arm with WITH", `(WITH x AS (SELECT 1 AS a) SELECT a FROM x) UNION SELECT 2`,
		`(WITH "x" AS (SELECT 1 AS "a") SELECT "a" FROM "x") UNION SELECT 2`},
	{"values", `VALUES (1, 'a'), (2, NULL) ORDER BY 1`,
		`VALUES (1, 'a'), (2, NULL) ORDER BY 1`},
	{"table", `TABLE s.t`,
		`SELECT * FROM "s"."t"`},
	{"joins", `SELECT * FROM a JOIN b ON a.x = b.x INNER JOIN c USING (y, "z") LEFT OUTER JOIN d ON true CROSS JOIN e`,
		`SELECT * FROM "a" JOIN "b" ON "a"."x" = "b"."x" JOIN "c" USING ("y", "z") LEFT JOIN "d" ON TRUE JOIN "e" ON TRUE`},
	{"outer joins", `SELECT * FROM a LEFT JOIN b USING (x) RIGHT JOIN c USING (x) FULL OUTER JOIN d USING (x)`,
		`SELECT * FROM "a" LEFT JOIN "b" USING ("x") RIGHT JOIN "c" USING ("x") FULL JOIN "d" USING ("x")`},
	{"natural", `SELECT * FROM a NATURAL JOIN b NATURAL LEFT JOIN c`,
		`SELECT * FROM "a" NATURAL JOIN "b" NATURAL LEFT JOIN "c"`},
	{"comma binds looser", `SELECT * FROM a, b JOIN c ON b.x = c.x, d`,
		`SELECT * FROM "a" JOIN ("b" JOIN "c" ON "b"."x" = "c"."x") ON TRUE JOIN "d" ON TRUE`},
	{"parenthesised join", `SELECT * FROM a LEFT JOIN (b JOIN c ON b.x = c.x) ON a.x = b.x`,
		`SELECT * FROM "a" LEFT JOIN ("b" JOIN "c" ON "b"."x" = "c"."x") ON "a"."x" = "b"."x"`},
	{"derived", `SELECT * FROM (SELECT count(*) FROM t) AS d, (VALUES (1)) v(x), LATERAL (SELECT 1) l, (SELECT 2)`,
		`SELECT * FROM (SELECT count(*) AS "count" FROM "t") AS "d" JOIN (VALUES (1)) AS "v" ("x") ON TRUE JOIN LATERAL (SELECT 1 AS "?column?") AS "l" ON TRUE JOIN (SELECT 2 AS "?column?") ON TRUE`},
	{"table functions", `SELECT * FROM generate_series(1, 3) g, unnest(a) WITH ORDINALITY AS u(x, n), LATERAL json_each(j), jsonb_to_record(j) AS r(a int, "B" text[])`,
		`SELECT * FROM generate_series(1, 3) AS "g" JOIN unnest("a"[:]) WITH ORDINALITY AS "u" ("x", "n") ON TRUE JOIN json_each("j") ON TRUE JOIN jsonb_to_record("j") AS "r" ("a" integer, "B" text[]) ON TRUE`},
	{"arithmetic", `SELECT (a + b) * c - d / 2 % 3 ^ 2 AS x, -a ^ 2 AS y, - -1 AS z, -(-a) AS w FROM t`,
		`SELECT ("a" + "b") * "c" - "d" / 2 % 3 ^ 2 AS "x", (-"a") ^ 2 AS "y", 1 AS "z", -(-"a") AS "w" FROM "t"`},
	{"signs bind alike", `SELECT a | b & c AS x, a || b -> c AS y, a << 2 # d AS z FROM t`,
		`SELECT ("a" | "b") & "c" AS "x", ("a" || "b") -> "c" AS "y", ("a" << 2) # "d" AS "z" FROM "t"`},
	{"comparisons", `SELECT a != b AS x, (a < b) = (c >= d) AS y FROM t`,
		`SELECT "a" <> "b" AS "x", ("a" < "b") = ("c" >= "d") AS "y" FROM "t"`},
	{"tests", `SELECT 1 AS x FROM t WHERE a IS NULL OR b ISNULL OR c NOTNULL OR d IS TRUE OR e IS NOT FALSE OR f IS UNKNOWN OR g IS NOT UNKNOWN`,
		`SELECT 1 AS "x" FROM "t" WHERE "a" IS NULL OR "b" IS NULL OR "c" IS NOT NULL OR "d" IS TRUE OR "e" IS NOT FALSE OR "f" IS UNKNOWN OR "g" IS NOT UNKNOWN`},
	{"distinct from", `SELECT a IS DISTINCT FROM b AS x, a IS NOT DISTINCT FROM NULL AS y FROM t`,
		`SELECT "a" IS DISTINCT FROM "b" AS "x", "a" IS NOT DISTINCT FROM NULL AS "y" FROM "t"`},
	{"between", `SELECT a BETWEEN 1 AND b + 1 AS x, c NOT BETWEEN SYMMETRIC 'z' AND 'a' AS y FROM t`,
		`SELECT "a" BETWEEN 1 AND "b" + 1 AS "x", "c" NOT BETWEEN SYMMETRIC 'z' AND 'a' AS "y" FROM "t"`},
	{"patterns", `SELECT a LIKE '%\_' AS a, a NOT ILIKE b || 'x' AS b, a LIKE '!%' ESCAPE '!' AS c, a SIMILAR TO 'x|y' AS d, a NOT SIMILAR TO 'x' ESCAPE '!' AS e, a ~ 'x' AS f, a !~* 'x' AS g, a ~~ 'x' AS h FROM t`,
		`SELECT "a" LIKE E'%\\_' AS "a", "a" NOT ILIKE ("b" || 'x') AS "b", "a" LIKE '!%' ESCAPE '!' AS "c", "a" SIMILAR TO 'x|y' AS "d", "a" NOT SIMILAR TO 'x' ESCAPE '!' AS "e", "a" ~ 'x' AS "f", "a" !~* 'x' AS "g", "a" ~~ 'x' AS "h" FROM "t"`},
	{"in", `SELECT a IN (1, 2) AS x, a NOT IN (SELECT b FROM u) AS y, (a, b) IN ((1, 2), (3, 4)) AS z FROM t`,
		`SELECT "a" IN (1, 2) AS "x", "a" NOT IN (SELECT "b" FROM "u") AS "y", ("a", "b") IN ((1, 2), (3, 4)) AS "z" FROM "t"`},
	{"quantifiers", `SELECT a = ANY (SELECT b FROM u) AS x, a <> ALL (ARRAY[1, 2]) AS y, a LIKE SOME (ARRAY['x']) AS z, a > ANY ('{1}'::int[]) AS w FROM t`,
		`SELECT "a" = ANY (SELECT "b" FROM "u") AS "x", "a" <> ALL (ARRAY[1, 2]) AS "y", "a" ~~ ANY (ARRAY['x']) AS "z", "a" > ANY (CAST('{1}' AS integer[])) AS "w" FROM "t"`},
	{"rows", `SELECT (a, b) = (1, 2) AS x, ROW(1, 'a') AS y, ROW() AS z FROM t`,
		`SELECT ("a", "b") = (1, 2) AS "x", ROW(1, 'a') AS "y", ROW() AS "z" FROM "t"`},
	{"exists", `SELECT NOT EXISTS (SELECT * FROM u) AS x`,
		`SELECT NOT EXISTS (SELECT * FROM "u") AS "x"`},
	{"arrays", `SELECT ARRAY[1, 2] AS a, ARRAY[[1], [2]] AS b, ARRAY[]::int[] AS c, ARRAY(SELECT 1) AS d, x[1] AS e, x[1:2][3] AS f, x[:2] AS g, x[:] AS h, (x || y)[1] AS i, t.x[1] AS j, (x[1])[2] AS k FROM t`,
		`SELECT ARRAY[1, 2] AS "a", ARRAY[ARRAY[1], ARRAY[2]] AS "b", CAST(ARRAY[] AS integer[]) AS "c", ARRAY(SELECT 1) AS "d", "x"[1] AS "e", "x"[1:2][3] AS "f", "x"[:2] AS "g", "x"[:] AS "h", ("x" || "y")[1] AS "i", "t"."x"[1] AS "j", ("x"[1])[2] AS "k" FROM "t"`},
	{"json", `SELECT j -> 'a' ->> 0 AS a, j #>> '{a,b}' AS b, j @> '{}' AS c, j ? 'k' AS d, j ?| ARRAY['k'] AS e, j['a'] AS f, j #- '{a}' AS g FROM t`,
		`SELECT ("j" -> 'a') ->> 0 AS "a", "j" #>> '{a,b}' AS "b", "j" @> '{}' AS "c", "j" ? 'k' AS "d", "j" ?| ARRAY['k'] AS "e", "j"['a'] AS "f", "j" #- '{a}' AS "g" FROM "t"`},
	{"case", `SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END AS p, CASE WHEN b THEN 2 END AS q FROM t`,
		`SELECT CASE "a" WHEN 1 THEN 'x' ELSE 'y' END AS "p", CASE WHEN "b" THEN 2 END AS "q" FROM "t"`},
	{"casts", `SELECT a::int AS a, CAST(b AS varchar(20)) AS b, c::numeric(10,2)[] AS c, d::timestamptz(3) AS d, e::character AS e, f::bit varying(3) AS f, g::float AS g, h::time with time zone AS h, i::jsonb AS i FROM t`,
		`SELECT CAST("a" AS integer) AS "a", CAST("b" AS varchar(20)) AS "b", CAST("c" AS numeric(10, 2)[]) AS "c", CAST("d" AS timestamp(3) with time zone) AS "d", CAST("e" AS char(1)) AS "e", CAST("f" AS bit varying(3)) AS "f", CAST("g" AS double precision) AS "g", CAST("h" AS time with time zone) AS "h", CAST("i" AS jsonb) AS "i" FROM "t"`},
	{"typed literals", `SELECT DATE '2020-01-02' AS a, int '3' AS b, INTERVAL '1 day' AS c, INTERVAL '1' YEAR AS d, INTERVAL '1:2' HOUR TO SECOND(3) AS e, INTERVAL(2) '1 s' AS f, TIMESTAMP WITH TIME ZONE '2020-01-01' AS g`,
		`SELECT CAST('2020-01-02' AS date) AS "a", CAST('3' AS integer) AS "b", CAST('1 day' AS interval) AS "c", CAST('1' AS interval year) AS "d", CAST('1:2' AS interval hour to second(3)) AS "e", CAST('1 s' AS interval(2)) AS "f", CAST('2020-01-01' AS timestamp with time zone) AS "g"`},
	{"collate", `SELECT a COLLATE "C" AS x FROM t ORDER BY b COLLATE pg_catalog."de-x-icu"`,
		`SELECT "a" COLLATE "C" AS "x" FROM "t" ORDER BY "b" COLLATE "de-x-icu"`},
	{"calls", `SELECT COUNT(*) AS a, Sum(DISTINCT x) AS b, max(ALL x) AS c, "upper"(y) AS d, pg_catalog.replace(y, 'a', 'b') AS e, left(y, 1) AS f, make_interval(days => 3) AS g, coalesce(a, b) AS h, nullif(a, 1) AS i, greatest(1, 2) AS j, grouping(a, b) AS k FROM t`,
		`SELECT count(*) AS "a", sum(DISTINCT "x") AS "b", max("x") AS "c", upper("y") AS "d", replace("y", 'a', 'b') AS "e", left("y", 1) AS "f", make_interval("days" => 3) AS "g", coalesce("a", "b") AS "h", nullif("a", 1) AS "i", greatest(1, 2) AS "j", grouping("a", "b") AS "k" FROM "t"`},
	{"special forms", `SELECT extract(YEAR FROM a) AS a, extract('epoch' FROM a) AS b, substring(a FROM 1 FOR 2) AS c, substring(a FOR 2) AS d, position('a' IN b || c) AS e, overlay(a PLACING b FROM 1 FOR 2) AS f, trim(BOTH 'x' FROM a) AS g, trim(LEADING FROM a) AS h, a AT TIME ZONE 'UTC' AS i, (a, b) OVERLAPS (c, d) AS j FROM t`,
		`SELECT extract(YEAR FROM "a") AS "a", extract(EPOCH FROM "a") AS "b", substring("a", 1, 2) AS "c", substring("a", 1, CAST(2 AS integer)) AS "d", position('a' IN ("b" || "c")) AS "e", overlay("a" PLACING "b" FROM 1 FOR 2) AS "f", btrim("a", 'x') AS "g", ltrim("a") AS "h", timezone('UTC', "a") AS "i", overlaps("a", "b", "c", "d") AS "j" FROM "t"`},
	{"columns of an alias", `SELECT x.c FROM t AS x(c, d), ROWS FROM (unnest(x.d)) WITH ORDINALITY AS y(e, n)`,
		`SELECT "x"."c" FROM (SELECT * FROM "t") AS "x" ("c", "d") JOIN unnest("x"."d"[:]) WITH ORDINALITY AS "y" ("e", "n") ON TRUE`},
	{"unnest of several arrays and ROWS FROM", `SELECT y.f FROM t, ROWS FROM (unnest(t.a, t.b), unnest(t.c)) WITH ORDINALITY AS y(e, f, g, n)`,
		`SELECT "y"."f" FROM "t" JOIN ROWS FROM (unnest("t"."a"[:]), unnest("t"."b"[:]), unnest("t"."c"[:])) WITH ORDINALITY AS "y" ("e", "f", "g", "n") ON TRUE`},
	{"ROWS FROM", `SELECT * FROM ROWS FROM (generate_series(1, 2), unnest(DISTINCT a, b), json_each(c)) AS y`,
		`SELECT * FROM ROWS FROM (generate_series(1, 2), unnest(DISTINCT "a", "b"), json_each("c")) AS "y"`},
	{"ties", `SELECT a FROM t ORDER BY a OFFSET 2 FETCH FIRST (1 + 2) ROWS WITH TIES`,
		`SELECT "a" FROM "t" ORDER BY "a" FETCH FIRST (1 + 2) ROWS WITH TIES OFFSET 2`},
	{"the sign ~ below arithmetic", `SELECT (~a) % 2 AS a, ~a % 2 AS b, 1 - (~a) AS c, (~a) = 1 AS d, (~a) | b AS e, -(~a) AS f FROM t`,
		`SELECT (~"a") % 2 AS "a", ~("a" % 2) AS "b", 1 - (~"a") AS "c", ~"a" = 1 AS "d", (~"a") | "b" AS "e", -(~"a") AS "f" FROM "t"`},
	{"prefix signs", `SELECT @ a AS a, |/ b AS b, ||/ c AS c, ~d AS d, +e AS e FROM t`,
		`SELECT abs("a") AS "a", sqrt(CAST("b" AS double precision)) AS "b", cbrt("c") AS "c", ~"d" AS "d", +"e" AS "e" FROM "t"`},
	{"aggregates", `SELECT string_agg(a, ',' ORDER BY b DESC) FILTER (WHERE c) AS x, percentile_cont(0.5) WITHIN GROUP (ORDER BY a) AS y, array_agg(DISTINCT a ORDER BY a) AS z FROM t`,
		`SELECT string_agg("a", ',' ORDER BY "b" DESC) FILTER (WHERE "c") AS "x", percentile_cont(0.5) WITHIN GROUP (ORDER BY "a") AS "y", array_agg(DISTINCT "a" ORDER BY "a") AS "z" FROM "t"`},
	{"window", `SELECT sum(a) OVER (PARTITION BY b, c ORDER BY d DESC ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE TIES) AS x FROM t`,
		`SELECT sum("a") OVER (PARTITION BY "b", "c" ORDER BY "d" DESC ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE TIES) AS "x" FROM "t"`},
	{"frames", `SELECT sum(a) OVER (RANGE UNBOUNDED PRECEDING) AS x, sum(a) OVER (ORDER BY b GROUPS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING EXCLUDE NO OTHERS) AS y, sum(a) OVER () AS z, sum(a) OVER (ORDER BY b RANGE BETWEEN '1 day' PRECEDING AND '1 day' FOLLOWING EXCLUDE GROUP) AS w FROM t`,
		`SELECT sum("a") OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS "x", sum("a") OVER (ORDER BY "b" GROUPS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS "y", sum("a") OVER () AS "z", sum("a") OVER (ORDER BY "b" RANGE BETWEEN '1 day' PRECEDING AND '1 day' FOLLOWING EXCLUDE GROUP) AS "w" FROM "t"`},
	{"named windows", `SELECT rank() OVER w AS x, lag(a) OVER (w ROWS 1 PRECEDING EXCLUDE CURRENT ROW) AS y FROM t WINDOW w AS (ORDER BY a), v AS (w)`,
		`SELECT rank() OVER "w" AS "x", lag("a") OVER ("w" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS "y" FROM "t" WINDOW "w" AS (ORDER BY "a"), "v" AS ("w")`},
	{"numbers", `SELECT 1_000 AS a, 0xFF AS b, 9223372036854775808 AS c, -2147483648 AS d, 1e999 AS e, .5 AS f, 5. AS g, 1.5E-3 AS h, 1_0.5 AS i`,
		`SELECT 1000 AS "a", 255 AS "b", 9223372036854775808 AS "c", -2147483648 AS "d", 1e999 AS "e", .5 AS "f", 5. AS "g", 1.5E-3 AS "h", 10.5 AS "i"`},
	{"now", `SELECT CURRENT_DATE AS a, current_time AS b, CURRENT_TIMESTAMP(3) AS c, LOCALTIME AS d, LOCALTIMESTAMP(0) AS e, now() AS f`,
		`SELECT CURRENT_DATE AS "a", CURRENT_TIME AS "b", CURRENT_TIMESTAMP(3) AS "c", LOCALTIME AS "d", CAST(LOCALTIMESTAMP AS timestamp(0)) AS "e", now() AS "f"`},
	{"strings", "SELECT 'a\\b' AS a, '''' AS b, E'\\x41\\n''' AS c, $$x'y$$ AS d, $t$z$t$ AS e, U&'\\0041' AS f, 'a'\n 'b' AS g, B'101' AS h, X'1F' AS i, N'n' AS j",
		"SELECT E'a\\\\b' AS \"a\", '''' AS \"b\", 'A\n''' AS \"c\", 'x''y' AS \"d\", 'z' AS \"e\", 'A' AS \"f\", 'ab' AS \"g\", CAST('101' AS bit(3)) AS \"h\", CAST('x1F' AS bit(8)) AS \"i\", CAST('n' AS bpchar) AS \"j\""},
}

func TestConstructs(t *testing.T) {
	for _, tt := range constructs {
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
		want string // the aliases of the outermost select list
	}{
		{`SELECT a, t.b, (c), "D" FROM t`, ",,,"},
		{`SELECT 1, 'x', NULL, TRUE, -a, a + 1, a = 1, NOT a, a IS NULL FROM t`, "?column?,?column?,?column?,?column?,?column?,?column?,?column?,?column?,?column?"},
		{`SELECT count(*), max(a) + 1, pg_catalog.lower(b), sum(a) OVER () FROM t`, "count,?column?,lower,sum"},
		{`SELECT 1::int, a::text, '2020-01-01'::date, CAST(count(*) AS float), DATE '2020-01-01', '{1}'::int[] FROM t`, "int4,a,date,count,date,int4"},
		{`SELECT CASE WHEN a THEN 1 END, CASE WHEN a THEN 1 ELSE b END, CASE WHEN a THEN 1 ELSE lower(b) END, (CASE a WHEN 1 THEN 2 END)::text FROM t`, "case,b,lower,text"},
		{`SELECT coalesce(a, 1), greatest(1, 2), least(1, 2), nullif(a, 1), ROW(1), (1, 2), ARRAY[1], grouping(a) FROM t`, "coalesce,greatest,least,nullif,row,row,array,grouping"},
		{`SELECT CURRENT_DATE, CURRENT_TIMESTAMP(0), LOCALTIME, extract(year FROM a), a AT TIME ZONE 'x', trim(a), position(a IN b) FROM t`, "current_date,current_timestamp,localtime,extract,timezone,btrim,position"},
		{`SELECT (SELECT max(a) FROM t), (SELECT 1 AS x), (SELECT 1), EXISTS (SELECT 1), ARRAY(SELECT 1), (VALUES (1))`, "max,x,?column?,exists,array,column1"},
		{`SELECT a[1], (a || b)[1], a COLLATE "C", a -> 'x', (a).zip, ((a).zip)[1] FROM t`, "a,?column?,a,?column?,zip,zip"},
		{`SELECT a+1 x, b+1 AS "Y" FROM t`, "x,Y"},
		{`SELECT a+1 FROM t UNION SELECT lower(b) FROM t`, "?column?"},
	} {
		q, err := postgres.Dialect{}.Read(tt.text)
		if err != nil {
			t.Errorf("Read(%q): %v", tt.text, err)
			continue
		}
		body := q.Body
		if set, ok := body.(*sqlast.SetOp); ok {
			body = set.Left
		}
		var got []string
		for _, it := range body.(*sqlast.Select).Items {
			got = append(got, it.Alias)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, ",")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

var refusals = []struct {
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
	{` update t SET a = 1`, sqlast.NotSelect, "UPDATE", 1},
	{`WITH x AS (SELECT 1) DELETE FROM t`, sqlast.NotSelect, "DELETE", 21},
	{`WITH x AS (UPDATE t SET a = 1 RETURNING a) SELECT a FROM x`, sqlast.NotSelect, "UPDATE", 11},
	{`EXPLAIN SELECT 1`, sqlast.NotSelect, "EXPLAIN", 0},
	{`/* hello */ SHOW TABLES`, sqlast.NotSelect, "SHOW", 12},
	{`COPY t TO '/tmp/x'`, sqlast.NotSelect, "COPY", 0},
	{`PRAGMA table_info(t)`, sqlast.NotSelect, "PRAGMA", 0},

	{`SELECT a FROM`, sqlast.Syntax, "", 13},
	{`SELECT 'é', FROM t`, sqlast.Syntax, "", 13},
	{`SELECT 'a`, sqlast.Syntax, "", 7},
	{`SELECT a FROM t WHERE a = 1x`, sqlast.Syntax, "", 26},
	{"SELECT `a` FROM t", sqlast.Syntax, "`", 7},
	{`SELECT a FROM t LIMIT 5, 3`, sqlast.Syntax, "", 16},
	{`SELECT a < b < c FROM t`, sqlast.Syntax, "", 13},

	{`SELECT $1`, sqlast.Parameter, "$", 7},
	{`SELECT a FROM t WHERE a = ?`, sqlast.Parameter, "?", 26},
	{`SELECT a FROM t WHERE a = :id`, sqlast.Parameter, ":id", 26},
	{`SELECT a INTO x FROM t`, sqlast.Into, "INTO", 9},
	{`SELECT a FROM t FOR UPDATE`, sqlast.Locking, "FOR", 16},
	{`SELECT a FROM t FOR NO KEY UPDATE OF t SKIP LOCKED`, sqlast.Locking, "FOR", 16},

	{`SELECT FROM t`, sqlast.Unsupported, "a SELECT without columns", 0},
	{`SELECT a FROM t ORDER BY a FETCH FIRST (NULL) ROWS WITH TIES`, sqlast.Unsupported, "NULL in FETCH FIRST .. WITH TIES", 40},
	{`SELECT * FROM ONLY t`, sqlast.Unsupported, "FROM ONLY", 19},
	{`SELECT * FROM t TABLESAMPLE SYSTEM (1)`, sqlast.Unsupported, "TABLESAMPLE", 28},
	{`SELECT * FROM (a JOIN b ON true) AS c`, sqlast.Unsupported, "an alias of a JOIN", 15},
	{`SELECT * FROM a JOIN b USING (x) AS c`, sqlast.Unsupported, "an alias of a JOIN", 14},
	{`SELECT * FROM db.s.t`, sqlast.Unsupported, "the name of a database before a table's", 14},
	{`SELECT db.s.t.a FROM t`, sqlast.Unsupported, "the name of a database before a table's", 7},
	{`SELECT * FROM ROWS FROM (unnest(a), pg_sleep(b))`, sqlast.Function, "pg_sleep", 36},
	{`SELECT * FROM ROWS FROM (unnest(a), current_date)`, sqlast.Unsupported, "current_date as a table (it is a keyword: quote a table of that name)", 36},
	{`SELECT * FROM ROWS FROM (json_to_record(a) AS (b int))`, sqlast.Unsupported, "ROWS FROM with types", 7},
	{`SELECT * FROM user`, sqlast.Unsupported, "user as a table (it is a keyword: quote a table of that name)", 14},
	{`SELECT * FROM XMLTABLE('/x' PASSING a COLUMNS b int)`, sqlast.Unsupported, "XMLTABLE", 7},
	{`SELECT * FROM t TABLESAMPLE SYSTEM (1)`, sqlast.Unsupported, "TABLESAMPLE", 28},
	{`SELECT * FROM JSON_TABLE('{}', '$' COLUMNS (a int))`, sqlast.Unsupported, "JSON_TABLE", 7},
	{`SELECT a FROM t ORDER BY a USING <`, sqlast.Unsupported, "ORDER BY .. USING", 25},
	{`SELECT a FROM t ORDER BY +1`, sqlast.Unsupported, "a constant instead of a column's number", 25},
	{`SELECT a FROM t GROUP BY DISTINCT a`, sqlast.Unsupported, "GROUP BY DISTINCT", 0},
	{`WITH RECURSIVE x AS (SELECT 1 AS a) SEARCH DEPTH FIRST BY a SET s SELECT a FROM x`, sqlast.Unsupported, "SEARCH", 15},
	{`SELECT (a).b.c FROM t`, sqlast.Unsupported, "a field of a composite value", 8},
	{`SELECT (a[1]).b FROM t`, sqlast.Unsupported, "a field of a composite value", 10},
	{`SELECT (ROW(1)).f1 FROM t`, sqlast.Unsupported, "a field of a composite value", 12},
	{`SELECT (a).* FROM t`, sqlast.Unsupported, "a field of a composite value", 8},
	{`SELECT a::regclass FROM t`, sqlast.Unsupported, "a cast to the type regclass", 10},
	{`SELECT a::s.mood FROM t`, sqlast.Unsupported, "a cast to the type mood", 10},
	{`SELECT a::text(3) FROM t`, sqlast.Unsupported, "a length of the type text", 10},
	{`SELECT a COLLATE "evil" FROM t`, sqlast.Unsupported, "COLLATE evil", 9},
	{`SELECT a OPERATOR(s.+) b FROM t`, sqlast.Unsupported, "an operator with a schema", 9},
	{`SELECT a <~> b FROM t`, sqlast.Unsupported, "the operator <~>", 9},
	{`SELECT !~ a FROM t`, sqlast.Unsupported, "the prefix operator !~", 7},
	{`SELECT B''`, sqlast.Unsupported, "a bit string that is empty or has more than 1000 bits", 7},
	{`SELECT extract(nonsense FROM a) FROM t`, sqlast.Unsupported, "this unit of EXTRACT", 7},
	{`SELECT concat(VARIADIC a) FROM t`, sqlast.Unsupported, "VARIADIC", 7},
	{`SELECT xmlelement(name a)`, sqlast.Unsupported, "an XML function", 7},
	{`SELECT a IS JSON FROM t`, sqlast.Unsupported, "this expression", 7},
	{`SELECT 1 + t.* FROM t`, sqlast.Misplaced, "*", 11},

	{`SELECT s.f(1)`, sqlast.Function, "s.f", 7},
	{`SELECT "a b"(1)`, sqlast.Function, "a b", 7},
	{`SELECT "F"(1)`, sqlast.Function, "F", 7},
	{`SELECT "select"(1)`, sqlast.Function, "select", 7},
	{`SELECT "coalesce"(1)`, sqlast.Function, "coalesce", 7},
	{`SELECT current_user`, sqlast.Function, "current_user", 7},
	{`SELECT session_user`, sqlast.Function, "session_user", 7},
	{`SELECT current_catalog`, sqlast.Function, "current_catalog", 7},
	{`SELECT current_schema`, sqlast.Function, "current_schema", 7},
	{`SELECT * FROM pg_ls_dir('.')`, sqlast.Function, "pg_ls_dir", 14},
	{`SELECT * FROM pg_sleep('x')`, sqlast.Function, "pg_sleep", 14},

	{"SELECT 'a\x00b'", sqlast.InvalidText, "", 9},
	{"SELECT '\xff'", sqlast.InvalidText, "", 8},
	{`SELECT '` + strings.Repeat("x", 1<<20) + `'`, sqlast.TooLarge, "", -1},
	{`SELECT ` + strings.Repeat("(", 4_000) + `1` + strings.Repeat(")", 4_000), sqlast.TooDeep, "", 7 + sqlast.MaxNesting},
	{`SELECT 1` + strings.Repeat(" OR 1", 1_500), sqlast.TooDeep, "", 9},
}

func TestRefusals(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.text[:min(len(tt.text), 60)], func(t *testing.T) {
			_, err := postgres.Dialect{}.Read(tt.text)
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
		`SELECT ` + strings.Repeat("(", sqlast.MaxNesting) + `1` + strings.Repeat(")", sqlast.MaxNesting) + ` AS x`,
		`SELECT 1 AS x WHERE ` + strings.Repeat("a = 1 OR ", 390) + `b`,
		`SELECT ` + strings.Repeat("a + ", 300) + `1 AS x`,
		`SELECT '` + strings.Repeat("(", 5_000) + `' AS x`,
		`SELECT $$` + strings.Repeat("(", 5_000) + `$$ AS x`,
		`SELECT 1 AS x /* ` + strings.Repeat("(", 5_000) + ` */`,
		`SELECT "` + strings.Repeat("(", 60) + `" FROM t`,
		`SELECT x FROM t WHERE a IN (` + strings.Repeat("1,", 2_500) + `1)`,
		`SELECT ARRAY[` + strings.Repeat("1,", 2_500) + `1] AS x`,
		`VALUES (1)` + strings.Repeat(", (1)", 1_300),
		`SELECT '` + strings.Repeat("x", sqlast.MaxText-20) + `' AS x`,
		`SELECT 'INSERT', "drop table" FROM t`,
		`SELECT lpad(a, 1000) AS x, format('%s %-10s %1$s %% 1000000', a, b) AS y FROM t`,
		`SELECT '?', ':a', a ? 'b', a::text, b[1:2] FROM t`,
		`SELECT "user".a FROM "user"`,
		`SELECT t.case, t.end, 1 AS case, 1 AS end, 1 and FROM t`,
		`SELECT a FROM b` + strings.Repeat(" JOIN c ON b.x = c.x AND b.y = c.y", 130),
	} {
		roundTrip(t, text)
	}
}
