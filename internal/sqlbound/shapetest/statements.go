package shapetest

// A Statement is one of some dialects, which are given by their letters.
type Statement struct{ Dialects, SQL string }

// Accepted are statements whose recursion or series ends.
var Accepted = []Statement{
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
	{"sm", "WITH RECURSIVE g AS (SELECT id FROM emp WHERE id = 1 UNION SELECT e.boss FROM g JOIN emp AS e ON e.id = g.id " +
		"UNION SELECT e.id FROM g JOIN emp AS e ON e.boss = g.id) SELECT id FROM g"},
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
	{"p", "SELECT d::date FROM generate_series('2024-01-01'::date, '2024-12-31', '1 day') AS d"},
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

// Ended are statements whose recursion, series or product has no visible end, among them
// date spines. A count of rows or steps ends them, or the time limit.
var Ended = []Statement{
	{"m", "WITH RECURSIVE d AS (SELECT '2024-01-01' AS m UNION ALL SELECT DATE_FORMAT(m + INTERVAL 1 MONTH, '%Y-%m-01') FROM d WHERE m < '2024-12-01') SELECT m FROM d"},
	{"p", "WITH RECURSIVE d AS (SELECT '2024-01-01' AS m UNION ALL SELECT to_char(m::date + INTERVAL '1 month', 'YYYY-MM-DD') FROM d WHERE m < '2024-12-01') SELECT m FROM d"},
	{"s", "WITH RECURSIVE d AS (SELECT '2024-01-01' AS m UNION ALL SELECT strftime('%Y-%m-01', m, '+1 month') FROM d WHERE m < '2024-12-01') SELECT m FROM d"},
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
	{"smp", "WITH RECURSIVE r AS (SELECT 'x' AS s UNION ALL SELECT concat(s, 'x') FROM r WHERE length(s) < 100) SELECT s FROM r"},
	{"s", "WITH RECURSIVE d(day) AS (SELECT '0001-01-01' UNION ALL SELECT datetime(day, '+1 second') FROM d WHERE day < '2024-12-31') SELECT day FROM d"},
	{"s", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r LIMIT -1) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 9 UNION ALL SELECT i + 2 FROM r WHERE i < 9) SELECT i FROM r"},
	{"p", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r, (VALUES (1), (2)) AS v(x) WHERE i < 9) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT e.id FROM r, emp AS e) SELECT i FROM r"},
	{"smp", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r, emp AS e WHERE i < 10 AND e.id > 3) SELECT i FROM r"},
	{"p", "SELECT d FROM generate_series('2024-01-01'::timestamp, 'infinity'::timestamp, '1 day') AS d"},
	{"p", "SELECT d FROM generate_series('1900-01-01'::timestamp, '2024-01-01'::timestamp, '1 second') AS d"},
	{"p", "SELECT count(*) FROM generate_series(1, (SELECT 1000000000)) AS i"},
	{"p", "SELECT count(*) FROM generate_series(1, 1000000000 / 2) AS i"},
	{"p", "SELECT count(*) FROM generate_series(1, 10, 0.000001) AS i"},
	{"p", "SELECT count(*) FROM generate_series(1, power(10, 9)::integer) AS i"},
	{"p", "WITH a AS (SELECT 1 AS k, i FROM generate_series(1, 2000) AS i) SELECT count(*) FROM a JOIN a AS b ON a.k = b.k"},
	{"p", "WITH p AS (SELECT 1 AS a, 1000000000 AS b) SELECT count(*) FROM p, generate_series(p.a, p.b) AS i"},
	{"p", "SELECT (SELECT count(*) FROM generate_series(1, 1000000) AS k WHERE k < i) FROM generate_series(1, 1000000) AS i"},
	{"smp", "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000) SELECT count(*) FROM r AS a, r AS b, r AS c, r AS d"},
	{"smp", "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r, emp) SELECT count(*) FROM (SELECT DISTINCT a.i, b.i AS k FROM r AS a, r AS b) AS d"},
	{"smp", "SELECT count(*) FROM (SELECT a.s, b.s AS b, c.s AS c FROM t AS a, t AS b, t AS c, t AS d, t AS e ORDER BY a.id * b.id, c.id DESC LIMIT 100000) AS x"},
}
