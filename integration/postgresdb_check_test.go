package integration_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/provision"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

const pgCheckScript = `
	CREATE SCHEMA "Other";
	CREATE SCHEMA closed;
	CREATE TABLE employee(id int PRIMARY KEY, name text, ssn text);
	CREATE VIEW secure_employee AS SELECT id, name FROM employee;
	CREATE TABLE "workTime"(id serial PRIMARY KEY, employee_id int, hours int, internal text);
	CREATE TABLE payroll(id int);
	CREATE TABLE "Other".dept(id int, name text);
	CREATE TABLE closed.vault(id int);
	GRANT SELECT ON closed.vault TO PUBLIC;
	CREATE TABLE filtered(id int, tenant text);
	ALTER TABLE filtered ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own ON filtered USING (tenant = current_setting('app.tenant', true));
	GRANT USAGE ON SCHEMA public, "Other" TO checked;
	GRANT SELECT ON secure_employee, filtered TO checked;
	GRANT SELECT (id, employee_id, hours) ON "workTime" TO checked;
	GRANT SELECT ON "Other".dept TO checked`

func pgCheckPolicy() *secureview.Policy {
	return &secureview.Policy{
		Dialect: "postgres", Schema: "public",
		Tables: map[string][]string{
			"secure_employee": {"id", "name"}, "workTime": {"employee_id", "hours"}, "filtered": {"id", "tenant"},
		},
		Views:   map[string]string{"employee": "secure_employee"},
		Schemas: map[string]secureview.Schema{"Other": {Tables: map[string][]string{"dept": {"id", "name"}}}},
		Setup: &secureview.Setup{
			Account: "checked",
			Tables:  map[string]secureview.TableSetup{"filtered": {Filters: []secureview.Filter{{Column: "tenant", Setting: "app.tenant"}}}},
		},
	}
}

