package integration_test

import (
	"database/sql"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/sqlast"
	pgdialect "github.com/qedkit/qed/secureview/dialect/postgres"
)

// postgresStatements run on the tables of openPostgresStatements.
var postgresStatements = []string{
	`SELECT "from"."select", "from"."a""b" FROM "from", "from" AS "order" ORDER BY 1, 2`,
	`SELECT 'a\b', 'it''s', E'a\'b\n\\', U&'d\0061t\+000061', $$dollar 'q'$$, $x$a$$b$x$, 'é 日本', '--', '/*', ';', 'a'
		'b' AS x, E'\x41\u00e9', N'nat', B'101', X'1F', '\'`,
	`SELECT count(*) /* of /* all */ */, max(n)	-- the most
		, sum( n ), count (*) FROM t ; `,
	`SELECT S, T.N, (n), +n, -n, n AS "dq", s sq FROM t AS T ORDER BY n, s`,
	`SELECT 1, 1.50, .5, 1.5e3, 1e-5, 007, 18446744073709551615, 123456789012345678901234567890, TRUE, false, NULL, -1, 'str', ' x', -2147483648, - -1, 1_000`,
	`SELECT 'x'::bpchar, B'11'::"bit", '1'::bit, 1 + 2 * 3 - 4 / 2 % 3, (1 + 2) * 3, 2 - (3 - 4), 7 % 4, 2 ^ 3 ^ 2, -2 ^ 2, 1 << 2 + 1, 7 & 3 | 8 # 2, ~1 + 1, - -1, NOT 1 = 2, @ -5, |/ 16, ||/ 27.0, 5 / 2, 5.0 / 2`,
	`SELECT (~5) % 3, ~5 % 3, (~5) + 1, 2 - (~3), 2 * (~3), (~1) | 2, ~(1 | 2), -(~1), (~1)::text, (~1) = -2, (~1) BETWEEN -2 AND (~0)`,
	`SELECT 1 IS DISTINCT FROM NULL, NULL IS NOT DISTINCT FROM NULL, 1 <> 2, 1 != 1, 2 BETWEEN 1 AND 3, 2 NOT BETWEEN SYMMETRIC 3 AND 1, 'a' || 1 || 'b', (1 < 2) = true`,
	`SELECT n FROM t WHERE n IS NULL OR s IS NOT NULL AND (n > 1) IS TRUE OR (n > 2) IS NOT FALSE OR (n = 1) IS UNKNOWN ORDER BY n DESC, s`,
	`SELECT s FROM t WHERE s LIKE 'a%' OR s LIKE '%\_%' OR s LIKE 'x!_%' ESCAPE '!' OR s NOT LIKE concat('%', 'e') OR s ILIKE 'A_E' OR s NOT ILIKE '%z' OR s ~ '^[a-c]\.?' OR s !~* 'X' OR s SIMILAR TO '(a|b)%' OR s NOT SIMILAR TO 'x!%' ESCAPE '!' ORDER BY 1`,
	`SELECT n FROM t WHERE n IN (1, '2') OR n NOT IN (SELECT a FROM u) OR (n, s) IN (SELECT 1, 'a') OR (n, s) = (3, 'c') OR n > ALL (SELECT 2) OR n = ANY (SELECT a FROM u) OR n = SOME (SELECT 1) OR n = ANY (ARRAY[1, 2]) OR s LIKE ANY (ARRAY['a%', 'b']) OR n <> ALL ('{1,2}'::int[]) ORDER BY n`,
	`SELECT (SELECT max(a) FROM u WHERE a > t.n), EXISTS (SELECT 1 FROM v), NOT EXISTS (SELECT * FROM u WHERE a = n), (SELECT 1), (SELECT a AS z FROM u LIMIT 1), (VALUES (1)), ARRAY(SELECT a FROM u ORDER BY a) FROM t ORDER BY n, s`,
	`SELECT (SELECT x::text FROM (VALUES (9), (10)) AS v(x) ORDER BY x LIMIT 1), ARRAY(SELECT x::text FROM (VALUES (9), (10)) AS v(x) ORDER BY x), (SELECT lower(y) FROM (VALUES ('B'), ('a')) AS v(y) ORDER BY lower LIMIT 1), (SELECT 1 UNION ALL (SELECT x::text::int FROM (VALUES (9), (10)) AS v(x) ORDER BY x LIMIT 1) ORDER BY 1 LIMIT 1), '9' IN (SELECT x::text FROM (VALUES (9), (10)) AS v(x) ORDER BY x LIMIT 1)`,
	`SELECT CASE n WHEN 1 THEN 'one' ELSE 'many' END, CASE WHEN n > 1 THEN s END, CASE WHEN n > 1 THEN 'x' ELSE s END, CASE WHEN true THEN 1 ELSE n::text::int END, coalesce(n, 0), nullif(n, 1), greatest(1, 2), least(1, n) FROM t ORDER BY n, s`,
	`SELECT DATE '2020-01-02', TIME '10:11:12.5', TIMESTAMP '2020-01-02 03:04:05', TIMESTAMP WITH TIME ZONE '2020-01-02 03:04:05+02', DATE '2020-01-31' + INTERVAL '1 month', INTERVAL '1:2' MINUTE TO SECOND, INTERVAL '3' DAY, INTERVAL(2) '1.239 s', INTERVAL '1.239' SECOND(1), DATE '2020-03-01' - DATE '2020-02-01', INTERVAL '1 day' * 2.5`,
	`SELECT EXTRACT(YEAR FROM d), EXTRACT(epoch FROM ts), extract('dow' FROM d), date_part('month', d), date_trunc('month', ts), age(d, DATE '2019-01-01'), to_char(ts, 'YYYY-MM'), make_interval(days => 3), make_date(2020, 1, 2), d + 1, ts AT TIME ZONE 'UTC', timezone('UTC', ts), (d, d) OVERLAPS (d, d + 1) FROM docs ORDER BY id`,
	`SELECT POSITION('b' IN 'abc'), SUBSTRING('abcd' FROM 2 FOR 2), SUBSTRING('abcd', 2), SUBSTRING('abcd' FOR 2), substring('abc' FROM '[b-z]+'), substr('abc', 2), TRIM('  a '), TRIM('x' FROM 'xax'), TRIM(LEADING FROM '  a'), TRIM(BOTH 'x' FROM 'xax'), TRIM(TRAILING 'a' FROM 'xaa'), OVERLAY('abcd' PLACING 'zz' FROM 2 FOR 1), OVERLAY('abcd' PLACING 'zz' FROM 2), strpos('abc', 'c'), split_part('a,b', ',', 2)`,
	`SELECT '12'::int, CAST('5' AS bigint), '1.239'::numeric(10,2), 'abc'::varchar(2), 'abc'::char(2), 'a'::char, n::text, count(*)::float8, 'x'::bytea, 't'::bool, '{1,2}'::int[], '{{1}}'::int[][], '{"a": 1}'::jsonb, 1::bit(3), '2020-01-01 01:02:03.456'::timestamp(1), '1.5'::double precision, int '3', float8 '1', int4(2.7), 'a'::text COLLATE "C" FROM t GROUP BY n ORDER BY n`,
	`SELECT upper('a'), LEFT('abc', 1), right('abc', 1), replace('abc', 'b', 'x'), lpad('a', 3, '0'), format('%s-%5s %%', 1, 'x'), trunc(1.29, 1), round(2.5), md5('a'), initcap('ab cd'), regexp_replace('abc', 'b', 'x'), concat_ws(',', 1, 2), pg_catalog.lower('X'), chr(65), reverse('ab')`,
	`SELECT string_agg(DISTINCT s, '; ' ORDER BY s DESC), array_agg(n ORDER BY n DESC NULLS LAST), count(DISTINCT n), count(ALL n), avg(DISTINCT n), stddev(n), bool_and(n > 0), sum(n) FILTER (WHERE n > 1), percentile_cont(0.5) WITHIN GROUP (ORDER BY n), mode() WITHIN GROUP (ORDER BY s), json_agg(n ORDER BY n, s) FROM t`,
	`SELECT n, s, count(*), grouping(n, s) FROM t GROUP BY ROLLUP (n, s) ORDER BY 1, 2, 4`,
	`SELECT n, s, count(*) FROM t GROUP BY GROUPING SETS ((n, s), (n), ()) ORDER BY 1, 2, 3`,
	`SELECT n % 2 AS p, s, count(*) FROM t GROUP BY CUBE (p, (s, n)), GROUPING SETS (ROLLUP (s), ()) ORDER BY 1, 2, 3`,
	`SELECT n % 2 AS m, max(s) FROM t GROUP BY m HAVING max(s) IS NOT NULL ORDER BY 1`,
	`SELECT n % 2 AS n, max(s), count(*) FROM t GROUP BY t.n, (s, n) ORDER BY n, 2, 3`,
	`SELECT DISTINCT n FROM t ORDER BY n LIMIT 2 OFFSET 1`,
	`SELECT DISTINCT ON (n % 2, t.s) n % 2 AS m, s AS z FROM t ORDER BY n % 2, s DESC NULLS LAST, n`,
	`SELECT DISTINCT ON (m) n % 2 AS m, s FROM t ORDER BY m, s`,
	`SELECT n FROM t ORDER BY n NULLS FIRST OFFSET 2`,
	`SELECT n FROM t ORDER BY n FETCH FIRST 2 ROWS ONLY`,
	`SELECT n FROM t ORDER BY n DESC NULLS LAST, s LIMIT ALL OFFSET 1 ROW`,
	`SELECT n FROM t ORDER BY n, s FETCH NEXT ROW ONLY`,
	`SELECT -n AS n, s FROM t ORDER BY n, s`,
	`SELECT -n AS n, s FROM t ORDER BY n + 0, s`,
	`SELECT t.n, u.a FROM t, u ORDER BY n, a, 1`,
	`SELECT n FROM t UNION ALL SELECT a FROM u EXCEPT SELECT 2 INTERSECT SELECT n FROM t ORDER BY 1 DESC LIMIT 3`,
	`SELECT 1 UNION SELECT 2 EXCEPT SELECT 2 UNION ALL (SELECT 3 UNION SELECT 3) ORDER BY 1`,
	`(SELECT n FROM t ORDER BY n DESC LIMIT 1) UNION ALL (SELECT 7) ORDER BY 1 LIMIT 5`,
	`(SELECT 1 UNION SELECT 2) INTERSECT ALL SELECT 2`,
	`(WITH x AS (SELECT 1 AS q) SELECT q FROM x) UNION SELECT n FROM t ORDER BY q`,
	`VALUES (1, 'a'), (2, NULL) ORDER BY column1 DESC`,
	`TABLE u ORDER BY 1`,
	`SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v(x, y), (SELECT 1 AS one) sub ORDER BY x`,
	`SELECT column2, v.column1 FROM (VALUES (1, 'a')) v`,
	`SELECT * FROM (SELECT count(*), n + 1, 'x' AS lit, sum(n), n::text, CASE WHEN n = 1 THEN 2 END FROM t GROUP BY n) AS d ORDER BY count, 2`,
	`SELECT d.m FROM (SELECT n m FROM t) d, (SELECT a FROM u) AS e WHERE d.m = e.a ORDER BY 1`,
	`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5), m AS MATERIALIZED (SELECT i * i q FROM n) SELECT i, q FROM n JOIN m ON q = i ORDER BY 1`,
	`WITH RECURSIVE a AS (SELECT x FROM b), b AS (SELECT 1 AS x) SELECT * FROM a`,
	`WITH a AS (SELECT n FROM t), t AS NOT MATERIALIZED (SELECT n + 100 AS n FROM a) SELECT max(n) FROM t`,
	`WITH t AS (SELECT n FROM t WHERE n < 3) SELECT count(*) FROM t`,
	`SELECT * FROM t NATURAL JOIN (SELECT n, s AS r FROM t) AS d LEFT JOIN u ON u.a = n CROSS JOIN v ORDER BY 1, 2, 3, 4, 5`,
	`SELECT * FROM t NATURAL JOIN t AS y JOIN u ON u.a = n ORDER BY 1, 2, 3`,
	`SELECT * FROM t, u JOIN v ON u.a::text = v.b, t AS w WHERE w.n = 1 ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t LEFT JOIN (u JOIN v ON u.a::text = v.b) ON t.n = u.a ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t LEFT JOIN u LEFT JOIN v ON u.a::text = v.b ON t.n = u.a ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t RIGHT JOIN u ON n = a LEFT OUTER JOIN v ON b = s ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t AS x RIGHT JOIN (SELECT n, s AS z FROM t WHERE n > 2) AS y USING (n) ORDER BY 1, 2, 3`,
	`SELECT n, x.s, y.z FROM t AS x FULL JOIN (SELECT n + 3 AS n, s AS z FROM t) AS y USING (n) ORDER BY 1, 2, 3`,
	`SELECT * FROM t NATURAL LEFT JOIN (SELECT 1 AS m) AS x ORDER BY 1, 2`,
	`SELECT n, sum(n) OVER w, max(n) OVER (w ROWS 1 PRECEDING), rank() OVER w, lag(s, 1) OVER (PARTITION BY n % 2 ORDER BY n DESC), count(*) OVER (ORDER BY n GROUPS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES), sum(n) FILTER (WHERE n > 1) OVER (ORDER BY n RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t WHERE n <> 2 WINDOW w AS (ORDER BY n) ORDER BY 1`,
	`SELECT ntile(2) OVER (ORDER BY n, s), first_value(n) OVER (ORDER BY n, s), nth_value(n, 2) OVER (ORDER BY n, s ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW), row_number() OVER (ORDER BY n, s) FROM t`,
	`SELECT sum(id) OVER (ORDER BY d RANGE BETWEEN '1 day' PRECEDING AND INTERVAL '1 month' FOLLOWING) FROM docs ORDER BY 1`,
	`SELECT d.id, x.m FROM docs d, LATERAL (SELECT max(e) AS m FROM unnest(d.arr) AS e) AS x ORDER BY 1`,
	`SELECT d.id, x.m FROM docs d LEFT JOIN LATERAL (SELECT a AS m FROM u WHERE a = d.id ORDER BY 1 LIMIT 1) AS x ON true ORDER BY 1`,
	`SELECT g, i FROM generate_series(1, 3) AS g, generate_series(1, g) i ORDER BY 1, 2`,
	`SELECT * FROM generate_series(1, 3) WITH ORDINALITY ORDER BY ordinality DESC`,
	`SELECT x, y FROM generate_series(1, 2) WITH ORDINALITY AS z(x, y) ORDER BY x`,
	`SELECT generate_series FROM generate_series(DATE '2020-01-01', '2020-01-03', '1 day')`,
	`SELECT id, e.* FROM docs, unnest(arr) WITH ORDINALITY e ORDER BY 1, 2, 3`,
	`SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b']) AS x(p, q) ORDER BY p`,
	`SELECT d.id, e.key, e.value FROM docs d, jsonb_each(d.j) e ORDER BY 1, 2`,
	`SELECT value, x.value FROM json_array_elements('[1, 2]') x ORDER BY value::text`,
	`SELECT x.a, b FROM jsonb_to_recordset('[{"a": 1, "b": "q"}]') AS x(a int, b text)`,
	`SELECT unnest(arr), id FROM docs ORDER BY 2, 1`,
	`SELECT j -> 'a', j ->> 'a', j #> '{b,0}', j #>> '{b,0}', j @> '{"a": 1}', j <@ '{"a": 1}', j ? 'a', j ?| ARRAY['a', 'z'], j ?& ARRAY['a'], j - 'a', j #- '{b,0}', j || '{"z": 1}', j -> 'b' -> 0, j['b'][0], jsonb_array_length(j -> 'b'), j @? '$.a', j @@ '$.a == 1' FROM docs WHERE j IS NOT NULL ORDER BY id`,
	`SELECT arr[1], arr[1:2], arr[:1], arr[2:], (ARRAY[[1, 2], [3, 4]])[2][1], ARRAY[1, 2] || 3, arr && ARRAY[1], arr @> ARRAY[2], arr <@ ARRAY[1, 2, 3], array_length(arr, 1), cardinality(arr), array_to_string(arr, ','), ARRAY[]::int[], ARRAY[[1], [2]] FROM docs ORDER BY id`,
	`SELECT ROW(1, 'a'), (1, 2), ROW(1), ROW(1, 2) = (1, 2), (1, 2) < (1, 3), (n, s) IS NULL FROM t ORDER BY n, s`,
	`SELECT to_json(ROW(1, 2)), json_build_object('k', n), jsonb_pretty('{"a": 1}'), row_to_json(ROW(n)) FROM t WHERE n = 1`,
	`SELECT 1 AS true, n AS "CamelCase", "s" FROM t WHERE n = 1`,
	`SELECT s COLLATE "C" AS c FROM t ORDER BY s COLLATE "C" DESC, n`,
	`SELECT sum(n) AS total FROM t HAVING sum(n) > 1`,
	`SELECT max((SELECT n)) FROM t`,
	`SELECT (SELECT sum(t.n) FROM u LIMIT 1) FROM t`,
	`SELECT int4range(1, 5) @> 3, int4range(1, 5) && int4range(4, 9), int4range(1, 3) -|- int4range(3, 4), lower(int4range(1, 5)), int4range(1, 2) << int4range(3, 4), int4range(1, 2) &< int4range(1, 4), 'abc' ^@ 'a'`,
	`SELECT to_tsvector('english', 'a fat cat') @@ to_tsquery('english', 'cat'), '127.0.0.1'::inet << '127.0.0.0/8'::inet`,
	`SELECT CURRENT_DATE = current_date, now() = CURRENT_TIMESTAMP, LOCALTIMESTAMP = CURRENT_TIMESTAMP::timestamp, CURRENT_TIMESTAMP(0) = CURRENT_TIMESTAMP::timestamptz(0), LOCALTIME(3) IS NULL, CURRENT_TIME(0) IS NULL`,
	`SELECT length(''), '' = ' ', 'a'::bpchar = 'a '::bpchar`,
	`SELECT sum(a.n) FROM t a WHERE EXISTS (SELECT FROM_.n FROM t AS from_ WHERE from_.n = a.n)`,
	`SELECT x.b, x.c FROM t AS x(b, c) ORDER BY 1, 2`,
	`SELECT x.* FROM t AS x(b) JOIN u AS y(s) ON x.b = y.s ORDER BY 1, 2`,
	`WITH x(a, b) AS (SELECT n, s FROM t) SELECT z.q, z.b FROM x AS z(q) ORDER BY 1, 2`,
	`SELECT n FROM t ORDER BY n FETCH FIRST 2 ROWS WITH TIES`,
	`SELECT n FROM (SELECT n FROM t ORDER BY n OFFSET 1 FETCH NEXT (1 + 0) ROW WITH TIES) x ORDER BY n`,
	`SELECT * FROM ROWS FROM (generate_series(1, 3)) WITH ORDINALITY AS x(a, b) ORDER BY 1`,
	`SELECT * FROM ROWS FROM (unnest(ARRAY[1, 2]), unnest(ARRAY['a', 'b', 'c'])) WITH ORDINALITY AS x(a, b, c) ORDER BY 3`,
	`SELECT * FROM ROWS FROM (unnest(ARRAY[1, 2]), unnest(ARRAY[5])) AS x ORDER BY 1`,
	`SELECT t.n, x.* FROM t LEFT JOIN LATERAL unnest(ARRAY[t.n, 7], ARRAY[t.s]) WITH ORDINALITY AS x(p, q, i) ON i < 2 ORDER BY 1, 2, 3`,
	`SELECT d.id, x.* FROM docs d, ROWS FROM (jsonb_each_text(d.j), generate_series(1, d.id), unnest(d.arr, d.arr)) WITH ORDINALITY AS x(k) ORDER BY 1, ordinality`,
	`SELECT generate_series FROM ROWS FROM (generate_series(1, 3), json_array_elements('[1, 2]')) ORDER BY generate_series.value::text`,
	`SELECT t.n, x.* FROM t, ROWS FROM (unnest(ARRAY[t.n, 7]), unnest(ARRAY[t.s])) AS x(a) ORDER BY 1, 2`,
	`SELECT * FROM (SELECT 1 AS a, 2 AS b, 3 AS c) x JOIN (SELECT 1 AS a, 2 AS b, 4 AS d) y USING (b, a)`,
	`SELECT * FROM (SELECT 1 AS a, 2 AS b, 3 AS c) x NATURAL JOIN (SELECT 2 AS b, 1 AS a, 4 AS d) y`,
	`SELECT |/ 2, |/ 2.0, |/ n, ||/ 27, |/ 1e-30, @ -1.5 FROM t WHERE n = 2`,
	`SELECT n FROM t WHERE s BETWEEN ('a' COLLATE "C") AND ('c' COLLATE "C") ORDER BY n`,
	`SELECT n FROM t WHERE s NOT BETWEEN SYMMETRIC (s || ('a' COLLATE "C")) AND 'b' COLLATE "C" ORDER BY n`,
	`SELECT 1 +-+- n, 2 *- n, n <-+ 3, - -n, +-+-+n FROM t ORDER BY n`,
	`SELECT 1 FROM t JOIN u ON TRUE JOIN v ON s = b AND n = a`,
}

