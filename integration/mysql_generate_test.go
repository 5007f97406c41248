package integration_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// statementCount returns how many statements a test generates: few, unless the
// environment has QED_STATEMENTS.
func statementCount(tb testing.TB, few int) int {
	tb.Helper()
	text := os.Getenv("QED_STATEMENTS")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		tb.Fatalf("QED_STATEMENTS: %v", err)
	}
	return n
}

// A mysqlGenerator writes statements over the tables of mysqlGeneratorScript. They
// call safe functions with arguments of every type, in every clause. Many of them
// are errors to a server.
type mysqlGenerator struct{ *rand.Rand }

const mysqlGeneratorScript = `
	CREATE TABLE t (id INT PRIMARY KEY, i INT, b BIGINT UNSIGNED, dc DECIMAL(20,6), db DOUBLE, vc VARCHAR(40),
		vb VARBINARY(40), tx TEXT, bl BLOB, d DATE, dt DATETIME(3), tm TIME(2), ts TIMESTAMP NULL, y YEAR, j JSON,
		e ENUM('a','b','1'), st SET('a','b','c'), bt BIT(5), KEY (i), KEY (vc));
	INSERT INTO t VALUES
		(1, 1, 2, 3.5, 0.1, 'a', 'a', 'text', 'x', '2024-01-31', '2024-02-29 12:13:14.5', '11:12:13', '2024-01-01 00:00:01', 2024, '{"a": 1, "b": [1, "x", null]}', 'a', 'a,b', 5),
		(2, -5, 18446744073709551615, -0.000001, 1e300, '{"a": "b"}', X'FF00', '', '', '1000-01-01', '9999-12-31 23:59:59', '-838:59:59', '2030-01-01 00:00:01', 1901, '[1, 2, {"a": 2}]', 'b', '', 0),
		(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		(4, 2147483647, 0, 99999999999999.999999, -0.0, '2024-01-02', '12', '[1]', '{"a": 1}', '2024-12-31', '2024-12-31', '00:00:00', '2001-01-01 10:10:10', 2155, '"s"', '1', 'c', 31),
		(5, 0, 7, 0, 3, 'é日', 'zz', 'Ünï', '127.0.0.1', '2024-02-30' - INTERVAL 0 DAY, '1970-01-01', '10:10:10.99', '2001-01-01 10:10:10', 0, 'null', 'a', 'a,c', 1);
	CREATE TABLE u (id INT PRIMARY KEY, tid INT, name VARCHAR(20), amount DECIMAL(10,2), at DATETIME, KEY (tid));
	INSERT INTO u VALUES (1, 1, 'x', 10.5, '2024-01-01'), (2, 1, 'y', NULL, '2024-01-02'), (3, 2, 'x', 3, NULL), (4, NULL, NULL, 4, '2024-01-03'), (5, 9, 'z', -4, '2024-05-03');
	CREATE TABLE nothing (id INT, n INT, s VARCHAR(10));`

var mysqlGeneratorTables = map[string][]string{
	"t":       strings.Fields("id i b dc db vc vb tx bl d dt tm ts y j e st bt"),
	"u":       strings.Fields("id tid name amount at"),
	"nothing": strings.Fields("id n s"),
}

