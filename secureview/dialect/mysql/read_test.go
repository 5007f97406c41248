package mysql_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// constructs are all constructs that are read, and their printed form.
var constructs = []struct{ name, text, want string }{
	{"no FROM", `select 1`, "SELECT 1 AS `1`"},
	{"semicolon", `SELECT 1;`, "SELECT 1 AS `1`"},
	{"parentheses", `(SELECT a FROM t)`, "SELECT `a` FROM `t`"},
	{"DUAL", `SELECT 1 x FROM DUAL WHERE 2`, "SELECT 1 AS `x` WHERE 2"},
	{"comments", "SELECT /* a ) */ a -- b (\n, b # c\nFROM t -- end", "SELECT `a`, `b` FROM `t`"},
	{"executable comment", `SELECT a /*!50000 , b */ FROM t /*! WHERE c */`, "SELECT `a`, `b` FROM `t` WHERE `c`"},
	{"comment of another brand", `SELECT a /*M! , secret */ FROM t /*M!100100 , u */`, "SELECT `a` FROM `t`"},
	{"distinct", `SELECT DISTINCT a FROM t`, "SELECT DISTINCT `a` FROM `t`"},
	{"all", `SELECT ALL a FROM t`, "SELECT `a` FROM `t`"},
	{"stars", `SELECT *, t.*, s.t.* FROM s.t`, "SELECT *, `t`.*, `s`.`t`.* FROM `s`.`t`"},
	{"schema", "SELECT db.t.a FROM `db`.`t`", "SELECT `db`.`t`.`a` FROM `db`.`t`"},
	{"table", `TABLE t ORDER BY a LIMIT 3`, "SELECT * FROM `t` ORDER BY `a` LIMIT 3"},
	{"values", `VALUES ROW(1, 'a'), ROW(2, NULL) ORDER BY column_0`, "VALUES ROW(1, 'a'), ROW(2, NULL) ORDER BY `column_0`"},
	{"quoting", "SELECT `a b`, `c``d` FROM `my tab` x", "SELECT `a b`, `c``d` FROM `my tab` AS `x`"},
	{"reserved words", "SELECT `select`, t.from AS `order` FROM `group` AS `t`", "SELECT `select`, `t`.`from` AS `order` FROM `group` AS `t`"},
	{"aliases", `SELECT a b, c AS 'd e', d "f", 1 AS g FROM t`, "SELECT `a` AS `b`, `c` AS `d e`, `d` AS `f`, 1 AS `g` FROM `t`"},
	{"alias named like its table", `SELECT t.a FROM t AS t`, "SELECT `t`.`a` FROM `t` AS `t`"},
	{"words of window functions as names", `SELECT rank, t.lead FROM groups AS t`, "SELECT `rank`, `t`.`lead` FROM `groups` AS `t`"},

	{"own names", "SELECT count( * ), a+1 /* x */, 'it', 007, +b, (c), NULL, true, (SELECT d), x'41' FROM t",
		"SELECT count(*) AS `count( * )`, `a` + 1 AS `a+1`, 'it' AS `it`, 007 AS `007`, +`b` AS `b`, `c`, NULL AS `NULL`, TRUE AS `TRUE`, (SELECT `d`) AS `(SELECT d)`, X'41' AS `x'41'` FROM `t`"},
	{"nobody sees the names", `SELECT a FROM t WHERE b IN (SELECT max(c) FROM u UNION SELECT 1)`,
		"SELECT `a` FROM `t` WHERE `b` IN (SELECT max(`c`) FROM `u` UNION SELECT 1)"},

	{"a column named like JSON_TABLE", "SELECT json_table, t.json_table FROM t", "SELECT `json_table`, `t`.`json_table` FROM `t`"},
	{"a column named sounds", `SELECT a FROM t WHERE sounds LIKE b`, "SELECT `a` FROM `t` WHERE `sounds` LIKE `b`"},

	{"where", `SELECT a FROM t WHERE b = 'it''s' AND NOT c OR d`, "SELECT `a` FROM `t` WHERE (`b` = 'it''s' AND NOT `c`) OR `d`"},
	{"group", `SELECT a, count(*) n FROM t GROUP BY a, b HAVING n > 1`, "SELECT `a`, count(*) AS `n` FROM `t` GROUP BY `a`, `b` HAVING `n` > 1"},
	{"rollup", `SELECT a FROM t GROUP BY a, b WITH ROLLUP`, "SELECT `a` FROM `t` GROUP BY `a`, `b` WITH ROLLUP"},
	{"having without group", `SELECT a FROM t HAVING a > 1`, "SELECT `a` FROM `t` HAVING `a` > 1"},
	{"order", `SELECT a FROM t ORDER BY 2, a DESC, (1), +1, b ASC`, "SELECT `a` FROM `t` ORDER BY 2, `a` DESC, 1, +1, `b`"},
	{"limit", `SELECT a FROM t LIMIT 3`, "SELECT `a` FROM `t` LIMIT 3"},
	{"offset", `SELECT a FROM t LIMIT 3 OFFSET 5`, "SELECT `a` FROM `t` LIMIT 3 OFFSET 5"},
	{"limit with a comma", `SELECT a FROM t LIMIT 5, 3`, "SELECT `a` FROM `t` LIMIT 3 OFFSET 5"},

	{"with", `WITH x AS (SELECT 1 a), y(b, c) AS (SELECT * FROM x, z) SELECT * FROM x, y`,
		"WITH `x` AS (SELECT 1 AS `a`), `y` (`b`, `c`) AS (SELECT * FROM `x` JOIN `z` ON TRUE) SELECT * FROM `x` JOIN `y` ON TRUE"},
	{"recursive", `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 9) SELECT i FROM n`,
		"WITH RECURSIVE `n` (`i`) AS (SELECT 1 AS `1` UNION ALL SELECT `i` + 1 FROM `n` WHERE `i` < 9) SELECT `i` FROM `n`"},
	{"a body reads the table of its name", `WITH secret AS (SELECT * FROM secret) SELECT * FROM secret`,
		"WITH `secret` AS (SELECT * FROM `secret`) SELECT * FROM `secret`"},
	{"inner with", `SELECT (WITH y AS (SELECT 2 n) SELECT n FROM y) v FROM (WITH y AS (SELECT 1 n) SELECT n FROM y, e) d, y`,
		"SELECT (WITH `y` AS (SELECT 2 AS `n`) SELECT `n` FROM `y`) AS `v` FROM (WITH `y` AS (SELECT 1 AS `n`) SELECT `n` FROM `y` JOIN `e` ON TRUE) AS `d` JOIN `y` ON TRUE"},
	{"with and rollup", `WITH x AS (SELECT 1 a) SELECT a FROM x GROUP BY a WITH ROLLUP`, "WITH `x` AS (SELECT 1 AS `a`) SELECT `a` FROM `x` GROUP BY `a` WITH ROLLUP"},
	{"intersect binds tighter", `SELECT 1 a UNION SELECT 2 INTERSECT SELECT 3 EXCEPT ALL SELECT 4 ORDER BY 1 LIMIT 2`,
		"SELECT 1 AS `a` UNION SELECT 2 INTERSECT SELECT 3 EXCEPT ALL SELECT 4 ORDER BY 1 LIMIT 2"},
	{"arms in parentheses", `(SELECT 1 a UNION SELECT 2) INTERSECT SELECT 3 UNION ALL (SELECT 4 UNION SELECT 5)`,
		"(SELECT 1 AS `a` UNION SELECT 2) INTERSECT SELECT 3 UNION ALL (SELECT 4 UNION SELECT 5)"},
	{"arms with a limit", `(SELECT a FROM t ORDER BY b LIMIT 1) UNION ALL (SELECT c FROM u LIMIT 2) LIMIT 3`,
		"(SELECT `a` FROM `t` ORDER BY `b` LIMIT 1) UNION ALL (SELECT `c` FROM `u` LIMIT 2) LIMIT 3"},
	{"limit of a limit", `((SELECT a FROM t) LIMIT 2) LIMIT 1`, "(SELECT `a` FROM `t` LIMIT 2) LIMIT 1"},

	{"comma", `SELECT * FROM a, b`, "SELECT * FROM `a` JOIN `b` ON TRUE"},
	{"comma binds looser", `SELECT * FROM a, b JOIN c ON b.x = c.x, d`, "SELECT * FROM `a` JOIN (`b` JOIN `c` ON `b`.`x` = `c`.`x`) ON TRUE JOIN `d` ON TRUE"},
	{"joins", `SELECT * FROM a JOIN b ON a.x = b.x INNER JOIN c USING (y, z) LEFT OUTER JOIN d ON 1 CROSS JOIN e RIGHT JOIN f ON 2`,
		"SELECT * FROM `a` JOIN `b` ON `a`.`x` = `b`.`x` JOIN `c` USING (`y`, `z`) LEFT JOIN `d` ON 1 JOIN `e` ON TRUE RIGHT JOIN `f` ON 2"},
	{"a condition after two joins", `SELECT * FROM a JOIN b JOIN c ON a.x = c.x`, "SELECT * FROM `a` JOIN `b` ON TRUE JOIN `c` ON `a`.`x` = `c`.`x`"},
	{"conditions after joins", `SELECT * FROM a LEFT JOIN b LEFT JOIN c ON p ON q`, "SELECT * FROM `a` LEFT JOIN (`b` LEFT JOIN `c` ON `p`) ON `q`"},
	{"an alias loses its leading blanks", "SELECT a AS `  x y`, b AS '\tz' FROM t", "SELECT `a` AS `x y`, `b` AS `z` FROM `t`"},
	{"natural inner", "SELECT 'NATURAL INNER JOIN' FROM a NATURAL INNER JOIN b NATURAL /* x */ inner join c",
		"SELECT 'NATURAL INNER JOIN' AS `NATURAL INNER JOIN` FROM `a` NATURAL JOIN `b` NATURAL JOIN `c`"},
	{"full-text search", `SELECT MATCH (a, t.b) AGAINST ('x') AS s FROM t WHERE NOT MATCH(a) AGAINST ('+it''s' IN BOOLEAN MODE) OR c`,
		"SELECT match(`a`, `t`.`b`) AGAINST ('x') AS `s` FROM `t` WHERE NOT match(`a`) AGAINST ('+it''s' IN BOOLEAN MODE) OR `c`"},
	{"natural", `SELECT * FROM a NATURAL JOIN b NATURAL LEFT JOIN c JOIN d ON 1`, "SELECT * FROM `a` NATURAL JOIN `b` NATURAL LEFT JOIN `c` JOIN `d` ON 1"},
	{"parenthesised join", `SELECT * FROM a LEFT JOIN (b JOIN c ON b.x = c.x) ON a.x = b.x`,
		"SELECT * FROM `a` LEFT JOIN (`b` JOIN `c` ON `b`.`x` = `c`.`x`) ON `a`.`x` = `b`.`x`"},
	{"needless parentheses", `SELECT * FROM ((a) JOIN (b)) LEFT JOIN (c) ON 1`, "SELECT * FROM `a` JOIN `b` ON TRUE LEFT JOIN `c` ON 1"},
	{"derived", `SELECT d.n FROM (SELECT count(*) n FROM t) AS d`, "SELECT `d`.`n` FROM (SELECT count(*) AS `n` FROM `t`) AS `d`"},
	{"lateral", `SELECT a FROM t, LATERAL (SELECT b FROM u WHERE u.x = t.x) AS l(c)`,
		"SELECT `a` FROM `t` JOIN LATERAL (SELECT `b` FROM `u` WHERE `u`.`x` = `t`.`x`) AS `l` (`c`) ON TRUE"},

	{"arithmetic", `SELECT (a + b) * c - d / 2 DIV e % f MOD g AS x, MOD(a, b) y FROM t`,
		"SELECT (`a` + `b`) * `c` - `d` / 2 DIV `e` % `f` % `g` AS `x`, `a` % `b` AS `y` FROM `t`"},
	{"minus minus", `SELECT - -1 x, -(-a) y, 1 - -1 z FROM t`, "SELECT -(-1) AS `x`, -(-`a`) AS `y`, 1 - -1 AS `z` FROM `t`"},
	{"bits", `SELECT a | b & c << 2 >> ~d ^ e AS x FROM t`, "SELECT `a` | (`b` & ((`c` << 2) >> ((~`d`) ^ `e`))) AS `x` FROM `t`"},
	{"logic", `SELECT a || b && !c XOR NOT d AS x FROM t`, "SELECT `a` OR ((`b` AND NOT `c`) XOR NOT `d`) AS `x` FROM `t`"},
	{"comparisons", `SELECT 1 x FROM t WHERE a <=> b OR a != b OR a <> b OR (a < b) = (c >= d)`,
		"SELECT 1 AS `x` FROM `t` WHERE `a` <=> `b` OR `a` <> `b` OR `a` <> `b` OR (`a` < `b`) = (`c` >= `d`)"},
	{"tests", `SELECT 1 x FROM t WHERE a IS NULL OR b IS NOT NULL OR c IS TRUE OR d IS NOT FALSE OR e IS UNKNOWN`,
		"SELECT 1 AS `x` FROM `t` WHERE `a` IS NULL OR `b` IS NOT NULL OR `c` IS TRUE OR `d` IS NOT FALSE OR `e` IS NULL"},
	{"between", `SELECT 1 x FROM t WHERE a BETWEEN 1 AND b + 1 AND c NOT BETWEEN 'a' AND 'z'`,
		"SELECT 1 AS `x` FROM `t` WHERE `a` BETWEEN 1 AND `b` + 1 AND `c` NOT BETWEEN 'a' AND 'z'"},
	{"like", `SELECT 1 x FROM t WHERE a LIKE '%\%%' OR b NOT LIKE 'c!%' ESCAPE '!' OR c LIKE d ESCAPE '' OR e REGEXP '^\\d' OR f NOT RLIKE g`,
		"SELECT 1 AS `x` FROM `t` WHERE `a` LIKE '%\\\\%%' OR `b` NOT LIKE 'c!%' ESCAPE '!' OR `c` LIKE `d` ESCAPE '' OR `e` REGEXP '^\\\\d' OR `f` NOT REGEXP `g`"},
	{"in", `SELECT 1 x FROM t WHERE a IN (1, 'b') OR b NOT IN (SELECT c FROM u) OR (a, b) IN (SELECT c, d FROM v) OR ROW(a, b) = (1, 2)`,
		"SELECT 1 AS `x` FROM `t` WHERE `a` IN (1, 'b') OR `b` NOT IN (SELECT `c` FROM `u`) OR (`a`, `b`) IN (SELECT `c`, `d` FROM `v`) OR (`a`, `b`) = (1, 2)"},
	{"quantified", `SELECT 1 x FROM t WHERE a > ANY (SELECT b FROM u) OR a = SOME (SELECT 2) OR a <> ALL (SELECT 3)`,
		"SELECT 1 AS `x` FROM `t` WHERE `a` > ANY (SELECT `b` FROM `u`) OR `a` = ANY (SELECT 2) OR `a` <> ALL (SELECT 3)"},
	{"exists", `SELECT NOT EXISTS (SELECT * FROM u) x FROM t WHERE EXISTS (SELECT 1 FROM v)`,
		"SELECT NOT EXISTS (SELECT * FROM `u`) AS `x` FROM `t` WHERE EXISTS (SELECT 1 FROM `v`)"},
	{"case", `SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END p, CASE WHEN a THEN b END q FROM t`,
		"SELECT CASE `a` WHEN 1 THEN 'x' ELSE 'y' END AS `p`, CASE WHEN `a` THEN `b` END AS `q` FROM `t`"},
	{"collate", `SELECT a FROM t ORDER BY a COLLATE utf8mb4_bin`, "SELECT `a` FROM `t` ORDER BY `a` COLLATE utf8mb4_bin"},

	{"strings", `SELECT 'it''s' a, 'a\'b' b, "dq ""x"" 'y'" c, 'a\\b\n\t\%' d, 'a' "b" 'c' e, N'n' f, '\0' g`,
		"SELECT 'it''s' AS `a`, 'a''b' AS `b`, 'dq \"x\" ''y''' AS `c`, 'a\\\\b\n\t\\\\%' AS `d`, 'abc' AS `e`, 'n' AS `f`, '\\0' AS `g`"},
	{"words in strings", `SELECT a FROM t WHERE b = ' FROM secret -- /* WITH ' AND c = "x'; DROP"`,
		"SELECT `a` FROM `t` WHERE `b` = ' FROM secret -- /* WITH ' AND `c` = 'x''; DROP'"},
	{"numbers", `SELECT 1 a, .5 b, 1.50 c, 1.5e3 d, 1e-5 e, 007 f, 18446744073709551616 g`,
		"SELECT 1 AS `a`, .5 AS `b`, 1.50 AS `c`, 1.5e3 AS `d`, 1e-5 AS `e`, 007 AS `f`, 18446744073709551616 AS `g`"},
	{"long number", `SELECT 1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901 a`,
		"SELECT 1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901 AS `a`"},
	{"binary literals", `SELECT X'4142' a, x'' b, 0x41 c, 0b101 d, b'01' e`, "SELECT X'4142' AS `a`, X'' AS `b`, 0x41 AS `c`, b'101' AS `d`, b'01' AS `e`"},
	{"time literals", `SELECT DATE '2020-01-02' a, TIME '10:11:12.50' b, TIMESTAMP '2020-01-02 03:04:05' c, {d '2020-01-02'} d`,
		"SELECT DATE '2020-01-02' AS `a`, TIME '10:11:12.50' AS `b`, TIMESTAMP '2020-01-02 03:04:05' AS `c`, DATE '2020-01-02' AS `d`"},
	{"now", `SELECT NOW() a, CURRENT_TIMESTAMP(3) b, LOCALTIME c, CURDATE() d, CURRENT_DATE e, CURTIME(2) f, UTC_DATE() g, SYSDATE() h`,
		"SELECT CURRENT_TIMESTAMP AS `a`, CURRENT_TIMESTAMP(3) AS `b`, CURRENT_TIMESTAMP AS `c`, CURRENT_DATE AS `d`, CURRENT_DATE AS `e`, CURRENT_TIME(2) AS `f`, utc_date() AS `g`, sysdate() AS `h`"},
	{"intervals", `SELECT d + INTERVAL 1 DAY a, d - INTERVAL '1:2' MINUTE_SECOND b, INTERVAL e MONTH + d c, ADDDATE(d, 3) f, DATE_SUB(d, INTERVAL 2 WEEK) g, INTERVAL(1, 2) h FROM t`,
		"SELECT date_add(`d`, INTERVAL 1 DAY) AS `a`, date_sub(`d`, INTERVAL '1:2' MINUTE_SECOND) AS `b`, date_add(`d`, INTERVAL `e` MONTH) AS `c`, adddate(`d`, INTERVAL 3 DAY) AS `f`, date_sub(`d`, INTERVAL 2 WEEK) AS `g`, interval(1, 2) AS `h` FROM `t`"},
	{"units", `SELECT EXTRACT(DAY_HOUR FROM d) a, TIMESTAMPDIFF(SQL_TSI_MONTH, d, e) b, TIMESTAMPADD(MINUTE, 1, d) c, GET_FORMAT(DATETIME, 'EUR') f FROM t`,
		"SELECT extract(DAY_HOUR FROM `d`) AS `a`, timestampdiff(MONTH, `d`, `e`) AS `b`, timestampadd(MINUTE, 1, `d`) AS `c`, get_format(DATETIME, 'EUR') AS `f` FROM `t`"},
	{"trim", `SELECT TRIM(a) a, TRIM('x' FROM a) b, TRIM(LEADING FROM a) c, TRIM(BOTH 'x' FROM a) d, TRIM(TRAILING b + 1 FROM a) e FROM t`,
		"SELECT trim(`a`) AS `a`, trim(BOTH 'x' FROM `a`) AS `b`, trim(LEADING ' ' FROM `a`) AS `c`, trim(BOTH 'x' FROM `a`) AS `d`, trim(TRAILING (`b` + 1) FROM `a`) AS `e` FROM `t`"},
	{"substring", `SELECT SUBSTRING(a FROM 2 FOR 3) a, SUBSTR(a, 2) b, MID(a, 1, 2) c, POSITION('a' IN b) d FROM t`,
		"SELECT substring(`a`, 2, 3) AS `a`, substr(`a`, 2) AS `b`, mid(`a`, 1, 2) AS `c`, locate('a', `b`) AS `d` FROM `t`"},
	{"renamed functions", `SELECT CHAR(65, 66) a, CHAR(65 USING utf8mb4) b, INSERT(a, 1, 2, 'x') c, IF(a, b, c) d, LEFT(a, 1) e, REPLACE(a, b, c) f FROM t`,
		"SELECT char(65, 66) AS `a`, char(65 USING utf8mb4) AS `b`, insert(`a`, 1, 2, 'x') AS `c`, if(`a`, `b`, `c`) AS `d`, left(`a`, 1) AS `e`, replace(`a`, `b`, `c`) AS `f` FROM `t`"},
	{"casts", `SELECT CAST(a AS CHAR) a, CAST(a AS CHAR(3) CHARACTER SET latin1) b, CAST(a AS SIGNED INTEGER) c, CAST(a AS UNSIGNED) d, CAST(a AS DECIMAL(10, 2)) e, CAST(a AS DECIMAL) f, CONVERT(a, BINARY(3)) g, BINARY a h, CAST(a AS DATETIME(3)) i, CAST(a AS DOUBLE) j, CAST(a AS JSON) k, CAST(a AS TIME) l FROM t`,
		"SELECT CAST(`a` AS CHAR) AS `a`, CAST(`a` AS CHAR(3) CHARACTER SET latin1) AS `b`, CAST(`a` AS SIGNED) AS `c`, CAST(`a` AS UNSIGNED) AS `d`, CAST(`a` AS DECIMAL(10, 2)) AS `e`, CAST(`a` AS DECIMAL(10)) AS `f`, CAST(`a` AS BINARY(3)) AS `g`, CAST(`a` AS BINARY) AS `h`, CAST(`a` AS DATETIME(3)) AS `i`, CAST(`a` AS DOUBLE) AS `j`, CAST(`a` AS JSON) AS `k`, CAST(`a` AS TIME) AS `l` FROM `t`"},
	{"convert", `SELECT CONVERT(a USING utf8mb4) a FROM t`, "SELECT convert(`a` USING utf8mb4) AS `a` FROM `t`"},
	{"json", `SELECT a->'$.x' a, t.b->>'$.y' b FROM t`, "SELECT json_extract(`a`, '$.x') AS `a`, json_unquote(json_extract(`t`.`b`, '$.y')) AS `b` FROM `t`"},
	{"bounded lengths", `SELECT LPAD(a, 1000, '0') a, RPAD(a, 3, ' ') b, SPACE(2) c FROM t`, "SELECT lpad(`a`, 1000, '0') AS `a`, rpad(`a`, 3, ' ') AS `b`, space(2) AS `c` FROM `t`"},

	{"count", `SELECT COUNT(*) a, COUNT (1) b, count(DISTINCT a, b) c, COUNT(ALL a) d FROM t`,
		"SELECT count(*) AS `a`, count(1) AS `b`, count(DISTINCT `a`, `b`) AS `c`, count(`a`) AS `d` FROM `t`"},
	{"aggregates", `SELECT SUM(a) a, AVG(DISTINCT a) b, STD(a) c, BIT_OR(a) d, JSON_OBJECTAGG(a, b) e FROM t`,
		"SELECT sum(`a`) AS `a`, avg(DISTINCT `a`) AS `b`, stddev_pop(`a`) AS `c`, bit_or(`a`) AS `d`, json_objectagg(`a`, `b`) AS `e` FROM `t`"},
	{"group_concat", `SELECT GROUP_CONCAT(DISTINCT a, b ORDER BY c DESC, a SEPARATOR '; ') a, GROUP_CONCAT(a SEPARATOR ',') b FROM t`,
		"SELECT group_concat(DISTINCT `a`, `b` ORDER BY `c` DESC, `a` SEPARATOR '; ') AS `a`, group_concat(`a`) AS `b` FROM `t`"},
	{"windows", `SELECT RANK() OVER (PARTITION BY a ORDER BY b DESC) a, SUM(x) OVER w b, SUM(x) OVER (w ROWS 3 PRECEDING) c, LAG(x, 2, 0) OVER w d FROM t WINDOW w AS (ORDER BY y), v AS (w)`,
		"SELECT rank() OVER (PARTITION BY `a` ORDER BY `b` DESC) AS `a`, sum(`x`) OVER `w` AS `b`, sum(`x`) OVER (`w` ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS `c`, lag(`x`, 2, 0) OVER `w` AS `d` FROM `t` WINDOW `w` AS (ORDER BY `y`), `v` AS (`w`)"},
	{"frames", `SELECT SUM(x) OVER (ORDER BY y RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND UNBOUNDED FOLLOWING) a, COUNT(*) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) b FROM t`,
		"SELECT sum(`x`) OVER (ORDER BY `y` RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND UNBOUNDED FOLLOWING) AS `a`, count(*) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) AS `b` FROM `t`"},
}