// An account with the rights that a policy needs passes. Each further right is
// found, with the statement that revokes it.
func TestPostgresCheck(t *testing.T) {
	p := newPostgres(t, pgServer(t), "checked", pgCheckScript)
	pgExec(t, p.admin, "CREATE ROLE checkers; CREATE ROLE mighty SUPERUSER; CREATE ROLE \"od\"\"d\"")
	t.Cleanup(func() {
		p.admin.Exec("DROP OWNED BY checkers, mighty, \"od\"\"d\"; DROP OWNED BY checked")
		p.admin.Exec("DROP ROLE checkers, mighty, \"od\"\"d\"")
	})
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{Session: pgSession(&sqldb.Session{})}})
	if err := db.Check(t.Context(), pgCheckPolicy()); err != nil {
		t.Fatalf("an account with what it needs: %v", err)
	}
	if err := db.Check(t.Context(), nil); err != nil {
		t.Fatalf("without a policy: %v", err)
	}
	for _, test := range []struct {
		excess  string
		problem sqldb.FindingKind
		object  string
	}{
		{"ALTER ROLE checked SUPERUSER", sqldb.CanBypassPolicy, "checked"},
		{"ALTER ROLE checked BYPASSRLS", sqldb.CanBypassPolicy, "checked"},
		{"ALTER ROLE checked CREATEROLE", sqldb.CanWrite, "checked"},
		{"ALTER ROLE checked CREATEDB", sqldb.CanWrite, "checked"},
		{"ALTER ROLE checked REPLICATION", sqldb.CanReadUnlisted, "checked"},
		{"GRANT mighty TO checked", sqldb.CanBypassPolicy, "mighty"},
		{"GRANT pg_read_server_files TO checked", sqldb.CanReadFiles, "pg_read_server_files"},
		{"GRANT pg_write_server_files TO checked", sqldb.CanReadFiles, "pg_write_server_files"},
		{"GRANT pg_execute_server_program TO checked", sqldb.CanReadFiles, "pg_execute_server_program"},
		{"GRANT pg_read_all_data TO checked", sqldb.CanReadUnlisted, "pg_read_all_data"},
		{"GRANT pg_write_all_data TO checked", sqldb.CanWrite, "pg_write_all_data"},
		{"GRANT pg_monitor TO checked", sqldb.CanReadUnlisted, "pg_monitor"},
		{"GRANT pg_read_all_data TO checkers; GRANT checkers TO checked", sqldb.CanReadUnlisted, "pg_read_all_data"},
		{`GRANT INSERT, UPDATE ON "workTime" TO checked`, sqldb.CanWrite, "public.workTime"},
		{"GRANT UPDATE (name) ON employee TO checked", sqldb.CanWrite, "public.employee"},
		{"GRANT DELETE, TRUNCATE, TRIGGER ON payroll TO PUBLIC", sqldb.CanWrite, "public.payroll"},
		{`GRANT INSERT ON payroll TO "od""d"; GRANT "od""d" TO checked`, sqldb.CanWrite, "public.payroll"},
		{`GRANT USAGE ON SEQUENCE "workTime_id_seq" TO checked`, sqldb.CanWrite, "public.workTime_id_seq"},
		{"GRANT CREATE ON SCHEMA public TO checked", sqldb.CanWrite, "schema public"},
		{`GRANT CREATE ON SCHEMA "Other" TO PUBLIC`, sqldb.CanWrite, "schema Other"},
		{"GRANT CREATE ON DATABASE checked TO checked", sqldb.CanWrite, "database checked"},
		{"GRANT TEMPORARY ON DATABASE checked TO PUBLIC", sqldb.CanWrite, "database checked"},
		{"GRANT SELECT ON employee TO checked", sqldb.CanReadBaseTable, "public.employee"},
		{"GRANT SELECT (ssn) ON employee TO PUBLIC", sqldb.CanReadBaseTable, "public.employee"},
		{"GRANT SELECT ON employee TO checkers; GRANT checkers TO checked", sqldb.CanReadBaseTable, "public.employee"},
		{"GRANT SELECT ON payroll TO checked", sqldb.CanReadUnlisted, "public.payroll"},
		{"GRANT SELECT ON closed.vault TO PUBLIC; GRANT USAGE ON SCHEMA closed TO checked", sqldb.CanReadUnlisted, "closed.vault"},
		{"ALTER TABLE filtered OWNER TO checked", sqldb.CanBypassPolicy, "public.filtered"},
		{"ALTER TABLE employee OWNER TO checked", sqldb.CanBypassPolicy, "public.employee"},
		{"ALTER VIEW secure_employee OWNER TO checked", sqldb.CanBypassPolicy, "public.secure_employee"},
		{`ALTER TABLE payroll OWNER TO checkers; GRANT checkers TO checked`, sqldb.CanWrite, "public.payroll"},
		{`ALTER SCHEMA "Other" OWNER TO checked`, sqldb.CanWrite, "Other"},
		{"ALTER DATABASE checked OWNER TO checked", sqldb.CanWrite, "checked"},
		{`CREATE FUNCTION "hol'i day"(text) RETURNS text LANGUAGE sql RETURN $1; ALTER FUNCTION "hol'i day"(text) OWNER TO checked`, sqldb.CanWrite, `public."hol'i day"(text)`},
		{"GRANT SELECT ON secure_employee TO checked WITH GRANT OPTION", sqldb.CanWrite, "public.secure_employee"},
		{`GRANT SELECT (id) ON "workTime" TO checked WITH GRANT OPTION`, sqldb.CanWrite, "public.workTime"},
		{"GRANT USAGE ON SCHEMA public TO checked WITH GRANT OPTION", sqldb.CanWrite, "schema public"},
		{"GRANT checkers TO checked WITH ADMIN OPTION", sqldb.CanWrite, "checkers"},
		{"GRANT EXECUTE ON FUNCTION pg_read_file(text) TO checked", sqldb.CanReadFiles, "function pg_read_file"},
		{"ALTER TABLE filtered DISABLE ROW LEVEL SECURITY", sqldb.CanBypassPolicy, "public.filtered"},
		{"REVOKE SELECT ON secure_employee FROM checked", sqldb.CannotRead, "public.secure_employee"},
		{`REVOKE SELECT ON "workTime" FROM checked`, sqldb.CannotRead, "public.workTime"},
		{`REVOKE SELECT (hours) ON "workTime" FROM checked`, sqldb.CannotRead, "public.workTime"},
		{`REVOKE USAGE ON SCHEMA "Other" FROM checked`, sqldb.CannotRead, "Other"},
	} {
		t.Run(test.excess, func(t *testing.T) {
			pgExec(t, p.admin, test.excess)
			findings := pgCheckFindings(t, db, pgCheckPolicy())
			if len(findings) == 0 || findings[0].Kind != test.problem || findings[0].Object != test.object {
				t.Errorf("got %+v", findings)
			}
			for round := 0; len(findings) > 0; round++ { // a former owner may need a right that ownership implied
				if round == 2 {
					t.Fatalf("after the fixes: %+v", findings)
				}
				pgFix(t, p, findings)
				pgExec(t, p.admin, "GRANT CONNECT ON DATABASE checked TO checked")
				findings = pgCheckFindings(t, db, pgCheckPolicy())
			}
		})
	}
}

// pgFix runs the fixes of findings as an administrator.
func pgFix(t *testing.T, p *pgDatabase, findings []sqldb.Finding) {
	t.Helper()
	for _, f := range findings {
		if f.Fix == "" || f.Message == "" {
			t.Errorf("no fix, or no message: %+v", f)
			continue
		}
		pgExec(t, p.admin, f.Fix)
	}
}