// mysqlCalls has the calls of the generator: # is an argument, and a word in
// brackets is optional.
var mysqlCalls = strings.Split(`IF(#, #, #);IFNULL(#, #);NULLIF(#, #);COALESCE(#, #);COALESCE(#, #, #);GREATEST(#, #);GREATEST(#, #, #)
LEAST(#, #);INTERVAL(#, #, #);ISNULL(#);NVL(#, #);NVL2(#, #, #)
ABS(#);ACOS(#);ATAN(#, #);ATAN2(#, #);CEIL(#);FLOOR(#);CONV(#, #, #);CONV(#, 10, 36);COS(#);CRC32(#);DEGREES(#);EXP(#);LN(#);LOG(#, #);LOG10(#)
MOD(#, #);POW(#, #);RADIANS(#);RAND(3);ROUND(#);ROUND(#, #);SIGN(#);SQRT(#);TRUNCATE(#, #);BIT_COUNT(#)
ADDDATE(#, #);ADDTIME(#, #);CONVERT_TZ(#, '+00:00', '+05:30');CONVERT_TZ(#, #, #);DATE(#);DATE_ADD(#, INTERVAL # DAY);DATE_SUB(#, INTERVAL # MONTH);DATE_ADD(#, INTERVAL # DAY_MICROSECOND)
DATE_FORMAT(#, #);DATE_FORMAT(#, '%Y-%m %W %v %j');DATEDIFF(#, #);DAYNAME(#);DAYOFMONTH(#);DAYOFWEEK(#);DAYOFYEAR(#);EXTRACT(YEAR_MONTH FROM #);EXTRACT(DAY_MICROSECOND FROM #);FROM_DAYS(#)
FROM_UNIXTIME(#);FROM_UNIXTIME(#, #);LAST_DAY(#);MAKEDATE(#, #);MAKETIME(#, #, #);MICROSECOND(#);MONTH(#);MONTHNAME(#);PERIOD_ADD(#, #);PERIOD_DIFF(#, #);QUARTER(#)
SEC_TO_TIME(#);STR_TO_DATE(#, #);STR_TO_DATE(#, '%d,%m,%Y %h:%i');SUBTIME(#, #);TIME(#);TIME_FORMAT(#, #);TIME_TO_SEC(#);TIMEDIFF(#, #);TIMESTAMP(#);TIMESTAMP(#, #)
TIMESTAMPADD(MINUTE, #, #);TIMESTAMPDIFF(MONTH, #, #);TIMESTAMPDIFF(MICROSECOND, #, #);TO_DAYS(#);TO_SECONDS(#);UNIX_TIMESTAMP(#);WEEK(#, #);WEEKDAY(#);YEAR(#);YEARWEEK(#)
ADD_MONTHS(#, #);TO_CHAR(#, 'YYYY-MM');TO_CHAR(#, #);CURRENT_TIMESTAMP(3);CURRENT_DATE;UTC_TIMESTAMP()
ASCII(#);BIN(#);BIT_LENGTH(#);CHAR(#, #);CHAR(# USING utf8mb4);CHAR_LENGTH(#);CHR(#);CONCAT(#, #);CONCAT(#, #, #);CONCAT_WS(#, #, #);ELT(#, #, #);FIELD(#, #, #);FIND_IN_SET(#, #);FORMAT(#, 2);FORMAT(#, #, 'de_DE')
FROM_BASE64(#);HEX(#);INSERT(#, #, #, #);INSTR(#, #);LCASE(#);LEFT(#, #);LENGTH(#);LOCATE(#, #);LOCATE(#, #, #);LPAD(#, 20, #);LTRIM(#);MAKE_SET(#, #, #);OCT(#);ORD(#);QUOTE(#)
REGEXP_INSTR(#, #);REGEXP_REPLACE(#, #, #);REGEXP_SUBSTR(#, #);REPLACE(#, #, #);REVERSE(#);RIGHT(#, #);RPAD(#, 20, #);SOUNDEX(#);SPACE(5);STRCMP(#, #);SUBSTRING(#, #);SUBSTRING(#, #, #);SUBSTRING_INDEX(#, #, #)
TO_BASE64(#);TRIM(#);TRIM(BOTH # FROM #);UNHEX(#);UPPER(#);CHARSET(#);COERCIBILITY(#);COLLATION(#);CONVERT(# USING latin1);CONVERT(# USING utf8mb4);MD5(#);SHA2(#, 256)
INET_ATON(#);INET_NTOA(#);INET6_ATON(#);INET6_NTOA(#);IS_IPV4(#);IS_IPV6(#)
JSON_ARRAY(#, #);JSON_ARRAY_APPEND(#, @, #);JSON_ARRAY_INSERT(#, '$[0]', #);JSON_CONTAINS(#, #);JSON_CONTAINS(#, #, @);JSON_CONTAINS_PATH(#, 'one', @, @);JSON_DEPTH(#);JSON_EQUALS(#, #);JSON_EXISTS(#, @)
JSON_EXTRACT(#, @);JSON_EXTRACT(#, @, @);JSON_EXTRACT(#, #);JSON_INSERT(#, @, #);JSON_KEYS(#);JSON_KEYS(#, @);JSON_LENGTH(#);JSON_LENGTH(#, @);JSON_MERGE_PATCH(#, #);JSON_MERGE_PRESERVE(#, #);JSON_NORMALIZE(#)
JSON_OBJECT('k', #);JSON_OBJECT(#, #);JSON_OVERLAPS(#, #);JSON_PRETTY(#);JSON_QUERY(#, @);JSON_QUERY(#, #);JSON_QUOTE(#);JSON_REMOVE(#, @);JSON_REPLACE(#, @, #);JSON_SEARCH(#, 'all', #);JSON_SEARCH(#, 'one', #, NULL, @)
JSON_SET(#, @, #);JSON_TYPE(#);JSON_UNQUOTE(#);JSON_VALID(#);JSON_VALUE(#, @);JSON_VALUE(#, #);JSON_SCHEMA_VALID(#, #)`, ";")

