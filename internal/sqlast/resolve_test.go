package sqlast_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// tables is a catalog of tables in the schema s. The table v has a view named w.
type tables map[string][]string

func (c tables) Object(schema, name string) (*sqlast.Object, *sqlast.Error) {
	columns, ok := c[strings.ToLower(name)]
	if !ok || schema != "" && schema != "s" {
		return nil, &sqlast.Error{Code: sqlast.UnknownTable, Name: name, Message: "no table " + name}
	}
	o := &sqlast.Object{Schema: "s", Name: strings.ToLower(name), Logical: strings.ToLower(name), Columns: columns}
	if o.Name == "v" {
		o.Name = "w"
	}
	return o, nil
}

func (c tables) Taken(name string) bool { return c[strings.ToLower(name)] != nil }

func (c tables) TablesWith(column string) []string {
	var found []string
	for name, columns := range c {
		if slices.Contains(columns, column) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

func (c tables) MeansString(name string) bool { return len(c.TablesWith(name)) == 0 }

func (c tables) MaxListed() int { return 100 }

var catalog = tables{
	"t": {"id", "a", "b"},
	"u": {"id", "a", "c"},
	"v": {"id", "d"},
}

func resolve(d dialect.Dialect, text string) (*sqlast.Query, *sqlast.Resolution, error) {
	q, err := d.Read(text)
	if err != nil {
		return nil, nil, err
	}
	r, err := sqlast.Resolve(q, d.Flavor(), catalog)
	return q, r, err
}

// TestResolveMerged checks columns that USING merges: their value, their position
// in *, and when a name stays ambiguous.
func TestResolveMerged(t *testing.T) {
	tests := []struct {
		text   string
		sqlite string // the select list and the FROM
		mysql  string
	}{
		{"SELECT id FROM t JOIN u USING (id)",
			"t.id FROM t JOIN u ON t.id = u.id", "="},
		{"SELECT id FROM t LEFT JOIN u USING (id)",
			"t.id FROM t LEFT JOIN u ON t.id = u.id", "="},
		{"SELECT id FROM t RIGHT JOIN u USING (id)",
			"u.id FROM t RIGHT JOIN u ON t.id = u.id", "="},
		{"SELECT id FROM t RIGHT JOIN u USING (id) JOIN v USING (id)",
			"u.id FROM t RIGHT JOIN u ON t.id = u.id JOIN v ON u.id = v.id", "="},
		{"SELECT t.id, u.id FROM t JOIN u USING (id)",
			"t.id, u.id FROM t JOIN u ON t.id = u.id", "="},
		{"SELECT * FROM t JOIN u USING (a)",
			"t.id, t.a, t.b, u.id, u.c FROM t JOIN u ON t.a = u.a",
			"t.a, t.id, t.b, u.id, u.c FROM t JOIN u ON t.a = u.a"},
		{"SELECT * FROM t RIGHT JOIN u USING (a)",
			"t.id, u.a, t.b, u.id, u.c FROM t RIGHT JOIN u ON t.a = u.a",
			"u.a, u.id, u.c, t.id, t.b FROM t RIGHT JOIN u ON t.a = u.a"},
		{"SELECT * FROM t JOIN v USING (id) RIGHT JOIN u ON t.a = u.a",
			"t.id, t.a, t.b, v.d, u.id, u.a, u.c FROM t JOIN v ON t.id = v.id RIGHT JOIN u ON t.a = u.a", "="},
		{"SELECT * FROM v NATURAL RIGHT JOIN (SELECT 1 AS x) AS s",
			"v.id, v.d, x FROM v RIGHT JOIN (SELECT 1 AS x) AS s",
			"x, v.id, v.d FROM v RIGHT JOIN (SELECT 1 AS x) AS s ON TRUE"},
		{"SELECT * FROM v RIGHT JOIN (SELECT 1 AS x) AS s ON 1 JOIN u USING (id)",
			"v.id, v.d, x, u.a, u.c FROM v RIGHT JOIN (SELECT 1 AS x) AS s ON 1 JOIN u ON v.id = u.id", "ambiguous_column"},
		{"SELECT * FROM v RIGHT JOIN (SELECT 1 AS x) AS s ON 1 NATURAL JOIN (SELECT 2 AS y) AS w",
			"v.id, v.d, x, w.y FROM v RIGHT JOIN (SELECT 1 AS x) AS s ON 1 JOIN (SELECT 2 AS y) AS w", "ambiguous_column"},
		{"SELECT * FROM t NATURAL JOIN u",
			"t.id, t.a, t.b, u.c FROM t JOIN u ON t.id = u.id AND t.a = u.a", "="},
		{"SELECT u.* FROM t NATURAL JOIN u",
			"u.id, u.a, u.c FROM t JOIN u ON t.id = u.id AND t.a = u.a", "="},
		{"SELECT b FROM t NATURAL JOIN v NATURAL JOIN u",
			"t.b FROM t JOIN v ON t.id = v.id JOIN u ON t.id = u.id AND t.a = u.a", "="},
		{"SELECT id FROM t JOIN u ON t.a = u.a JOIN v USING (id)", "ambiguous_column", "ambiguous_column"},
		{"SELECT d FROM t JOIN u ON t.a = u.a JOIN v USING (id)", "ambiguous_column", "ambiguous_column"},
		{"SELECT t.id FROM t JOIN u USING (b)", "unknown_column", "unknown_column"},
	}
	for _, d := range []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}} {
		for _, tt := range tests {
			want := tt.sqlite
			if d.Name() == "mysql" && tt.mysql != "=" {
				want = tt.mysql
			}
			if got := listAndFrom(d, tt.text); got != want {
				t.Errorf("%s: %s\n got %s\nwant %s", d.Name(), tt.text, got, want)
			}
		}
	}
	if got, want := listAndFrom(sqlite.Dialect{}, "SELECT * FROM t FULL JOIN u USING (id)"),
		"coalesce(t.id, u.id) AS id, t.a, t.b, u.a, u.c FROM t FULL JOIN u ON t.id = u.id"; got != want {
		t.Errorf("FULL JOIN: got %s", got)
	}
}