func pgCheckFindings(t *testing.T, db *sqldb.DB, policy *secureview.Policy) []sqldb.Finding {
	t.Helper()
	err := db.Check(t.Context(), policy)
	if err == nil {
		return nil
	}
	var failed *sqldb.Error
	if !errors.As(err, &failed) || failed.Kind != sqldb.ErrAccount {
		t.Fatal(err)
	}
	return failed.Findings
}

// Check accepts what the script of a policy sets up, whether the account
// connects itself or is the role of a session.
func TestPostgresCheckSetup(t *testing.T) {
	p := newPostgres(t, pgServer(t), "checklogin", `
		CREATE TABLE employee(id int PRIMARY KEY, name text, tenant text);
		CREATE TABLE dept(id int, tenant text);
		INSERT INTO employee VALUES (1, 'Ann', 'a'), (2, 'Bob', 'b');
		INSERT INTO dept VALUES (1, 'a'), (2, 'b')`)
	tenant := []secureview.Filter{{Column: "tenant", Setting: "app.tenant"}}
	policy := &secureview.Policy{
		Dialect: "postgres", Schema: "public",
		Tables: map[string][]string{"employee": {"id", "name"}, "dept": {"id", "tenant"}},
		Views:  map[string]string{"employee": "secure_employee"},
		Setup: &secureview.Setup{Account: "checkreader", Tables: map[string]secureview.TableSetup{
			"employee": {Filters: tenant}, "dept": {Filters: tenant},
		}},
	}
	script, err := provision.SQL(policy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.admin.Exec("DROP OWNED BY checkreader; DROP ROLE checkreader") })
	for _, statement := range script {
		pgExec(t, p.admin, statement)
	}
	session := &sqldb.Session{Role: "checkreader", Settings: map[string]any{"app.tenant": "b"}}
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{Session: pgSession(session)}})
	if findings := pgCheckFindings(t, db, policy); len(findings) != 1 || findings[0].Kind != sqldb.CannotRead {
		t.Errorf("a login that is not in the role: %+v", findings)
	} else {
		pgFix(t, p, findings)
	}
	if findings := pgCheckFindings(t, db, policy); len(findings) > 0 {
		t.Errorf("a login in the role: %+v", findings)
	}
	guard, err := secureview.New(policy, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	statement, err := guard.Rewrite(t.Context(), "SELECT e.name, d.id FROM employee e JOIN dept d ON d.id = e.id")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := db.Query(t.Context(), statement); err != nil || pgRows(got) != "Bob 2" {
		t.Errorf("%v, %v", got, err)
	}

	pgExec(t, p.admin, "ALTER ROLE checkreader LOGIN PASSWORD 'correct horse'")
	own := p.account.Copy()
	own.User = "checkreader"
	if findings := pgCheckFindings(t, openPostgresDB(t, &postgresdb.Options{Options: sqldb.Options{Session: pgSession(nil)}}, openPGX(t, own)), policy); len(findings) > 0 {
		t.Errorf("the account itself: %+v", findings)
	}
}

// A finding that no statement fixes has no fix.
func TestPostgresCheckWithoutFix(t *testing.T) {
	p := newPostgres(t, pgServer(t), "checked", pgCheckScript)
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{Session: pgSession(&sqldb.Session{})}})
	policy := pgCheckPolicy()
	policy.Setup = nil
	policy.Tables["absent"] = []string{"id"}
	policy.Tables["payrolls"] = []string{"id"}
	policy.Tables["workTime"] = append(policy.Tables["workTime"], "gone", "Hours")
	var got []string
	for _, f := range pgCheckFindings(t, db, policy) {
		got = append(got, strings.TrimSpace(string(f.Kind)+" "+f.Object+f.Fix+" "+f.Column+" "+strings.Join(f.Candidates, ",")))
	}
	if diff := cmp.Diff([]string{
		"missing_table public.absent", "missing_table public.payrolls  payroll",
		"missing_column public.workTime gone", "missing_column public.workTime Hours hours",
	}, got); diff != "" {
		t.Error(diff)
	}
	policy = pgCheckPolicy()
	policy.Setup.Account = "nobody at all"
	if findings := pgCheckFindings(t, db, policy); len(findings) != 1 || findings[0].Kind != sqldb.CannotRead || !strings.Contains(findings[0].Message, "nobody at all") {
		t.Errorf("%+v", findings)
	}

	empty := newPostgres(t, pgServer(t), "emptied", "GRANT USAGE ON SCHEMA public TO emptied").open(t, nil)
	if err := empty.Check(t.Context(), nil); !errors.Is(err, sqldb.ErrEmpty) {
		t.Errorf("an empty database: %v", err)
	}
	if err := empty.Check(t.Context(), &secureview.Policy{}); !errors.Is(err, sqldb.ErrArgument) {
		t.Errorf("a policy without a schema: %v", err)
	}
}