func TestConstructs(t *testing.T) {
	for _, tt := range constructs {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, roundTrip(t, tt.text)); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

// refusals are all constructs that are refused, with code, name and position.
var refusals = []struct {
	text string
	code refusal.Code
	name string
	at   string // text at the position; empty: not checked
}{
	{``, sqlast.MultipleQueries, "", ""},
	{`;`, sqlast.MultipleQueries, "", ""},
	{`SELECT 1; SELECT 2`, sqlast.MultipleQueries, "", ""},
	{`INSERT INTO t VALUES (1)`, sqlast.NotSelect, "INSERT", "INSERT"},
	{`WITH x AS (SELECT 1) DELETE FROM t`, sqlast.NotSelect, "DELETE", "WITH"},
	{`WITH x AS (SELECT 1) UPDATE t SET a = 1`, sqlast.NotSelect, "UPDATE", "WITH"},
	{`/* x */ (DROP TABLE t)`, sqlast.NotSelect, "DROP", "DROP"},
	{`CALL p()`, sqlast.NotSelect, "CALL", "CALL"},
	{`DO SLEEP(1)`, sqlast.NotSelect, "DO", "DO"},
	{`HANDLER t OPEN`, sqlast.NotSelect, "HANDLER", "HANDLER"},
	{`SHOW TABLES`, sqlast.NotSelect, "SHOW", "SHOW"},
	{`EXPLAIN SELECT 1`, sqlast.NotSelect, "EXPLAIN", "EXPLAIN"},
	{`SET @x = 1`, sqlast.NotSelect, "SET", "SET"},
	{`LOAD DATA INFILE 'x' INTO TABLE t`, sqlast.NotSelect, "LOAD", "LOAD"},
	{`/*! DELETE */ FROM t`, sqlast.NotSelect, "DELETE", "DELETE"},

	{`SELECT FROM t`, sqlast.Syntax, "", "FROM t"},
	{`SELECT a FROM t WHERE`, sqlast.Syntax, "", ""},
	{`SELECT 'open`, sqlast.Syntax, "", "'open"},
	{`SELECT a FROM t PROCEDURE ANALYSE()`, sqlast.Syntax, "", "PROCEDURE"},
	{`SELECT 1 LIMIT 1 UNION SELECT 2`, sqlast.Syntax, "", "SELECT 1"},
	{`SELECT a HAVING b FROM t HAVING c`, sqlast.Syntax, "HAVING", ""},
	{`SELECT NOW(7)`, sqlast.Syntax, "NOW", "NOW(7)"},
	{`SELECT X'123'`, sqlast.Syntax, "", "X'123'"},

	{`SELECT a FROM t INTO OUTFILE '/tmp/x'`, sqlast.Into, "INTO", "INTO"},
	{`SELECT a FROM t INTO DUMPFILE '/tmp/x'`, sqlast.Into, "INTO", "INTO"},
	{`SELECT a INTO @x FROM t`, sqlast.Into, "INTO", "INTO"},
	{`SELECT a FROM t UNION SELECT b FROM u INTO OUTFILE 'x'`, sqlast.Into, "INTO", "INTO"},
	{`SELECT a FROM t FOR UPDATE`, sqlast.Locking, "FOR", "FOR"},
	{`SELECT a FROM t FOR SHARE OF t NOWAIT`, sqlast.Locking, "FOR", "FOR"},
	{`SELECT a FROM t LOCK IN SHARE MODE`, sqlast.Locking, "LOCK", "LOCK"},
	{`SELECT a FROM (SELECT a FROM t FOR UPDATE) d`, sqlast.Locking, "FOR", "FOR"},
	{`(SELECT a FROM t FOR UPDATE) UNION SELECT 1`, sqlast.Locking, "FOR", "FOR"},

	{`SELECT @aesKey`, sqlast.Variable, "@aesKey", "@aesKey"},
	{`SELECT a FROM t WHERE b = @@version`, sqlast.Variable, "@@version", "@@version"},
	{`SELECT @tenant := 2`, sqlast.Variable, "@tenant", "@tenant"},
	{`SELECT a FROM t WHERE b = (@x := 2)`, sqlast.Variable, "@x", "@x"},
	{`SELECT a FROM t ORDER BY @x`, sqlast.Variable, "@x", "@x"},
	{`SELECT a FROM t WHERE b = ?`, sqlast.Parameter, "?", "?"},
	{`SELECT a FROM t LIMIT ?`, sqlast.Parameter, "?", ""},

	{`SELECT /*+ MAX_EXECUTION_TIME(1) */ a FROM t`, sqlast.Hint, "/*+ MAX_EXECUTION_TIME(1) */", "/*+"},
	{`SELECT a /*+ x */ FROM t`, sqlast.Hint, "/*+ x */", "/*+"},
	{`SELECT a FROM t USE INDEX (i)`, sqlast.Hint, "t", "t USE"},
	{`SELECT a FROM t JOIN u IGNORE INDEX FOR JOIN (i) ON 1`, sqlast.Hint, "u", "u IGNORE"},
	{`SELECT SQL_CALC_FOUND_ROWS a FROM t`, sqlast.Hint, "SQL_CALC_FOUND_ROWS", "SQL_CALC"},
	{`SELECT SQL_NO_CACHE a FROM t`, sqlast.Hint, "SQL_NO_CACHE", "SQL_NO"},
	{`SELECT SQL_BIG_RESULT a FROM t`, sqlast.Hint, "SQL_BIG_RESULT", "SQL_BIG"},
	{`SELECT SQL_SMALL_RESULT a FROM t`, sqlast.Hint, "SQL_SMALL_RESULT", "SQL_SMALL"},
	{`SELECT SQL_BUFFER_RESULT a FROM t`, sqlast.Hint, "SQL_BUFFER_RESULT", "SQL_BUFFER"},
	{`SELECT HIGH_PRIORITY a FROM t`, sqlast.Hint, "HIGH_PRIORITY", "HIGH"},
	{`SELECT STRAIGHT_JOIN a FROM t`, sqlast.Hint, "STRAIGHT_JOIN", "STRAIGHT_JOIN"},
	{`SELECT a FROM t STRAIGHT_JOIN u`, sqlast.Hint, "STRAIGHT_JOIN", "STRAIGHT_JOIN"},

	{`SELECT db.f(1)`, sqlast.Function, "db.f", "db.f"},
	{"SELECT `a b`(1)", sqlast.Function, "a b", "`a b`"},
	{"SELECT `f(1), sleep`(1)", sqlast.Function, "f(1), sleep", "`f"},
	{"SELECT a AS ` ` FROM t", sqlast.Unsupported, "an alias of blanks", "a AS"},
	{`SELECT NEXTVAL(s)`, sqlast.Function, "nextval", "NEXTVAL"},
	{`SELECT NEXT VALUE FOR s`, sqlast.Function, "nextval", "NEXT"},

	{`SELECT a FROM t PARTITION (p0)`, sqlast.Unsupported, "PARTITION", "t PARTITION"},
	{`SELECT a FROM t AS OF TIMESTAMP NOW()`, sqlast.Unsupported, "AS OF", "t AS"},
	{"SELECT j.n FROM t, JSON_TABLE(t.a, '$[*]' COLUMNS (n FOR ORDINALITY, x INT PATH '$.x')) AS j", sqlast.Unsupported, "JSON_TABLE", "(t.a"},
	{"SELECT 1 FROM t LEFT JOIN json_table ('[1]', '$' COLUMNS (a INT PATH '$')) AS j ON TRUE", sqlast.Unsupported, "JSON_TABLE", "('[1]'"},
	{"SELECT JSON_TABLE('[1]', '$' COLUMNS (a INT PATH '$'))", sqlast.Unsupported, "JSON_TABLE", "COLUMNS"},
	{"SELECT json_table FROM t WHERE", sqlast.Syntax, "", ""},
	{"SELECT d.x FROM (SELECT a, b FROM t) AS d (x, y)", sqlast.Unsupported, "(", "(x"},
	{"SELECT v.id FROM (VALUES ROW(1, 'a')) AS v(id, name)", sqlast.Unsupported, "(", "(id"},
	{"SELECT (a) AS b (c) FROM t", sqlast.Unsupported, "(", "(c)"},
	{"SELECT MEDIAN(a) FROM t", sqlast.Unsupported, "MEDIAN", "MEDIAN"},
	{"SELECT MEDIAN(a) OVER (PARTITION BY b ORDER BY a) FROM t", sqlast.Unsupported, "MEDIAN", "MEDIAN"},
	{"SELECT 1, MEDIAN(a) OVER w FROM t WINDOW w AS ()", sqlast.Unsupported, "MEDIAN", "MEDIAN"},
	{"SELECT `median`(a), 1 FROM t", sqlast.Unsupported, "MEDIAN", "`median`"},
	{"SELECT `median`(a) OVER () FROM t", sqlast.Syntax, "", "OVER"},
	{"SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) OVER (PARTITION BY b) FROM t", sqlast.Unsupported, "(", "(ORDER"},
	{"SELECT 1 FROM t NATURAL INNER JOIN u WHERE a LIKE b LIKE", sqlast.Syntax, "", "LIKE"},
	{"SELECT a SOUNDS LIKE b FROM t", sqlast.Unsupported, "LIKE", "LIKE"},
	{"SELECT a FROM t WHERE NOT a sounds like b", sqlast.Unsupported, "sounds", "sounds"},
	{"SELECT a LIKE 'x' + 1 FROM t", sqlast.Syntax, "", "+ 1"},
	{"SELECT a LIKE b NOT LIKE c FROM t", sqlast.Syntax, "", "NOT"},
	{"SELECT a = b IS TRUE = c FROM t", sqlast.Syntax, "", "= c"},
	{`SELECT 'JSON_TABLE(' FROM t WHERE`, sqlast.Syntax, "", ""},
	{`SELECT a FROM t TABLESAMPLE SYSTEM (10 PERCENT)`, sqlast.Unsupported, "TABLESAMPLE", "t TABLE"},
	{`SELECT a FROM *.t`, sqlast.Unsupported, "*.table", "t"},
	{`SELECT MATCH (a) AGAINST (lower('x')) FROM t`, sqlast.Unsupported, "AGAINST", "MATCH"},
	{`SELECT a FROM t WHERE MATCH (a) AGAINST ('x' WITH QUERY EXPANSION)`, sqlast.Unsupported, "WITH QUERY EXPANSION", "MATCH"},
	{`SELECT DEFAULT(a) FROM t`, sqlast.Unsupported, "DEFAULT", "DEFAULT"},
	{`SELECT VALUES(a) FROM t`, sqlast.Unsupported, "VALUES() as a value", "VALUES"},
	{`SELECT a FROM t GROUP BY a DESC`, sqlast.Unsupported, "GROUP BY .. ASC or DESC", "a DESC"},
	{`SELECT _latin1'x'`, sqlast.Unsupported, "_latin1", "_latin1"},
	{`SELECT _binary x'41'`, sqlast.Unsupported, "_binary", "_binary"},
	{`SELECT CAST(a AS CHAR(3) BINARY) FROM t`, sqlast.Unsupported, "BINARY", "BINARY"},
	{`SELECT CAST(a AS SIGNED ARRAY) FROM t`, sqlast.Unsupported, "CAST .. AS .. ARRAY", "CAST"},
	{`SELECT WEIGHT_STRING('a' AS CHAR(3))`, sqlast.Unsupported, "WEIGHT_STRING", "WEIGHT"},
	{`SELECT a FROM t WHERE a ILIKE 'x'`, sqlast.Unsupported, "ILIKE", "a ILIKE"},
	{`SELECT 1 + 5., 2`, sqlast.Unsupported, "a number that ends in a point", "5."},
	{`SELECT LAST_VALUE(a) IGNORE NULLS OVER (ORDER BY b) FROM t`, sqlast.Unsupported, "IGNORE NULLS", "LAST_VALUE"},
	{`SELECT NTH_VALUE(a, 2) FROM LAST OVER (ORDER BY b) FROM t`, sqlast.Unsupported, "FROM LAST", "NTH_VALUE"},
	{`SELECT GROUP_CONCAT(a ORDER BY b) OVER (PARTITION BY c) FROM t`, sqlast.Unsupported, "GROUP_CONCAT .. OVER", "GROUP_CONCAT"},
	{`WITH x AS (SELECT 1) (WITH y AS (SELECT 2) SELECT * FROM y)`, sqlast.Unsupported, "WITH", ""},
	{`SELECT * FROM a JOIN (b NATURAL JOIN c) JOIN d ON 1`, sqlast.Unsupported, "JOIN", "JOIN d"},
	{`SELECT * FROM a CROSS JOIN (b RIGHT JOIN c ON 1) LEFT JOIN d ON 2`, sqlast.Unsupported, "LEFT", "LEFT JOIN d"},
	{`SELECT a LIKE b +`, sqlast.Syntax, "", ""},
	{`SELECT a BETWEEN b AND c LIKE d LIKE e`, sqlast.Syntax, "", "LIKE e"},
	{`SELECT a LIKE b ESCAPE '!' + 1`, sqlast.Syntax, "", "+"},
	{`SELECT a IN (1) + 1`, sqlast.Syntax, "", "+"},
	{`SELECT a LIKE (b + 1`, sqlast.Syntax, "", ""},

	{"SELECT '\xff'", sqlast.InvalidText, "", "\xff"},
	{"SELECT 1\x00", sqlast.InvalidText, "", "\x00"},
}

// Parentheses count wherever the grammar may read them as code.
func TestNesting(t *testing.T) {
	deep := strings.Repeat("(", sqlast.MaxNesting+1)
	for text, refused := range map[string]bool{
		deep: true, "{" + deep[1:]: true, deep[1:]: false, `'\'` + deep + `'`: false, `'\\'` + deep: true, "`\\`" + deep: true, `"a""` + deep + `"`: false,
		"1--1" + deep: true, "1-- " + deep: false, "#" + deep + "\n": false, "# \n" + deep: true, "/*!" + deep + "*/": true, "/*!50000 " + deep + "*/": true,
		"/* x" + deep + "*/": false, "/* x */" + deep: true, "[" + deep + "]": true, "SELECT /*M!" + deep + "*/ 1": false,
	} {
		var e *sqlast.Error
		_, err := mysql.Dialect{}.Read(text)
		if got := errors.As(err, &e) && e.Code == sqlast.TooDeep; got != refused {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	if q, err := (mysql.Dialect{}).Read("SELECT /*M! 1, */ 2 AS x"); err != nil || len(q.Body.(*sqlast.Select).Items) != 1 {
		t.Errorf("the grammar reads comments of MariaDB: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.text, func(t *testing.T) {
			_, err := mysql.Dialect{}.Read(tt.text)
			var e *sqlast.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want %s", err, tt.code)
			}
			if e.Code != tt.code || e.Name != tt.name {
				t.Errorf("%s %q, want %s %q: %v", e.Code, e.Name, tt.code, tt.name, err)
			}
			if tt.at != "" && (e.Pos < 0 || int(e.Pos) > len(tt.text) || !strings.HasPrefix(tt.text[e.Pos:], tt.at)) {
				t.Errorf("points at %d, want %q at %d", e.Pos, tt.at, strings.Index(tt.text, tt.at))
			}
		})
	}
}
