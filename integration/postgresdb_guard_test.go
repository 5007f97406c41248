package integration_test

import (
	"testing"

	"github.com/qedkit/qed/dialect/postgres"
	"github.com/qedkit/qed/secureview"
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
