package secureview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// worstUnits are the parts of statements of which the longest statements consist: a
// start, what is repeated, an end. In what is repeated, # is a number.
var worstUnits = []struct{ name, start, unit, end string }{
	{"items", "SELECT 1", ",1", ""},
	{"columns", "SELECT id", ",id", " FROM dept"},
	{"qualified columns", "SELECT d.id", ",d.id", " FROM dept d"},
	{"named items", "SELECT 1 a", ",id a#", " FROM dept"},
	{"stars", "SELECT *", ",*", " FROM dept"},
	{"strings", "SELECT ''", ",''", ""},
	{"long string", "SELECT '", "x", "'"},
	{"quotes", "SELECT '", "''", "'"},
	{"long name", "SELECT id AS `", "x", "` FROM dept"},
	{"backticks", "SELECT id AS `", "``", "` FROM dept"},
	{"calls", "SELECT 1", ",now()", ""},
	{"counts", "SELECT 1", ",count(*)", " FROM dept"},
	{"nested calls", "SELECT 1", ",abs(abs(abs(id)))", " FROM dept"},
	{"arguments", "SELECT concat(1", ",1", ")"},
	{"column arguments", "SELECT concat(1", ",id", ") FROM dept"},
	{"concatenations", "SELECT 1", "||1", ""},
	{"or", "SELECT 1 FROM dept WHERE 1", " OR 1", ""},
	{"and", "SELECT 1 FROM dept WHERE id", " AND id", ""},
	{"or of comparisons", "SELECT 1 FROM dept WHERE id=1", " OR id=1", ""},
	{"or of parentheses", "SELECT 1 FROM dept WHERE (1)", "OR(1)", ""},
	{"sums", "SELECT 1", "+1", ""},
	{"products", "SELECT id", "*id", " FROM dept"},
	{"groups of sums", "SELECT 1", ",1+1+1+1", ""},
	{"minuses", "SELECT 1", ",-1", ""},
	{"nots", "SELECT 1", ",!1", ""},
	{"in", "SELECT 1 FROM dept WHERE id IN (1", ",1", ")"},
	{"in strings", "SELECT 1 FROM dept WHERE id IN ('a'", ",'a'", ")"},
	{"in rows", "SELECT 1 FROM dept WHERE (id,id) IN ((1,1)", ",(1,1)", ")"},
	{"ins", "SELECT 1", ",1 IN(1)", ""},
	{"betweens", "SELECT 1", ",1 BETWEEN 1 AND 1", ""},
	{"likes", "SELECT 1", ",id LIKE 1", " FROM dept"},
	{"is null", "SELECT 1", ",1 IS NULL", ""},
	{"cases", "SELECT 1", ",CASE 1 WHEN 1 THEN 1 END", ""},
	{"whens", "SELECT CASE 1", " WHEN 1 THEN 1", " END"},
	{"casts", "SELECT 1", ",CAST(1 AS CHAR)", ""},
	{"intervals", "SELECT 1", ",1+INTERVAL 1 DAY", ""},
	{"windows", "SELECT 1", ",sum(1)OVER()", " FROM dept"},
	{"window orders", "SELECT 1", ",sum(1)OVER(ORDER BY 1)", " FROM dept"},
	{"named windows", "SELECT 1 FROM dept WINDOW w AS()", ",w# AS()", ""},
	{"subqueries", "SELECT 1", ",(SELECT 1)", ""},
	{"subqueries of tables", "SELECT 1", ",(SELECT 1 FROM dept)", ""},
	{"exists", "SELECT 1", ",EXISTS(SELECT 1)", ""},
	{"nested subqueries", "SELECT 1", ",(SELECT(SELECT(SELECT 1)))", ""},
	{"group by", "SELECT 1 FROM dept GROUP BY id", ",id", ""},
	{"group by rollup", "SELECT 1 FROM dept GROUP BY id", ",id+1", " WITH ROLLUP"},
	{"order by", "SELECT 1 FROM dept ORDER BY id", ",id", ""},
	{"order by position", "SELECT 1 FROM dept ORDER BY 1", ",1", ""},
	{"order by alias", "SELECT id+1 AS a FROM dept ORDER BY a", ",a", ""},
	{"having", "SELECT count(*) AS a FROM dept HAVING a", " OR a", ""},
	{"tables", "SELECT 1 FROM dept", ",dept t#", ""},
	{"joins", "SELECT 1 FROM dept", " JOIN dept t# ON 1", ""},
	{"using", "SELECT 1 FROM dept", " JOIN dept t# USING(id)", ""},
	{"derived", "SELECT 1 FROM dept", ",(SELECT 1 a)t#", ""},
	{"unions", "SELECT 1", " UNION SELECT 1", ""},
	{"parenthesized unions", "(SELECT 1)", "UNION(SELECT 1)", ""},
	{"intersects", "SELECT 1", " INTERSECT SELECT 1", ""},
	{"ctes", "WITH a AS(SELECT 1)", ",a# AS(SELECT 1)", " SELECT 1"},
	{"cte columns", "WITH a(a0", ",a#", ") AS (SELECT 1) SELECT 1"},
	{"values", "VALUES ROW(1)", ",ROW(1)", ""},
	{"group_concats", "SELECT 1", ",group_concat(1)", " FROM dept"},
	{"json", "SELECT 1", ",id->'$.a'", " FROM dept"},
	{"dates", "SELECT 1", ",DATE'2024-01-01'", ""},
	{"hex", "SELECT 1", ",0x1", ""},
	{"floats", "SELECT 1", ",1e1", ""},
	{"comments", "SELECT 1", "/**/", ""},
	{"line comments", "SELECT 1", "#\n", ""},
	{"spaces", "SELECT 1", " ", ""},
	{"semicolons", "SELECT 1", ";", ""},
	{"statements", "SELECT 1", ";SELECT 1", ""},
	{"parentheses", strings.Repeat("(", 90) + "SELECT 1", ",1", strings.Repeat(")", 90)},
	{"sounds", "SELECT 1", ",1 SOUNDS LIKE 1", ""},
	{"syntax error", "SELECT 1", ",1", " 1 1"},
	{"unions of items", "SELECT 1,1,1,1", " UNION SELECT 1,1,1,1", ""},
	{"row comparisons", "SELECT 1", ",(1,1)=(1,1)", ""},
	{"collations", "SELECT 1", ",''COLLATE utf8mb4_bin", ""},
	{"trims", "SELECT 1", ",trim(1)", ""},
	{"converts", "SELECT 1", ",convert(1 using utf8mb4)", ""},
	{"numbers", "SELECT ", "1", ""},
	{"aliases of strings", "SELECT 1", ",1 'a'", ""},
	{"adjacent strings", "SELECT 'a'", " 'a'", ""},
	{"adjacent long strings", "SELECT 'a'", " 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa'", ""},
	{"nested nots", "SELECT ", "NOT ", "1"},
	{"nested minuses", "SELECT ", "- ", "1"},
	{"nested marks", "SELECT ", "!", "1"},
	{"nested cases", "SELECT " + strings.Repeat("CASE ", 500) + "1", " WHEN 1 THEN 1 END", ""},
	{"chained is null", "SELECT 1", " IS NULL", ""},
	{"chained comparisons", "SELECT 1", "=1", ""},
	{"chained collations", "SELECT ''", " COLLATE utf8mb4_bin", ""},
	{"chained intervals", "SELECT 1", "+INTERVAL 1 DAY", ""},
	{"chained json", "SELECT id", "->'$.a'", " FROM dept"},
	{"open parentheses", "SELECT ", "(", ""},
	{"chained names", "SELECT a", ".a", ""},
	{"selects", "SELECT 1", " SELECT 1", ""},
	{"commas", "SELECT 1", ",", ""},
	{"points", "SELECT 1", " .", ""},
	{"escapes", "SELECT '", "\\\\'", "'"},
	{"parameters", "SELECT 1", ",?", ""},
	{"variables", "SELECT 1", ",@a", ""},
	{"keywords", "SELECT 1", " FROM", ""},
	{"digits", "SELECT 1", ",99999999999999999999999", ""},
	{"executable comments", "SELECT 1", "/*!,1*/", ""},
	{"hints", "SELECT 1", "/*+ a(b) */", ""},
	{"hints of the grammar", "SELECT /*+ ", "a(b) ", "*/ 1"},
	{"stars of a wide table", "SELECT 1", ",wide.*", " FROM wide"},
	{"ctes of stars", "WITH a0 AS(SELECT * FROM wide)", ",a# AS(SELECT * FROM wide)", " SELECT 1"},
	{"unions of stars", "SELECT * FROM wide", " UNION SELECT * FROM wide", ""},
	{"joins of wide tables", "SELECT * FROM wide", " JOIN wide t# ON 1", ""},
	{"natural joins", "SELECT 1 FROM wide", " NATURAL JOIN wide t#", ""},
	{"natural joins of dept", "SELECT * FROM dept", " NATURAL JOIN dept t#", ""},
	{"columns of joins", "SELECT t1.id FROM dept t1", " JOIN dept t1# ON t1.id=t1#.id", ""},
	{"copies of an alias", "SELECT id+id+id+id+id+id+id+id a FROM dept ORDER BY a+a", ",a+a", ""},
	{"copies of a string", "SELECT '" + strings.Repeat("x", 4000) + "' a FROM dept ORDER BY upper(a)", ",upper(a)", ""},
	{"ambiguous names", "SELECT 1 FROM dept d1,dept d2 WHERE 1", " OR id", ""},
	{"subqueries of wide tables", "SELECT 1", ",(SELECT column499 FROM wide)", ""},
	{"columns of wide tables", "SELECT 1", ",column#", " FROM wide"},
	{"last column of wide tables", "SELECT 1", ",column499", " FROM wide a,dept b"},
	{"group by expressions", "SELECT 1 FROM dept GROUP BY 1", ",id+1", ""},
	{"nested derived", "SELECT * FROM " + strings.Repeat("(SELECT * FROM ", 80) + "wide", "", strings.Repeat(") x", 80)},
	{"unknown columns", "SELECT 1", ",zz#", " FROM dept"},
	{"unknown names", "SELECT 1 FROM dept WHERE 1", " OR x.zz", ""},
}

// worstText returns the longest statement of a unit.
func worstText(start, unit, end string) string {
	var b strings.Builder
	b.WriteString(start)
	for n := 0; unit != ""; n++ {
		part := strings.ReplaceAll(unit, "#", fmt.Sprint(n))
		if b.Len()+len(part)+len(end) > sqlast.MaxText {
			break
		}
		b.WriteString(part)
	}
	b.WriteString(end)
	return b.String()
}

func worstGuard(tb testing.TB) *secureview.Guard {
	tb.Helper()
	wide := make([]string, 500)
	for i := range wide {
		wide[i] = fmt.Sprintf("column%d", i)
	}
	g, err := secureview.New(&secureview.Policy{Schema: "main", Tables: map[string][]string{"dept": {"id", "name", "budget"}, "wide": wide}}, mysql.Dialect{})
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// BenchmarkWorst8KBMySQL rewrites or refuses one statement of 8 KB per operation.
func BenchmarkWorst8KBMySQL(b *testing.B) {
	g := worstGuard(b)
	for _, u := range worstUnits {
		text := worstText(u.start, u.unit, u.end)
		b.Run(u.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.Rewrite(b.Context(), text)
			}
		})
	}
}
