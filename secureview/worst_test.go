package secureview

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A shape is a statement of nearly the largest size that is read: head, as many
// units as fit, each after the first with a separator before it, and tail. # is the
// number of the unit.
type shape struct{ head, unit, separator, tail string }

func (s shape) String() string { return s.unit + ".. in " + s.head + ".." + s.tail }

// text returns the statement with at most most units.
func (s shape) text(most int) string {
	var b strings.Builder
	b.WriteString(s.head)
	for i := range most {
		unit := strings.ReplaceAll(s.unit, "#", fmt.Sprint(i))
		if b.Len()+len(unit)+len(s.separator)+len(s.tail) > sqlast.MaxText {
			break
		}
		if i > 0 {
			b.WriteString(s.separator)
		}
		b.WriteString(unit)
	}
	b.WriteString(strings.ReplaceAll(s.tail, "#", "0"))
	return b.String()
}

var shapes = func() (list []shape) {
	add := func(head, separator, tail string, units ...string) {
		for _, unit := range units {
			list = append(list, shape{head, unit, separator, tail})
		}
	}
	exprs := []string{"1", "a", "t.a", "a AS b#", "a+a", "-a", "'x'", "''", "x'00'", "NULL", "f(a)", "abs(a)", "count(*)", "(a)", "(a,a)",
		"a IN ()", "a IN (1,2)", "a BETWEEN 1 AND 2", "a LIKE 'x'", "CASE a WHEN 1 THEN 2 END", "CAST(a AS INT)", "a COLLATE NOCASE",
		"(SELECT 1)", "(SELECT a FROM t)", "EXISTS (SELECT 1)", "max(a) OVER ()", "max(a) OVER (PARTITION BY a ORDER BY a)", "a->'x'", `"a"`, "[a]",
		"`a`", "a IS NULL", "NOT a", "*", "t.*", "zz", `"zz"`, "u.a", "((((((a))))))", "max(1,2,3,4,5,6,7,8)", "(VALUES (1))",
		"(SELECT * FROM t)", "(SELECT a FROM (SELECT a FROM t))", "strftime('%Y', a)", "/**/a", "a--\n"}
	add("SELECT ", ",", " FROM t", exprs...)
	add("SELECT ", ",", "", exprs...)
	add("SELECT ", ",", " FROM t, t AS u, t AS v", exprs...)
	add("SELECT ", " || ", " FROM t", exprs...)
	add("SELECT a FROM t WHERE ", " AND ", "", exprs...)
	add("SELECT a FROM t WHERE ", " OR ", "", exprs...)
	add("SELECT a FROM t WHERE ", "=", "", exprs...)
	add("SELECT a FROM t WHERE a IN (", ",", ")", exprs...)
	add("SELECT a FROM t WHERE ", " ", " a", "NOT", "-", "+", "~", "- ", "NOT(", "(", "- -")
	add("SELECT a AS q, a AS r FROM t ORDER BY ", ",", "", append(exprs, "q", "r", "q+1", "r DESC NULLS LAST")...)
	add("SELECT a AS q, a+1 AS r FROM t GROUP BY ", ",", "", append(exprs, "q", "r", "1")...)
	add("SELECT a+a+a+a+a+a+a+a+a+a+a+a AS q FROM t WHERE ", " AND ", "", "q", "q=1", "abs(q)")
	add("SELECT a AS q FROM t GROUP BY a HAVING ", " AND ", "", append(exprs, "q")...)
	add("SELECT a FROM ", ",", "", "t AS t#", "u", "(SELECT a FROM t) AS d#", "(SELECT 1) AS d#", "(VALUES (1)) AS d#", "(t)", "t t#, u u#")
	add("SELECT * FROM ", ",", "", "t AS t#", "(SELECT * FROM t) AS d#", "(SELECT 1,2,3,4) AS d#", "wide AS t#")
	add("SELECT t0.* FROM ", ",", " WHERE abs(t0.column_1)", "wide AS t#")
	add("SELECT 1 FROM ", ",", " WHERE abs(t0.a) AND t0.c", "u AS t#")
	add("SELECT a FROM ", " JOIN ", "", "t AS t#", "t AS t# ON 1", "t AS t# USING (a)", "t AS t# ON t#.a = a", "(SELECT a FROM t) USING (a)")
	add("SELECT * FROM ", " NATURAL JOIN ", "", "t AS t#", "(SELECT a FROM t) AS d#", "wide AS t#")
	add("SELECT * FROM ", " NATURAL FULL JOIN ", "", "t AS t#", "wide AS t#")
	add("", " UNION ALL ", "", "SELECT 1", "SELECT a FROM t", "SELECT * FROM t", "VALUES (1)", "SELECT * FROM wide", "SELECT a,a,a,a,a,a FROM t")
	add("", " UNION ALL ", " ORDER BY 1", "SELECT a FROM t", "SELECT * FROM wide")
	add("", " INTERSECT ", " ORDER BY q", "SELECT a AS q FROM t")
	add("WITH ", ",", " SELECT 1", "c# AS (SELECT 1)", "c# AS (SELECT a FROM t)", "c# AS (SELECT * FROM t)", "c#(x,y) AS (VALUES (1,2))", "t AS (SELECT 1)",
		"c# AS (SELECT * FROM wide)", "c# AS (SELECT * FROM c0)")
	add("WITH c AS (SELECT 1 AS a) SELECT * FROM ", ",", "", "c AS c#")
	add("VALUES ", ",", "", "(1)", "(1,2,3,4,5,6,7,8)", "(NULL)", "('x')", "((SELECT 1))")
	add("SELECT CASE ", " ", " END FROM t", "WHEN a THEN a", "WHEN 1 THEN 2")
	add("SELECT count(*) FROM t WINDOW ", ",", "", "w# AS ()", "w# AS (ORDER BY a)", "w# AS (PARTITION BY a ORDER BY a)")
	add("SELECT coalesce(", ",", ") FROM t", exprs...)
	add("SELECT ", "", " FROM t", "a ", "(", "'", `"`, "[", "`", "/*", "--", ";", "\n", ".", ",", "x", "1", "1e", "0x", "é", "@", "$a ", "?", "#", "SELECT ", "CASE ", "WITH ")
	add("", ";", "", "SELECT 1", "SELECT a FROM t", "")
	// Two lists, of which each name of the second is looked up in the first.
	first := func(n int, unit string) string { return shape{"", unit, ",", ""}.text(n) }
	many := first(240, "a AS b#")
	add("SELECT "+many+" FROM t ORDER BY ", ",", "", "b#", "b239", "b239+1", "a", "B239", "239", "zz")
	add("SELECT "+many+" FROM t GROUP BY ", ",", "", "b#", "b239", "b239+1")
	add("SELECT "+many+" FROM t WHERE ", " OR ", "", "b#", "b239")
	add("SELECT "+many+" FROM t HAVING ", " OR ", "", "b239")
	add("SELECT ", ",", " FROM (SELECT "+many+" FROM t) AS d", "b#", "b239", "d.b239", "d.*", "*")
	add("SELECT ", ",", " FROM (SELECT "+first(240, "a")+" FROM t) AS d", "a", `"a:239"`, "*")
	add("SELECT ", ",", " FROM "+first(60, "t AS t#"), "t59.a", "t1.a", "a", "t#.a", "zz.a", "t59.*")
	add("SELECT ", ",", " FROM "+first(60, "(SELECT a AS a# FROM t) AS t#"), "a1", "t1.a1", "a99")
	add("SELECT ", ",", " FROM wide", "column_299", "column_#", "wide.column_299", "column_300", "*")
	add("SELECT "+first(240, "a AS b#")+" FROM t UNION SELECT "+first(240, "b AS c#")+" FROM t ORDER BY ", ",", "", "b#", "c239", "c#", "a+1")
	add("WITH "+first(60, "c# AS (SELECT a FROM t)")+" SELECT 1 FROM ", ",", "", "c59 AS d#", "c#")
	add("WITH "+first(60, "t# AS (SELECT 1 AS a)")+" SELECT ", ",", " FROM t59", "a")
	add("SELECT * FROM t AS x JOIN t AS y USING (", ",", ")", "a", "b", "a,b")
	add("SELECT * FROM wide AS x JOIN wide AS y USING (", ",", ")", "column_#")
	add("SELECT * FROM ", " JOIN ", "", "wide AS t# USING (column_1,column_2,column_3)", "wide AS t# USING (column_#)")
	add("SELECT * FROM ", " FULL JOIN ", "", "wide AS t# USING (column_1,column_2,column_3)", "t AS t# USING (a)")
	for _, from := range []string{"", "t", "wide", first(60, "t AS t#"), first(100, "wide AS t#")} {
		if from != "" {
			from = " FROM " + from
		}
		add("SELECT ", "", from, "x", "column_", "column_29", "é")
		add("SELECT t.", "", from, "x", "column_")
		add("SELECT f", "", "(1)"+from, "x", "abs_")
	}
	add("SELECT 1 FROM ", "", "", "x", "secure_", "wide", "é")
	// Levels inside one another.
	for _, n := range []int{20, 95} {
		for _, level := range []struct{ open, close string }{
			{"(SELECT * FROM ", ") AS d"}, {"(SELECT *, * FROM ", ") AS d"}, {"(SELECT a, a FROM ", ") AS d"},
			{"(SELECT * FROM wide, ", ") AS d"}, {"(WITH c AS (SELECT * FROM t) SELECT * FROM c, ", ") AS d"},
			{"(SELECT a AS b, b AS c FROM t, ", ") AS d"},
		} {
			add("SELECT ", ",", " FROM "+strings.Repeat(level.open, n)+"wide"+strings.Repeat(level.close, n), "*", "column_1", "a", "zz")
			add("SELECT ", ",", " FROM "+strings.Repeat(level.open, n)+"t"+strings.Repeat(level.close, n), "*", "column_1", "a", "zz")
		}
		add("SELECT a FROM t WHERE "+strings.Repeat("EXISTS (SELECT 1 FROM t AS u WHERE ", n), " OR ", strings.Repeat(")", n), "a", "t.a", "zz", "b1")
		add("SELECT a AS q FROM t ORDER BY "+strings.Repeat("(SELECT ", n), ",", strings.Repeat(")", n), "q")
	}
	add("SELECT ", "(", strings.Repeat(")", 98), "abs")
	return list
}()

