package integration_test

import (
	"errors"
	"testing"

	"github.com/qedkit/qed/sqldb"
)

const pgRereadScript = `
	CREATE SCHEMA other;
	CREATE TABLE emp(id int PRIMARY KEY, name text, boss int REFERENCES emp, tenant text);
	CREATE TABLE dept(id int PRIMARY KEY, name text);
	CREATE TABLE secret(id int, word text);
	CREATE TABLE other.emp(id int, word text);
	CREATE TABLE member(account text, tenant text);
	INSERT INTO emp VALUES (1, 'Ann', NULL, 'a'), (2, 'Bob', 1, 'a'), (3, 'Cid', 1, 'b');
	INSERT INTO dept VALUES (1, 'Sales'), (2, 'Lab');
	INSERT INTO secret VALUES (1, 'hunter2');
	INSERT INTO member VALUES ('reread', 'a');

	CREATE VIEW seen AS SELECT e.id, e.name, b.name AS boss FROM emp e LEFT JOIN emp b ON b.id = e.boss;
	CREATE VIEW seen_twice AS SELECT * FROM seen WHERE id < 3;
	CREATE VIEW catalog AS SELECT oid::int AS id, relname FROM pg_class WHERE relname = 'emp';
	CREATE MATERIALIZED VIEW frozen AS SELECT id, name FROM emp;

	CREATE TABLE parts(id int, kind int) PARTITION BY LIST (kind);
	CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
	CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (2) PARTITION BY RANGE (id);
	CREATE TABLE parts_2_low PARTITION OF parts_2 FOR VALUES FROM (0) TO (10);
	INSERT INTO parts VALUES (1, 1), (2, 2);
	CREATE TABLE animal(id int, name text);
	CREATE TABLE dog(breed text) INHERITS (animal);
	INSERT INTO dog VALUES (7, 'Rex', 'mutt');

	CREATE TABLE own(id int, tenant text);
	INSERT INTO own VALUES (1, 'a'), (2, 'b');
	ALTER TABLE own ENABLE ROW LEVEL SECURITY;
	CREATE POLICY p ON own USING (tenant IN (SELECT m.tenant FROM member m WHERE m.account = CURRENT_USER));

	CREATE FUNCTION inlined() RETURNS SETOF secret LANGUAGE sql STABLE AS 'SELECT * FROM public.secret';
	CREATE FUNCTION opaque() RETURNS SETOF secret LANGUAGE plpgsql STABLE SECURITY DEFINER AS 'BEGIN RETURN QUERY SELECT * FROM public.secret; END';
	CREATE FUNCTION mine() RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT tenant FROM public.member WHERE account = CURRENT_USER';
	CREATE VIEW by_inlined AS SELECT * FROM inlined();
	CREATE VIEW by_opaque AS SELECT * FROM opaque();
	CREATE TABLE also_own(id int, tenant text);
	INSERT INTO also_own VALUES (1, 'a'), (2, 'b');
	ALTER TABLE also_own ENABLE ROW LEVEL SECURITY;
	CREATE POLICY p ON also_own USING (tenant IN (SELECT mine()));
	CREATE POLICY q ON also_own AS RESTRICTIVE USING (EXISTS (SELECT FROM mine() AS m(t) WHERE m.t = tenant));

	CREATE TABLE "Mixed ""Näme"" 🎉"(id int);
	CREATE VIEW "View's" AS SELECT * FROM "Mixed ""Näme"" 🎉", other.emp AS e(also, word);
	CREATE TABLE "select"(id int);

	GRANT USAGE ON SCHEMA public, other TO reread;
	GRANT SELECT ON ALL TABLES IN SCHEMA public TO reread;
	GRANT SELECT ON ALL TABLES IN SCHEMA other TO reread`

