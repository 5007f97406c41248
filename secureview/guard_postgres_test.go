package secureview_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/postgres"
)

func TestRewritePostgres(t *testing.T) {
	g := guard(t, postgres.Dialect{})
	for _, tt := range []struct{ name, sql, want string }{
		{"a table becomes its view",
			"SELECT employee.name FROM employee WHERE employee.id = 7",
			"SELECT employee.name AS name FROM main.secure_employee AS employee WHERE employee.id = 7"},
		{"mixed case without quotes",
			"SELECT workOrder.customerId, ec.isLead FROM workOrder JOIN employeeCrew ec ON true",
			"SELECT workOrder.customerId AS customerid, ec.isLead AS islead FROM main.secure_workorder AS workOrder JOIN main.employeeCrew AS ec ON TRUE"},
		{"mixed case in quotes",
			`SELECT "workOrder"."customerId" FROM "workOrder"`,
			"SELECT workOrder.customerId AS customerId FROM main.secure_workorder AS workOrder"},
		{"an alias and a column that differ in case",
			`SELECT id AS "Name", name AS n, budget AS "budgeT" FROM dept ORDER BY "Name", budgeT, n`,
			"SELECT dept.id AS Name, dept.name AS n, dept.budget AS budgeT FROM main.dept ORDER BY Name, dept.budget, n"},
		{"an alias in another case",
			`SELECT name AS "Total", count(*) AS "totals" FROM dept GROUP BY Total ORDER BY TOTAL, "Totals"`,
			"SELECT dept.name AS Total, pg_catalog.count(*) AS totals FROM main.dept GROUP BY 1 ORDER BY Total, totals"},
		{"a star is the listed columns",
			"SELECT * FROM employee",
			"SELECT employee.id AS id, employee.name AS name, employee.deptId AS deptId FROM main.secure_employee AS employee"},
		{"headers as the server has them",
			"SELECT count(*), max(id) + 1, upper(name), id::text, coalesce(name, 'x') FROM dept GROUP BY id, name",
			"SELECT pg_catalog.count(*) AS count, max(dept.id) + 1 AS ?column?, pg_catalog.upper(dept.name) AS upper, CAST(dept.id AS text) AS id, coalesce(dept.name, 'x') AS coalesce FROM main.dept GROUP BY dept.id, dept.name"},
		{"a CTE named like a table, over it",
			"WITH employee AS (SELECT id FROM employee) SELECT id FROM employee",
			"WITH cte1_employee AS (SELECT employee.id FROM main.secure_employee AS employee) SELECT employee.id AS id FROM cte1_employee AS employee"},
		{"LATERAL",
			"SELECT d.name, t.m FROM dept d, LATERAL (SELECT max(e.id) AS m FROM employee e WHERE e.deptId = d.id) AS t",
			"SELECT d.name AS name, t.m AS m FROM main.dept AS d JOIN LATERAL (SELECT max(e.id) AS m FROM main.secure_employee AS e WHERE e.deptId = d.id) AS t ON TRUE"},
		{"a table function of a column",
			"SELECT g FROM dept d, generate_series(1, d.budget) AS g",
			"SELECT g.g AS g FROM main.dept AS d JOIN pg_catalog.generate_series(1, d.budget) AS g (g) ON TRUE"},
		{"a function with one value in FROM",
			"SELECT id, q FROM dept, websearch_to_tsquery('english', 'a') q WHERE to_tsvector(name) @@ q",
			"SELECT dept.id AS id, q.q AS q FROM main.dept JOIN pg_catalog.websearch_to_tsquery('english', 'a') AS q (q) ON TRUE WHERE pg_catalog.to_tsvector(dept.name) @@ q.q"},
		{"functions in FROM without an alias",
			"SELECT * FROM now(), ROWS FROM (generate_series(1, 2), lower('X'))",
			"SELECT now.now AS now, generate_series.generate_series AS generate_series, generate_series.lower AS lower FROM pg_catalog.now() AS now (now) JOIN ROWS FROM (pg_catalog.generate_series(1, 2), pg_catalog.lower('X')) AS generate_series (generate_series, lower) ON TRUE"},
		{"operators of pgvector",
			"SELECT name <-> '[1]', name <=> name, name <#> '[1]'::vector(1) FROM dept ORDER BY name <+> '[1]'",
			"SELECT dept.name <-> '[1]' AS ?column?, dept.name <=> dept.name AS ?column?, dept.name <#> CAST('[1]' AS vector(1)) AS ?column? FROM main.dept ORDER BY dept.name <+> '[1]'"},
		{"a table function with its own columns",
			"SELECT id, key, value FROM dept, json_each_text(name::json)",
			"SELECT dept.id AS id, json_each_text.key AS key, json_each_text.value AS value FROM main.dept JOIN pg_catalog.json_each_text(CAST(dept.name AS json)) AS json_each_text (key, value) ON TRUE"},
		{"a table function with names",
			"SELECT x, n FROM unnest(ARRAY[1, 2]) WITH ORDINALITY AS u(x, n)",
			"SELECT u.x AS x, u.n AS n FROM pg_catalog.unnest(ARRAY[1, 2]) WITH ORDINALITY AS u (x, n)"},
		{"a star after USING keeps the sides of a RIGHT JOIN",
			"SELECT * FROM dept d RIGHT JOIN customer c USING (name)",
			"SELECT c.name AS name, d.id AS id, d.budget AS budget, c.id AS id, c.city AS city FROM main.dept AS d RIGHT JOIN main.secure_customer AS c ON d.name = c.name"},
		{"a derived table sees enclosing queries",
			"SELECT (SELECT max(x) FROM (SELECT d.budget AS x) AS s) AS m FROM dept d",
			"SELECT (SELECT max(s.x) FROM (SELECT d.budget AS x) AS s) AS m FROM main.dept AS d"},
		{"ORDER BY takes an output column first",
			"SELECT -budget AS id FROM dept ORDER BY id",
			"SELECT -dept.budget AS id FROM main.dept ORDER BY id"},
		{"ORDER BY takes the output column of a name that is ambiguous in FROM",
			"SELECT e.name FROM employee e, dept ORDER BY name",
			"SELECT e.name AS name FROM main.secure_employee AS e JOIN main.dept ON TRUE ORDER BY 1"},
		{"an alias in GROUP BY, also in sets",
			"SELECT lower(name) AS n, budget % 2 AS p, count(*) FROM dept GROUP BY GROUPING SETS ((n, p), ROLLUP (n))",
			"SELECT pg_catalog.lower(dept.name) AS n, dept.budget % 2 AS p, pg_catalog.count(*) AS count FROM main.dept GROUP BY GROUPING SETS ((1, 2), ROLLUP (1))"},
		{"DISTINCT ON",
			"SELECT DISTINCT ON (n, budget) lower(name) AS n, id FROM dept ORDER BY n, budget DESC",
			"SELECT DISTINCT ON (1, dept.budget) pg_catalog.lower(dept.name) AS n, dept.id AS id FROM main.dept ORDER BY n, dept.budget DESC"},
		{"functions of pg_catalog",
			"SELECT pg_catalog.lower(name), EXTRACT(year FROM now()) FROM dept",
			"SELECT pg_catalog.lower(dept.name) AS lower, extract(YEAR FROM pg_catalog.now()) AS extract FROM main.dept"},
		{"keywords in strings and comments",
			"SELECT $$FROM secret; DELETE$$ AS s /* FROM /* secret */ */ FROM dept -- FROM secret",
			"SELECT 'FROM secret; DELETE' AS s FROM main.dept"},
		{"FETCH FIRST is a LIMIT",
			"SELECT name FROM dept ORDER BY id OFFSET 3 FETCH FIRST 5 ROWS ONLY",
			"SELECT dept.name AS name FROM main.dept ORDER BY dept.id LIMIT 5 OFFSET 3"},
		{"arrays",
			"SELECT id = ANY (ARRAY(SELECT id FROM crew)), (ARRAY[id, budget])[1:2] FROM dept",
			"SELECT dept.id = ANY (ARRAY(SELECT collected.* FROM (SELECT crew.id FROM main.crew OFFSET 0) AS collected (value) " +
				"WHERE " + collects("qed.collected", 8388608, "collected.value") + ")) AS ?column?, (ARRAY[dept.id, dept.budget])[1:2] AS array FROM main.dept"},
		{"columns of one name that nobody names",
			"SELECT count(*) FROM (SELECT * FROM dept a JOIN crew b ON a.id = b.id) AS x",
			"SELECT pg_catalog.count(*) AS count FROM (SELECT a.id, a.name, a.budget, b.id AS id:1, b.workOrderId, b.createdBy FROM main.dept AS a JOIN main.crew AS b ON a.id = b.id) AS x"},
		{"a star over columns of one name",
			"SELECT *, x.p FROM (SELECT id, id, id AS \"id:1\", name AS p FROM dept) AS x JOIN (VALUES (1)) AS v(n) ON true",
			"SELECT x.id AS id, x.id:1 AS id, x.id:1:1 AS id:1, x.p AS p, v.n AS n, x.p AS p FROM (SELECT dept.id, dept.id AS id:1, dept.id AS id:1:1, dept.name AS p FROM main.dept) AS x JOIN (VALUES (1)) AS v (n) ON TRUE"},
		{"a star over columns of one name and USING",
			"WITH x AS (SELECT id AS a, id AS a, name FROM dept) SELECT * FROM x JOIN dept USING (name)",
			"WITH x AS (SELECT dept.id AS a, dept.id AS a:1, dept.name FROM main.dept) SELECT x.name AS name, x.a AS a, x.a:1 AS a, dept.id AS id, dept.budget AS budget FROM x JOIN main.dept ON x.name = dept.name"},
		{"unnest of a column and of a text search vector",
			"SELECT u.*, v.*, w FROM dept, unnest(dept.name) AS u, unnest(name::tsvector) WITH ORDINALITY AS v(a), unnest((ARRAY[1])[:]) AS w",
			"SELECT u.u AS u, v.a AS a, v.positions AS positions, v.weights AS weights, v.ordinality AS ordinality, w.w AS w FROM main.dept " +
				"JOIN pg_catalog.unnest(dept.name[:]) AS u (u) ON TRUE " +
				"JOIN pg_catalog.unnest(CAST(dept.name AS tsvector)) WITH ORDINALITY AS v (a, positions, weights, ordinality) ON TRUE " +
				"JOIN pg_catalog.unnest((ARRAY[1])[:]) AS w (w) ON TRUE"},
		{"a table function with columns of one name",
			"SELECT * FROM unnest(ARRAY[1], ARRAY[2]) AS x",
			"SELECT x.unnest AS unnest, x.unnest:1 AS unnest FROM ROWS FROM (pg_catalog.unnest(ARRAY[1]), pg_catalog.unnest(ARRAY[2])) AS x (unnest, unnest:1)"},
		{"several functions",
			"SELECT u.* FROM dept LEFT JOIN LATERAL ROWS FROM (generate_series(1, dept.id), json_each(name::json)) WITH ORDINALITY AS u(n) ON TRUE",
			"SELECT u.n AS n, u.key AS key, u.value AS value, u.ordinality AS ordinality FROM main.dept LEFT JOIN " +
				"ROWS FROM (pg_catalog.generate_series(1, dept.id), pg_catalog.json_each(CAST(dept.name AS json))) WITH ORDINALITY AS u (n, key, value, ordinality) ON TRUE"},
		{"the rows of an outermost WITH TIES are bounded",
			"WITH x AS (SELECT id FROM dept) SELECT id, id, 1 AS one FROM x ORDER BY id OFFSET 1 FETCH FIRST (1 + 2) ROWS WITH TIES",
			"SELECT subquery.c1 AS id, subquery.c2 AS id, subquery.c3 AS one FROM (WITH x AS (SELECT dept.id FROM main.dept) SELECT x.id AS id, x.id AS id, 1 AS one " +
				"FROM x ORDER BY x.id FETCH FIRST (1 + 2) ROWS WITH TIES OFFSET 1) AS subquery (c1, c2, c3)"},
		{"a CTE that uses columns of the query around",
			"SELECT (WITH x AS (SELECT d.budget AS b) SELECT b FROM x, employee AS d) AS b FROM dept d",
			"SELECT (WITH x AS (SELECT d.budget AS b) SELECT x.b FROM x JOIN main.secure_employee AS d ON TRUE) AS b FROM main.dept AS d"},
		{"the row of a derived table as an argument",
			"SELECT json_agg(x ORDER BY x.id), count(y.*) FROM (SELECT * FROM dept) AS x, (SELECT 1 AS n) AS y",
			"SELECT pg_catalog.json_agg(x.* ORDER BY x.id) FILTER (WHERE " + collects("qed.collected", 8388608, "pg_catalog.json_build_array(x.*)") + ") AS json_agg, pg_catalog.count(y.*) AS count FROM (SELECT dept.id, dept.name, dept.budget FROM main.dept) AS x JOIN (SELECT 1 AS n) AS y ON TRUE"},
		{"aggregates that hold their values",
			"SELECT string_agg(DISTINCT name, ',') FILTER (WHERE id > 1), max(name), array_agg(id) OVER () FROM dept",
			"SELECT pg_catalog.string_agg(DISTINCT dept.name, ',') FILTER (WHERE CASE WHEN dept.id > 1 THEN " +
				collects("qed.distinct", 33554432, "dept.name", "','") + " ELSE FALSE END) AS string_agg, max(dept.name) AS max, " +
				"pg_catalog.array_agg(dept.id) FILTER (WHERE " + collects("qed.collected", 8388608, "dept.id") + ") OVER () AS array_agg FROM main.dept"},
		{"an aggregate of JSON in memory",
			"SELECT jsonb_object_agg(name, id) FROM dept",
			"SELECT pg_catalog.jsonb_object_agg(dept.name, dept.id) FILTER (WHERE " + strings.Replace(collects("qed.collected", 8388608,
				"pg_catalog.json_build_array(dept.name, dept.id)"), " AS text", " * 2 AS text", 1) + ") AS jsonb_object_agg FROM main.dept"},
		{"a window over aggregates",
			"SELECT string_agg(max(name), ',') OVER () FROM dept",
			"SELECT pg_catalog.string_agg(max(dept.name), ',') FILTER (WHERE " + strings.Replace(collects("qed.collected", 8388608), "8 + pg_catalog.octet_length(pg_catalog.concat())", "8 + 4096", 1) +
				") OVER () AS string_agg FROM main.dept"},
		{"an aggregate without arguments",
			"SELECT array_agg() FROM dept",
			"SELECT pg_catalog.array_agg() AS array_agg FROM main.dept"},
		{"an array of the first rows",
			"SELECT ARRAY(SELECT name FROM dept ORDER BY id LIMIT 2 OFFSET 1) AS x",
			"SELECT ARRAY(SELECT collected.* FROM (SELECT dept.name FROM main.dept ORDER BY dept.id LIMIT 2 OFFSET 1) AS collected (value) " +
				"WHERE " + collects("qed.collected", 8388608, "collected.value") + ") AS x"},
		{"the row of a CTE named like a table",
			"WITH dept AS (SELECT id FROM dept) SELECT row_to_json(dept) FROM dept",
			"WITH cte1_dept AS (SELECT dept.id FROM main.dept) SELECT pg_catalog.row_to_json(dept.*) AS row_to_json FROM cte1_dept AS dept"},
		{"a column before a row of its name",
			"SELECT to_json(name) FROM (SELECT name FROM dept) AS name",
			"SELECT pg_catalog.to_json(name.name) AS to_json FROM (SELECT dept.name FROM main.dept) AS name"},
		{"the row of a function is its only column",
			"SELECT e, e || 'x' AS y FROM dept, json_array_elements_text(name::json) AS e GROUP BY e ORDER BY e",
			"SELECT e.value AS e, e.value || 'x' AS y FROM main.dept JOIN pg_catalog.json_array_elements_text(CAST(dept.name AS json)) AS e (value) ON TRUE GROUP BY 1 ORDER BY e"},
		{"EXISTS of a SELECT without columns",
			"SELECT name FROM dept d WHERE EXISTS (SELECT FROM crew WHERE crew.id = d.id)",
			"SELECT d.name AS name FROM main.dept AS d WHERE EXISTS (SELECT 1 FROM main.crew WHERE crew.id = d.id)"},
		{"columns of an alias are those that may be read",
			"SELECT * FROM employee AS e(pw), dept AS d(a, b)",
			"SELECT e.pw AS pw, e.name AS name, e.deptId AS deptId, d.a AS a, d.b AS b, d.budget AS budget FROM (SELECT employee.id, employee.name, employee.deptId FROM main.secure_employee AS employee) AS e (pw, name, deptId) JOIN (SELECT dept.id, dept.name, dept.budget FROM main.dept) AS d (a, b, budget) ON TRUE"},
		{"ties inside",
			"SELECT id FROM (SELECT id FROM dept ORDER BY name FETCH FIRST 2 ROWS WITH TIES) AS x",
			"SELECT x.id AS id FROM (SELECT dept.id FROM main.dept ORDER BY dept.name FETCH FIRST 2 ROWS WITH TIES) AS x"},
		{"a function of the policy",
			"SELECT FULL_NAME(id) AS n FROM employee",
			"SELECT full_name(employee.id) AS n FROM main.secure_employee AS employee"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stmt, err := g.Rewrite(context.Background(), tt.sql)
			if err != nil {
				t.Fatalf("%s: %v", tt.sql, err)
			}
			if diff := cmp.Diff(tt.want, plain(stmt.SQL())); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.sql, diff)
			}
		})
	}
}