func worstGuard(tb testing.TB, d dialect.Dialect) *Guard {
	wide := make([]string, 300)
	for i := range wide {
		wide[i] = fmt.Sprintf("column_%d", i)
	}
	g, err := New(&Policy{Dialect: d.Name(), Schema: "main", Views: map[string]string{"u": "secure_u", "wide": "secure_wide"},
		Tables: map[string][]string{"t": {"a", "b"}, "u": {"a", "c"}, "wide": wide}}, d)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// The memory of a Rewrite is bounded, whatever a text of the largest size repeats.
func TestWorstMemory(t *testing.T) {
	g := worstGuard(t, sqlite.Dialect{})
	for i := 0; i < len(shapes); i += 8 { // the benchmark has all
		text := shapes[i].text(1 << 30)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := g.Rewrite(context.Background(), text)
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb >= 16 {
			t.Errorf("%.100s allocates %d MB: %.100v", shapes[i], mb, err)
		}
	}
}

// BenchmarkRewriteWorstSQLite rewrites each shape in three sizes and reports the
// longest time and the most memory of one.
func BenchmarkRewriteWorstSQLite(b *testing.B) {
	g := worstGuard(b, sqlite.Dialect{})
	var worst time.Duration
	var most uint64
	for b.Loop() {
		for _, s := range shapes {
			for _, units := range []int{1 << 30, 990, 490} {
				text := s.text(units)
				took := time.Hour
				for range 3 {
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					start := time.Now()
					g.Rewrite(context.Background(), text)
					took = min(took, time.Since(start))
					runtime.ReadMemStats(&after)
					most = max(most, after.TotalAlloc-before.TotalAlloc)
				}
				worst = max(worst, took)
			}
		}
	}
	b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
	b.ReportMetric(float64(most)/(1<<20), "worst-MB")
}