var mysqlAggregates = strings.Split(`COUNT(*);COUNT(#);COUNT(DISTINCT #);COUNT(DISTINCT #, #);SUM(#);SUM(DISTINCT #);AVG(#);AVG(DISTINCT #);MIN(#);MAX(#);BIT_AND(#);BIT_OR(#);BIT_XOR(#);STD(#);STDDEV_SAMP(#)
VAR_POP(#);VARIANCE(#);JSON_ARRAYAGG(#);JSON_ARRAYAGG(#);JSON_OBJECTAGG(#, #)
GROUP_CONCAT(#);GROUP_CONCAT(DISTINCT #);GROUP_CONCAT(# ORDER BY #);GROUP_CONCAT(DISTINCT # ORDER BY # DESC, # SEPARATOR '|');GROUP_CONCAT(#, # ORDER BY 1)`, ";")

var mysqlWindows = strings.Split(`ROW_NUMBER();RANK();DENSE_RANK();PERCENT_RANK();CUME_DIST();NTILE(3);LAG(#);LAG(#, 2);LEAD(#, 1);LEAD(#, 1, #);FIRST_VALUE(#);LAST_VALUE(#);NTH_VALUE(#, 2)
SUM(#);COUNT(#);COUNT(*);AVG(#);MIN(#);MAX(#);BIT_OR(#);STD(#)`, ";")

func init() {
	for _, list := range []*[]string{&mysqlCalls, &mysqlAggregates, &mysqlWindows} {
		*list = strings.Split(strings.ReplaceAll(strings.Join(*list, ";"), "\n", ";"), ";")
	}
}

func (g mysqlGenerator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g mysqlGenerator) literal() string {
	return g.pick("NULL", "0", "1", "-1", "2", "3.5", "1e10", "18446744073709551615", "''", "'a'", "'1'", "'2024-01-31'", "'2024-02-29 10:11:12.5'", "'11:12:13'",
		`'{"a": 1}'`, `'[1, "x"]'`, `'"s"'`, "'null'", "X'41'", "TRUE", "FALSE", "DATE '2024-01-02'", "TIME '10:00:00'", "TIMESTAMP '2024-01-02 03:04:05'", "'%a_'", "'é日'", "'{'", "20240131")
}

func (g mysqlGenerator) path() string {
	return g.pick("'$'", "'$.a'", "'$.b'", "'$[0]'", "'$.b[1]'", "'$.*'", "'$**.a'", "'$[*]'", "'$.a.b'", "NULL", "'bad'")
}

