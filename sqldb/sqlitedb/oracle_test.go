package sqlitedb_test

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
)

var statements = flag.Int("statements", 400, "the number of statements of a test that generates them")

// hiding has two tables with views that hide rows, and an index on each column.
// Of the hidden rows, %[1]s is an integer and %[2]s and %[3]s are texts.
const hiding = `
	CREATE TABLE x(id INTEGER PRIMARY KEY, tenant INT, c INT, s TEXT, j TEXT);
	CREATE TABLE y(id INTEGER PRIMARY KEY, tenant INT, c INT, s TEXT, j TEXT);
	CREATE TABLE mine(tenant INT);
	CREATE INDEX x_c ON x(c); CREATE INDEX x_s ON x(s); CREATE INDEX x_j ON x(j); CREATE INDEX x_cs ON x(c, s, j);
	CREATE INDEX y_c ON y(c); CREATE INDEX y_s ON y(s); CREATE INDEX y_j ON y(j);
	CREATE VIEW secure_x AS SELECT id, c, s, j FROM x WHERE tenant = 1;
	CREATE VIEW secure_y AS SELECT y.id, y.c, y.s, y.j FROM y JOIN mine USING (tenant);
	INSERT INTO mine VALUES (1);
	INSERT INTO x VALUES (1, 1, 5, 'a', '{"a": 1}'), (2, 1, 6, 'b', '[1]'), (3, 1, NULL, NULL, NULL), (4, 1, -7, '', '{}'),
		(10, 2, %[1]s, %[2]s, %[3]s), (11, 2, 5, %[2]s, '{}'), (12, 2, %[1]s, 'a', '[1]'), (13, 2, 6, 'b', %[3]s);
	INSERT INTO y SELECT * FROM x;`

// Two databases that differ in hidden rows only give the same tables and the same
// errors. Without the barrier many of these statements do not: an index finds the
// hidden rows before the condition of the view excludes them.
func TestHiddenRowsCauseNoErrors(t *testing.T) {
	policy := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{}, Views: map[string]string{}}
	for _, table := range []string{"x", "y"} {
		policy.Tables[table] = []string{"id", "c", "s", "j"}
		policy.Views[table] = "secure_" + table
	}
	g, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	harmless := create(t, fmt.Sprintf(hiding, "5", "'a'", "'{}'"))
	harmful := create(t, fmt.Sprintf(hiding, "-9223372036854775808",
		"replace(hex(zeroblob(300000)), '0', 'a')", `'{bad \u' || replace(hex(zeroblob(600)), '0', 'z')`))
	dbs := []*sqldb.DB{open(t, harmless, nil), open(t, harmful, nil)}
	unguarded := [2]*sql.DB{}
	for i, path := range []string{harmless, harmful} {
		if unguarded[i], err = sql.Open("sqlite", path); err != nil {
			t.Fatal(err)
		}
		defer unguarded[i].Close()
	}
	const seed = 1
	gen := oracleGenerator{rand.New(rand.NewPCG(seed, seed))}
	accepted, leaks := 0, 0
	for range *statements {
		text := gen.query()
		stmt, err := g.Rewrite(t.Context(), text)
		if err != nil {
			t.Log(text, err)
			continue
		}
		accepted++
		var tables [2]*qed.Table
		var errs [2]string
		for i, db := range dbs {
			var err error
			if tables[i], err = db.Query(t.Context(), stmt); err != nil {
				errs[i] = err.Error()
			}
		}
		if diff := cmp.Diff(tables[0], tables[1]); diff != "" || errs[0] != errs[1] {
			t.Errorf("seed %d: %s\nexecuted as %s\n(-harmless +harmful):\n%s%q, %q", seed, text, stmt.SQL(), diff, errs[0], errs[1])
		}
		merged := barrier.ReplaceAllString(stmt.SQL(), "$1")
		if (drain(unguarded[0], merged) == nil) != (drain(unguarded[1], merged) == nil) {
			leaks++
		}
	}
	t.Logf("%d of %d statements were accepted, %d leak without the barrier", accepted, *statements, leaks)
	if accepted < *statements/2 || leaks < *statements/20 {
		t.Errorf("%d statements were accepted and %d leak without the barrier: the generator tests nothing", accepted, leaks)
	}
}

var barrier = regexp.MustCompile(`\(SELECT [^()]* FROM ("main"\."secure_.") LIMIT -1\)`)

