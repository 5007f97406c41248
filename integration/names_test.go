package integration_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	mysqldriver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/secureview"
	duckdbdialect "github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// Random queries that use few names in many roles have the same rows with a guard as
// without it, on every engine: the guard refuses the names that could mean two things.
//
// QED_NAMES is the number of queries, of which engines refuse most, and QED_NAMES_SEED the
// seed.
func TestAmbiguousNames(t *testing.T) {
	for _, engine := range []string{"SQLite", "MariaDB", "MySQL", "PostgreSQL", "DuckDB"} {
		t.Run(engine, func(t *testing.T) { testAmbiguousNames(t, engine) })
	}
}

func testAmbiguousNames(t *testing.T, engine string) {
	e := corpusEngines[engine]
	revive := func(error) {} // some statements end a server, or never end
	if own, ok := ownServers[engine]; ok {
		server := own.start(t)
		e = mysqlEngine(func(testing.TB) *mysqldriver.Config {
			config := server.Config()
			config.Params = map[string]string{own.limit: own.most}
			return config
		})
		revive = func(err error) {
			if errors.Is(err, context.DeadlineExceeded) {
				server.Kill()
			} else if server.Alive() == nil {
				return
			}
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
		}
	}
	var pools corpusPools
	if engine == "DuckDB" {
		e = &corpusEngine{dialect: duckdbdialect.Dialect{}, schema: func(string) string { return "main" }}
		db, err := openDuckDB(filepath.Join(t.TempDir(), "names.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		pools.originals = append(pools.originals, db)
	} else {
		pools = e.open(t, "names")
	}
	db := pools.originals[0]
	tables := map[string][]string{"t": {"n", "s", "r"}, "u": {"a", "n"}, "v": {"b", "s", "a"}}
	for _, table := range sorted(tables) {
		columns := tables[table]
		mustExec(t, db, "CREATE TABLE "+table+" ("+strings.Join(columns, " INT, ")+" INT)")
		for i := range 4 {
			row := []string{strconv.Itoa(i), strconv.Itoa((i*7 + len(table)) % 3), "NULL"}
			slices.Reverse(row[i%2:])
			mustExec(t, db, "INSERT INTO "+table+" VALUES ("+strings.Join(row[:len(columns)], ", ")+")")
		}
	}
	policy := &secureview.Policy{Schema: e.schema("names"), Tables: tables, RowLimit: 1 << 30}
	guard, err := secureview.New(policy, e.dialect)
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(envNumber(t, "QED_NAMES_SEED", 1))
	g := nameGenerator{rng: rand.New(rand.NewPCG(seed, 9)), engine: engine}
	var ran, refused int
	for range envNumber(t, "QED_NAMES", 4_000) {
		g.tables = nil
		text := g.query(2)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		want, err := runContext(ctx, db, text)
		if cancel(); err != nil {
			revive(err)
			continue
		}
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			refused++
			continue
		}
		ran++
		got, err := run(db, stmt.SQL())
		if err == nil && reflect.DeepEqual(byText(got), byText(want)) {
			continue
		}
		if err == nil && strings.Contains(text, "DISTINCT ON") && len(got.Rows) == len(want.Rows) {
			continue // which row of each group it is, is open
		}
		if again, againErr := run(db, text); againErr == nil && !reflect.DeepEqual(byText(again), byText(want)) {
			continue // the engine leaves the rows open
		}
		t.Errorf("%s\n%v\nexecuted as %s\n%v, %v", text, want.Rows, stmt.SQL(), got.Rows, err)
	}
	t.Logf("%d queries return the same, %d are refused", ran, refused)
	if ran < 100 {
		t.Errorf("only %d queries ran", ran)
	}
}

// A nameGenerator generates queries in which tables, columns, aliases and common table
// expressions have the same names.
type nameGenerator struct {
	rng    *rand.Rand
	engine string
	tables []string // the names that can qualify a column
}

func (g *nameGenerator) pick(list ...string) string { return list[g.rng.IntN(len(list))] }

func (g *nameGenerator) chance(percent int) bool { return g.rng.IntN(100) < percent }

// name returns a name as it is written: in another case, or in quotes.
func (g *nameGenerator) name(name string) string {
	switch {
	case g.chance(4):
		return strings.ToUpper(name)
	case g.chance(3) && g.engine == "PostgreSQL":
		return `"` + strings.ToUpper(name) + `"`
	}
	return name
}

func (g *nameGenerator) column() string {
	name := g.name(g.pick("n", "n", "s", "a", "b", "r", "k"))
	if len(g.tables) > 0 && g.chance(45) {
		return g.tables[len(g.tables)-1-g.rng.IntN(min(len(g.tables), 2))] + "." + name
	}
	return name
}

func (g *nameGenerator) query(depth int) string {
	outer := g.tables
	defer func() { g.tables = outer }()
	text := ""
	if depth > 0 && g.chance(15) {
		text = "WITH " + g.pick("", "", "RECURSIVE ") + g.pick("k", "u", "t", "k (a, n)") + " AS (" + g.query(depth-1) + ")"
		if g.chance(40) {
			text += ", " + g.pick("v", "m", "t") + " AS (" + g.query(depth-1) + ")"
		}
		text += " "
		if strings.HasPrefix(text, "WITH RECURSIVE") && g.engine == "MySQL" {
			text = strings.Replace(text, "RECURSIVE ", "", 1)
		}
	}
	if text += g.block(depth); g.chance(8) {
		g.tables = outer
		text += g.pick(" UNION ", " UNION ALL ") + g.block(depth)
	}
	if g.chance(40) {
		text += " ORDER BY " + g.pick(g.column(), g.column(), g.value(0))
		if g.chance(20) && depth < 2 {
			text += " LIMIT 2"
		}
	}
	return text
}

func (g *nameGenerator) block(depth int) string {
	from := g.relation(depth)
	for range g.rng.IntN(3) {
		from += g.join(depth)
	}
	var groups []string
	if g.chance(35) {
		for range 1 + g.rng.IntN(2) {
			groups = append(groups, g.pick(g.column(), g.column(), g.value(0)))
		}
	}
	var items []string
	for range 1 + g.rng.IntN(2) {
		item := g.value(depth)
		if groups != nil {
			item = g.pick(g.pick(groups...), g.pick(groups...), g.pick("count(", "max(", "min(")+g.column()+")", g.column())
		} else if g.chance(10) {
			items = append(items, g.pick("*", g.tables[len(g.tables)-1]+".*"))
			continue
		}
		if g.chance(60) {
			item += " AS " + g.name(g.pick("n", "n", "s", "k", "a", "t"))
		}
		items = append(items, item)
	}
	text := "SELECT "
	switch {
	case depth == 2 && groups == nil && g.chance(20) && (g.engine == "PostgreSQL" || g.engine == "DuckDB"):
		text += "DISTINCT ON (" + g.column() + ") "
	case g.chance(12):
		text += "DISTINCT "
	}
	text += strings.Join(items, ", ") + " FROM " + from
	if g.chance(30) {
		text += " WHERE " + g.condition(depth)
	}
	if groups != nil {
		text += " GROUP BY " + strings.Join(groups, ", ")
		if g.chance(40) {
			text += " HAVING " + g.pick(g.column()+" > 0", g.column()+" IS NULL", "max("+g.column()+") > 0", g.condition(depth))
		}
	} else if g.chance(3) && g.engine == "DuckDB" {
		text += " QUALIFY row_number() OVER (ORDER BY " + g.column() + ") > " + g.pick("0", g.column())
	}
	return text
}

// table adds a table's name and returns an entry of FROM.
func (g *nameGenerator) table(source, own string) string {
	name := own
	if name == "" || g.chance(30) {
		name = g.pick("k", "u", "n", "s", "t", "v", "a")
	}
	if slices.Contains(g.tables, name) && g.chance(90) {
		name = "x" + strconv.Itoa(len(g.tables))
	}
	g.tables = append(slices.Clip(g.tables), name)
	if name == own {
		return source
	}
	return source + " AS " + name
}

func (g *nameGenerator) relation(depth int) string {
	if depth > 0 && g.chance(18) {
		inner := g.tables
		if g.chance(80) {
			g.tables = nil
		}
		text := "(" + g.query(depth-1) + ")"
		g.tables = inner
		return g.table(text, "")
	}
	name := g.pick("t", "u", "v", "t", "u", "v", "k")
	return g.table(name, name)
}

func (g *nameGenerator) join(depth int) string {
	r := g.relation(depth)
	kinds := []string{"", "", "LEFT ", "RIGHT "}
	if g.engine != "MySQL" && g.engine != "MariaDB" {
		kinds = append(kinds, "FULL ")
	}
	kind := g.pick(kinds...)
	switch n := g.rng.IntN(10); {
	case n < 2:
		return " NATURAL " + kind + "JOIN " + r
	case n < 6:
		return " " + kind + "JOIN " + r + " USING (" + g.name(g.pick("n", "s", "a")) + ")"
	case n < 7:
		return ", " + r
	}
	return " " + kind + "JOIN " + r + " ON " + g.column() + " = " + g.column()
}

func (g *nameGenerator) value(depth int) string {
	switch n := g.rng.IntN(20); {
	case n < 2:
		return g.pick("-", "1 + ") + g.column()
	case n < 4:
		return g.column() + " + " + g.column()
	case n == 4:
		return g.pick("0", "1", "NULL")
	case n == 5:
		return g.pick("max(", "count(", "min(") + g.column() + ")"
	case n == 6:
		return g.pick("max(", "count(") + g.column() + ") OVER (" + g.pick("PARTITION BY ", "ORDER BY ") + g.column() + ")"
	case n == 7 && depth > 0:
		return "(SELECT " + g.pick("max(", "count(", "min(") + g.column() + ") FROM " + g.inner(depth) + ")"
	case n == 8 && g.engine == "PostgreSQL":
		return g.pick(g.column()+"::int", "count("+g.pick("t", "k", "n")+")")
	}
	return g.column()
}

// inner returns the rest of a subquery in an expression.
func (g *nameGenerator) inner(depth int) string {
	outer := g.tables
	defer func() { g.tables = outer }()
	text := g.relation(depth - 1)
	if g.chance(20) {
		text += g.join(depth - 1)
	}
	if g.chance(50) {
		text += " WHERE " + g.condition(0)
	}
	if g.chance(25) {
		text += " GROUP BY " + g.column()
		if g.chance(50) {
			text += " HAVING " + g.condition(0)
		}
	}
	return text
}

func (g *nameGenerator) condition(depth int) string {
	switch n := g.rng.IntN(10); {
	case n < 2 && depth > 0:
		return g.pick("EXISTS (SELECT 1 FROM ", "NOT EXISTS (SELECT "+g.column()+" FROM ") + g.inner(depth) + ")"
	case n < 4 && depth > 0:
		return fmt.Sprintf("%s IN (SELECT %s FROM %s)", g.column(), g.column(), g.inner(depth))
	case n == 4:
		return g.column() + " IS NULL"
	}
	return g.column() + g.pick(" = ", " < ", " >= ") + g.pick("1", "2", g.column())
}
