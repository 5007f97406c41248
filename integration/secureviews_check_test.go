package integration_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// findings returns the findings of the account's check when a program starts.
func (c *secured) findings(t *testing.T) []sqldb.Finding {
	t.Helper()
	db := c.open(t)
	defer db.Close()
	err := db.Check(t.Context(), c.policy)
	var e *sqldb.Error
	if err == nil {
		return nil
	}
	if !errors.As(err, &e) || e.Kind != sqldb.ErrAccount || len(e.Findings) == 0 {
		t.Fatalf("check: %v", err)
	}
	return e.Findings
}

// fix runs the statements of the findings. The script fixes a finding without one.
func (c *secured) fix(t *testing.T, found []sqldb.Finding) {
	t.Helper()
	for _, f := range found {
		if f.Fix == "" {
			c.secure(t)
		} else if _, err := c.admin.Exec(f.Fix); err != nil {
			t.Errorf("%s: the cure %s fails: %v", f.Message, f.Fix, err)
		}
	}
}

// TestSecureViewsCheck checks that the account has no findings after the script, that
// each wrong right is found, and that the finding's statement fixes it.
func TestSecureViewsCheck(t *testing.T) {
	type deviation struct {
		problem    sqldb.FindingKind
		statements string
	}
	deviations := map[string][]deviation{
		"mysql": {
			{sqldb.CanReadBaseTable, "GRANT SELECT ON secured.employee TO WHO"},
			{sqldb.CanReadBaseTable, "GRANT SELECT (id, ssn) ON secured.employee TO WHO"},
			{sqldb.CanReadBaseTable, "GRANT SELECT ON secured.* TO WHO"},
			{sqldb.CanReadBaseTable, "GRANT SELECT ON *.* TO WHO"},
			{sqldb.CanReadUnlisted, "GRANT SELECT ON secured.payroll TO WHO"},
			{sqldb.CanReadUnlisted, "GRANT PROCESS ON *.* TO WHO"},
			{sqldb.CanCallKeyFunction, "GRANT EXECUTE ON FUNCTION secured.qed_aesKey TO WHO"},
			{sqldb.CanCallKeyFunction, "GRANT EXECUTE ON FUNCTION secured.qed_tenant TO WHO"},
			{sqldb.CanCallKeyFunction, "GRANT EXECUTE ON secured.* TO WHO"},
			{sqldb.CanWrite, "GRANT INSERT ON secured.dept TO WHO"},
			{sqldb.CanWrite, "GRANT UPDATE (name) ON secured.dept TO WHO"},
			{sqldb.CanWrite, "GRANT CREATE TEMPORARY TABLES ON secured.* TO WHO"},
			{sqldb.CanWrite, "GRANT DROP ON secured.secure_job TO WHO"},
			{sqldb.CanReadFiles, "GRANT FILE ON *.* TO WHO"},
			{sqldb.CannotRead, "REVOKE SELECT ON secured.secure_customer FROM WHO"},
			{sqldb.CannotRead, "REVOKE SELECT (name) ON secured.dept FROM WHO"},
			{sqldb.MissingTable, "DROP VIEW secured.secure_job"},
		},
		"postgres": {
			{sqldb.CanReadBaseTable, "GRANT SELECT ON app.employee TO WHO"},
			{sqldb.CanReadBaseTable, "GRANT SELECT (id, ssn) ON app.employee TO WHO"},
			{sqldb.CanReadBaseTable, "GRANT SELECT ON app.employee TO PUBLIC"},
			{sqldb.CanReadBaseTable, "GRANT SELECT ON ALL TABLES IN SCHEMA app TO WHO"},
			{sqldb.CanReadUnlisted, "GRANT SELECT ON app.payroll TO WHO"},
			{sqldb.CanReadUnlisted, "GRANT SELECT ON app.payroll TO PUBLIC"},
			{sqldb.CanReadUnlisted, "GRANT pg_read_all_data TO WHO"},
			{sqldb.CanWrite, "GRANT INSERT ON app.dept TO WHO"},
			{sqldb.CanWrite, "GRANT UPDATE (name) ON app.dept TO WHO"},
			{sqldb.CanWrite, "GRANT CREATE ON SCHEMA app TO WHO"},
			{sqldb.CanWrite, "GRANT CREATE ON SCHEMA app TO PUBLIC"},
			{sqldb.CanWrite, "GRANT TEMPORARY ON DATABASE secured TO PUBLIC"},
			{sqldb.CanWrite, "ALTER ROLE WHO CREATEROLE"},
			{sqldb.CanBypassPolicy, "ALTER ROLE WHO BYPASSRLS"},
			{sqldb.CanBypassPolicy, "ALTER ROLE WHO SUPERUSER"},
			{sqldb.CanBypassPolicy, "ALTER TABLE app.visit OWNER TO WHO"},
			{sqldb.CanBypassPolicy, "ALTER TABLE app.visit DISABLE ROW LEVEL SECURITY"},
			{sqldb.CanBypassPolicy, `DROP POLICY "qed_filter_secured""agent's" ON app.visit`},
			{sqldb.CanBypassPolicy, `ALTER POLICY "qed_filter_secured""agent's" ON app.visit USING (true)`},
			{sqldb.CanReadFiles, "GRANT pg_read_server_files TO WHO"},
			{sqldb.CanReadFiles, "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO WHO"},
			{sqldb.CannotRead, "REVOKE SELECT ON app.secure_customer FROM WHO"},
			{sqldb.CannotRead, "REVOKE SELECT (name) ON app.dept FROM WHO"},
			{sqldb.CannotRead, "REVOKE USAGE ON SCHEMA app FROM WHO"},
			{sqldb.MissingTable, "DROP VIEW app.secure_job"},
		},
	}
	who := map[string]string{"mysql": "'secured''agent'@'%'", "postgres": `"secured""agent's"`}
	onEach(t, func(t *testing.T, c *secured) {
		if found := c.findings(t); len(found) > 0 {
			t.Fatalf("after the script: %+v", found)
		}
		for _, d := range deviations[c.dialect.Name()] {
			mustExec(t, c.admin, strings.ReplaceAll(d.statements, "WHO", who[c.dialect.Name()]))
			found := c.findings(t)
			if !slices.ContainsFunc(found, func(f sqldb.Finding) bool { return f.Kind == d.problem }) {
				t.Errorf("%s: no finding is of %s: %+v", d.statements, d.problem, found)
			}
			for range 2 { // a new owner loses the rights that it had before
				c.fix(t, found)
				found = c.findings(t)
			}
			if len(found) > 0 {
				t.Errorf("%s: after its cures: %+v", d.statements, found)
			}
			c.secure(t) // from any state
		}
	})
}