// expr returns an expression over columns with operands of operators and calls to the
// given depth.
func (g mysqlGenerator) expr(columns []string, depth int) string {
	if depth <= 0 {
		if g.IntN(3) > 0 && len(columns) > 0 {
			return g.pick(columns...)
		}
		return g.literal()
	}
	sub := func() string { return g.expr(columns, depth-1-g.IntN(2)) }
	switch g.IntN(12) {
	case 0, 1, 2, 3, 4:
		return g.fill(g.pick(mysqlCalls...), sub)
	case 5, 6:
		return "(" + sub() + g.pick(" = ", " <> ", " < ", " <= ", " > ", " >= ", " <=> ", " <=> ") + sub() + ")"
	case 7:
		return "(" + sub() + g.pick(" + ", " - ", " * ", " / ", " DIV ", " % ", " & ", " | ", " ^ ", " << ", " >> ", " AND ", " OR ", " XOR ") + sub() + ")"
	case 8:
		return g.fill(g.pick("(# LIKE '%a')", "(# LIKE #)", "(# REGEXP '^[a-c]')", "(# IN (#, #))", "(# NOT IN (#, #, #))", "(# BETWEEN # AND #)", "(# IS NULL)", "(# IS NOT NULL)", "(# IS TRUE)", "(# IS NOT FALSE)",
			"(NOT #)", "(-#)", "(~#)", "((#, #) = (#, #))", "((#, #) IN ((#, #), (#, #)))", "(# COLLATE utf8mb4_bin = #)", "(# + INTERVAL # DAY)", "(# - INTERVAL '1:1' HOUR_MINUTE)"), sub)
	case 9:
		return g.fill(g.pick("CASE # WHEN # THEN # ELSE # END", "CASE WHEN # THEN # END", "CASE WHEN # THEN # ELSE # END"), sub)
	case 10:
		return "CAST(" + sub() + " AS " + g.pick("CHAR", "CHAR(3)", "SIGNED", "UNSIGNED", "DECIMAL(10, 2)", "DATE", "DATETIME(3)", "TIME", "BINARY(4)", "DOUBLE", "FLOAT") + ")"
	}
	return g.fill(g.pick("(SELECT MAX(#) FROM u WHERE u.tid = id)", "(SELECT # FROM u LIMIT 1)", "(# IN (SELECT name FROM u))", "(# IN (SELECT # FROM u))", "EXISTS (SELECT 1 FROM u WHERE u.tid = #)",
		"(# = ANY (SELECT amount FROM u))", "(# > ALL (SELECT # FROM u))", "(# <=> (SELECT # FROM nothing))"), sub)
}