func openPostgresStatements(t *testing.T, schema string) *sql.DB {
	t.Helper()
	config := integration.PostgreSQL(t)
	config.RuntimeParams["search_path"] = schema
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { db.Close() })
	mustExec(t, db, `CREATE SCHEMA `+schema)
	mustExec(t, db, `CREATE TABLE t (n INT, s TEXT)`)
	mustExec(t, db, `INSERT INTO t VALUES (1, 'a'), (2, 'b'), (2, 'A_e'), (3, 'c'), (NULL, 'É'), (4, NULL), (5, '日本')`)
	mustExec(t, db, `CREATE TABLE u (a INT)`)
	mustExec(t, db, `CREATE TABLE v (b TEXT)`)
	mustExec(t, db, `INSERT INTO u VALUES (1), (2), (2), (5)`)
	mustExec(t, db, `INSERT INTO v VALUES ('a'), ('2'), ('日本')`)
	mustExec(t, db, `CREATE TABLE "from" ("select" INT, "a""b" INT)`)
	mustExec(t, db, `INSERT INTO "from" VALUES (1, 2), (4, NULL)`)
	mustExec(t, db, `CREATE TABLE docs (id INT, j JSONB, arr INT[], d DATE, ts TIMESTAMPTZ)`)
	mustExec(t, db, `INSERT INTO docs VALUES (1, '{"a": 1, "b": [1, 2]}', '{1,2,3}', '2020-02-29', '2020-02-29 12:00:00+00'), (2, '{"a": "x"}', '{}', '2021-01-01', '2021-01-01 00:00:00+00'), (3, NULL, NULL, NULL, NULL)`)
	return db
}