// TestSecureViewsPolicyShrinks checks that the account loses the rights that a new policy
// no longer lists.
func TestSecureViewsPolicyShrinks(t *testing.T) {
	onEach(t, func(t *testing.T, c *secured) {
		schema := map[string]string{"mysql": "secured.", "postgres": "app."}[c.dialect.Name()]
		conn := c.raw(t)
		for _, text := range []string{"SELECT name FROM " + schema + "dept", "SELECT title FROM " + schema + "secure_job"} {
			if _, err := rawRows(t, conn, text); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		c.policy.Tables["dept"] = []string{"id"}
		delete(c.policy.Tables, "job")
		delete(c.policy.Views, "job")
		c.policy.Tables["employee"] = append(c.policy.Tables["employee"], "tenant_id")
		c.secure(t)
		for _, text := range []string{"SELECT name FROM " + schema + "dept", "SELECT title FROM " + schema + "secure_job"} {
			if rows, err := rawRows(t, conn, text); err == nil {
				t.Errorf("%s: %s", text, rows)
			}
		}
		var err error
		if c.guard, err = secureview.New(c.policy, c.dialect); err != nil {
			t.Fatal(err)
		}
		if rows, err := c.ask(c.as(t, nil, 2, nil), "SELECT name, tenant_id FROM employee"); err != nil || rows != "Eve 2" {
			t.Errorf("%q; %v", rows, err)
		}
		if found := c.findings(t); len(found) > 0 {
			t.Errorf("%+v", found)
		}
	})
}
