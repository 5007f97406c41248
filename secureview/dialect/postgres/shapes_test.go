package postgres

import "strings"

// A repetition is a text that repeats one production of the grammar: before a middle,
// after it, or both.
type repetition struct{ name, start, before, middle, after, end string }

// text repeats it until the text has size bytes.
func (s *repetition) text(size int) string {
	n := (size - len(s.start) - len(s.middle) - len(s.end)) / (len(s.before) + len(s.after))
	return s.times(max(n, 1))
}

func (s *repetition) times(n int) string {
	return s.start + strings.Repeat(s.before, n) + s.middle + strings.Repeat(s.after, n) + s.end
}

// shapes repeats every recursive production and every list of the grammar.
var shapes = func() (all []repetition) {
	add := func(start, before, middle, after, end string) {
		name := strings.TrimSpace(start) + " " + before + "_" + after
		all = append(all, repetition{name, start, before, middle, after, end})
	}
	// What stands before an operand.
	for _, s := range []string{"- ", "+ ", "+ - ", "-+", "+-+-", "@ ", "~ ", "|/ ", "@-", "~-", "NOT ", "(", "ARRAY[", "a[", "ROW(", "ROW(1,", "(1,", "f(",
		"f(a => ", "f(VARIADIC ", "CASE WHEN ", "CASE ", "CASE WHEN 1 THEN ", "CASE WHEN 1 THEN 1 ELSE ", "CAST(", "(SELECT ", "EXISTS (SELECT ", "1 IN (", "1 = ANY (",
		"1 IN (SELECT ", "1+", "1*", "1^", "1||", "1=", "1<", "1 OR ", "1 AND ", "1 IS DISTINCT FROM ", "1 LIKE ", "1 LIKE 1 ESCAPE ", "1 BETWEEN ", "1 BETWEEN 1 AND ",
		"1 OPERATOR(pg_catalog.+) ", "OPERATOR(pg_catalog.-) ", "a AT TIME ZONE ", "COALESCE(", "GREATEST(", "NULLIF(1,", "EXTRACT(year FROM ", "SUBSTRING(a FROM ", "TRIM(BOTH a FROM ",
		"POSITION(a IN ", "OVERLAY(a PLACING ", "XMLCONCAT(", "JSON_ARRAY(", "JSON_OBJECT('a': ", "(VALUES (", "f() OVER (ORDER BY ", "f() OVER (PARTITION BY ", "f() FILTER (WHERE ", "f() WITHIN GROUP (ORDER BY ",
		"1 > ALL (SELECT ", "1 + 1 * ", "1 - - ", "NOT NOT ", "NOT - ", "JSON(", "JSON_SCALAR(", "(1) + ", "a.b || ", "'a' || ", "TREAT(", "COLLATION FOR (", "NORMALIZE(", "1 IS NULL AND ", "1 -", "1 - -1 "} {
		closing := strings.Repeat(")", strings.Count(s, "(")-strings.Count(s, ")")) + strings.Repeat("]", strings.Count(s, "["))
		if strings.HasPrefix(s, "CASE") {
			closing = " WHEN 1 THEN 1 END"
			if strings.Contains(s, "WHEN") {
				closing = " THEN 1 END"
			}
			if strings.Contains(s, "THEN") {
				closing = " END"
			}
		}
		if s == "CAST(" || s == "TREAT(" {
			closing = " AS int)"
		}
		add("SELECT ", s, "1", closing, "")
	}
	// What stands after an operand.
	for _, s := range []string{"+1", "-1", "- 1", " + 1", "*1", "^1", "||1", " || 'a'", " || a", "=1", "<1", " <> a", " OR 1", " AND 1", " OR a", " AND a", " OR 1=1", " AND a=b", " OR a AND b",
		"::int", " ::int", "::numeric(1,1)", "::int[]", "[1]", "[1:2]", "[:]", ".a", ".*", " IS NULL", " IS NOT NULL", " ISNULL", " NOTNULL", " IS TRUE", " IS NOT UNKNOWN", " IS DISTINCT FROM 1", " IS JSON", " IS NORMALIZED",
		" IS DOCUMENT", " LIKE 1", " LIKE 1 ESCAPE 1", " NOT LIKE 1", " ILIKE 1", " SIMILAR TO 1", " BETWEEN 1 AND 1", " BETWEEN SYMMETRIC 1 AND 1", " NOT BETWEEN 1 AND 1", " IN (1)", " NOT IN (1)", " IN (1,2,3)", " = ANY (1)", " IN (SELECT 1)",
		` COLLATE "C"`, " COLLATE a", " AT TIME ZONE a", " AT LOCAL", " OPERATOR(pg_catalog.+) 1", " @> 1", " -> 1", " ->> 'a'", " ~ 'a'", " OVERLAPS (1,1)", " + -1", " - -1", " - - 1", " + + + 1", " IS NULL IS NULL",
		",1", ",a", ",'a'", ",NULL", ",TRUE", ",*", ",a.*", ",a.b", ",a.b.c", ",1 a", ",1 AS a", ",1::int", ",-1", ",- 1", ",+1", ",a+1", ",1.5", ",1e9", ",$1", ",?", ",B'1'", ",X'1'", ",E'a'", ",''", ",f()", ",f(1)", ",f(*)", ",(1)", ",(1,2)", ",ROW()", ",ROW(1)", ",ARRAY[]", ",ARRAY[1]",
		",CASE WHEN 1 THEN 1 END", ",(SELECT 1)", ",(SELECT)", ",CURRENT_DATE", ",USER", ",DEFAULT", ",int '1'", ",date '1'", ",INTERVAL '1' DAY", ",INTERVAL(1) '1'", ",f() OVER ()", ",f() OVER a", ",f() FILTER (WHERE 1)", ",count(*)", ",count(DISTINCT a)", ",EXISTS(SELECT)", ",NOT a", ",a IS NULL", ",a[1]", ",a::b",
		",COALESCE(1)", ",1 IN (1)", ",a=b", ",a BETWEEN 1 AND 2", ",a LIKE b", ",U&\"a\"", ",\"a\"", ",U&'a'", ",N'a'", ",$$a$$", ",/**/1", ",\n1", ",CAST(1 AS int)", ",JSON('1')", ",JSON_ARRAY()", ",XMLPI(NAME a)", ",GROUPING(a)", ",a.b[1].c", ",f(a=>1)", ",f(a:=1)", ",EXTRACT(year FROM a)",
		",'a' COLLATE \"C\"", ",a AT TIME ZONE b", ",1 + 1 * 1", ",((1))", ",(((((1)))))", ",((((((((((1))))))))))", ",- - - - 1", ",NOT NOT NOT a", ",@1", ",a||b", ",1^1", ",1::int::int", ",f(f(f(1)))"} {
		add("SELECT ", "", "a", s, "")
	}
	for _, s := range []string{",1", ",a", ",'a'", ",NULL", ",(1)", ",(1,2)", ",TRUE", ",-1", ",1.5", ",'aaaaaaaaaaaaaaaaaaaa'", ",a.b", ",DATE '1'"} {
		add("SELECT a IN (", "", "1", s, ")")
		add("SELECT f(", "", "1", s, ")")
		add("SELECT ARRAY[", "", "1", s, "]")
		add("SELECT (", "", "1", s, ")")
		add("VALUES (", "", "1", s, ")")
		add("SELECT 1 ORDER BY ", "", "1", s, "")
		add("SELECT 1 GROUP BY ", "", "1", s, "")
		add("SELECT DISTINCT ON (", "", "1", s, ") a")
		add("SELECT 1 GROUP BY ROLLUP (", "", "1", s, ")")
		add("SELECT f() OVER (PARTITION BY ", "", "1", s, ")")
		add("SELECT COALESCE(", "", "1", s, ")")
		add("SELECT 1 FROM generate_series(", "", "1", s, ") a")
	}
	for _, s := range []string{",(1)", ",(1,2)", ",('a')", ",(NULL)", ",(a)", ",(1,2,3,4,5,6,7,8)", ",(DEFAULT)"} {
		add("VALUES ", "", "(1)", s, "")
		add("SELECT a FROM (VALUES ", "", "(1)", s, ") a")
		add("SELECT a IN (", "", "(1)", s, ")")
	}
	for _, s := range []string{" WHEN 1 THEN 1", " WHEN a THEN b", " WHEN a=1 THEN 'x'"} {
		add("SELECT CASE", "", "", s, " END")
		add("SELECT CASE a", "", "", s, " END")
	}
	// FROM.
	for _, s := range []string{",a", ",a.b", ",a b", ",a AS b", ",a AS b(c)", ",ONLY a", ",f()", ",f() a", ",f() WITH ORDINALITY", ",LATERAL f()", ",(SELECT 1) a", ",(SELECT) a", ",LATERAL (SELECT 1) a", ",(a JOIN b ON 1)", ",(a CROSS JOIN b)", ",(VALUES (1)) a", ",a TABLESAMPLE b(1)", ",ROWS FROM (f())", ",(TABLE a) b",
		" JOIN a ON 1", " JOIN a ON a=b", " JOIN a USING (b)", " LEFT JOIN a ON 1", " FULL JOIN a ON 1", " CROSS JOIN a", " NATURAL JOIN a", " NATURAL LEFT JOIN a", ",f() AS (a int)", ",f() AS a(b int)"} {
		add("SELECT 1 FROM ", "", "a", s, "")
	}
	add("SELECT 1 FROM ", "(", "a", " CROSS JOIN a)", "")
	add("SELECT 1 FROM ", "(", "a", " JOIN a ON 1)", "")
	add("SELECT 1 FROM ", "a JOIN ", "a", " ON 1", "")
	add("SELECT 1 FROM ", "a CROSS JOIN (", "b CROSS JOIN c", ")", "")
	add("SELECT 1 FROM ", "(SELECT 1 FROM ", "a", ") a", "")
	add("SELECT 1 FROM ROWS FROM (", "", "f()", ",f()", ")")
	add("SELECT 1 FROM a (", "", "a", ",a", ")")
	add("SELECT 1 FROM a JOIN b USING (", "", "a", ",a", ")")
	add("SELECT 1 FROM f() AS (", "", "a int", ",a int", ")")
	add("SELECT 1 FROM XMLTABLE(a PASSING b COLUMNS ", "", "a int", ",a int", ")")
	add("SELECT 1 FROM JSON_TABLE(a, '$' COLUMNS (", "", "a int", ",a int", "))")
	add("SELECT 1 FROM JSON_TABLE(a, '$' COLUMNS (", "NESTED '$' COLUMNS (", "a int", ")", "))")
	// Queries.
	for _, s := range []string{" UNION SELECT 1", " UNION ALL SELECT 1", " INTERSECT SELECT 1", " EXCEPT SELECT 1", " UNION VALUES (1)", " UNION TABLE a", " UNION SELECT", " UNION SELECT 1 INTERSECT SELECT 1", " UNION (SELECT 1)", " UNION (SELECT 1 LIMIT 1)"} {
		add("SELECT 1", "", "", s, "")
	}
	add("", "(", "SELECT 1", " UNION SELECT 1)", "")
	add("", "SELECT 1 UNION (", "SELECT 1", ")", "")
	add("", "(", "SELECT 1", ")", "")
	add("", "WITH a AS (", "SELECT 1", ") SELECT 1", "")
	add("", "(WITH a AS (SELECT 1) ", "SELECT 1", ")", "")
	for _, s := range []string{",a AS (SELECT 1)", ",a AS (SELECT)", ",a(b) AS (SELECT 1)", ",a AS (VALUES (1))", ",a AS (TABLE a)", ",a AS MATERIALIZED (SELECT 1)"} {
		add("WITH ", "", "a AS (SELECT 1)", s, " SELECT 1")
	}
	for _, s := range []string{",a AS ()", ",a AS (b)", ",a AS (ORDER BY b)", ",a AS (PARTITION BY b ROWS UNBOUNDED PRECEDING)"} {
		add("SELECT 1 WINDOW ", "", "a AS ()", s, "")
	}
	for _, s := range []string{",a", ",a DESC", ",a NULLS FIRST", ",a USING <", ",1", ",a.b", ",a+1"} {
		add("SELECT 1 ORDER BY ", "", "a", s, "")
	}
	for _, s := range []string{",ROLLUP (a)", ",CUBE (a)", ",()", ",GROUPING SETS (a)", ",(a,b)", ",GROUPING SETS ((a),(b))"} {
		add("SELECT 1 GROUP BY ", "", "a", s, "")
	}
	add("SELECT 1 GROUP BY ", "GROUPING SETS (", "a", ")", "")
	add("SELECT 1 GROUP BY ", "ROLLUP (", "a", ")", "")
	for _, s := range []string{" FOR UPDATE", " FOR UPDATE OF a", " FOR SHARE NOWAIT"} {
		add("SELECT 1", "", "", s, "")
	}
	// Tokens.
	add("SELECT '", "", "", "a", "'")
	add("SELECT '", "", "", "''", "'")
	add("SELECT E'", "", "", `\n`, "'")
	add("SELECT E'", "", "", `\u00e9`, "'")
	add("SELECT U&'", "", "", `\00e9`, "'")
	add("SELECT U&\"", "", "", `\00e9`, "\"")
	add("SELECT \"", "", "", "a", "\"")
	add("SELECT \"", "", "", `""`, "\"")
	add("SELECT $$", "", "", "a", "$$")
	add("SELECT $$", "", "", "$", "$$")
	add("SELECT $a$", "", "", "$b", "$a$")
	add("SELECT ", "", "a", "a", "")
	add("SELECT ", "", "a", "é", "")
	add("SELECT ", "", "1", "1", "")
	add("SELECT ", "", "1", "_1", "")
	add("SELECT 0x", "", "1", "1", "")
	add("SELECT 0x", "", "1", "_1", "")
	add("SELECT ", "", "1.", "1", "")
	add("SELECT B'", "", "", "1", "'")
	add("SELECT X'", "", "", "1", "'")
	add("SELECT 1", "", "", " ", "")
	add("SELECT 1", "", "", "\n", "")
	add("SELECT 1", "", "", "/**/", "")
	add("SELECT 1", "", "", "-- a\n", "")
	add("SELECT 1", "/*", "", "*/", "")
	add("SELECT 1 /*", "", "", "*", "*/")
	add("SELECT 1 /*", "", "", "/ ", "*/")
	add("SELECT 'a'", "", "", "\n'a'", "")
	add("SELECT 'a'", "", "", "\n''", "")
	add("SELECT 1", "", "", ";", "")
	add("SELECT 1", "", "", ";SELECT 1", "")
	add("SELECT ", "", "a", ".a", "")
	add("SELECT f.", "", "a", ".a", "()")
	add("SELECT a::a", "", "", ".a", "")
	add("SELECT a::a(", "", "1", ",1", ")")
	add("SELECT a::a", "", "", "[]", "")
	add("SELECT a OPERATOR(", "a.", "+", "", ") 1")
	add("SELECT a COLLATE a", "", "", ".a", "")
	add("SELECT a a", "", "", " ", "b")
	return all
}()