func TestPostgresStatements(t *testing.T) {
	db := openPostgresStatements(t, "dialect_statements")
	var d pgdialect.Dialect
	for _, text := range postgresStatements {
		want, err := run(db, text)
		if err != nil {
			if !strings.Contains(text, "1_000") {
				t.Errorf("%s: the engine: %v", text, err)
			}
			continue
		}
		printed, err := reprint(d, text)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := sameAnswer(db, text, printed, want); err != nil {
			t.Error(err)
		}
	}
}

// The server refuses unnest of a stored tsvector, which is printed as a slice of an array.
func TestPostgresUnnestOfColumn(t *testing.T) {
	db := openPostgresStatements(t, "dialect_unnest")
	for _, column := range []string{"v", "coalesce(v, '')", "(SELECT v)"} {
		text := "SELECT * FROM (SELECT 'a b'::tsvector AS v) AS x, unnest(" + column + ") AS u"
		printed, err := reprint(pgdialect.Dialect{}, text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run(db, printed); err == nil || !strings.Contains(err.Error(), "cannot subscript type tsvector") {
			t.Errorf("%s: %v", printed, err)
		}
	}
}

// Random operators without parentheses are parsed with the precedence of the
// engine, and printed so that the precedence cannot change.
func TestPostgresExpressions(t *testing.T) {
	db := openPostgresStatements(t, "dialect_expressions")
	var d pgdialect.Dialect
	rng := rand.New(rand.NewPCG(7, 7))
	answered := 0
	for range 12_000 {
		text := `SELECT ` + randomPostgresExpr(rng, 1+rng.IntN(5)) + ` FROM t ORDER BY t.n, t.s`
		want, err := run(db, text)
		if err != nil {
			continue
		}
		printed, err := reprint(d, text)
		var e *sqlast.Error
		if errors.As(err, &e) && e.Code == sqlast.Function {
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if err := sameAnswer(db, text, printed, want); err != nil {
			t.Error(err)
			continue
		}
		answered++
	}
	t.Logf("%d expressions ran on the engine", answered)
	if answered < 1_500 {
		t.Errorf("%d expressions ran on the engine", answered)
	}
}

// randomPostgresExpr combines operands that mostly have matching types: numbers
// or texts, in comparisons that are combined to conditions.
func randomPostgresExpr(rng *rand.Rand, length int) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	number := func() string {
		return pick("", "", "", "", "-", "+", "~", "- -", "@ ") + pick("n", "n", "1", "2", "0", "NULL", "t.n", "(n + 1)", "abs(n)",
			"CASE n WHEN 1 THEN 2 END", "(SELECT 1)", "n::int", "CAST(n AS int)", "(ARRAY[n, 2])[1]", "length(s)")
	}
	text := func() string {
		return pick("s", "s", "'a'", "'5'", "n::text", "(s || 'x')", `s COLLATE "C"`, "upper(s)", "t.s", `('{"a": 1}'::jsonb ->> 'a')`)
	}
	operand, signs := number, []string{" + ", " - ", " * ", " / ", " % ", " ^ ", " & ", " | ", " # ", " << ", " >> "}
	if rng.IntN(3) == 0 {
		operand, signs = text, []string{" || ", " || "}
	}
	var b strings.Builder
	b.WriteString(pick("", "", "", "NOT ") + operand())
	for range length {
		switch rng.IntN(12) {
		case 0:
			b.WriteString(pick(" IS NULL", " IS NOT NULL", " IS TRUE", " IS NOT FALSE", " IS UNKNOWN", "::text", "::int", "::numeric(5,1)", " ISNULL", ` COLLATE "C"`))
		case 1:
			b.WriteString(pick(" BETWEEN ", " NOT BETWEEN ", " BETWEEN SYMMETRIC ") + operand() + " AND " + operand())
		case 2:
			b.WriteString(pick(" IN ", " NOT IN ") + "(" + operand() + ", " + operand() + ")")
		case 3:
			b.WriteString(pick(" LIKE ", " NOT LIKE ", " ILIKE ", " SIMILAR TO ", " ~ ", " !~* ", " ~~ ") + text())
		case 4:
			b.WriteString(pick(" = ANY ", " <> ALL ", " > ANY ") + pick("(ARRAY["+operand()+"])", "(SELECT "+operand()+" FROM u)"))
		case 5:
			b.WriteString(pick(" AND ", " OR ", " AND NOT ", " OR NOT ") + operand())
		case 6, 7:
			b.WriteString(pick(" = ", " <> ", " != ", " < ", " <= ", " > ", " >= ", " IS DISTINCT FROM ", " IS NOT DISTINCT FROM ") + operand())
		default:
			b.WriteString(pick(signs...) + operand())
		}
	}
	return b.String()
}
