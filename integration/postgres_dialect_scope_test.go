package integration_test

import (
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/secureview"
	pgdialect "github.com/qedkit/qed/secureview/dialect/postgres"
)

// postgresScopes are statements that depend on the scope of a name. The guard must refuse
// the statements that the server refuses.
var postgresScopes = []string{
	// ORDER BY, GROUP BY, DISTINCT ON, HAVING.
	`SELECT -budget AS id, name FROM dept ORDER BY id`,
	`SELECT -budget AS id, name FROM dept ORDER BY dept.id + 0`,
	`SELECT -budget AS n FROM dept ORDER BY n`,
	`SELECT -budget AS n FROM dept ORDER BY n + 0`,
	`SELECT d.name FROM dept d JOIN crew c ON c.dept_id = d.id ORDER BY name, c.id`,
	`SELECT d.name, c.name FROM dept d JOIN crew c ON c.dept_id = d.id ORDER BY name`,
	`SELECT d.name, d.name FROM dept d ORDER BY name`,
	`SELECT lower(name) AS name, count(*) FROM dept GROUP BY dept.name ORDER BY 1, 2`,
	`SELECT lower(name) AS n, count(*) FROM dept GROUP BY n ORDER BY 1`,
	`SELECT lower(name) AS n, count(*) FROM dept GROUP BY lower(n) ORDER BY 1`,
	`SELECT id % 2 AS budget, count(*) FROM dept GROUP BY dept.budget, id ORDER BY 1, 2`,
	`SELECT id % 2 AS p, count(*) FROM dept GROUP BY ROLLUP (p) ORDER BY 1, 2`,
	`SELECT DISTINCT ON (p) id % 2 AS p, id FROM dept ORDER BY p, id DESC`,
	`SELECT DISTINCT ON (k) id % 2 AS k, name FROM dept ORDER BY k, name`,
	`SELECT id % 2 AS p FROM dept GROUP BY p HAVING p = 1`,
	`SELECT count(*) AS n FROM dept HAVING n > 1`,
	`SELECT id AS x FROM dept WHERE x = 1`,
	`SELECT id FROM dept ORDER BY 2`,
	`SELECT id AS a, name AS b FROM dept UNION SELECT id, name FROM crew ORDER BY b, a`,
	`SELECT id AS a FROM dept UNION SELECT id FROM crew ORDER BY a + 1`,
	`SELECT id AS a FROM dept UNION SELECT id AS b FROM crew ORDER BY b`,
	`SELECT sum(id) OVER (ORDER BY x) FROM (SELECT id, -id AS x FROM dept) s ORDER BY 1`,
	`SELECT -id AS x, sum(id) OVER (ORDER BY x) FROM dept`,

	// The columns of unnest.
	`SELECT u.* FROM dept, unnest(to_tsvector('simple', name)) AS u ORDER BY 1, 2`,
	`SELECT id, positions, n FROM dept, unnest(strip(name::tsvector)) WITH ORDINALITY AS u(a, b, c, n) ORDER BY 1, 3`,
	`SELECT id, u.lexeme, positions, ordinality FROM dept, unnest(name::tsvector) WITH ORDINALITY AS u ORDER BY 1, 4`,
	`SELECT u.* FROM ROWS FROM (unnest(setweight('a b'::tsvector, 'A')), generate_series(1, 3)) AS u(a, b) ORDER BY 4`,
	`SELECT x.a, u FROM (SELECT array_agg(id ORDER BY id) AS a FROM dept) AS x, unnest(a || 7) AS u ORDER BY u`,
	`SELECT u FROM (SELECT ARRAY[[id, 2], [3, 4]] AS a FROM dept) AS x, unnest(a) AS u ORDER BY u`,
	`SELECT u FROM unnest(multirange(int4range(1, 5))) AS u`,
	`SELECT u FROM (SELECT '{[1,3),[5,7)}'::int4multirange AS r) AS x, unnest(r::int4multirange) AS u ORDER BY u`,

	// Names that differ in case.
	`SELECT -id AS "Name", name AS n FROM dept ORDER BY dept.name`,
	`SELECT -id AS "Rank", name AS r FROM dept ORDER BY r, "Rank"`,
	`SELECT -id AS rank, name AS "R" FROM dept ORDER BY rank`,
	`SELECT DISTINCT ON (rank) -id AS "R", name AS rank FROM dept ORDER BY rank, 1`,
	`SELECT -id AS "R", name AS rank FROM dept UNION SELECT id, name FROM crew ORDER BY rank, "R"`,
	`SELECT count(*), id % 2 AS "Budget" FROM dept GROUP BY dept.budget, 2 ORDER BY 1, 2`,
	`SELECT (SELECT count(*) AS "Budget" FROM crew GROUP BY dept.budget) FROM dept ORDER BY 1`,
	`SELECT x.a, "B" FROM (SELECT -id AS "B", name AS a FROM dept) AS x ORDER BY a, x."B"`,
	`WITH x AS (SELECT -id AS "B", name AS a FROM dept) SELECT a, x."B" FROM x WHERE a > 'a' ORDER BY x.a`,
	`SELECT id, (SELECT count(*) FROM crew AS "U" WHERE "U".id < t.id) FROM dept AS t ORDER BY id`,
	`SELECT -id AS rank, name AS rank FROM dept ORDER BY rank`,
	`SELECT count(*) FROM (SELECT 1 AS "A") x CROSS JOIN (SELECT 2 AS a) y`,
	`SELECT * FROM (SELECT 1 AS "A", 2 AS b) x JOIN (SELECT 3 AS a, 2 AS b) y USING (b)`,
	`SELECT count(q), count(q."X") FROM (SELECT NULL::int AS "X") AS q`,
	`SELECT row_to_json(q)::text FROM (SELECT 1 AS "X") AS q`,
	`SELECT row_to_json(X)::text, count("D") OVER () FROM (SELECT 1 AS y) AS "D", (SELECT 2 AS z) AS x`,
	`SELECT (SELECT row_to_json(d)::text FROM (SELECT 2 AS x) AS "E") FROM (SELECT 1 AS y) AS d`,
	`WITH "Depts" AS (SELECT 9 AS id) SELECT id FROM dept ORDER BY id`,
	`WITH "Y" AS (SELECT 1 AS a) SELECT z.* FROM (WITH x AS (SELECT 2 AS a) SELECT "Y".a AS b, w.a FROM "Y", x AS w) AS z`,
	`WITH x AS (SELECT 1 AS a) SELECT a FROM (WITH "Y" AS (SELECT 2 AS a) SELECT a FROM x) AS z`,

	// Common table expressions.
	`WITH dept AS (SELECT id, name || '!' AS name FROM dept) SELECT * FROM dept ORDER BY id`,
	`WITH a AS (SELECT count(*) AS n FROM crew), c AS (SELECT 1 AS id) SELECT n, c.id FROM a, c`,
	`WITH RECURSIVE a AS (SELECT id FROM crew), c AS (SELECT 77 AS id) SELECT a.id, c.id FROM a, c`,
	`WITH RECURSIVE crew AS (SELECT 77 AS id), a AS (SELECT id FROM crew) SELECT a.id FROM a`,
	`WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 4) SELECT i FROM t ORDER BY i`,
	`WITH t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 4) SELECT i FROM t`,
	`WITH x AS (SELECT 1 AS a) SELECT * FROM (WITH x AS (SELECT a + 1 AS a FROM x) SELECT a FROM x) y, x`,
	`SELECT (WITH dept AS (SELECT 5 AS id) SELECT id FROM dept), id FROM dept ORDER BY 2`,
	`WITH x(a, b) AS (SELECT id, name FROM dept) SELECT b, a FROM x ORDER BY a`,
	`WITH x(a) AS (SELECT id, name FROM dept) SELECT a FROM x ORDER BY a`,
	`SELECT n, p, budget FROM dept AS x(n, p) ORDER BY n`,
	`SELECT * FROM dept AS x(n), crew AS y(g, p) WHERE x.n = y.p ORDER BY n, g`,
	`SELECT id FROM dept AS x(n)`,
	`SELECT dept.id FROM dept AS x(n)`,
	`SELECT x.a FROM dept AS x(a, b, c, d)`,
	`SELECT count(*) FROM (SELECT id FROM crew ORDER BY dept_id FETCH FIRST 1 ROW WITH TIES) AS x`,

	// Joins.
	`SELECT * FROM dept JOIN crew USING (id) ORDER BY id`,
	`SELECT * FROM dept RIGHT JOIN crew USING (id) ORDER BY id`,
	`SELECT * FROM dept LEFT JOIN crew USING (id) ORDER BY id`,
	`SELECT * FROM dept FULL JOIN crew USING (id) ORDER BY id`,
	`SELECT id, dept.id, crew.id FROM dept FULL JOIN crew USING (id) ORDER BY id`,
	`SELECT * FROM dept NATURAL JOIN crew ORDER BY id`,
	`SELECT * FROM dept NATURAL FULL JOIN crew ORDER BY id, name`,
	`SELECT * FROM dept a JOIN dept b USING (id, name) JOIN crew c USING (id) ORDER BY id`,
	`SELECT * FROM dept a JOIN (crew b JOIN dept c USING (id)) USING (id) ORDER BY id`,
	`SELECT id FROM dept, crew`,
	`SELECT id FROM dept JOIN crew ON true`,
	`SELECT a.id FROM dept a JOIN crew b ON c.id = a.id JOIN crew c ON c.id = b.id`,
	`SELECT a.id FROM dept a, crew b JOIN crew c ON a.id = c.id`,
	`SELECT a.id FROM dept a JOIN (crew b JOIN crew c ON a.id = c.id) ON true`,
	`SELECT a.id FROM dept a, dept a`,
	`SELECT dept.id FROM dept d`,
	`SELECT d.id, dept.id FROM dept d, dept ORDER BY 1, 2`,
	`SELECT budget FROM dept JOIN crew ON dept.id = crew.id AND dept_id = budget - budget + 1 ORDER BY 1`,

	// Subqueries.
	`SELECT id, (SELECT count(*) FROM crew WHERE dept_id = dept.id) FROM dept ORDER BY id`,
	`SELECT id, (SELECT count(*) FROM crew WHERE crew.dept_id = budget) FROM dept ORDER BY id`,
	`SELECT id FROM dept WHERE EXISTS (SELECT 1 FROM crew WHERE name = 'a' AND dept.name = 'a') ORDER BY id`,
	`SELECT id FROM dept d WHERE budget > (SELECT avg(budget) FROM dept WHERE name = d.name) ORDER BY id`,
	`SELECT (SELECT max(x) FROM (SELECT d.budget AS x) AS s) FROM dept d ORDER BY 1`,
	`SELECT a.id FROM dept a, (SELECT id FROM crew WHERE crew.id = a.id) AS b`,
	`SELECT a.id, b.n FROM dept a, LATERAL (SELECT count(*) AS n FROM crew WHERE dept_id = a.id) AS b ORDER BY 1`,
	`SELECT a.id, b.n FROM LATERAL (SELECT count(*) AS n FROM crew WHERE dept_id = a.id) AS b, dept a`,
	`SELECT a.id, g FROM dept a, generate_series(1, a.id) g ORDER BY 1, 2`,
	`SELECT a.id, g.g FROM dept a JOIN LATERAL generate_series(1, a.id) g ON true ORDER BY 1, 2`,
	`SELECT a.id FROM generate_series(1, a.id) g, dept a`,
	`SELECT id, sum((SELECT count(*) FROM crew WHERE dept_id = dept.id)) FROM dept GROUP BY id ORDER BY 1`,
	`SELECT (SELECT sum(dept.budget) FROM crew LIMIT 1) FROM dept`,
	`SELECT id, (SELECT max(budget) FROM crew WHERE crew.id = 1) FROM dept ORDER BY 1`,
	`SELECT x.id FROM dept x WHERE x.id IN (SELECT x.dept_id FROM crew x) ORDER BY 1`,
	`SELECT id FROM dept WHERE id IN (SELECT budget FROM crew) ORDER BY 1`,
	`SELECT n FROM (SELECT count(*) n FROM dept) s`,
	`SELECT count FROM (SELECT count(*) FROM dept) s`,
	`SELECT s."?column?" FROM (SELECT 1) s`,
	`SELECT column1 FROM (VALUES (1), (2)) v ORDER BY column1`,
	`SELECT ordinality, value FROM json_array_elements('[5]') WITH ORDINALITY`,

	// Names that could be a whole row, or a function call in column notation.
	`SELECT key, value FROM json_each_text('{"a": 1}') AS x`,
	`SELECT d.name AS total, total(d.name) FROM dept d`,
	`SELECT d.lower FROM dept d`,
}