// fill replaces each # by an expression and each @ by a path.
func (g mysqlGenerator) fill(form string, expr func() string) string {
	var out strings.Builder
	for _, c := range form {
		switch c {
		case '#':
			out.WriteString(expr())
		case '@':
			out.WriteString(g.path())
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}

// query returns a statement of n columns, which are named c1, c2 ...
func (g mysqlGenerator) query(depth, n int) string {
	from, columns := g.from(depth)
	expr := func() string { return g.expr(columns, 1+g.IntN(2)) }
	item := expr
	tail := ""
	if g.IntN(3) == 0 {
		tail += " WHERE " + expr()
	}
	order := []string{"1", "c1"}
	switch g.IntN(5) {
	case 0, 1: // groups
		keys := make([]string, 1+g.IntN(2))
		for i := range keys {
			keys[i] = g.pick(g.pick(columns...), expr())
		}
		item = func() string {
			if g.IntN(3) == 0 {
				return g.pick(keys...)
			}
			call := g.fill(g.pick(mysqlAggregates...), expr)
			if g.IntN(4) == 0 {
				return g.fill(g.pick(mysqlCalls...), func() string { return call })
			}
			return call
		}
		tail += " GROUP BY " + strings.Join(keys, ", ") + g.pick("", "", " WITH ROLLUP")
		if g.IntN(4) == 0 {
			tail += " HAVING " + item() + g.pick(" > ", " <=> ", " IS NULL OR 1 = ") + g.literal()
		}
	case 2: // windows
		item = func() string {
			if g.IntN(3) == 0 {
				return expr()
			}
			over := g.pick("", "PARTITION BY "+expr()) + g.pick(" ", " ORDER BY "+expr(), " ORDER BY "+expr()+" DESC, id") +
				g.pick("", "", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING")
			return g.fill(g.pick(mysqlWindows...), expr) + " OVER (" + over + ")"
		}
	}
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf("%s AS c%d", item(), i+1)
	}
	text := "SELECT " + g.pick("", "", "DISTINCT ") + strings.Join(items, ", ") + " FROM " + from + tail
	if g.IntN(3) == 0 {
		text += " ORDER BY " + g.pick(append(order, item())...) + g.pick("", " DESC")
	}
	if g.IntN(4) == 0 {
		text += g.pick(" LIMIT 3", " LIMIT 2 OFFSET 1")
	}
	return text
}

// from returns a FROM and its columns.
func (g mysqlGenerator) from(depth int) (string, []string) {
	t := mysqlGeneratorTables["t"]
	switch n := g.IntN(9); {
	case n < 4 || depth <= 0:
		return "t", t
	case n == 4:
		return "t LEFT JOIN u ON u.tid = t.id", append([]string{"u.name", "u.amount", "u.at"}, t[1:]...)
	case n == 5:
		return "t JOIN u ON " + g.expr([]string{"t.i", "u.tid", "t.vc", "u.name", "t.j"}, 1), append([]string{"u.name", "u.amount"}, t[1:]...)
	case n == 6:
		return "nothing", mysqlGeneratorTables["nothing"]
	}
	return "(" + g.query(depth-1, 3) + ") AS x", []string{"c1", "c2", "c3"}
}

// statement returns a whole statement.
func (g mysqlGenerator) statement() string {
	switch g.IntN(10) {
	case 0:
		op := g.pick(" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT ")
		n := 1 + g.IntN(2)
		return "(" + g.query(1, n) + ")" + op + "(" + g.query(1, n) + ")" + g.pick("", " ORDER BY 1", " LIMIT 2")
	case 1:
		return "WITH w AS (" + g.query(1, 2) + ") SELECT a.c1, b.c2 FROM w a JOIN w b ON a.c1 <=> b.c1" + g.pick("", " WHERE "+g.expr([]string{"a.c1", "b.c2"}, 2))
	case 2:
		step := g.expr([]string{"r.x", "t.vc", "t.i", "t.j"}, 2)
		return "WITH RECURSIVE r AS (SELECT " + g.expr(nil, 1) + " AS x, 1 AS n UNION " + g.pick("", "ALL ") + "SELECT " + step + ", r.n + 1 FROM r JOIN t ON t.id = r.n WHERE r.n < 4) SELECT " + g.expr([]string{"x", "n"}, 1) + " FROM r"
	case 3:
		sub := g.subquery([]string{"i", "o.i"}, 2)
		group := g.pick("", " GROUP BY i", " GROUP BY o.i WITH ROLLUP")
		return g.pick("SELECT i, "+sub+" FROM t o"+group, "SELECT i FROM t o WHERE "+sub+" > 0"+group, "SELECT i FROM t o"+group+" HAVING "+sub+" > 0",
			"SELECT i FROM t o"+group+" ORDER BY "+sub)
	case 4: // groups of what may be an aggregate, in a set operation of a subquery
		key := g.expr([]string{"c1", "c2"}, 1)
		arms := []string{"SELECT " + key + " AS c1 FROM (" + g.query(0, 2) + ") AS x GROUP BY " + key, "SELECT " + g.expr(nil, 1) + " AS c1"}
		if g.IntN(2) == 0 {
			slices.Reverse(arms)
		}
		return "SELECT * FROM (" + strings.Join(arms, g.pick(" INTERSECT ", " EXCEPT ", " UNION ")) + ") AS y"
	}
	return g.query(2, 1+g.IntN(3))
}

// subquery returns a subquery whose HAVING has subqueries to the given depth. Its clauses
// have its own columns and those of the queries around it.
func (g mysqlGenerator) subquery(outer []string, depth int) string {
	alias := fmt.Sprintf("q%d", depth)
	columns := append(slices.Clip(outer), "tid", alias+".tid")
	column := func() string { return g.pick(columns...) }
	condition := g.pick("#", "# + 1", "# = 2", "# IS NULL", "MAX(#)", "(SELECT #)", "# IN (1, 2)")
	if depth > 0 && g.IntN(3) > 0 {
		condition = g.subquery(columns, depth-1) + g.pick("", " AND #", " OR #")
	}
	return g.fill("(SELECT "+g.pick("MAX(#)", "COUNT(*)", "#")+" FROM u "+alias+g.pick("", " WHERE # > 0")+
		g.pick(" GROUP BY #", " GROUP BY #, #", " GROUP BY # WITH ROLLUP", " GROUP BY 1", "")+" HAVING "+condition+g.pick("", " LIMIT 1")+")", column)
}
