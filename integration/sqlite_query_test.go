package integration_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// Random queries with ambiguous names have the same result with a guard as on
// tables without hidden columns.
func TestSQLiteGuardQueries(t *testing.T) {
	listed, more := openSQLite(t), openSQLite(t)
	columns := map[string][]string{"t": {"n", "s", "r"}, "u": {"a", "n"}, "v": {"b", "s", "a"}}
	for _, table := range sorted(columns) {
		names := strings.Join(columns[table], ", ")
		mustExec(t, listed, "CREATE TABLE "+table+" ("+names+")")
		hidden := names
		for _, name := range []string{"n", "s", "r", "a", "b", "m", "k", "t", "u", "v"} {
			if !slices.Contains(columns[table], name) {
				hidden += ", " + name + " DEFAULT 'leak'"
			}
		}
		mustExec(t, more, "CREATE TABLE "+table+" ("+hidden+")")
		for i := range 4 {
			for _, db := range []*sql.DB{listed, more} {
				row := []string{strconv.Itoa(i), strconv.Itoa((i*7 + len(table)) % 3), "NULL"}
				slices.Reverse(row[i%2:])
				mustExec(t, db, "INSERT INTO "+table+" ("+names+") VALUES ("+strings.Join(row[:len(columns[table])], ", ")+")")
			}
		}
	}
	guard, err := secureview.New(&secureview.Policy{Dialect: "sqlite", Tables: columns, RowLimit: 1 << 30}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	var answered, ambiguous, refused int
	for range 40_000 {
		g := queryGenerator{rng: rng}
		text := g.query(2)
		want, err := run(listed, text)
		if err != nil {
			continue // an unknown or ambiguous name
		}
		stmt, err := guard.Rewrite(t.Context(), text)
		switch {
		case errors.Is(err, secureview.ErrAmbiguousColumn) || errors.Is(err, secureview.ErrAmbiguousName):
			ambiguous++
			continue
		case err != nil:
			refused++
			continue
		}
		for _, db := range []*sql.DB{listed, more} {
			got, err := run(db, stmt.SQL())
			if err != nil || !reflect.DeepEqual(byText(got), byText(want)) {
				t.Errorf("%s\n%v\nexecuted as %s\n%v, %v", text, want, stmt.SQL(), got, err)
				break
			}
		}
		answered++
	}
	t.Logf("%d queries answer the same, %d are refused, and %d for a name that could mean two things", answered, refused, ambiguous)
	// The engine does not check some parts, such as a common table expression
	// that is not used. The guard does.
	if refused*2 > answered || ambiguous*6 > answered {
		t.Errorf("%d queries answer the same, %d are refused, and %d for a name that could mean two things", answered, refused, ambiguous)
	}
}

// byText sorts the rows of a result, because a query without ORDER BY has no
// order.
func byText(r result) []string {
	rows := make([]string, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = fmt.Sprintf("%#v", row)
	}
	slices.Sort(rows)
	return rows
}

// A queryGenerator generates queries with few names in many roles.
type queryGenerator struct {
	rng   *rand.Rand
	scope []string // the names of tables with which a column can be qualified
}

func (g *queryGenerator) pick(list ...string) string { return list[g.rng.IntN(len(list))] }

func (g *queryGenerator) maybe(text func() string) string {
	if g.rng.IntN(3) == 0 {
		return text()
	}
	return ""
}

func (g *queryGenerator) query(depth int) string {
	outer := g.scope
	defer func() { g.scope = outer }()
	var b strings.Builder
	if depth > 0 && g.rng.IntN(4) == 0 {
		fmt.Fprintf(&b, "WITH %s AS (%s) ", g.pick("k", "m", "u", "k (a, n)"), g.query(depth-1))
	}
	b.WriteString(g.block(depth))
	for g.rng.IntN(8) == 0 {
		g.scope = outer
		b.WriteString(g.pick(" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ") + g.block(depth))
	}
	return b.String() + g.maybe(func() string {
		return " ORDER BY " + g.pick("1", g.column(), g.expr(depth), "m DESC", "n COLLATE NOCASE")
	})
}

func (g *queryGenerator) block(depth int) string {
	from := g.relation(depth)
	for range g.rng.IntN(3) {
		from += g.join(depth)
	}
	items := make([]string, 1+g.rng.IntN(2))
	for i := range items {
		switch g.rng.IntN(6) {
		case 0:
			items[i] = g.pick("*", g.scope[len(g.scope)-1]+".*")
		case 1:
			items[i] = g.column()
		default:
			items[i] = g.expr(depth) + " AS " + g.pick("n", "m", "s", "k")
		}
	}
	text := "SELECT " + g.pick("", "", "DISTINCT ") + strings.Join(items, ", ") + " FROM " + from
	text += g.maybe(func() string { return " WHERE " + g.expr(depth) })
	text += g.maybe(func() string {
		return " GROUP BY " + g.pick("1", g.column(), g.expr(depth), "m") + g.maybe(func() string { return " HAVING " + g.expr(depth) })
	})
	return text
}

// named gives an element of FROM a name that the query block does not have yet.
func (g *queryGenerator) named(source, own string) string {
	name := own
	if name == "" || g.rng.IntN(3) == 0 {
		name = g.pick("k", "u", "m", "t", "v")
	}
	if slices.Contains(g.scope, strings.ToLower(name)) {
		name = "x" + strconv.Itoa(len(g.scope))
	}
	g.scope = append(slices.Clip(g.scope), strings.ToLower(name))
	if name == own {
		return source
	}
	return source + " AS " + name
}

func (g *queryGenerator) relation(depth int) string {
	switch {
	case depth > 0 && g.rng.IntN(5) == 0:
		return g.named("("+g.query(depth-1)+")", "")
	case depth > 0 && g.rng.IntN(8) == 0:
		return "(" + g.relation(depth-1) + g.join(depth-1) + ")"
	}
	name := g.pick("t", "u", "v", "t", "u", "v", "k", "T")
	return g.named(g.pick("", "", "", "main.")+name, name)
}

func (g *queryGenerator) join(depth int) string {
	r := g.relation(depth)
	switch kind := g.pick("", "", "LEFT ", "RIGHT ", "FULL "); g.rng.IntN(4) {
	case 0:
		return " NATURAL " + kind + "JOIN " + r
	case 1:
		return " " + kind + "JOIN " + r + " USING (" + g.pick("n", "s", "a") + ")"
	case 2:
		return ", " + r
	default:
		return " " + kind + "JOIN " + r + " ON " + g.expr(0)
	}
}

func (g *queryGenerator) column() string {
	if g.rng.IntN(3) == 0 {
		return g.pick("n", "s", "a", "b", "m", "k", `"n"`, `"nothing"`)
	}
	return g.scope[g.rng.IntN(len(g.scope))] + "." + g.pick("n", "n", "s", "a", "N")
}

func (g *queryGenerator) expr(depth int) string {
	switch g.rng.IntN(9) {
	case 0:
		return g.pick("0", "1", "'a'", "NULL", "true")
	case 1:
		return g.column() + g.pick(" = ", " < ", " + ", " IS ", " || ") + g.column()
	case 2:
		return g.pick("count(", "max(", "sum(", "total(DISTINCT ") + g.column() + ")"
	case 3:
		if depth > 0 {
			return "(" + g.query(depth-1) + ")"
		}
	case 4:
		if depth > 0 {
			return g.pick("EXISTS (", "NOT EXISTS (", g.column()+" IN (") + g.query(depth-1) + ")"
		}
	case 5:
		return g.column() + " IN " + g.pick("(1, 2)", "u", "k")
	}
	return g.column()
}