// collects is the condition that bounds what a statement collects of values.
func collects(setting string, bound int, values ...string) string {
	bytes := fmt.Sprintf("8 + pg_catalog.octet_length(pg_catalog.concat(%s))", strings.Join(values, ", "))
	return fmt.Sprintf("CAST(CASE WHEN CAST(pg_catalog.set_config('%[1]s', CAST(CAST(coalesce(nullif(pg_catalog.current_setting('%[1]s', TRUE), ''), '0') "+
		"AS integer) + %[2]s AS text), TRUE) AS integer) > %[3]d THEN '%[4]s' ELSE 'true' END AS boolean)", setting, bytes, bound, sqlast.TooMuchCollected)
}

func TestRefusedPostgres(t *testing.T) {
	g := guard(t, postgres.Dialect{})
	for _, tt := range []struct {
		sql  string
		code refusal.Code
	}{
		{"SELECT * FROM secret", secureview.ErrUnknownTable},
		{"SELECT * FROM secure_payroll", secureview.ErrUnknownView},
		{"SELECT * FROM pg_class", secureview.ErrUnknownTable},
		{"SELECT * FROM pg_catalog.pg_class", secureview.ErrUnknownSchema},
		{"SELECT * FROM information_schema.tables", secureview.ErrUnknownSchema},
		{"SELECT * FROM pg_temp.employee", secureview.ErrUnknownSchema},
		{"SELECT * FROM db.main.employee", secureview.ErrUnsupported},
		{"SELECT pw FROM employee", secureview.ErrUnknownColumn},
		{"SELECT ctid FROM employee", secureview.ErrUnknownColumn},
		{"SELECT e.xmin, tableoid FROM employee e", secureview.ErrUnknownColumn},
		{"SELECT employee FROM employee", secureview.ErrUnknownColumn},
		{"SELECT e FROM employee AS e", secureview.ErrUnknownColumn},
		{"SELECT e::text FROM employee AS e", secureview.ErrUnknownColumn},
		{"SELECT to_json(e) FROM employee AS e", secureview.ErrMisplaced},
		{"SELECT row_to_json(e.*) FROM employee AS e", secureview.ErrMisplaced},
		{"SELECT count(e.*) FROM employee AS e", secureview.ErrMisplaced},
		{"SELECT ROW(e.*) FROM employee AS e", secureview.ErrMisplaced},
		{"SELECT (e).pw FROM employee AS e", secureview.ErrUnsupported},
		{"SELECT (e.*).pw FROM employee AS e", secureview.ErrMisplaced},
		{"SELECT (e).* FROM employee AS e", secureview.ErrUnsupported},
		{"SELECT pw(e) FROM employee AS e", secureview.ErrMisplaced},
		{"SELECT e.lower FROM employee AS e", secureview.ErrUnknownColumn},
		{"SELECT max(e) FROM employee AS e", secureview.ErrMisplaced},
		{"SELECT array_agg(e ORDER BY e) FROM employee AS e", secureview.ErrMisplaced},
		{"SELECT name FROM employee e ORDER BY e", secureview.ErrUnknownColumn},
		{"SELECT name FROM employee e GROUP BY e, name", secureview.ErrUnknownColumn},
		{"SELECT name AS n FROM dept WHERE n = 'x'", secureview.ErrUnknownColumn},
		{"SELECT name AS n FROM dept HAVING n = 'x'", secureview.ErrUnknownColumn},
		{"SELECT name AS n FROM dept ORDER BY n || 'x'", secureview.ErrUnknownColumn},
		{"SELECT name AS n FROM dept GROUP BY lower(n)", secureview.ErrUnknownColumn},
		{`SELECT (SELECT max(x.id) FROM (SELECT 7 AS id, 1 AS "NAME") AS x WHERE name > 1) FROM dept`, secureview.ErrAmbiguousName},
		{`SELECT count(x) FROM (SELECT NULL::int AS "X") AS x`, secureview.ErrAmbiguousName},
		{"SELECT DISTINCT ON (id) id::bool FROM dept", secureview.ErrAmbiguousColumn},
		{"SELECT -budget AS id FROM dept ORDER BY id + 1", secureview.ErrAmbiguousColumn},
		{"SELECT lower(name) AS name FROM dept GROUP BY name", secureview.ErrAmbiguousColumn},
		{`SELECT id AS "Name" FROM dept ORDER BY name`, secureview.ErrAmbiguousColumn},
		{`WITH "Dept" AS (SELECT 1 AS x) SELECT d.id FROM dept d, "Dept"`, secureview.ErrAmbiguousName},
		{`SELECT (SELECT max(d.id) FROM crew AS "D") FROM dept d`, secureview.ErrAmbiguousName},
		{"SELECT a.id FROM dept a JOIN crew b ON c.id = a.id JOIN crew c ON c.id = b.id", secureview.ErrMisplaced},
		{"SELECT a.id FROM dept a, (SELECT id FROM crew WHERE crew.id = a.id) AS b", secureview.ErrMisplaced},
		{"SELECT * FROM generate_series(1, dept.id) AS g, dept", secureview.ErrMisplaced},
		{"SELECT lower(name) AS x, upper(name) AS x FROM dept ORDER BY x", secureview.ErrAmbiguousColumn},
		{"WITH a AS (SELECT * FROM b), b AS (SELECT 1 AS x) SELECT x FROM a", secureview.ErrAmbiguousName},
		{"WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a", secureview.ErrAmbiguousName},
		{`SELECT lower(name) AS "X", upper(name) AS "aX", id AS "Ax" FROM dept ORDER BY ax`, secureview.ErrAmbiguousColumn},
		{`SELECT x.a FROM (SELECT id AS "A", name AS "A" FROM dept) AS x`, secureview.ErrAmbiguousColumn},
		{"SELECT x.unnest FROM unnest(ARRAY[1], ARRAY[2]) AS x", secureview.ErrAmbiguousColumn},
		{"SELECT id FROM (SELECT * FROM dept a, dept b) AS x", secureview.ErrAmbiguousColumn},
		{"SELECT x.id FROM (SELECT * FROM dept a, dept b) AS x", secureview.ErrAmbiguousColumn},
		{"SELECT x.\"id:1\" FROM (SELECT * FROM dept a, dept b) AS x", secureview.ErrUnknownColumn},
		{"SELECT 1 FROM (SELECT * FROM dept a, dept b) AS x JOIN crew USING (id)", secureview.ErrAmbiguousColumn},
		{"SELECT 1 FROM (SELECT * FROM dept a, dept b) AS x NATURAL JOIN crew", secureview.ErrAmbiguousColumn},
		{"WITH x(a, a) AS (SELECT 1, 2) SELECT a FROM x", secureview.ErrAmbiguousName},
		{"WITH x AS (SELECT a.id, b.id FROM dept a, dept b ORDER BY id) SELECT 1 FROM x", secureview.ErrAmbiguousColumn},
		{"SELECT json_agg(x) FROM (SELECT id, id FROM dept) AS x", secureview.ErrMisplaced},
		{"SELECT json_agg(x.*) FROM (SELECT id, id FROM dept) AS x", secureview.ErrMisplaced},
		{"SELECT json_agg(main.dept.*) FROM (SELECT 1 AS id) AS dept", secureview.ErrMisplaced},
		{"WITH dept AS (SELECT 1 AS id) SELECT json_agg(dept.*) FROM main.dept", secureview.ErrMisplaced},
		{"SELECT (SELECT json_agg(x) FROM employee AS x) FROM (SELECT 1 AS id) AS x", secureview.ErrMisplaced},
		{"SELECT (x).id FROM (SELECT 1 AS id) AS x", secureview.ErrUnsupported},
		{"SELECT (WITH x AS (SELECT d.budget AS b FROM employee AS d) SELECT b FROM x) FROM dept d", secureview.ErrUnknownColumn},
		{"SELECT * FROM dept d, (WITH x AS (SELECT d.id) SELECT id FROM x) AS y", secureview.ErrMisplaced},
		{"SELECT 'x'::char(10485760)", secureview.ErrUnsupported},
		{"SELECT 1::bit(83886080)", secureview.ErrUnsupported},
		{"SELECT (SELECT FROM dept)", secureview.ErrUnsupported},
		{"SELECT * FROM json_each('{}') AS x(a, b, c)", secureview.ErrColumnCount},

		{"SELECT current_user", secureview.ErrFunction},
		{"SELECT session_user", secureview.ErrFunction},
		{"SELECT user", secureview.ErrFunction},
		{"SELECT current_catalog", secureview.ErrFunction},
		{"SELECT current_schema", secureview.ErrFunction},
		{"SELECT current_schema()", secureview.ErrFunction},
		{"SELECT current_setting('app.key')", secureview.ErrFunction},
		{"SELECT set_config('role', 'admin', false)", secureview.ErrFunction},
		{"SELECT pg_catalog.set_config('role', 'admin', false)", secureview.ErrFunction},
		{"SELECT pg_sleep(10)", secureview.ErrFunction},
		{"SELECT pg_read_file('/etc/passwd')", secureview.ErrFunction},
		{"SELECT lo_import('/etc/passwd')", secureview.ErrFunction},
		{"SELECT pg_advisory_lock(1)", secureview.ErrFunction},
		{"SELECT pg_terminate_backend(1)", secureview.ErrFunction},
		{"SELECT query_to_xml('SELECT * FROM secret', true, false, '')", secureview.ErrFunction},
		{"SELECT table_to_xml('secret', true, false, '')", secureview.ErrFunction},
		{"SELECT * FROM ts_stat('SELECT pw FROM secret')", secureview.ErrFunction},
		{"SELECT ts_rewrite('a'::tsquery, 'SELECT t, s FROM secret')", secureview.ErrFunction},
		{"SELECT * FROM dblink('dbname=x', 'SELECT 1') AS t(x int)", secureview.ErrFunction},
		{"SELECT nextval('seq')", secureview.ErrFunction},
		{"SELECT currval('seq')", secureview.ErrFunction},
		{"SELECT txid_current()", secureview.ErrFunction},
		{"SELECT version()", secureview.ErrFunction},
		{"SELECT inet_server_addr()", secureview.ErrFunction},
		{"SELECT has_table_privilege('secret', 'select')", secureview.ErrFunction},
		{"SELECT to_regclass('secret')", secureview.ErrFunction},
		{"SELECT pgp_sym_decrypt(name::bytea, 'x') FROM dept", secureview.ErrFunction},
		{"SELECT repeat('x', 1000000000)", secureview.ErrFunction},
		{"SELECT lpad('x', 1000000000)", secureview.ErrTooCostly},
		{"SELECT format('%1000000000s', 'x')", secureview.ErrTooCostly},
		{"SELECT array_fill(0, ARRAY[100000000])", secureview.ErrFunction},
		{"SELECT main.lower(name) FROM dept", secureview.ErrFunction},
		{"SELECT * FROM pg_ls_dir('/')", secureview.ErrFunction},
		{"SELECT * FROM ts_stat('SELECT tsv FROM dept')", secureview.ErrFunction},
		{"SELECT * FROM dept, ts_rewrite('a'::tsquery, 'SELECT t, s FROM aliases') q", secureview.ErrFunction},
		{"SELECT * FROM ts_parse('default', 'x')", secureview.ErrFunction},
		{"SELECT * FROM pg_sleep(1)", secureview.ErrFunction},
		{"SELECT (name).pg_sleep.a FROM dept", secureview.ErrUnsupported},
		{"SELECT (name || name).pg_sleep FROM dept", secureview.ErrUnsupported},
		{"SELECT (pw).x FROM employee", secureview.ErrUnknownColumn},
		{"SELECT 'secret'::regclass", secureview.ErrUnsupported},
		{"SELECT regclass 'secret'", secureview.ErrUnsupported},
		{"SELECT CAST('lower' AS pg_catalog.regproc)", secureview.ErrUnsupported},
		{"SELECT null::main.employee", secureview.ErrUnsupported},
		{"SELECT null::employee", secureview.ErrUnsupported},
		{"SELECT xmlparse(document '<x/>')", secureview.ErrUnsupported},
		{"SELECT 1 OPERATOR(main.+) 2", secureview.ErrUnsupported},
		{"SELECT name COLLATE main.evil FROM dept", secureview.ErrUnsupported},

		{"SELECT name FROM dept FOR UPDATE", secureview.ErrLocking},
		{"SELECT * FROM (SELECT id FROM dept FOR SHARE) AS x", secureview.ErrLocking},
		{"SELECT name INTO x FROM dept", secureview.ErrInto},
		{"WITH x AS (DELETE FROM dept RETURNING id) SELECT id FROM x", secureview.ErrNotSelect},
		{"WITH x AS (INSERT INTO dept VALUES (1) RETURNING id) SELECT id FROM x", secureview.ErrNotSelect},
		{"SELECT * FROM ONLY dept", secureview.ErrUnsupported},
		{"SELECT * FROM employee TABLESAMPLE SYSTEM (1)", secureview.ErrUnsupported},
		{"WITH x AS (SELECT 1) SELECT * FROM x TABLESAMPLE SYSTEM (1)", secureview.ErrUnsupported},
		{"SELECT * FROM ROWS FROM (generate_series(1, 2), pg_sleep(1))", secureview.ErrFunction},
		{"SELECT * FROM ROWS FROM (generate_series(1, 2), generate_series(1, 2000000))", secureview.ErrUnbounded},
		{"SELECT " + strings.Repeat("count(array_agg((SELECT ", 15) + "1" + strings.Repeat(")))", 15), secureview.ErrTooComplex},
		{"SELECT * FROM ROWS FROM (" + strings.Repeat("generate_series(1, 900000), ", 5) + "unnest(ARRAY[1])) AS x", secureview.ErrUnbounded},
		{"SELECT * FROM ROWS FROM (" + strings.Repeat("unnest(ARRAY[1]), ", 256) + "unnest(ARRAY[1])) AS x", secureview.ErrTooComplex},
		{"SELECT a.g FROM ROWS FROM (unnest(ARRAY[1]), generate_series(1, 1001)) AS a(x, g), generate_series(1, 1000) AS b", secureview.ErrUnbounded},
		{"SELECT * FROM unnest(ARRAY[1], ARRAY[2]) AS x(a, b, c)", secureview.ErrColumnCount},
		{"SELECT lexeme FROM dept, unnest(name) AS x", secureview.ErrUnknownColumn},
		{"SELECT * FROM dept, unnest(name) AS x(lexeme, positions)", secureview.ErrColumnCount},
		{"SELECT * FROM unnest(to_tsvector('a')) AS x(a, b, c, d)", secureview.ErrColumnCount},
		{"SELECT pw FROM dept AS d(a)", secureview.ErrUnknownColumn},
		{"SELECT * FROM employee AS e(a, b, c, d, e, f, g, h, i, j)", secureview.ErrColumnCount},
		{"SELECT FROM dept", secureview.ErrUnsupported},
		{"SELECT name FROM dept WHERE id = $1", secureview.ErrParameter},
		{"SELECT name FROM dept WHERE id = ?", secureview.ErrParameter},
		{"SELECT name FROM dept WHERE id = :id", secureview.ErrParameter},
		{"COPY employee TO '/tmp/x'", secureview.ErrNotSelect},
		{"EXPLAIN ANALYZE SELECT 1", secureview.ErrNotSelect},
		{"SET ROLE admin", secureview.ErrNotSelect},
		{"SHOW ALL", secureview.ErrNotSelect},
		{"DO $$BEGIN END$$", secureview.ErrNotSelect},
		{"PREPARE x AS SELECT 1", secureview.ErrNotSelect},
		{"SELECT 1; DROP TABLE employee", secureview.ErrMultipleQueries},
		{"", secureview.ErrMultipleQueries},
		{"SELECT FROM WHERE", secureview.ErrSyntax},
		{"SELECT * FROM dept LIMIT 1+1", secureview.ErrRowLimit},
		{"SELECT '\xff'", secureview.ErrInvalidText},
		{"SELECT 1 \x00", secureview.ErrInvalidText},
	} {
		stmt, err := g.Rewrite(context.Background(), tt.sql)
		if err == nil {
			t.Errorf("%s: accepted as %s", tt.sql, stmt.SQL())
		} else if !errors.Is(err, tt.code) {
			t.Errorf("%s: want %q: %v", tt.sql, string(tt.code), err)
		}
	}
}