// A statement is refused if and only if it would read more than its guard saw.
func TestPostgresVerifies(t *testing.T) {
	db := newPostgres(t, pgServer(t), "reread", pgRereadScript).open(t, nil)
	for _, test := range []struct {
		text  string
		reads []string
		want  string // the rows; empty if refused
	}{
		{`SELECT 1`, nil, "1"},
		{`SELECT name FROM public.emp ORDER BY id`, []string{"emp"}, "Ann Bob Cid"},
		{`SELECT e.name FROM public.emp e JOIN public.dept d ON d.id = e.id ORDER BY 1`, []string{"emp", "dept"}, "Ann Bob"},
		{`SELECT count(*) FROM public.emp a, public.emp b`, []string{"emp"}, "9"},
		{`WITH x AS (SELECT id FROM public.emp) SELECT max(id) FROM x`, []string{"emp"}, "3"},
		{`WITH x AS MATERIALIZED (SELECT id FROM public.emp) SELECT max(x.id) FROM x JOIN x AS y ON x.id = y.id`, []string{"emp"}, "3"},
		{`WITH RECURSIVE up(id, n) AS (SELECT id, 0 FROM public.emp WHERE id = 2 UNION ALL SELECT e.boss, n + 1 FROM up JOIN public.emp e ON e.id = up.id WHERE e.boss IS NOT NULL) SELECT max(n) FROM up`, []string{"emp"}, "1"},
		{`SELECT name, row_number() OVER (PARTITION BY tenant ORDER BY id) FROM public.emp ORDER BY id`, []string{"emp"}, "Ann 1 Bob 2 Cid 1"},
		{`SELECT id FROM public.emp EXCEPT SELECT id FROM public.dept`, []string{"emp", "dept"}, "3"},
		{`SELECT e.id, d.name FROM public.emp e, LATERAL (SELECT name FROM public.dept WHERE id = e.id) d ORDER BY 1`, []string{"emp", "dept"}, "1 Sales 2 Lab"},
		{`SELECT name FROM public.emp WHERE EXISTS (SELECT FROM public.dept WHERE dept.id = emp.id) ORDER BY 1`, []string{"emp", "dept"}, "Ann Bob"},
		{`SELECT boss FROM public.seen WHERE id = 2`, []string{"seen"}, "Ann"},
		{`SELECT count(*) FROM public.seen_twice`, []string{"seen_twice"}, "2"},
		{`SELECT count(*) FROM public.catalog`, []string{"catalog"}, "2"},
		{`SELECT count(*) FROM public.frozen`, []string{"frozen"}, "3"},
		{`SELECT sum(id) FROM public.parts`, []string{"parts"}, "3"},
		{`SELECT id FROM public.parts WHERE kind = 2`, []string{"parts"}, "2"},
		{`SELECT name FROM public.animal`, []string{"animal"}, "Rex"},
		{`SELECT id FROM public.own`, []string{"own"}, "1"},
		{`SELECT id FROM public.also_own`, []string{"also_own"}, "1"},
		{`SELECT word FROM public.by_inlined`, []string{"by_inlined"}, "hunter2"},
		{`SELECT word FROM public.by_opaque`, []string{"by_opaque"}, "hunter2"},
		{`SELECT s, u FROM generate_series(1, 2) s, unnest(ARRAY['x']) u ORDER BY 1`, nil, "1 x 2 x"},
		{`SELECT a, b FROM unnest(ARRAY[1, 2], ARRAY['it''s (', '"x"']) AS t(a, b) ORDER BY 1`, nil, `1 it's ( 2 "x"`},
		{`SELECT key FROM jsonb_each('{"k": 1}')`, nil, "k"},
		{`VALUES (1), (2)`, nil, "1 2"},
		{`SELECT count(*) FROM public."Mixed ""Näme"" 🎉", public."select"`, []string{"Mixed \"Näme\" 🎉", "select"}, "0"},
		{`SELECT count(*) FROM public."View's"`, []string{"View's"}, "0"},

		{`SELECT word FROM public.secret`, nil, ""},
		{`SELECT word FROM public.secret`, []string{"emp"}, ""},
		{`SELECT name FROM public.emp`, []string{"dept"}, ""},
		{`SELECT word FROM other.emp`, []string{"emp"}, ""},
		{`SELECT count(*) FROM public."Mixed ""Näme"" 🎉"`, []string{"mixed \"näme\" 🎉", "select"}, ""},
		{`WITH x AS (SELECT word FROM public.secret) SELECT * FROM x`, []string{"emp"}, ""},
		{`WITH x AS (SELECT word FROM public.secret) SELECT id FROM public.emp`, []string{"emp"}, ""},
		{`SELECT id FROM public.emp WHERE name = (SELECT word FROM public.secret)`, []string{"emp"}, ""},
		{`SELECT id FROM public.emp UNION ALL SELECT id FROM public.secret WHERE 1 = 2`, []string{"emp"}, ""},
		{`SELECT CASE WHEN false THEN (SELECT max(id) FROM public.secret) ELSE 1 END FROM public.emp`, []string{"emp"}, ""},
		{`SELECT id FROM public.parts`, []string{"parts_1"}, ""},
		{`SELECT name FROM public.animal`, []string{"dog"}, ""},
		{`SELECT count(*) FROM public.seen`, []string{"emp"}, ""},
		{`SELECT count(*) FROM public.frozen`, []string{"emp"}, ""},
		{`SELECT count(*) FROM public.emp, public.frozen`, []string{"frozen"}, ""},
		{`SELECT count(*) FROM public.secret, public.also_own`, []string{"also_own"}, ""},
		{`SELECT word FROM public.inlined()`, nil, ""},
		{`SELECT word FROM public.opaque()`, nil, ""},
		{`SELECT * FROM ROWS FROM (generate_series(1, 2), public.opaque())`, nil, ""},
		{`SELECT word FROM public.opaque()`, []string{"seen"}, ""},
		{`SELECT rolname FROM pg_catalog.pg_roles`, nil, ""},
		{`SELECT count(*) FROM pg_catalog.pg_class`, nil, ""},
		{`SELECT count(*) FROM information_schema.tables`, []string{"emp"}, ""},
		{`SELECT pid FROM pg_stat_get_activity(NULL)`, nil, ""},
		{`SELECT word FROM pg_get_keywords()`, nil, ""},
	} {
		for range 2 { // the second time, the statement is known
			got, err := db.Query(t.Context(), pgUnguarded(t, test.text, "public", test.reads...))
			switch {
			case test.want == "" && !errors.Is(err, sqldb.ErrDenied):
				t.Errorf("%s, which may read %v: got %v, want it denied", test.text, test.reads, err)
			case test.want != "" && err != nil:
				t.Errorf("%s: %v", test.text, err)
			case test.want != "" && pgRows(got) != test.want:
				t.Errorf("%s: got %s, want %s", test.text, pgRows(got), test.want)
			}
		}
	}
}
