package integration_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomShape returns a statement of a dialect with common table expressions that read one
// another, recursion and products, of random size. Each has one column x.
func randomShape(rng *rand.Rand, dialect rune) string {
	g := shapeGenerator{rng: rng, dialect: dialect}
	ctes := make([]string, 1+rng.IntN(9))
	for i := range ctes {
		ctes[i] = fmt.Sprintf("c%d AS (%s)", i, g.query(i))
	}
	return "WITH RECURSIVE " + strings.Join(ctes, ", ") + " SELECT count(*), max(a0.x) FROM " + g.from(len(ctes), 1+rng.IntN(4))
}

type shapeGenerator struct {
	rng     *rand.Rand
	dialect rune
}

// query returns a query that reads tables and the first n common table expressions.
func (g *shapeGenerator) query(n int) string {
	switch g.rng.IntN(12) {
	case 0, 1:
		return g.counter(n)
	case 2:
		return fmt.Sprintf("SELECT t.id AS x FROM t UNION ALL SELECT e.id FROM emp AS e JOIN c%d ON e.boss = c%[1]d.x", n)
	case 3:
		return fmt.Sprintf("SELECT x FROM %s UNION ALL SELECT x FROM %s", g.relation(n), g.relation(n))
	case 4:
		return fmt.Sprintf("SELECT a0.x FROM %s GROUP BY a0.x", g.from(n, 1+g.rng.IntN(6)))
	case 5:
		return fmt.Sprintf("SELECT a0.x FROM %s LIMIT %d", g.from(n, 1+g.rng.IntN(3)), 1+g.rng.IntN(1000))
	case 6:
		return fmt.Sprintf("SELECT a0.x FROM %s WHERE a0.x IN (SELECT b.x FROM %s AS b)", g.from(n, 1+g.rng.IntN(3)), g.relation(n))
	case 7:
		if g.dialect == 'p' {
			return fmt.Sprintf("SELECT i AS x FROM generate_series(%d, %d) AS i", g.rng.IntN(100), g.number())
		}
	}
	return fmt.Sprintf("SELECT %s AS x FROM %s", g.expr("a0.x", n), g.from(n, 1+g.rng.IntN(4)))
}

// counter returns a recursion, which may have no end.
func (g *shapeGenerator) counter(n int) string {
	end := fmt.Sprint(g.number())
	if g.rng.IntN(8) == 0 {
		end = "(SELECT max(id) FROM t)"
	}
	where := "WHERE x < " + end
	if g.rng.IntN(8) == 0 {
		where = ""
	}
	return fmt.Sprintf("SELECT 1 AS x UNION ALL SELECT x + %d FROM c%d %s", 1+g.rng.IntN(3), n, where)
}

// number returns a number of any magnitude.
func (g *shapeGenerator) number() int {
	n := 1 + g.rng.IntN(9)
	for range g.rng.IntN(9) {
		n *= 10
	}
	return n
}

// from returns a FROM of several relations, most of which are joined by x.
func (g *shapeGenerator) from(n, tables int) string {
	var b strings.Builder
	b.WriteString(g.relation(n) + " AS a0")
	for i := 1; i < tables; i++ {
		fmt.Fprintf(&b, " JOIN %s AS a%d ON ", g.relation(n), i)
		if g.rng.IntN(6) == 0 {
			fmt.Fprintf(&b, "a%d.x < 3", i)
		} else {
			fmt.Fprintf(&b, "a%d.x = a%d.x", i, g.rng.IntN(i))
		}
	}
	return b.String()
}

func (g *shapeGenerator) relation(n int) string {
	if n == 0 || g.rng.IntN(4) == 0 {
		return "(SELECT id AS x FROM t)"
	}
	return fmt.Sprintf("c%d", g.rng.IntN(n))
}

// expr returns an expression that names a column several times.
func (g *shapeGenerator) expr(column string, n int) string {
	switch g.rng.IntN(6) {
	case 0:
		return column + " + " + column
	case 1:
		return fmt.Sprintf("CASE WHEN %s > 3 THEN %[1]s ELSE %[1]s + 1 END", column)
	case 2:
		return fmt.Sprintf("(SELECT max(q.x) FROM %s AS q WHERE q.x = %s)", g.relation(n), column)
	}
	return column
}
