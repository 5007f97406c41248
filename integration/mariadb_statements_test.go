package integration_test

import (
	"database/sql"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// mariaDBStatements run on the tables of openMySQLStatements.
var mariaDBStatements = []string{
	"SELECT `from`.`select`, `from`.`a``b`, `order`.`c\"d` FROM `from`, `from` AS `order`",
	`SELECT 'a\\b', 'it''s', "dq ""x"" 'y'", 'a\'b', "c\"d", '\n\t\%\_\x', 'é 日本', '--', '/*', ';', 'a' 'b' "c" AS x, N'nat', LENGTH('\0x')`,
	"SELECT count(*) /* of all */, max(n)\t-- the most\n, sum( n ) # last\nFROM t ; ",
	`SELECT S, T.N, (n), +n, -n, n AS "dq", s 'sq' FROM t AS T`,
	`SELECT 1, 1.50, .5, 1.5e3, 1e-5, 007, 18446744073709551615, 123456789012345678901234567890, TRUE, false, NULL, -1, 'str', ' x', x'4142', 0x41, b'1000001', 0x41 + 0, X'41' + 0, b'11' + 0`,
	`SELECT 12345678901234567890123456789012345678901234567890123456789012345678901234567890123456789`,
	`SELECT 1 + 2 * 3 - 4 / 2 % 3, (1 + 2) * 3, 2 - (3 - 4), 7 DIV 2, 7 MOD 4, MOD(7, 4), 1 << 2 + 1, 7 & 3 | 8 ^ 2, ~1 + 1, - -1, NOT 1 = 2, !1 + 1, 1 XOR 1 OR 0`,
	`SELECT 1 || 0, 0 || 0 AND 1, 1 && 0, NOT (1 <=> NULL), NULL <=> NULL, 1 <> 2, 1 != 1, 1 < 2 = 1, 2 BETWEEN 1 AND 3, 2 NOT BETWEEN 1 AND 3`,
	`SELECT n FROM t WHERE n IS NULL OR s IS NOT NULL AND n IS TRUE OR n IS NOT FALSE OR n IS UNKNOWN ORDER BY n DESC, s`,
	`SELECT s FROM t WHERE s LIKE 'a%' OR s LIKE '%\_%' OR s LIKE 'x!_%' ESCAPE '!' OR s NOT LIKE concat('%', 'e') OR s REGEXP '^[a-c]\\.?' OR s NOT RLIKE 'x' ORDER BY 1`,
	`SELECT n FROM t WHERE n IN (1, '2') OR n NOT IN (SELECT a FROM u) OR (n, s) IN (SELECT 1, 'a') OR (n, s) = (3, 'c') OR n > ALL (SELECT 2) OR n = ANY (SELECT a FROM u) OR n = SOME (SELECT 1) ORDER BY n`,
	`SELECT (SELECT max(a) FROM u WHERE a > t.n), EXISTS (SELECT 1 FROM v), NOT EXISTS (SELECT * FROM u WHERE a = n) FROM t ORDER BY n`,
	`SELECT CASE n WHEN 1 THEN 'one' ELSE 'many' END, CASE WHEN n > 1 THEN s END, IF(n, 1, 2), coalesce(n, s, 0), ifnull(n, 0), nullif(n, 1), greatest(1, 2), INTERVAL(2, 1, 3) FROM t ORDER BY n`,
	`SELECT DATE '2020-01-02', TIME '10:11:12.5', TIMESTAMP '2020-01-02 03:04:05', {d '2020-01-02'}, DATE '2020-01-31' + INTERVAL 1 MONTH, '2020-01-31' - INTERVAL '1:2' MINUTE_SECOND, INTERVAL 1 DAY + '2020-01-01'`,
	`SELECT EXTRACT(YEAR FROM '2020-01-02'), EXTRACT(DAY_MINUTE FROM '2020-01-02 03:04'), date_add('2020-01-02', INTERVAL 1 WEEK), adddate('2020-01-02', 3), subdate('2020-01-02', INTERVAL 2 HOUR), timestampdiff(MONTH, '2020-01-01', '2020-05-01'), timestampadd(MINUTE, 1, '2020-01-01'), get_format(DATE, 'EUR'), last_day('2020-02-01')`,
	`SELECT POSITION('b' IN 'abc'), SUBSTRING('abcd' FROM 2 FOR 2), SUBSTRING('abcd', 2), SUBSTR('abcd' FROM 3), MID('abcd', 2, 1), TRIM('  a '), TRIM('x' FROM 'xax'), TRIM(LEADING FROM '  a'), TRIM(BOTH 'x' FROM 'xax'), TRIM(TRAILING 'a' FROM 'xaa')`,
	`SELECT CONVERT('a' USING utf8mb4), CONVERT('12x', CHAR(2)), CAST('a' AS CHAR CHARACTER SET latin1), CAST('5' AS SIGNED), CAST(-1 AS UNSIGNED), CAST('1.239' AS DECIMAL(10,2)), CAST(2.5 AS DECIMAL), CAST('abc' AS BINARY(2)), BINARY 'a' = 'A', CAST('2020-01-01 01:02:03.456' AS DATETIME(3)), CAST('1.5' AS DOUBLE), CAST('10:11' AS TIME), CAST('2020-01-01' AS DATE)`,
	`SELECT CHAR(65, 66), CHAR(65 USING utf8mb4), INSERT('abcd', 1, 2, 'x'), LEFT('abc', 1), RIGHT('abc', 1), REPLACE('abc', 'b', 'x'), lpad('a', 3, '0'), space(2), format(1234.5, 1), truncate(1.29, 1), round(2.5), hex('é'), md5('a')`,
	`SELECT group_concat(DISTINCT s ORDER BY s DESC SEPARATOR '; '), group_concat(n, s ORDER BY n, s), count(DISTINCT n, s), count(ALL n), COUNT(1), avg(DISTINCT n), std(n), variance(n), bit_or(n) FROM t`,
	`SELECT n, count(*) FROM t GROUP BY n WITH ROLLUP`,
	`SELECT n % 2 AS m, max(s) FROM t GROUP BY m HAVING m IS NOT NULL ORDER BY 1`,
	`SELECT n FROM t HAVING n > 1 ORDER BY n DESC LIMIT 1, 2`,
	`SELECT DISTINCT n FROM t ORDER BY n LIMIT 2 OFFSET 1`,
	`SELECT n FROM t UNION ALL SELECT a FROM u INTERSECT SELECT n FROM t EXCEPT SELECT 2 ORDER BY 1 DESC LIMIT 3`,
	`SELECT 1 UNION SELECT 2 EXCEPT SELECT 2 UNION ALL (SELECT 3 UNION SELECT 3) ORDER BY 1`,
	`(SELECT n FROM t ORDER BY n DESC LIMIT 1) UNION ALL (SELECT 7) ORDER BY 1 LIMIT 5`,
	`(SELECT 1 UNION SELECT 2) INTERSECT SELECT 2`,
	`SELECT * FROM (SELECT count(*), n + 1, 'x', sum(n) FROM t GROUP BY n) AS d ORDER BY ` + "`count(*)`, 2",
	`SELECT d.m FROM (SELECT n m FROM t) d, (SELECT a FROM u) AS e WHERE d.m = e.a ORDER BY 1`,
	`SELECT * FROM (SELECT n, concat('a long text that says nothing ', 'and goes on for quite a while', s, n, s, n, s) FROM t) AS d ORDER BY 1, 2`,
	`SELECT concat('a very long text', 'a very long text', 'a very long text', 'a very long text', 'a very long text', 'a very long text', 'a very long text', 'a very long text', 'a very long text', 'a very long text', 'a very long text', 'a very long text', 'a very long text')`,
	`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5), m AS (SELECT i * i q FROM n) SELECT i, q FROM n JOIN m ON q = i ORDER BY 1`,
	`WITH a AS (SELECT n FROM t), t AS (SELECT n + 100 AS n FROM a) SELECT max(n) FROM t`,
	`WITH t AS (SELECT n FROM t WHERE n < 3) SELECT count(*) FROM t`,
	`SELECT * FROM t NATURAL JOIN (SELECT n, s AS r FROM t) AS d LEFT JOIN u ON u.a = n CROSS JOIN v ORDER BY 1, 2, 3, 4, 5`,
	`SELECT * FROM t NATURAL JOIN t AS y JOIN u ON u.a = n ORDER BY 1, 2, 3`,
	`SELECT * FROM t JOIN u JOIN v ON v.b = t.s ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t, u JOIN v ON u.a = v.b, t AS w WHERE w.n = 1 ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t LEFT JOIN (u JOIN v ON u.a = v.b) ON t.n = u.a ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t LEFT JOIN u LEFT JOIN v ON u.a = v.b ON t.n = u.a ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t RIGHT JOIN u ON n = a LEFT OUTER JOIN v ON b = s ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t JOIN t AS x USING (n) RIGHT JOIN u ON t.n = a ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM (t JOIN t AS x USING (n)) RIGHT JOIN (u JOIN u AS y USING (a)) ON t.n = u.a ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t NATURAL RIGHT JOIN (SELECT 1 AS q) AS d JOIN (SELECT 2 AS q) AS e USING (q) ORDER BY 1, 2, 3`,
	`SELECT * FROM (t JOIN t AS x USING (n)) NATURAL RIGHT JOIN (SELECT 1 AS q) AS d ORDER BY 1, 2, 3`,
	`SELECT * FROM t AS x INNER JOIN t AS y USING (n) ORDER BY 1, 2, 3`,
	`SELECT * FROM ((t) JOIN (u)) JOIN (v) ORDER BY 1, 2, 3, 4`,
	`SELECT n, sum(n) OVER w, max(n) OVER (w ROWS 1 PRECEDING), rank() OVER w, lag(s, 1) OVER (PARTITION BY n % 2 ORDER BY n DESC), count(*) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING) FROM t WHERE n <> 2 WINDOW w AS (ORDER BY n) ORDER BY 1`,
	`SELECT ntile(2) OVER (ORDER BY n, s), first_value(n) OVER (ORDER BY n, s), nth_value(n, 2) OVER (ORDER BY n, s), row_number() OVER (ORDER BY n, s) FROM t`,
	`SELECT rank, groups FROM (SELECT n AS rank, s AS groups FROM t) AS d ORDER BY 1, 2`,
	`SELECT json_extract('{"a": [1, 2]}', '$.a[1]'), json_unquote('"x"'), json_object('k', 1), json_arrayagg(n) FROM t WHERE n = 1`,
	`SELECT mysql_statements.t.n, t.s FROM mysql_statements.t ORDER BY n, s`,
	`SELECT 1 FROM DUAL WHERE 1 = 1`,
	`SELECT 1 /*!50000 + 1 */ AS x, 2 /*M!100000 */`,
	`SELECT length(''), '' = ' ', 'a' 'b' = 'ab'`,
	`SELECT '😀', concat('x', '😀b'), '😀' AS é, char_length('😀') FROM t LIMIT 1`,
}

func openMySQLStatements(t *testing.T, sqlMode string) *sql.DB {
	t.Helper()
	db := openMariaDB(t, "mysql_statements", sqlMode)
	mustExec(t, db, `CREATE TABLE t (n INT, s VARCHAR(20))`)
	mustExec(t, db, `INSERT INTO t VALUES (1, 'a'), (2, 'b'), (2, 'A_e'), (3, 'c'), (NULL, 'É'), (4, NULL), (5, '日本')`)
	mustExec(t, db, `CREATE TABLE u (a INT)`)
	mustExec(t, db, `CREATE TABLE v (b VARCHAR(20))`)
	mustExec(t, db, `INSERT INTO u VALUES (1), (2), (2), (5)`)
	mustExec(t, db, `INSERT INTO v VALUES ('a'), (2), ('日本')`)
	mustExec(t, db, "CREATE TABLE `from` (`select` INT, `a``b` INT, `c\"d` INT)")
	mustExec(t, db, "INSERT INTO `from` VALUES (1, 2, 3), (4, NULL, 6)")
	return db
}

func TestMariaDBStatements(t *testing.T) {
	db := openMySQLStatements(t, "")
	var d mysql.Dialect
	for _, text := range mariaDBStatements {
		want, err := run(db, text)
		if err != nil {
			t.Errorf("%s: the engine: %v", text, err)
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

// A printed statement has the same meaning in every sql_mode. The exception is
// a string with a backslash, which still ends at the same byte.
func TestMariaDBModes(t *testing.T) {
	var d mysql.Dialect
	statements := []string{
		`SELECT 'it''s', "a'b", 'x' 'y', n, -n - -1, NOT n BETWEEN 1 AND 2, !n + 1, n || 0 FROM t ORDER BY n, s`,
		`SELECT COUNT (*), sum(n) FROM t WHERE s LIKE 'a%' OR s = "A_e"`,
		`SELECT 'a\\', 'b', '\\''', 'c' FROM t LIMIT 1`,
	}
	var printed []string
	for _, text := range statements {
		q, err := d.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		out, err := d.Append(nil, q, false)
		if err != nil {
			t.Fatal(err)
		}
		printed = append(printed, string(out))
	}
	var plain []result
	for _, mode := range []string{"TRADITIONAL", "ANSI_QUOTES,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE,IGNORE_SPACE", "NO_BACKSLASH_ESCAPES"} {
		db := openMySQLStatements(t, mode)
		for i, text := range printed {
			got, err := run(db, text)
			if err != nil {
				t.Errorf("%s: %s: %v", mode, text, err)
				continue
			}
			if len(plain) == i {
				plain = append(plain, got)
			}
			if i == 2 {
				for j := range got.Rows[0] {
					got.Rows[0][j] = strings.ReplaceAll(string(got.Rows[0][j].([]byte)), `\\`, `\`)
					if first, ok := plain[i].Rows[0][j].([]byte); ok {
						plain[i].Rows[0][j] = string(first)
					}
				}
			}
			if !reflect.DeepEqual(got.Rows, plain[i].Rows) {
				t.Errorf("%s: %s: %s, want %s", mode, text, got.Rows, plain[i].Rows)
			}
		}
		mustExec(t, db, "DROP DATABASE mysql_statements")
	}
}

// Random operators without parentheses are parsed with the precedence of the
// engine, and printed so that the precedence cannot change.
func TestMariaDBExpressions(t *testing.T) {
	db := openMySQLStatements(t, "")
	var d mysql.Dialect
	rng := rand.New(rand.NewPCG(7, 7))
	answered := 0
	for range 6_000 {
		text := `SELECT ` + randomMySQLExpr(rng, 1+rng.IntN(6)) + ` AS x FROM t ORDER BY n, s`
		want, err := run(db, text)
		if err != nil {
			continue
		}
		q, err := d.Read(text)
		var e *sqlast.Error
		if errors.As(err, &e) && e.Code == sqlast.Syntax {
			continue // MariaDB allows chains of comparisons that MySQL does not
		}
		if err != nil {
			t.Errorf("Read(%s): %v", text, err)
			continue
		}
		printed, err := d.Append(nil, q, false)
		if err != nil {
			t.Errorf("Append(%s): %v", text, err)
			continue
		}
		if err := sameAnswer(db, text, string(printed), want); err != nil {
			t.Error(err)
			continue
		}
		answered++
	}
	if answered < 2_500 {
		t.Errorf("%d expressions ran on the engine", answered)
	}
}

func randomMySQLExpr(rng *rand.Rand, length int) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	operand := func() string {
		return pick("", "", "", "", "-", "+", "~", "NOT ", "!", "- -") + pick("n", "s", "1", "2", "0", "'a'", "'5'",
			"NULL", "2.5", "t.n", "true", "x'35'", "0x35", "(n + 1)", "(NOT s)", "abs(n)", "CASE n WHEN 1 THEN 2 END",
			"(SELECT 1)", "CAST(n AS CHAR)", `"str"`, "BINARY s")
	}
	var b strings.Builder
	b.WriteString(operand())
	for range length {
		switch rng.IntN(9) {
		case 0:
			b.WriteString(pick(" IS NULL", " IS NOT NULL", " IS TRUE", " IS NOT FALSE", " COLLATE utf8mb4_bin", " IS UNKNOWN"))
		case 1:
			b.WriteString(pick(" BETWEEN ", " NOT BETWEEN ") + operand() + " AND " + operand())
		case 2:
			b.WriteString(pick(" IN ", " NOT IN ") + pick("(1, 'a')", "(SELECT a FROM u)", "(NULL)"))
		case 3:
			b.WriteString(pick(" LIKE ", " NOT LIKE ", " REGEXP ", " RLIKE ") + operand())
		default:
			b.WriteString(pick(" + ", " - ", " * ", " / ", " % ", " DIV ", " MOD ", " || ", " & ", " | ", " ^ ", " << ", " >> ",
				" = ", " <=> ", " <> ", " != ", " < ", " <= ", " > ", " >= ", " AND ", " && ", " OR ", " XOR "))
			b.WriteString(operand())
		}
	}
	return b.String()
}
