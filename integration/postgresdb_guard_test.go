package integration_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// From a model's text to rows: the engine executes what the guard allows, and
// no statement reads or changes the settings of its session.
func TestPostgresGuarded(t *testing.T) {
	p := newPostgres(t, pgServer(t), "guarded", `
		CREATE TABLE employee(id int PRIMARY KEY, name text, ssn text, tenant text);
		INSERT INTO employee VALUES (1, 'Ann', '111', 'a'), (2, 'Bob', '222', 'a'), (3, 'Cid', '333', 'b');
		CREATE VIEW secure_employee WITH (security_barrier) AS
			SELECT id, name, tenant FROM employee WHERE tenant = current_setting('app.tenant', true);
		CREATE TABLE "workTime"(id int, "employeeId" int, hours numeric(5, 2), day date, tags text[], detail jsonb);
		INSERT INTO "workTime" VALUES (1, 1, 7.5, '2024-01-05', '{a,b}', '{"k": [1, 2]}'), (2, 1, 8, '2024-01-06', '{}', NULL), (3, 2, 6, '2024-02-01', NULL, '{}');
		CREATE FUNCTION leak() RETURNS SETOF employee LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT * FROM public.employee';
		GRANT SELECT ON secure_employee, "workTime" TO guarded`)
	policy := &secureview.Policy{
		Dialect: "postgres", Schema: "public",
		Tables: map[string][]string{"secure_employee": {"id", "name"}, "workTime": {"id", "employeeId", "hours", "day", "tags", "detail"}},
		Views:  map[string]string{"employee": "secure_employee"},
	}
	guard, err := secureview.New(policy, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	session := &sqldb.Session{Settings: map[string]any{"app.tenant": "a", "app.key": "hunter2"}}
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{Session: pgSession(session)}})
	if err := db.Check(t.Context(), policy); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		`SELECT name FROM employee ORDER BY name`: "Ann Bob",
		`SELECT e.name, sum(w.hours) FROM employee e JOIN "workTime" w ON w."employeeId" = e.id GROUP BY e.name ORDER BY 2 DESC`:                          "Ann 15.50 Bob 6.00",
		`WITH h AS (SELECT "employeeId", sum(hours) AS s FROM "workTime" GROUP BY 1) SELECT name, s FROM employee JOIN h ON id = "employeeId" ORDER BY 1`: "Ann 15.50 Bob 6.00",
		`SELECT name, rank() OVER (ORDER BY id DESC) FROM employee ORDER BY 2`:                                                                            "Bob 1 Ann 2",
		`SELECT count(*) FROM (SELECT id FROM employee UNION SELECT "employeeId" FROM "workTime") x`:                                                      "2",
		`SELECT t FROM "workTime", unnest(tags) AS t ORDER BY 1`:                                                                                          "a b",
		`SELECT u.* FROM "workTime" w, unnest(w.tags, ARRAY[w.id]) AS u(tag, id) WHERE w.id = 1 ORDER BY tag`:                                             "a 1 b <nil>",
		`SELECT x.n, tag FROM "workTime" w, ROWS FROM (generate_series(1, w.id), unnest(w.tags)) WITH ORDINALITY AS x(n, tag, i) ORDER BY w.id, i`:        "1 a <nil> b 1 <nil> 2 <nil> 1 <nil> 2 <nil> 3 <nil>",
		`SELECT name, 1 AS one, name FROM employee ORDER BY 2 FETCH FIRST 1 ROW WITH TIES`:                                                                "Ann 1 Ann Bob 1 Bob",
		`SELECT w.detail->'k'->>0 FROM "workTime" w WHERE w.id = 1`:                                                                                       "1",
		`SELECT to_char(day, 'YYYY-MM'), count(*) FROM "workTime" GROUP BY 1 ORDER BY 1`:                                                                  "2024-01 2 2024-02 1",
		`SELECT name FROM employee e WHERE EXISTS (SELECT 1 FROM "workTime" w WHERE w."employeeId" = e.id AND hours > 7)`:                                 "Ann",
		`SELECT e.name, l.day::text FROM employee e, LATERAL (SELECT day FROM "workTime" WHERE "employeeId" = e.id ORDER BY 1 LIMIT 1) l ORDER BY 1`:      "Ann 2024-01-05 Bob 2024-02-01",
		`SELECT 'O''Hara \ ' || name FROM employee WHERE name ILIKE 'a%'`:                                                                                 `O'Hara \ Ann`,
	} {
		statement, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := db.Query(t.Context(), statement); err != nil || pgRows(got) != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{
		`SELECT current_setting('app.key')`,
		`SELECT pg_catalog.current_setting('app.key')`,
		`SELECT set_config('app.tenant', 'b', false)`,
		`SELECT * FROM set_config('role', 'postgres', false)`,
		`SELECT ssn FROM employee`,
		`SELECT tenant FROM employee`,
		`SELECT employee FROM employee`,
		`SELECT e FROM employee e`,
		`SELECT to_jsonb(e) FROM employee e`,
		`SELECT * FROM leak()`,
		`SELECT leak()`,
		`SELECT query_to_xml('SELECT * FROM employee', true, true, '')`,
		`SELECT pg_read_file('/etc/passwd')`,
		`SELECT rolname FROM pg_catalog.pg_roles`,
		`SELECT * FROM pg_stat_activity`,
		`SHOW app.key`,
		`SET app.tenant = 'b'`,
		`SELECT 1; SET app.tenant = 'b'`,
		`SELECT name FROM employee FOR UPDATE`,
		`WITH x AS (DELETE FROM "workTime" RETURNING id) SELECT * FROM x`,
	} {
		if statement, err := guard.Rewrite(t.Context(), text); err == nil {
			t.Errorf("%s became %s", text, statement.SQL())
		}
	}
}