// postgresAmbiguous are statements that the server executes, with a name that could mean
// two things, or that differs from another one in case only. The guard refuses them.
var postgresAmbiguous = []string{
	`SELECT -budget AS id, name FROM dept ORDER BY id + 0`,
	`SELECT lower(name) AS name, count(*) FROM dept GROUP BY name ORDER BY 1, 2`,
	`SELECT id % 2 AS budget, count(*) FROM dept GROUP BY budget, id ORDER BY 1, 2`,
	`SELECT DISTINCT ON (id) id % 2 AS id, name FROM dept ORDER BY id, name`,
	`SELECT -id AS "Name", name AS n FROM dept ORDER BY name`,
	`SELECT -id AS "Rank", name AS rank FROM dept ORDER BY rank, "Rank"`,
	`SELECT -id AS rank, name AS "Rank" FROM dept ORDER BY rank`,
	`SELECT DISTINCT ON (rank) -id AS "Rank", name AS rank FROM dept ORDER BY rank, 1`,
	`SELECT -id AS "Rank", name AS rank FROM dept UNION SELECT id, name FROM crew ORDER BY rank, "Rank"`,
	`SELECT count(*), id % 2 AS "Budget" FROM dept GROUP BY budget, "Budget" ORDER BY 1, 2`,
	`SELECT (SELECT count(*) AS "Budget" FROM crew GROUP BY budget) FROM dept ORDER BY 1`,
	`SELECT x.a, "A" FROM (SELECT -id AS "A", name AS a FROM dept) AS x ORDER BY a, x."A"`,
	`WITH x AS (SELECT -id AS "A", name AS a FROM dept) SELECT a, x."A" FROM x WHERE a > 'a' ORDER BY x.a`,
	`SELECT id, (SELECT count(*) FROM crew AS "T" WHERE "T".id < t.id) FROM dept AS t ORDER BY id`,
	`SELECT count(*) FROM (SELECT 1 AS "A") x NATURAL JOIN (SELECT 2 AS a) y`,
	`SELECT * FROM (SELECT 1 AS "A", 2 AS b) x NATURAL JOIN (SELECT 3 AS a, 2 AS b) y`,
	`SELECT count(x), count(x."X") FROM (SELECT NULL::int AS "X") AS x`,
	`SELECT row_to_json(x)::text FROM (SELECT 1 AS "X") AS x`,
	`SELECT (SELECT row_to_json(d)::text FROM (SELECT 2 AS x) AS "D") FROM (SELECT 1 AS y) AS d`,
	`WITH "Dept" AS (SELECT 9 AS id) SELECT id FROM dept ORDER BY id`,
	`WITH "X" AS (SELECT 1 AS a) SELECT z.* FROM (WITH x AS (SELECT 2 AS a) SELECT "X".a AS b, y.a FROM "X", x AS y) AS z`,
	`WITH x AS (SELECT 1 AS a) SELECT a FROM (WITH "X" AS (SELECT 2 AS a) SELECT a FROM x) AS z`,
	`WITH a AS (SELECT count(*) AS n FROM crew), crew AS (SELECT 1 AS id) SELECT n, crew.id FROM a, crew`,
	`WITH RECURSIVE a AS (SELECT id FROM crew), crew AS (SELECT 77 AS id) SELECT a.id, crew.id FROM a, crew`,
	`SELECT (SELECT max(q.id) FROM (SELECT 7 AS id, 1 AS "BUDGET") AS q WHERE budget > 1) FROM dept ORDER BY 1`,
	`SELECT DISTINCT ON (id) id::bool FROM dept`,
	`SELECT crew.id AS k FROM dept LEFT JOIN crew USING (id) ORDER BY id`,
}