// TestFieldPostgres: a field is printed so that it cannot be a call, and is NULL if there is
// none.
func TestFieldPostgres(t *testing.T) {
	stmt, err := guard(t, postgres.Dialect{}).Rewrite(t.Context(), "SELECT (d.name).pg_sleep FROM dept d")
	want := `SELECT (SELECT (SELECT "pg_sleep" FROM (SELECT ("d"."name").*) AS "the value") FROM (SELECT NULL AS "pg_sleep") AS "no value") ` +
		`AS "pg_sleep" FROM "main"."dept" AS "d" LIMIT 100`
	if err != nil || stmt.SQL() != want {
		t.Errorf("%v, %v, want %s", stmt, err, want)
	}
	if fields := stmt.Fields(); len(fields) != 1 || !slices.Equal(fields[0].Columns, []string{"name", "pg_sleep"}) {
		t.Errorf("fields %v", fields)
	}
}

// attacksPostgres are attacks that need constructs of PostgreSQL.
var attacksPostgres = []string{
	"SELECT DISTINCT ON ((SELECT pw FROM secret)) name FROM dept",
	"SELECT DISTINCT ON (pw) name FROM employee",
	"SELECT name AS pw FROM employee ORDER BY pw",
	"SELECT DISTINCT ON (pw) name AS pw FROM employee",
	"SELECT name FROM employee GROUP BY ROLLUP (name, pw)",
	"SELECT name FROM employee GROUP BY GROUPING SETS ((name), (name, (SELECT max(pw) FROM secret)))",
	"SELECT name FROM employee GROUP BY CUBE ((name, salary))",
	"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM employee",
	"SELECT count(*) FILTER (WHERE pw = 'x') FROM employee",
	"SELECT ARRAY(SELECT pw FROM secret)",
	"SELECT ARRAY[(SELECT pw FROM secret)]",
	"SELECT (ARRAY[1])[(SELECT pw FROM secret)]",
	"SELECT (ARRAY[1])[1:(SELECT pw FROM secret)]",
	"SELECT 1 = ANY (ARRAY(SELECT pw FROM secret))",
	"SELECT 1 = ANY ((SELECT array_agg(pw) FROM secret))",
	"SELECT g FROM generate_series(1, (SELECT pw FROM secret)) AS g",
	"SELECT * FROM unnest(ARRAY(SELECT pw FROM secret)) AS u",
	"SELECT * FROM json_each((SELECT to_json(secret) FROM secret))",
	"SELECT * FROM dept, LATERAL (SELECT pw FROM secret) AS x",
	"SELECT * FROM dept, LATERAL unnest(ARRAY[employee.pw]) AS x",
	"SELECT make_interval(days => (SELECT pw FROM secret))",
	"SELECT ROW((SELECT pw FROM secret))",
	"SELECT (1, (SELECT pw FROM secret)) = (1, 2)",
	"SELECT name COLLATE \"C\" FROM dept ORDER BY (SELECT pw FROM secret) COLLATE \"C\"",
	"SELECT name FROM dept WHERE name BETWEEN SYMMETRIC 'a' AND (SELECT pw FROM secret)",
	"SELECT name FROM dept WHERE name SIMILAR TO 'a' ESCAPE (SELECT pw FROM secret)",
	"SELECT sum(id) OVER (ORDER BY id GROUPS BETWEEN (SELECT pw FROM secret) PRECEDING AND CURRENT ROW) FROM dept",
	"SELECT x.pw FROM (VALUES (1)) AS x(pw), LATERAL (SELECT x.pw FROM employee AS x) AS y",
	"SELECT x.pw FROM (SELECT 1 AS pw) AS x WHERE EXISTS (SELECT 1 FROM employee AS x WHERE x.pw = 1)",
	"SELECT pw FROM generate_series(1, 2) AS pw, employee",
	"SELECT employee.pw FROM generate_series(1, 2) AS employee(pw)",
	"SELECT (SELECT pw FROM employee) FROM generate_series(1, 2) AS pw",
	"WITH RECURSIVE a AS (SELECT * FROM secret), secret AS (SELECT 1 AS pw) SELECT * FROM a",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT pw FROM t, secret) SELECT * FROM t",
	"WITH secret AS MATERIALIZED (SELECT * FROM secret) SELECT * FROM secret",
	"TABLE secret",
	"VALUES ((SELECT pw FROM secret)) ORDER BY (SELECT pw FROM secret)",
	"SELECT E'a\\' UNION SELECT pw FROM secret -- '",
	"SELECT 'a\\' UNION SELECT pw FROM secret -- '",
	"SELECT $$a$$ UNION SELECT pw FROM secret -- $$",
	"SELECT $a$ $b$ $a$, pw FROM secret -- $b$",
	"SELECT U&'\\0027' UNION SELECT pw FROM secret -- '",
	"SELECT /* /* */ 1 AS x -- */ , pw FROM secret",
	"SELECT 1 AS x /* /* */ */ UNION SELECT pw FROM secret",
	"SELECT * FROM \"secret\"",
	"SELECT * FROM U&\"\\0073ecret\"",
	"SELECT U&\"\\0070w\" FROM employee",
	"SELECT \"PW\" FROM \"EMPLOYEE\"",
	"SELECT name FROM dept UNION ALL (SELECT pw FROM secret ORDER BY 1 LIMIT 1)",
	"(SELECT name FROM dept) EXCEPT ALL (TABLE secret)",
	"SELECT name FROM dept OFFSET (SELECT pw FROM secret)",
	"SELECT name FROM dept LIMIT ALL OFFSET (SELECT count(pw) FROM employee)",
	"SELECT overlay(name PLACING (SELECT pw FROM secret) FROM 1) FROM dept",
	"SELECT extract(year FROM (SELECT pw FROM secret))",
	"SELECT position((SELECT pw FROM secret) IN name) FROM dept",
	"SELECT now() AT TIME ZONE (SELECT pw FROM secret)",
	"SELECT json_agg(secret) FROM (SELECT * FROM employee) AS secret",
	"SELECT json_agg(employee.*) FROM (SELECT id FROM dept) AS employee",
	"SELECT (SELECT json_agg(x.*) FROM employee AS x) FROM (SELECT 1 AS id) AS x",
	"SELECT (SELECT json_agg(x) FROM employee) FROM (SELECT 1 AS id) AS x",
	"WITH secret AS (SELECT 1 AS id) SELECT json_agg(secret.*), json_agg(main.secret.*) FROM secret",
	"SELECT pw FROM employee, json_array_elements_text('[1]') AS pw",
	"SELECT (WITH c AS (SELECT pw FROM employee) SELECT pw FROM c) FROM (SELECT 1 AS pw) AS x",
	"SELECT (WITH c AS (SELECT x.pw FROM employee AS x) SELECT pw FROM c) FROM (SELECT 1 AS pw) AS x",
	"SELECT * FROM (SELECT a.*, b.* FROM employee a, employee b) AS x",
	"SELECT \"pw:1\" FROM (SELECT 1 AS pw, 2 AS pw) AS x, employee",
	"SELECT 1 WHERE EXISTS (SELECT FROM secret)",
	"SELECT 1 WHERE EXISTS (SELECT FROM employee ORDER BY pw)",
	"SELECT \"current_user\"()",
	"SELECT \"pg_sleep\"(1)",
}

