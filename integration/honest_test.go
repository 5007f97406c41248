package integration_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// sameThroughGuard checks that statements return through a guard what they return without it.
func sameThroughGuard(t *testing.T, db *sqldb.DB, g *secureview.Guard, unguarded func(string) *secureview.Statement, statements []string) {
	t.Helper()
	lines := func(table *qed.Table) []string {
		var out []string
		for _, row := range table.Rows {
			out = append(out, fmt.Sprint(row...))
		}
		slices.Sort(out)
		return out
	}
	for _, text := range statements {
		want, err := db.Query(t.Context(), unguarded(text))
		if err != nil {
			t.Errorf("%s: without the guard: %v", text, err)
			continue
		}
		stmt, err := g.Rewrite(t.Context(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := db.Query(t.Context(), stmt)
		if err != nil {
			t.Errorf("%s: executed as %s: %v", text, stmt.SQL(), err)
			continue
		}
		if diff := cmp.Diff(lines(want), lines(got)); diff != "" {
			t.Errorf("%s: executed as %s: (-without the guard +with it)\n%s", text, stmt.SQL(), diff)
		}
		if len(got.Rows) == 0 {
			t.Errorf("%s: no rows", text)
		}
	}
}

// TestSearchPostgres: full-text search, and functions of one value in FROM.
func TestSearchPostgres(t *testing.T) {
	p := newPostgres(t, pgServer(t), "search", `
		CREATE TABLE note (id int, body text, tsv tsvector, at timestamptz);
		INSERT INTO note SELECT i, b, to_tsvector('english', b), '2024-01-15 10:00+00' FROM (VALUES
			(1, 'hello big world'), (2, 'good bye'), (3, 'hello hello'), (4, NULL)) AS v(i, b);
		GRANT SELECT ON note TO search;`)
	db := p.open(t, &postgresdb.Options{})
	g, err := secureview.New(&secureview.Policy{Schema: "public", Tables: map[string][]string{"note": {"id", "body", "tsv", "at"}}}, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	unguarded := func(text string) *secureview.Statement {
		return pgUnguarded(t, strings.ReplaceAll(text, "FROM note", "FROM public.note"), "public", "note")
	}
	sameThroughGuard(t, db, g, unguarded, []string{
		"SELECT id, ts_rank(tsv, q) FROM note, websearch_to_tsquery('english', 'hello') q WHERE tsv @@ q ORDER BY ts_rank(tsv, q) DESC",
		"SELECT id FROM note, to_tsquery('english', 'hello & world') AS query WHERE tsv @@ query",
		"SELECT id FROM note CROSS JOIN plainto_tsquery('english', 'hello') AS query(q) WHERE tsv @@ query.q",
		"SELECT id FROM note JOIN phraseto_tsquery('english', 'big world') q ON note.tsv @@ q",
		"SELECT id, ts_headline('english', body, q), ts_rank_cd(tsv, q, 32) FROM note, to_tsquery('hello') q WHERE to_tsvector('english', body) @@ q",
		"SELECT id FROM note WHERE tsv @@ (to_tsquery('hello') <-> to_tsquery('big')) OR tsv @@ !! to_tsquery('hello')",
		"SELECT ts_delete(tsv, 'hello'), ts_filter(tsv, '{a}'), tsquery_phrase('a'::tsquery, 'b'::tsquery)::text FROM note",
		"SELECT id, l FROM note, lower(body) l WHERE l LIKE 'hel%'",
		"SELECT id, d FROM note, date_trunc('month', at) AS d",
		"SELECT n.x, m.o FROM ROWS FROM (generate_series(1, 2), now()) AS n(x, y), now() WITH ORDINALITY AS m(v, o)",
		"SELECT id, low FROM note LEFT JOIN lower('HELLO') AS low ON body = low || ' ' || low",
		"SELECT count(n), json_agg(n) FROM (SELECT id, body FROM note) AS n",
		"SELECT point '(1,2)' <-> point '(4,6)'",
		"SELECT id FROM note NATURAL INNER JOIN (SELECT 1 AS id) AS one",
	})
	for _, text := range []string{
		"SELECT * FROM ts_stat('SELECT tsv FROM note')",
		"SELECT ts_rewrite('a'::tsquery, 'SELECT tsv, tsv FROM note')",
		"SELECT id FROM note, pg_sleep(1)",
	} {
		if stmt, err := g.Rewrite(t.Context(), text); err == nil {
			t.Errorf("%s: accepted as %s", text, stmt.SQL())
		}
	}
	if table, err := db.QueryText(t.Context(), g, "SELECT (body).pg_sleep FROM note"); err == nil {
		t.Errorf("a call as a field: %v", table.Rows)
	}
	// The server's own check refuses functions that the dialect does not know.
	for _, text := range []string{"SELECT word FROM ts_stat('SELECT tsv FROM note')", "SELECT pid FROM pg_stat_get_activity(NULL)"} {
		if _, err := db.Query(t.Context(), unguarded(text)); !errors.Is(err, sqldb.ErrDenied) {
			t.Errorf("%s without the guard: %v", text, err)
		}
	}
}

// TestCompositeFields: the field of a column of a composite type, and no call of a function
// in the same notation.
func TestCompositeFields(t *testing.T) {
	p := newPostgres(t, pgServer(t), "fields", `
		CREATE TYPE address AS (street text, zip int, upper text, "Odd Name" text);
		CREATE TABLE customer (id int, a address, body text, whole_secret text);
		CREATE TABLE secret (id int, s text); INSERT INTO secret VALUES (1, 'hidden');
		INSERT INTO customer VALUES (1, ROW('Main', 11, 'up', 'x'), 'b', 's'), (2, ROW('Side', NULL, 'down', 'y'), 'c', 's'), (3, NULL, NULL, 's');
		CREATE TABLE copy (id int, row secret); INSERT INTO copy VALUES (1, ROW(1, 'of a table'));
		CREATE VIEW shown AS SELECT id, a AS home FROM customer WHERE id < 3;
		CREATE FUNCTION leak(address) RETURNS text STABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT s FROM public.secret LIMIT 1';
		CREATE FUNCTION pg_catalog.leak2(address) RETURNS text STABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT s FROM public.secret LIMIT 1';
		GRANT SELECT ON customer, copy, shown TO fields`)
	db := p.open(t, nil)
	policy := &secureview.Policy{Schema: "public", Tables: map[string][]string{
		"customer": {"id", "a", "body"}, "copy": {"id", "row"}, "shown": {"id", "home"}}, Views: map[string]string{"client": "shown"}}
	g, err := db.Guard(t.Context(), policy, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"SELECT id, (a).zip FROM customer WHERE (a).zip IS NOT NULL":                                                                                      "[[1 11]]",
		"SELECT (a).upper, (c.a).street FROM customer c WHERE (c.a).zip > 10 ORDER BY (c.a).street":                                                       "[[up Main]]",
		`SELECT (a)."Odd Name" AS n, count(*) FROM customer GROUP BY (a)."Odd Name" HAVING (a)."Odd Name" > 'x'`:                                          "[[y 1]]",
		"SELECT DISTINCT (a).zip FROM customer WHERE (a).zip IS NOT NULL ORDER BY (a).zip":                                                                "[[11]]",
		"SELECT (a).zip, (SELECT count(*) FROM customer d WHERE (d.a).zip = (c.a).zip) FROM customer c GROUP BY a ORDER BY (a).zip NULLS LAST, 2 LIMIT 1": "[[11 1]]",
		"SELECT max((home).zip) FROM client":                                      "[[11]]",
		"SELECT z FROM (SELECT (a).zip AS z FROM customer) d WHERE z > 1":         "[[11]]",
		"SELECT zip FROM (SELECT (customer.a).zip FROM customer) d WHERE zip > 1": "[[11]]",
	} {
		stmt, err := g.Rewrite(t.Context(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		table, err := db.Query(t.Context(), stmt)
		if err != nil || fmt.Sprint(table.Rows) != want {
			t.Errorf("%s: executed as %s: %v, %v, want %s", text, stmt.SQL(), table, err, want)
		}
		direct := strings.ReplaceAll(text, "client", "shown")
		if _, err := p.admin.Exec(direct); err != nil {
			t.Errorf("%s on the server: %v", direct, err)
		}
	}
	for _, text := range []string{
		"SELECT (a).leak FROM customer", "SELECT (a).leak2 FROM customer", "SELECT (a).missing FROM customer",
		"SELECT (body).length FROM customer", "SELECT (id).pg_sleep FROM customer", "SELECT (row).s FROM copy",
		"SELECT (customer).whole_secret FROM customer", "SELECT (c).whole_secret FROM customer c", "SELECT (customer).* FROM customer",
		"SELECT (customer.a).* FROM customer", "SELECT (a).street.length FROM customer", "SELECT ((a).street).length FROM customer",
		"SELECT (secret.s).length FROM customer", "SELECT (x).leak FROM (SELECT a AS x FROM customer) d",
		"SELECT (coalesce(a, a)).leak FROM customer", `SELECT "(x).y"(a, 'leak') FROM customer`,
	} {
		if table, err := db.QueryText(t.Context(), g, text); err == nil {
			t.Errorf("%s: accepted: %v", text, table.Rows)
		}
		// The text alone, by an account that may do everything, calls no function either.
		if stmt, err := g.Rewrite(t.Context(), text); err == nil {
			if got, err := run(p.admin, stmt.SQL()); err == nil && strings.Trim(fmt.Sprint(got.Rows), "[<nil>] ") != "" && !strings.Contains(text, "row") {
				t.Errorf("%s: executed as %s: %v", text, stmt.SQL(), got.Rows)
			}
		}
	}
}

// TestGuardKnowsTheVersion: a guard of the database refuses functions of later versions,
// and accepts all others and those of the grammar.
func TestGuardKnowsTheVersion(t *testing.T) {
	p := newPostgres(t, pgServer(t), "versions", "CREATE TABLE t (x int, b text, j jsonb); GRANT SELECT ON t TO versions")
	db := p.open(t, nil)
	g, err := db.Guard(t.Context(), &secureview.Policy{Schema: "public", Tables: map[string][]string{"t": {"x", "b", "j"}}}, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	var version int
	if err := p.admin.QueryRow("SELECT current_setting('server_version_num')::int / 10000").Scan(&version); err != nil {
		t.Fatal(err)
	}
	for text, since := range map[string]int{
		"SELECT any_value(x) FROM t":                                 16,
		"SELECT array_sort(ARRAY[2, 1])":                             18,
		"SELECT casefold(b) FROM t":                                  18,
		"SELECT regexp_count(b, 'a') FROM t":                         15,
		"SELECT coalesce(x, 1), nullif(x, 1), greatest(x, 1) FROM t": 0,
		"SELECT extract(year FROM now()), position('a' IN b), overlay(b PLACING 'x' FROM 1), grouping(b) FROM t GROUP BY b": 0,
		"SELECT trim(b), substring(b FROM 1 FOR 2), now() AT TIME ZONE 'UTC', count(*) OVER () FROM t":                      0,
		"SELECT string_agg(b, ','), percentile_cont(0.5) WITHIN GROUP (ORDER BY x), @ sum(x) FROM t":                        0,
	} {
		stmt, err := g.Rewrite(t.Context(), text)
		if (err == nil) != (version >= since) {
			t.Errorf("%s on version %d: %v", text, version, err)
		}
		if err != nil {
			continue
		}
		if _, err := db.Query(t.Context(), stmt); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSearchMySQL: full-text search in boolean mode, also over a view that hides rows.
func TestSearchMySQL(t *testing.T) {
	for brand, start := range mysqlServers {
		t.Run(brand, func(t *testing.T) {
			m := newMaria(t, start(t), "search_"+strings.ToLower(brand), `
				CREATE TABLE note (id INT PRIMARY KEY, a TEXT, b TEXT, j JSON, tenant INT, FULLTEXT KEY (a, b));
				INSERT INTO note VALUES (1, 'hello world', 'x', '[1,17]', 1), (2, 'bye', 'it''s', '[2]', 1), (3, 'hello', 'y', '["a"]', 2);
				CREATE TABLE one (id INT, place POINT); INSERT INTO one VALUES (1, POINT(9.5, 51)), (2, POINT(13, 52)), (3, NULL);
				CREATE SQL SECURITY DEFINER VIEW secure_note AS SELECT id, a, b, concat(a, b) AS c FROM note WHERE tenant = 1;`)
			for _, table := range []string{"note", "one", "secure_note"} {
				m.grant(t, "SELECT ON "+table)
			}
			db := m.open(t, nil)
			policy := &secureview.Policy{Schema: m.name, Tables: map[string][]string{
				"note": {"id", "a", "b", "j"}, "one": {"id", "place"}, "secure_note": {"id", "a", "b", "c"}}}
			g, err := secureview.New(policy, mysql.Dialect{})
			if err != nil {
				t.Fatal(err)
			}
			sameThroughGuard(t, db, g, func(text string) *secureview.Statement {
				return mariaUnguarded(t, text, m.name, "note", "one", "secure_note")
			}, []string{
				"SELECT id FROM note WHERE MATCH (a, b) AGAINST ('+hello -bye' IN BOOLEAN MODE)",
				"SELECT id FROM note WHERE NOT MATCH (b, a) AGAINST ('hello' IN BOOLEAN MODE) AND id < 5",
				"SELECT id FROM note WHERE (MATCH (a, b) AGAINST ('+hel*' IN BOOLEAN MODE) OR id = 2) AND id > 0",
				`SELECT id FROM note WHERE MATCH (a, b) AGAINST ('"hello world"' IN BOOLEAN MODE)`,
				"SELECT n.id FROM note n JOIN one o ON n.id = o.id AND MATCH (n.a, n.b) AGAINST ('hello' IN BOOLEAN MODE)",
				"SELECT id FROM (SELECT * FROM note) d WHERE MATCH (a, b) AGAINST ('hello' IN BOOLEAN MODE)",
				"SELECT id FROM secure_note WHERE MATCH (a, b) AGAINST ('hello' IN BOOLEAN MODE)",
				"SELECT id FROM note NATURAL INNER JOIN one",
				"SELECT ST_AsText(place), ST_X(place), ST_Y(place), ST_SRID(place), ST_GeometryType(place) FROM one",
				"SELECT id, ROUND(ST_Distance_Sphere(place, POINT(9.9, 51.5)) / 1000) AS km FROM one WHERE ST_X(place) BETWEEN 9 AND 14 ORDER BY km",
				"SELECT id FROM one WHERE ST_Contains(ST_GeomFromText('POLYGON((9 50, 10 50, 10 52, 9 52, 9 50))'), POINT(ST_X(place), ST_Y(place)))",
				"SELECT id, ST_Distance(POINT(ST_X(place), 50), POINT(0, 0)) AS d FROM one WHERE place IS NOT NULL",
				"SELECT id FROM one WHERE ST_Within(POINT(ST_X(place), 51), ST_GeomFromText('POLYGON((9 50, 10 50, 10 52, 9 52, 9 50))')) AND ST_Intersects(POINT(1, 1), POINT(1, id))",
				"SELECT MBRContains(ST_GeomFromText('POLYGON((0 0,2 0,2 2,0 0))'), POINT(1, id)), MBRWithin(POINT(1, id), ST_GeomFromText(' polygon ((0 0, 9 0, 9 9, 0 0)) ')) FROM one",
				"SELECT ST_AsText(ST_GeomFromText('POINT(1 2)')) FROM one",
				"SELECT id FROM note WHERE JSON_CONTAINS(j, '17') OR JSON_CONTAINS(j, JSON_QUOTE('a'))",
				"SELECT AVG(id) FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS i, COUNT(*) OVER () AS n FROM note) q WHERE i BETWEEN n / 2 AND n / 2 + 1",
			})
			for _, text := range []string{
				"SELECT id FROM one WHERE ST_Contains(place, POINT(1, 1))", "SELECT ST_Distance(place, place) FROM one",
				"SELECT ST_Within(POINT(1, 1), (SELECT place FROM one LIMIT 1)) FROM one", "SELECT ST_Intersects(place, ST_GeomFromText('POINT(1 2)')) FROM one",
				"SELECT ST_AsText(ST_GeomFromText((SELECT GROUP_CONCAT(a) FROM note))) FROM one", "SELECT ST_GeomFromText(CONCAT('POINT(', id, ' 1)')) FROM one",
				"SELECT ST_Contains(COALESCE(ST_GeomFromText('POINT(1 1)'), place), POINT(1, 1)) FROM one", "SELECT ST_Buffer(place, 3) FROM one",
				"SELECT ST_Distance(ST_GeomFromText('POINT(1 1)'), POINT(1, 1)) FROM one", "SELECT ST_GeomFromText('GEOMETRYCOLLECTION EMPTY') FROM one",
				"SELECT ST_Contains(ST_GeomFromText('POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,2 1,2 2,1 2,1 1))'), POINT(1, 1)) FROM one",
			} {
				if stmt, err := g.Rewrite(t.Context(), text); !errors.Is(err, secureview.ErrFunction) {
					t.Errorf("%s: %v, %v", text, stmt, err)
				}
			}
			policy.Functions = []string{"match", "st_contains"}
			if g, err = secureview.New(policy, mysql.Dialect{}); err != nil {
				t.Fatal(err)
			}
			sameThroughGuard(t, db, g, func(text string) *secureview.Statement { return mariaUnguarded(t, text, m.name, "note") }, []string{
				"SELECT id, MATCH (a, b) AGAINST ('hello') AS score FROM note ORDER BY score DESC",
				"SELECT id FROM note WHERE MATCH (a, b) AGAINST ('hello' IN NATURAL LANGUAGE MODE)",
			})
			sameThroughGuard(t, db, g, func(text string) *secureview.Statement { return mariaUnguarded(t, text, m.name, "one") }, []string{
				"SELECT id FROM one WHERE ST_Contains(place, POINT(13, 52))",
			})
			for text, want := range map[string]string{
				"SELECT id FROM note WHERE MATCH (a) AGAINST ('hello' IN BOOLEAN MODE)":        "no FULLTEXT index",
				"SELECT id FROM secure_note WHERE MATCH (c) AGAINST ('hello' IN BOOLEAN MODE)": "MATCH",
			} {
				stmt, err := g.Rewrite(t.Context(), text)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := db.Query(t.Context(), stmt); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
}

// TestBrandMySQL: MEDIAN .. OVER of MariaDB and MEMBER OF of MySQL, which the other brand does
// not have.
func TestBrandMySQL(t *testing.T) {
	median := map[string]string{
		"SELECT DISTINCT k, MEDIAN(x) OVER (PARTITION BY k) AS m FROM n ORDER BY k":                        "[[a 2.5] [b 7]]",
		"SELECT k, median(x + 1) OVER (PARTITION BY k, id > 3) AS m FROM n WHERE x > 1 ORDER BY m LIMIT 1": "[[a 5]]",
		"SELECT max(m) FROM (SELECT MEDIAN(x) OVER (PARTITION BY k) AS m FROM n) AS d":                     "[[7]]",
		"SELECT median FROM (SELECT 1 AS median) AS d":                                                     "[[1]]",
	}
	member := map[string]string{
		"SELECT id FROM n WHERE 17 MEMBER OF (j) ORDER BY id":                                        "[[1]]",
		"SELECT id FROM n WHERE k MEMBER OF(j) OR NOT 'z' MEMBER OF('[\"z\"]') ORDER BY id":          "[[2]]",
		"SELECT id, x + 16 MEMBER OF (j->'$') AS m FROM n WHERE j IS NOT NULL ORDER BY id":           "[[1 1] [2 0]]",
		"SELECT count(*) FROM n WHERE NOT (17 MEMBER OF (JSON_EXTRACT(j, '$[1]'))) AND id < 3":       "[[1]]",
		"SELECT id FROM n WHERE (17 MEMBER OF (j)) = 1 AND CAST('[2]' AS JSON) MEMBER OF ('[[2]]')":  "[[1]]",
		"SELECT id FROM n WHERE JSON_CONTAINS(j, '17') AND (id = 1) MEMBER OF ('[1, true]') IS TRUE": "[[1]]",
	}
	for brand, start := range mysqlServers {
		t.Run(brand, func(t *testing.T) {
			m := newMaria(t, start(t), "brand_"+strings.ToLower(brand), `CREATE TABLE n (id INT PRIMARY KEY, k VARCHAR(9), x INT, j JSON);
				INSERT INTO n VALUES (1, 'a', 1, '[17,2]'), (2, 'a', 4, '["a"]'), (3, 'b', 7, NULL), (4, 'b', NULL, NULL);`)
			m.grant(t, "SELECT ON n")
			db := m.open(t, nil)
			g, err := db.Guard(t.Context(), &secureview.Policy{Schema: m.name, Tables: map[string][]string{"n": {"id", "k", "x", "j"}}}, mysql.Dialect{})
			if err != nil {
				t.Fatal(err)
			}
			has, lacks := median, member
			if brand == "MySQL" {
				has, lacks = member, median
			}
			for text, want := range has {
				table, err := db.QueryText(t.Context(), g, text)
				if err != nil || fmt.Sprint(table.Rows) != want {
					t.Errorf("%s: %v, %v, want %s", text, table, err, want)
				}
				if rows, err := run(m.admin, text); err != nil || table != nil && len(rows.Rows) != len(table.Rows) {
					t.Errorf("%s on the server: %v, %v", text, rows, err)
				}
			}
			for text := range lacks {
				if _, err := g.Rewrite(t.Context(), text); (err == nil) != strings.HasPrefix(text, "SELECT median FROM") {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
}

// TestSearchSQLite: searches in tables of FTS5, and none that reads a column or a table that
// the policy does not list.
func TestSearchSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.db")
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	mustExec(t, raw, `
		CREATE TABLE doc (id INTEGER PRIMARY KEY, title TEXT, body TEXT, secret TEXT);
		INSERT INTO doc VALUES (1, 'Alpha', 'hello world', 's1'), (2, 'Beta', 'bye hello', 's2'), (3, 'Gamma', 'other', 's3');
		CREATE VIRTUAL TABLE f USING fts5(title, body); INSERT INTO f SELECT title, body FROM doc;
		CREATE VIRTUAL TABLE porter USING fts5(body, tokenize = 'porter ascii', prefix='2 3'); INSERT INTO porter VALUES ('running dogs');
		CREATE VIRTUAL TABLE ext USING fts5(title, body, content='doc', content_rowid='id'); INSERT INTO ext (ext) VALUES ('rebuild');
		CREATE VIRTUAL TABLE own USING fts5(title, content = "doc"); INSERT INTO own (own) VALUES ('rebuild');
		CREATE VIRTUAL TABLE part USING fts5(title, body); INSERT INTO part VALUES ('a', 'hidden word');
		CREATE VIRTUAL TABLE words USING fts5vocab('part', 'row');
		CREATE VIEW secure_f AS SELECT * FROM f WHERE title <> 'Beta';`)
	db, err := sqlitedb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	policy := &secureview.Policy{Tables: map[string][]string{
		"doc": {"id", "title", "body"}, "f": {"title", "body"}, "porter": {"body"}, "ext": {"title", "body"}, "own": {"title"}, "part": {"title"}, "words": {"term"}}}
	g, err := db.Guard(t.Context(), policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"SELECT title, body FROM f",
		"SELECT title FROM part",
		"SELECT title FROM f WHERE f MATCH 'hello' ORDER BY rank",
		"SELECT title FROM f WHERE f MATCH 'hello' AND title LIKE 'A%'",
		"SELECT title FROM f WHERE F MATCH '\"hello world\" OR other' ORDER BY bm25(f), title",
		"SELECT title FROM f WHERE body MATCH 'hel*' ORDER BY rank DESC, title",
		"SELECT x.title, d.id FROM f AS x JOIN doc d ON d.title = x.title AND f MATCH 'hello AND world'",
		"SELECT snippet(f, 1, '<b>', '</b>', '..', 8), highlight(f, 1, '[', ']') FROM f WHERE f MATCH 'hello' ORDER BY title",
		"SELECT id FROM doc WHERE title IN (SELECT title FROM f WHERE f MATCH 'title:beta')",
		"WITH m AS (SELECT title, bm25(f) AS s FROM f WHERE f MATCH 'hello') SELECT title FROM m ORDER BY s, title",
		"SELECT count(*), max(title) FROM f WHERE f MATCH 'hello NOT bye'",
		"SELECT body FROM porter WHERE porter MATCH 'run' AND porter MATCH 'dog*'",
		"SELECT d.id, e.body FROM ext e JOIN doc d ON d.title = e.title WHERE ext MATCH 'hello' ORDER BY rank, 1",
		"SELECT d.id, own.title FROM own, doc d WHERE own MATCH 'alpha' AND d.title = own.title",
	} {
		want, err := run(raw, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if table, err := db.QueryText(t.Context(), g, text); err != nil || fmt.Sprint(table.Rows) != fmt.Sprint(want.Rows) || len(want.Rows) == 0 {
			t.Errorf("%s: %v, %v, want %v", text, table, err, want.Rows)
		}
	}
	refused := func(g *secureview.Guard, texts ...string) {
		for _, text := range texts {
			if table, err := db.QueryText(t.Context(), g, text); err == nil {
				t.Errorf("%s: %v", text, table.Rows)
			}
		}
	}
	refused(g, "SELECT title FROM part WHERE part MATCH 'hidden'", "SELECT title FROM part WHERE part MATCH 'body:hid*'",
		"SELECT title FROM part WHERE title MATCH 'a'", "SELECT highlight(part, 1, '[', ']') FROM part", "SELECT snippet(part, -1, '[', ']', '', 9) FROM part",
		"SELECT bm25(part) FROM part", "SELECT title FROM part ORDER BY rank", "SELECT title FROM ext WHERE ext MATCH 'hello'", "SELECT title FROM ext",
		"SELECT secret FROM ext JOIN doc USING (title) WHERE ext MATCH 'hello'", "SELECT term FROM words", "SELECT * FROM part_content", "SELECT * FROM f_data",
		"SELECT id FROM doc WHERE doc MATCH 'hello'", "SELECT id FROM doc WHERE body MATCH 'hello'", "SELECT title FROM f WHERE f MATCH title",
		"SELECT title FROM f WHERE f MATCH (SELECT title FROM part)", "SELECT f FROM f", "SELECT rank FROM f", "SELECT rowid FROM f", "SELECT a.title FROM f a, f b WHERE f MATCH 'hello'",
		"SELECT highlight(f, 1, (SELECT title FROM part), '') FROM f WHERE f MATCH 'hello'", "SELECT fts5(NULL)", "SELECT title FROM f WHERE f MATCH 'AND AND'")
	policy.Tables = map[string][]string{"secure_f": {"title", "body"}, "doc": {"id"}}
	policy.Views = map[string]string{"f": "secure_f"}
	if g, err = db.Guard(t.Context(), policy, sqlite.Dialect{}); err != nil {
		t.Fatal(err)
	}
	refused(g, "SELECT title FROM f WHERE f MATCH 'beta'", "SELECT title FROM f WHERE title MATCH 'beta'", "SELECT bm25(f) FROM f", "SELECT title FROM f ORDER BY rank")
}

// TestTableFunctionsSQLite: json_each and json_tree in FROM.
func TestTableFunctionsSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "json.db")
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, raw, `
		CREATE TABLE item (id INTEGER PRIMARY KEY, tags TEXT, doc TEXT, tenant INT);
		INSERT INTO item VALUES (1, '["a","b"]', '{"x":{"y":[1,2]}}', 1), (2, '[]', NULL, 1), (3, '["c"]', '{"x":3}', 1), (4, 'no JSON', 'no JSON', 2);
		CREATE VIEW secure_item AS SELECT id, tags, doc FROM item WHERE tenant = 1`)
	raw.Close()
	db, err := sqlitedb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	g, err := secureview.New(&secureview.Policy{
		Tables: map[string][]string{"secure_item": {"id", "tags", "doc"}}, Views: map[string]string{"item": "secure_item"},
	}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"SELECT item.id, e.value FROM item, json_each(item.tags) e ORDER BY 1, 2":                                                     "[[1 a] [1 b] [3 c]]",
		"SELECT i.id, e.value FROM item i LEFT JOIN json_each(i.tags) AS e ON e.value <> 'a' ORDER BY 1, 2":                           "[[1 b] [2 <nil>] [3 c]]",
		"SELECT count(*), max(atom) FROM item, json_tree(doc, '$.x') WHERE type = 'integer'":                                          "[[3 3]]",
		"SELECT fullkey FROM item i JOIN json_tree(i.doc) t ON t.atom = 2":                                                            "[[$.x.y[1]]]",
		"SELECT id FROM item WHERE EXISTS (SELECT 1 FROM json_each(tags) WHERE value = 'c')":                                          "[[3]]",
		"SELECT * FROM json_each('{\"k\":7}')":                                                                                        "[[k 7 integer 7 1 <nil> $.k $]]",
		"SELECT e.key, f.value FROM json_each('[[1,2]]') e, json_each(e.value) f ORDER BY 2":                                          "[[0 1] [0 2]]",
		"SELECT json_group_array(upper(value)) FROM item, json_each(tags) GROUP BY item.id ORDER BY 1":                                `[["A","B"]] [["C"]]`,
		"WITH tag AS (SELECT item.id, value AS name FROM item, json_each(tags)) SELECT name, count(*) FROM tag GROUP BY 1 ORDER BY 1": "[[a 1] [b 1] [c 1]]",
	} {
		stmt, err := g.Rewrite(t.Context(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		table, err := db.Query(t.Context(), stmt)
		if err != nil {
			t.Errorf("%s: executed as %s: %v", text, stmt.SQL(), err)
			continue
		}
		if got := fmt.Sprint(table.Rows); got != want && got != "["+want+"]" {
			t.Errorf("%s: executed as %s: %s, want %s", text, stmt.SQL(), got, want)
		}
	}
}