// A function of a schema in the search path is not called by the name of one of
// PostgreSQL's own functions: neither if it fits the arguments better, nor if the
// server does not have the other one.
func TestPostgresOwnFunctions(t *testing.T) {
	p := newPostgres(t, pgServer(t), "shadowed", `
		CREATE SCHEMA app;
		CREATE TABLE vault(secret text); INSERT INTO vault VALUES ('hidden');
		CREATE TABLE app.item(id int, name text); INSERT INTO app.item VALUES (1, 'Ann');
		GRANT USAGE ON SCHEMA app TO shadowed; GRANT SELECT ON app.item TO shadowed`)
	for _, signature := range []string{
		"lower(int)", "upper(int)", "length(int)", "btrim(int)", "to_char(text, text)", "round(text)", "abs(text)", "date(int)", "left(int, int)",
		"casefold(int)", "array_sort(text)", "any_value(text)", "date_add(text)", "replace(int, int, int)", "generate_series(text)", "unnest(text)", "unnest(int[], text[])",
		"starts_with(int, int)", "substring(int, int)", "timezone(int, int)", "sqrt(text)", "float8(date)",
	} {
		pgExec(t, p.admin, "CREATE FUNCTION app."+signature+" RETURNS text LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT secret FROM public.vault'")
	}
	pgExec(t, p.admin, "CREATE AGGREGATE app.sum(text) (SFUNC = textcat, STYPE = text, INITCOND = 'hidden')")
	pgExec(t, p.admin, "CREATE FUNCTION app.greet(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT 'Hello, ' || $1$$")
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "postgres", Schema: "app", Tables: map[string][]string{"item": {"id", "name"}}, Functions: []string{"greet"},
	}, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{Session: pgSession(&sqldb.Session{SearchPath: []string{"app"}})}})
	for _, expression := range []string{
		"lower(id)", "upper(id)", "length(id)", "trim(id)", "trim(BOTH FROM id)", "to_char(name, 'x')", "round(name)", "abs(name)", "@ name", "date(id)",
		"left(id, 1)", "casefold(id)", "array_sort(name)", "any_value(name)", "date_add(name)", "replace(id, 1, 2)", "starts_with(id, 1)",
		"substring(id FROM 1)", "id AT TIME ZONE id", "|/ name", "float8(current_date)", "sum(name)", "sum(name) OVER ()",
		"(SELECT max(x::text) FROM unnest(name) AS x)", "(SELECT max(x::text) FROM generate_series(name) AS x)",
	} {
		stmt, err := guard.Rewrite(t.Context(), "SELECT "+expression+" FROM item")
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got, err := db.Query(t.Context(), stmt); err == nil && strings.Contains(pgRows(got), "hidden") {
			t.Errorf("%s called a function of the schema: %s", expression, stmt.SQL())
		}
	}
	for expression, want := range map[string]string{
		"id + id": "2", "id = 1": "true",
		"greet(name)": "Hello, Ann", "lower(name)": "ann", "count(*)": "1", "substring(name FROM 2)": "nn", "trim(BOTH 'A' FROM name)": "nn",
		"extract(year FROM date '2024-02-03')": "2024", "position('n' IN name)": "2", "overlay(name PLACING 'x' FROM 1 FOR 1)": "xnn", "coalesce(name, 'x')": "Ann",
		"percentile_disc(0.5) WITHIN GROUP (ORDER BY id)": "1", "json_object('{a,1}')::text": `{"a" : "1"}`, "to_char(date '2024-02-03' AT TIME ZONE 'UTC', 'YYYY')": "2024",
		"(SELECT max(x) FROM unnest(ARRAY[id], ARRAY[name]) AS u(i, x))": "Ann", "(SELECT max(x) FROM ROWS FROM (unnest(ARRAY[id], ARRAY[name])) AS u(i, x))": "Ann",
		"(date '2024-01-01', date '2024-02-01') OVERLAPS (date '2024-01-15', date '2024-03-01')": "true",
	} {
		stmt, err := guard.Rewrite(t.Context(), "SELECT "+expression+" FROM item")
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got, err := db.Query(t.Context(), stmt); err != nil || pgRows(got) != want {
			t.Errorf("%s: got %v, %v, want %s", expression, got, err, want)
		}
	}
	stmt, err := guard.Rewrite(t.Context(), "SELECT id + name FROM item")
	if err != nil {
		t.Fatal(err)
	}
	for operand, want := range map[string]error{"text": sqldb.ErrSession, "app.own": sqldb.ErrExecution} {
		pgExec(t, p.admin, `DROP TYPE IF EXISTS app.own CASCADE; CREATE TYPE app.own AS (a int);
			CREATE FUNCTION app.plus(int, `+operand+`) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT secret FROM public.vault';
			CREATE OPERATOR app.+ (LEFTARG = int, RIGHTARG = `+operand+`, FUNCTION = app.plus)`)
		fresh := p.open(t, &postgresdb.Options{Options: sqldb.Options{Session: pgSession(&sqldb.Session{SearchPath: []string{"app"}})}})
		if got, err := fresh.Query(t.Context(), stmt); !errors.Is(err, want) {
			t.Errorf("an operator of %s: got %v, %v, want %v", operand, got, err, want)
		}
		pgExec(t, p.admin, "DROP OPERATOR app.+ (int, "+operand+"); DROP FUNCTION app.plus")
	}
}