// Names have the same meaning as on the server, even if the tables have hidden columns
// with all the names that a statement uses.
func TestPostgresScopes(t *testing.T) {
	open := func(path string) *sql.DB {
		config := integration.PostgreSQL(t)
		config.RuntimeParams["search_path"] = path
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
		db := stdlib.OpenDB(*config)
		t.Cleanup(func() { db.Close() })
		return db
	}
	plain, guarded := open("scope_plain"), open("pg_catalog")
	hidden := `, a int DEFAULT 91, b int DEFAULT 92, n int DEFAULT 93, x int DEFAULT 94, p int DEFAULT 95, g int DEFAULT 96, i int DEFAULT 97, total int DEFAULT 98, key int DEFAULT 99, value int, ordinality int, column1 int, count int, "?column?" int, lower int DEFAULT 90`
	for schema, more := range map[string]string{"scope_plain": "", "scope_full": hidden} {
		mustExec(t, plain, `CREATE SCHEMA `+schema)
		mustExec(t, plain, `CREATE TABLE `+schema+`.dept (id int, name text, budget int`+more+`)`)
		mustExec(t, plain, `CREATE TABLE `+schema+`.crew (id int, dept_id int, name text`+more+`)`)
		mustExec(t, plain, `INSERT INTO `+schema+`.dept (id, name, budget) VALUES (1, 'a', 10), (2, 'B', 20), (3, 'c', 1), (4, 'b', NULL)`)
		mustExec(t, plain, `INSERT INTO `+schema+`.crew (id, dept_id, name) VALUES (1, 1, 'a'), (2, 1, 'x'), (5, 3, 'c')`)
	}
	g, err := secureview.New(&secureview.Policy{
		Dialect: "postgres", Schema: "scope_full",
		Tables: map[string][]string{"dept": {"id", "name", "budget"}, "crew": {"id", "dept_id", "name"}},
	}, pgdialect.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range postgresAmbiguous {
		if _, err := run(plain, text); err != nil {
			t.Errorf("%s: the server: %v", text, err)
		}
		if stmt, err := g.Rewrite(t.Context(), text); err == nil {
			t.Errorf("%s\nis accepted as %s", text, stmt.SQL())
		}
	}
	accepted := 0
	for _, text := range postgresScopes {
		want, refused := run(plain, text)
		stmt, err := g.Rewrite(t.Context(), text)
		switch {
		case refused != nil && err == nil:
			if _, failed := run(guarded, stmt.SQL()); failed == nil {
				t.Errorf("%s: the server refuses it (%v), the guard runs %s", text, refused, stmt.SQL())
			}
		case refused == nil && err != nil:
			t.Errorf("%s: %v", text, err)
		case refused == nil:
			original := func() (result, error) { return run(plain, text) }
			rewritten := func() (result, error) { return run(guarded, stmt.SQL()) }
			if err := agree(want, original, rewritten); err != nil {
				t.Errorf("%s\nbecame %s: %v", text, stmt.SQL(), err)
			}
			accepted++
		}
	}
	t.Logf("%d of %d statements ran", accepted, len(postgresScopes))
}