// drain reads all rows of a statement.
func drain(db *sql.DB, text string) error {
	rows, err := db.Query(text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// An oracleGenerator generates statements with expressions that fail for some
// values, at every place of a statement.
type oracleGenerator struct{ *rand.Rand }

func (g oracleGenerator) pick(list ...string) string { return list[g.IntN(len(list))] }

// on puts the alias of a table into a text.
func on(alias, text string) string { return strings.ReplaceAll(text, "@", alias+".") }

// narrow returns a condition that an index can use.
func (g oracleGenerator) narrow(a string) string {
	return on(a, g.pick("@c < -10", "@c = 5", "@c >= 5", "@c BETWEEN -9223372036854775808 AND -8", "@s > 'aaaa'", "@s = 'a'",
		"@j > '{b'", "@j LIKE '{bad%'", "@c IN (5, 6, -9223372036854775807 - 1)", "@id > 9", "@s IS NOT NULL", "1"))
}

// risky returns an expression that fails for some values.
func (g oracleGenerator) risky(a string) string {
	return on(a, g.pick("abs(@c)", "abs(@c)", "json(@j)", "json_extract(@j, '$.a')", "@j -> 'a'", "@j ->> '$.a'", "@s || @s",
		"replace(@s, 'a', 'bb')", "hex(@s)", "'x' LIKE @s", "@s GLOB @j", "@s LIKE 'a' ESCAPE @j", "json_set(@j, '$.x', 1)",
		"unistr(@j)", "json_array_length(@j)", "printf('%s%s', @s, @s)", "json_patch(@j, '{}')", "quote(@s)",
		"concat(@s, @s)", "trim(@j, @s)", "json_type(@j)", "strftime(@s, 'now')", "json_quote(@j) || @s || @s"))
}

func (g oracleGenerator) safe(a string) string {
	return on(a, g.pick("@c", "@s", "@j", "@id", "-@c", "@c - 1", "@c * @c", "@c / 0", "@c % @c", "@c << @c", "~@c",
		"CAST(@s AS INTEGER)", "CAST(@c AS TEXT)", "upper(@s)", "lower(@j)", "length(@s)", "substr(@s, @c)", "instr(@s, @j)",
		"trim(@s)", "rtrim(@s, 'a')", "round(@c)", "round(@s, @c)", "trunc(@c)", "pow(@c, @c)", "log(@c)", "coalesce(@s, @j)",
		"min(@c, @s)", "nullif(@s, @j)", "iif(@c, @s, @j)", "json_valid(@j)", "unicode(@s)", "typeof(@j)", "date(@j)",
		"datetime(@c, 'localtime')", "strftime('%Y-%J', @c)", "julianday(@s)", "timediff(@c, @s)", "@s LIKE '%a_'", "@s GLOB 'a*'",
		"@s COLLATE NOCASE = @j", "@s LIKE 'a' ESCAPE 'x'"))
}

func (g oracleGenerator) value(a string) string {
	if g.IntN(2) == 0 {
		return g.safe(a)
	}
	return g.risky(a)
}

// where returns a condition of which an index can use a part.
func (g oracleGenerator) where(a string) string {
	test := g.value(a) + g.pick(" IS NOT NULL", " IS NULL", " > 0", " = 5", " IN (1, 5)", " < 'z'")
	form := g.pick("NARROW AND TEST", "NARROW AND TEST", "TEST AND NARROW", "NARROW AND NOT (TEST)",
		"CASE WHEN NARROW THEN TEST END", "TEST OR NARROW", "(NARROW) = (TEST)",
		"NARROW AND EXISTS (SELECT 1 FROM y AS z WHERE z.id = @id AND TEST)",
		"NARROW AND @id IN (SELECT id FROM x AS z WHERE TEST)", "NARROW AND (SELECT TEST) IS NOT NULL")
	return on(a, strings.NewReplacer("NARROW", g.narrow(a), "TEST", test).Replace(form))
}

func (g oracleGenerator) query() string {
	table, other := g.pick("x", "y"), g.pick("x", "y")
	switch g.IntN(10) {
	case 0:
		return fmt.Sprintf("SELECT %s FROM %s AS a WHERE %s ORDER BY %s LIMIT 5", g.value("a"), table, g.where("a"), g.value("a"))
	case 1:
		return fmt.Sprintf("SELECT a.id, b.id FROM %s AS a %s %s AS b ON %s = %s AND %s WHERE %s", table,
			g.pick("JOIN", "LEFT JOIN", "FULL JOIN"), other, g.value("a"), g.value("b"), g.where("b"), g.where("a"))
	case 2:
		return fmt.Sprintf("SELECT %s, count(*) FROM %s AS a WHERE %s GROUP BY 1", g.value("a"), table, g.where("a"))
	case 3:
		return fmt.Sprintf("SELECT a.c, count(*) FROM %s AS a GROUP BY a.c, a.s, a.j HAVING %s", table, g.where("a"))
	case 4:
		return fmt.Sprintf("SELECT d.v FROM (SELECT %s AS v, a.* FROM %s AS a WHERE %s) AS d WHERE d.v IS NOT NULL AND %s",
			g.value("a"), table, g.narrow("a"), g.narrow("d"))
	case 5:
		return fmt.Sprintf("WITH d AS (SELECT %s AS v, a.* FROM %s AS a) SELECT DISTINCT v FROM d WHERE %s AND v > ''",
			g.value("a"), table, g.narrow("d"))
	case 6:
		return fmt.Sprintf("SELECT %s AS v FROM %s AS a WHERE %s UNION %s SELECT %s FROM %s AS b WHERE %s ORDER BY v",
			g.value("a"), table, g.where("a"), g.pick("", "ALL"), g.value("b"), other, g.where("b"))
	case 7:
		return fmt.Sprintf("SELECT sum(a.c) OVER (ORDER BY a.id), %s FROM %s AS a WHERE %s", g.value("a"), table, g.where("a"))
	case 8:
		return fmt.Sprintf("SELECT max(%s), min(a.c) FROM %s AS a WHERE %s", g.value("a"), table, g.where("a"))
	}
	return fmt.Sprintf("SELECT d.v, b.id FROM %s AS b JOIN (SELECT id, c, s, j, %s AS v FROM %s AS a UNION ALL SELECT id, c, s, j, 1 FROM x) AS d"+
		" ON d.c = b.c WHERE d.v IS NOT NULL AND %s AND %s", other, g.value("a"), table, g.narrow("d"), g.where("b"))
}