func TestAttacksPostgres(t *testing.T) {
	d := postgres.Dialect{}
	g := guard(t, d)
	accepted := 0
	for _, sql := range append(attacksPostgres, attacks...) {
		stmt, err := g.Rewrite(context.Background(), sql)
		if err != nil {
			if refuse(t, err); !utf8Message(err) {
				t.Errorf("%s: the message is not UTF-8", sql)
			}
			continue
		}
		accepted++
		if err := harmless(d, stmt); err != nil {
			t.Errorf("%s became %s: %v", sql, stmt.SQL(), err)
		}
	}
	if accepted == 0 {
		t.Error("every statement is refused, but some are harmless")
	}
}

func FuzzRewritePostgres(f *testing.F) {
	for _, sql := range attacksPostgres {
		f.Add(sql)
	}
	for _, sql := range []string{"SELECT 1", "SELECT 1" + strings.Repeat(" + 1", 60)} {
		if _, err := (postgres.Dialect{}).Read(sql); err != nil { // load the grammar before an input is timed
			f.Fatal(err)
		}
	}
	fuzzRewrite(f, postgres.Dialect{})
}

func TestRewritePostgresConcurrently(t *testing.T) {
	g := guard(t, postgres.Dialect{})
	done := make(chan error)
	for range 8 {
		go func() {
			for range 20 {
				if _, err := g.Rewrite(context.Background(), "WITH c AS (SELECT * FROM employee) SELECT c.*, d.name FROM c JOIN dept d USING (id)"); err != nil {
					done <- err
					return
				}
				if _, err := g.Rewrite(context.Background(), "SELECT pw FROM employee"); !errors.Is(err, secureview.ErrUnknownColumn) {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestLongNamesPostgres: the new name of a common table expression is not longer
// than the names that PostgreSQL keeps.
func TestLongNamesPostgres(t *testing.T) {
	name := strings.Repeat("d", 63)
	g, err := secureview.New(&secureview.Policy{Schema: "main", Tables: map[string][]string{name: {"id"}}}, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	stmt, err := g.Rewrite(t.Context(), "WITH "+name+" AS (SELECT 1 AS x) SELECT x FROM "+name+", (WITH "+name+" AS (SELECT 2 AS y) SELECT y FROM "+name+") AS z")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(stmt.SQL(), `"`) {
		if len(part) > 63 {
			t.Errorf("a name of %d bytes in %s", len(part), stmt.SQL())
		}
	}
	if !strings.Contains(stmt.SQL(), `"cte1_d`) || !strings.Contains(stmt.SQL(), `"cte2_d`) {
		t.Errorf("the two have one name in %s", stmt.SQL())
	}
}
