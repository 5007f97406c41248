// Package shapetest has statements around the bounds of package shape, for its tests
// and for tests that execute what a guard accepts.
package shapetest

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// Tables are the tables and columns that the statements read. All columns but s, name,
// tags and hired are numbers.
var Tables = map[string][]string{
	"t":   {"id", "boss", "n", "s"},
	"emp": {"id", "boss", "name", "tags", "hired", "gone"},
}

// list returns n texts that f makes of their numbers, joined by a separator.
func list(n int, separator string, f func(i int) string) string {
	out := make([]string, n)
	for i := range out {
		out[i] = f(i)
	}
	return strings.Join(out, separator)
}

func numbered(format string) func(int) string {
	return func(i int) string { return strings.ReplaceAll(format, "#", fmt.Sprint(i)) }
}

// chain returns n common table expressions, each of which reads the one before.
func chain(n int, first, each string) string {
	return "WITH c0 AS (" + first + "), " + list(n-1, ", ", func(i int) string {
		return fmt.Sprintf("c%d AS (%s)", i+1, strings.ReplaceAll(each, "#", fmt.Sprint(i)))
	}) + fmt.Sprintf(" SELECT x FROM c%d", n-1)
}

// A Pair is a statement with a number, the largest number with which it is accepted,
// and the code with which it is refused beyond.
type Pair struct {
	Name     string
	Dialects string // the letters of the dialects: s, m, p
	Most     int
	Code     refusal.Code // empty: larger ones are accepted too
	SQL      func(n int) string
}

// Pairs has a statement for each bound.
var Pairs = []Pair{
	{"tables", "smp", 20, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 FROM " + list(n, ", ", numbered("t AS a#")) + " WHERE " + list(n-1, " AND ", numbered("a0.id = a#.boss"))
	}},
	{"joins", "smp", 20, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 FROM t AS a " + list(n-1, " ", numbered("LEFT JOIN t AS a# ON a.id = a#.id"))
	}},
	{"derived tables", "smp", 10, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 FROM " + list(n, ", ", numbered("(SELECT x.id FROM t AS x JOIN t AS y ON x.id = y.id) AS a#"))
	}},
	{"grouped derived tables", "smp", 20, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 FROM " + list(n, ", ", numbered("(SELECT x.id FROM t AS x JOIN t AS y ON x.id = y.id GROUP BY x.id) AS a#"))
	}},
	{"semijoins", "smp", 19, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 FROM t WHERE " + list(n, " AND ", numbered("id IN (SELECT a#.id FROM t AS a#)"))
	}},
	{"exists", "smp", 19, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 FROM t WHERE " + list(n, " AND ", numbered("NOT EXISTS (SELECT 1 FROM t AS a# WHERE a#.id = t.id)"))
	}},
	{"many joins", "p", 3, sqlast.TooComplex, func(n int) string {
		return list(n, " UNION ALL ", func(int) string {
			return "SELECT 1 FROM " + list(11, ", ", numbered("t AS a#"))
		})
	}},
	{"many joins of seven", "p", 19, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 WHERE 1 IN (" + list(n, ", ", func(int) string {
			return "(SELECT 1 FROM " + list(7, ", ", numbered("t AS a#")) + ")"
		}) + ")"
	}},
	{"doubled common table expressions", "sm", 5, sqlast.TooComplex, func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT a.x FROM c# AS a JOIN c# AS b ON a.x = b.x")
	}},
	{"doubled grouped common table expressions", "sm", 7, sqlast.TooComplex, func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT a.x FROM c# AS a JOIN c# AS b ON a.x = b.x GROUP BY a.x")
	}},
	{"shared common table expressions", "p", 40, "", func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT a.x FROM c# AS a JOIN c# AS b ON a.x = b.x")
	}},
	{"doubled columns", "smp", 12, sqlast.TooComplex, func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT x + x AS x FROM c#")
	}},
	{"doubled columns of derived tables", "smp", 11, sqlast.TooComplex, func(n int) string {
		return "SELECT x FROM " + strings.Repeat("(SELECT x + x AS x FROM ", n) + "(SELECT id AS x FROM t) AS d" + strings.Repeat(") AS d", n)
	}},
	{"tripled columns", "smp", 8, sqlast.TooComplex, func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT CASE WHEN x > 1 THEN x ELSE x + 1 END AS x FROM c#")
	}},
	{"columns behind a limit", "smp", 12, "", func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT x + x AS x FROM c# LIMIT 10")
	}},
	{"doubled subqueries", "smp", 7, sqlast.TooComplex, func(n int) string {
		return chain(n, "SELECT id AS x FROM t", "SELECT (SELECT max(t.id) FROM t WHERE t.id = q.x OR t.n = q.x) AS x FROM c# AS q")
	}},
	{"rollup", "p", 90, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 FROM t GROUP BY ROLLUP(" + list(n, ", ", numbered("id + #")) + ")"
	}},
	{"with rollup", "m", 90, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 FROM t GROUP BY " + list(n, ", ", numbered("id + #")) + " WITH ROLLUP"
	}},
	{"cube", "p", 8, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 FROM t GROUP BY CUBE(" + list(n, ", ", numbered("id + #")) + ")"
	}},
	{"grouping sets", "p", 256, sqlast.TooComplex, func(n int) string {
		return "SELECT 1 FROM t GROUP BY GROUPING SETS(" + list(n, ", ", numbered("(id + #)")) + ")"
	}},
	{"product of rollups", "p", 15, sqlast.TooComplex, func(n int) string {
		terms := list(n, ", ", numbered("id + #"))
		return "SELECT 1 FROM t GROUP BY ROLLUP(" + terms + "), ROLLUP(" + terms + ")"
	}},
	{"rollups of several blocks", "p", 2, sqlast.TooComplex, func(n int) string {
		return list(n, " UNION ALL ", func(int) string { return "SELECT 1 FROM t GROUP BY CUBE(id, boss, n, s, id+1, id+2, id+3)" })
	}},
	{"plain grouping", "smp", 400, "", func(n int) string {
		return "SELECT 1 FROM t GROUP BY " + list(n, ", ", numbered("id + #"))
	}},
	{"limit of a recursion", "s", 2_000_000, "", func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT %d) SELECT sum(i) FROM r", n)
	}},
	{"offset of a recursion", "s", 1_000_000, "", func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 1 OFFSET %d) "+
			"SELECT sum(i) FROM r", n)
	}},
	{"series", "p", 1_000_000, sqlast.Unbounded, func(n int) string {
		return fmt.Sprintf("SELECT sum(i) FROM generate_series(1, %d) AS i", n)
	}},
	{"series in the select list", "p", 1_000_000, sqlast.Unbounded, func(n int) string {
		return fmt.Sprintf("SELECT count(*) FROM (SELECT generate_series(1, %d) AS i) AS d", n)
	}},
	{"product of series", "p", 1000, sqlast.Unbounded, func(n int) string {
		return fmt.Sprintf("SELECT count(*) FROM generate_series(1, %d) AS i, generate_series(1, 1000) AS k", n)
	}},
	{"uncorrelated series", "p", 200_000, "", func(n int) string {
		return fmt.Sprintf("SELECT i, (SELECT count(*) FROM generate_series(1, %[1]d) AS k) FROM generate_series(1, %[1]d) AS i", n)
	}},
}