// listAndFrom prints a resolved block without quotes and schema, or the code of
// its error.
func listAndFrom(d dialect.Dialect, text string) string {
	q, _, err := resolve(d, text)
	var e *sqlast.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	items := q.Body.(*sqlast.Select).Items
	for i := range items {
		if c, ok := items[i].Expr.(*sqlast.Column); ok && c.Name == items[i].Alias {
			items[i].Alias = ""
		}
	}
	printed, err := d.Append(nil, q, true)
	if err != nil {
		return err.Error()
	}
	s := strings.NewReplacer(`"`, "", "`", "").Replace(string(printed))
	s = strings.NewReplacer("s.", "", "w AS v", "v").Replace(s)
	s = strings.ReplaceAll(s, "(SELECT w.id, w.d FROM w LIMIT -1) AS v", "v") // SQLite's barrier
	return strings.TrimPrefix(s, "SELECT ")
}

// TestResolveCaps checks the limits on what grows faster than the text.
func TestResolveCaps(t *testing.T) {
	doubling := "WITH c0 AS (SELECT id FROM t)"
	for i := range 24 {
		doubling += fmt.Sprintf(", c%d AS (SELECT x.*, y.* FROM c%d AS x, c%d AS y)", i+1, i, i)
	}
	chain := "WITH c0 AS (SELECT id FROM t)"
	for i := range 90 {
		chain += fmt.Sprintf(", c%d AS (SELECT x.id FROM c%d AS x JOIN c%d AS y ON x.id = y.id)", i+1, i, i)
	}
	wide := "WITH c AS (SELECT 1 AS x" + numbered(", 1 AS x%d", 450) + ")"
	tests := []struct {
		name, text string
		code       refusal.Code
	}{
		{"stars that double", doubling + " SELECT 1 AS one FROM c24", sqlast.TooComplex},
		{"a chain of joins", chain + " SELECT id FROM c90", ""},
		{"many tables", "SELECT 1 AS one FROM t x" + numbered(", t x%d", 600), sqlast.TooComplex},
		{"many stars", wide + " SELECT 1 AS one" + numbered(", (SELECT count(*) FROM (SELECT * FROM c) AS d%d) AS e", 47), sqlast.TooComplex},
		{"an alias of aliases", "SELECT " + strings.Repeat("a + ", 200) + "a AS x FROM t ORDER BY 1 + (" + strings.Repeat("x + ", 900) + "x)", sqlast.TooComplex},
		{"a long alias of a table", `SELECT 1 AS one FROM t AS "` + strings.Repeat("x", 4_000) + `" WHERE a IN (` + strings.Repeat("a, ", 1_300) + "1)", sqlast.TooComplex},
		{"a long string by its alias", "SELECT '" + strings.Repeat("x", 4_000) + "' AS z FROM u WHERE 1 IN (" + strings.Repeat("z, ", 1_300) + "1)", sqlast.TooComplex},
	}
	for _, tt := range tests {
		_, _, err := resolve(sqlite.Dialect{}, tt.text)
		var e *sqlast.Error
		if errors.As(err, &e); tt.code == "" && err != nil || tt.code != "" && (e == nil || e.Code != tt.code) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestResolution checks what Resolve returns.
func TestResolution(t *testing.T) {
	_, r, err := resolve(sqlite.Dialect{}, "SELECT upper(x.a) AS n, x.id FROM t AS x WHERE EXISTS (SELECT 1 FROM v WHERE d = lower(x.b)) ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, o := range r.Objects {
		got[o.Name] = o.Named()
	}
	if diff := cmp.Diff(map[string][]string{"t": {"id", "a", "b"}, "w": {"d"}}, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	var calls []string
	for _, c := range r.Calls {
		calls = append(calls, fmt.Sprint(c.Name, c.Pos))
	}
	if diff := cmp.Diff([]string{"upper7", "lower81"}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"n", "id"}, r.Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

// TestResolveManyOfOneName checks that thousands of common table expressions with
// one name are refused quickly.
func TestResolveManyOfOneName(t *testing.T) {
	ctes := make([]*sqlast.CTE, 4000)
	for i := range ctes {
		ctes[i] = &sqlast.CTE{Name: "x", Query: &sqlast.Query{Body: &sqlast.Values{Rows: [][]sqlast.Expr{{&sqlast.Null{}}}}}}
	}
	start := time.Now()
	_, err := sqlast.Resolve(&sqlast.Query{With: &sqlast.With{CTEs: ctes}, Body: ctes[0].Query.Body}, sqlite.Dialect{}.Flavor(), catalog)
	var e *sqlast.Error
	if !errors.As(err, &e) || e.Code != sqlast.AmbiguousName {
		t.Errorf("4,000 of one name: %v", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("4,000 of one name take %v", took)
	}
}

// TestResolveByHand resolves trees that no reader produces.
func TestResolveByHand(t *testing.T) {
	column := func(table, name string) *sqlast.Column { return &sqlast.Column{Table: table, Name: name} }
	from := func(name string) *sqlast.Table { return &sqlast.Table{Name: name} }
	tests := []struct {
		name string
		body sqlast.Body
		code refusal.Code
	}{
		{"no body", nil, sqlast.Unsupported},
		{"a block", &sqlast.Select{Items: []sqlast.Item{{Expr: column("t", "a")}}, From: from("t")}, ""},
		{"a star in an expression", &sqlast.Select{Items: []sqlast.Item{{Expr: &sqlast.Unary{Op: sqlast.Minus, X: &sqlast.Star{}}}}, From: from("t")}, sqlast.Misplaced},
		{"rows of different lengths", &sqlast.Values{Rows: [][]sqlast.Expr{{&sqlast.Null{}}, {}}}, sqlast.ColumnCount},
		{"a column of VALUES", &sqlast.Values{Rows: [][]sqlast.Expr{{column("", "a")}}}, sqlast.UnknownColumn},
	}
	for _, tt := range tests {
		_, err := sqlast.Resolve(&sqlast.Query{Body: tt.body}, sqlite.Dialect{}.Flavor(), catalog)
		var e *sqlast.Error
		if errors.As(err, &e); tt.code == "" && err != nil || tt.code != "" && (e == nil || e.Code != tt.code) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}

	deep := sqlast.Expr(&sqlast.Null{})
	for range 100_000 {
		deep = &sqlast.Unary{Op: sqlast.Not, X: deep}
	}
	q := &sqlast.Query{Body: &sqlast.Select{Items: []sqlast.Item{{Expr: deep, Alias: "x"}}}}
	_, err := sqlast.Resolve(q, sqlite.Dialect{}.Flavor(), catalog)
	var e *sqlast.Error
	if !errors.As(err, &e) || e.Code != sqlast.TooDeep {
		t.Errorf("100,000 deep: %v", err)
	}
}

// TestWalkAndEqual checks that Walk visits every kind of node, and that Equal
// distinguishes statements that differ in one detail.
func TestWalkAndEqual(t *testing.T) {
	texts := []string{
		"SELECT 1", "SELECT 2", "SELECT '1'", "SELECT NULL", "SELECT X'01'", "SELECT TRUE AS x", "SELECT DISTINCT 1",
		"SELECT a FROM t", "SELECT a AS b FROM t", "SELECT t.a FROM t", "SELECT a FROM t AS x", "SELECT a FROM s.t", "SELECT * FROM t", "SELECT t.* FROM t",
		"SELECT a FROM t WHERE a", "SELECT a FROM t GROUP BY a", "SELECT a FROM t GROUP BY a HAVING a", "SELECT a FROM t ORDER BY a",
		"SELECT a FROM t ORDER BY a DESC", "SELECT a FROM t ORDER BY a NULLS FIRST", "SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 1 OFFSET 1",
		"SELECT a FROM t JOIN u", "SELECT a FROM t LEFT JOIN u", "SELECT a FROM t NATURAL JOIN u", "SELECT a FROM t JOIN u ON 1", "SELECT a FROM t JOIN u USING (a)",
		"SELECT a FROM (SELECT 1)", "SELECT a FROM (SELECT 1) AS x", "SELECT 1 UNION SELECT 1", "SELECT 1 UNION ALL SELECT 1", "SELECT 1 EXCEPT SELECT 1",
		"VALUES (1)", "VALUES (1), (1)", "WITH c AS (SELECT 1) SELECT 1", "WITH c(x) AS (SELECT 1) SELECT 1", "WITH RECURSIVE c AS (SELECT 1) SELECT 1",
		"SELECT -1 AS x", "SELECT +1 AS x", "SELECT 1 + 1 AS x", "SELECT 1 - 1 AS x", "SELECT a IS NULL AS x", "SELECT a IS NOT NULL AS x",
		"SELECT a BETWEEN 1 AND 2 AS x", "SELECT a NOT BETWEEN 1 AND 2 AS x", "SELECT a IN (1) AS x", "SELECT a NOT IN (1) AS x", "SELECT a IN (SELECT 1) AS x",
		"SELECT a LIKE 'x' AS x", "SELECT a GLOB 'x' AS x", "SELECT a LIKE 'x' ESCAPE 'y' AS x", "SELECT CASE WHEN 1 THEN 2 END AS x", "SELECT CASE 1 WHEN 1 THEN 2 END AS x",
		"SELECT CASE WHEN 1 THEN 2 ELSE 3 END AS x", "SELECT CAST(a AS TEXT) AS x", "SELECT CAST(a AS INTEGER) AS x", "SELECT a COLLATE NOCASE AS x", "SELECT a COLLATE BINARY AS x",
		"SELECT count(*) AS x", "SELECT count(a) AS x", "SELECT count(DISTINCT a) AS x", "SELECT sum(a) AS x", "SELECT sum(a) FILTER (WHERE a) AS x",
		"SELECT sum(a) OVER () AS x", "SELECT sum(a) OVER (PARTITION BY a) AS x", "SELECT sum(a) OVER (ORDER BY a) AS x", "SELECT sum(a) OVER (ORDER BY a ROWS 1 PRECEDING) AS x",
		"SELECT sum(a) OVER (ORDER BY a RANGE 1 PRECEDING) AS x", "SELECT sum(a) OVER w AS x WINDOW w AS (ORDER BY a)", "SELECT sum(a) OVER (w) AS x WINDOW w AS (ORDER BY a)",
		"SELECT EXISTS (SELECT 1) AS x", "SELECT (SELECT 1) AS x", "SELECT (1, 2) = (1, 2) AS x", "SELECT CURRENT_DATE AS x", "SELECT CURRENT_TIME AS x",
	}
	var trees []*sqlast.Query
	kinds := map[string]bool{}
	for _, text := range texts {
		q, err := sqlite.Dialect{}.Read(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		trees = append(trees, q)
		sqlast.Walk(q, func(n sqlast.Node) bool {
			kinds[fmt.Sprintf("%T", n)] = true
			return true
		})
	}
	for i := range trees {
		for k := range trees {
			if sqlast.Equal(trees[i], trees[k]) != (i == k) {
				t.Errorf("%s and %s: Equal is wrong", texts[i], texts[k])
			}
		}
		again, _ := sqlite.Dialect{}.Read("  " + texts[i])
		if !sqlast.Equal(trees[i], again) {
			t.Errorf("%s: positions make a difference", texts[i])
		}
	}
	for _, kind := range strings.Fields("Query With CTE Select SetOp Values Table Derived Join Column Star Null Bool Number String Bytes Now Unary Binary Is Between In Like Case Cast Collate Call Exists Subquery Row Window") {
		if !kinds["*sqlast."+kind] && kind != "Bool" { // SQLite's are columns until they are resolved
			t.Errorf("Walk does not visit %s", kind)
		}
	}
}

// TestWalkStops checks that Walk skips the nodes below one for which visit returns
// false.
func TestWalkStops(t *testing.T) {
	q, err := sqlite.Dialect{}.Read("SELECT a FROM t WHERE id IN (SELECT c FROM u)")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if c, ok := n.(*sqlast.Column); ok {
			names = append(names, c.Name)
		}
		_, isIn := n.(*sqlast.In)
		return !isIn
	})
	if diff := cmp.Diff([]string{"a"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
