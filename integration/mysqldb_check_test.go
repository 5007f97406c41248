package integration_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// mariaChecked is a database with a table that is replaced by a view, a table
// that statements read, and a table that the policy does not list.
const mariaChecked = "CREATE TABLE person (id INT, name VARCHAR(20), ssn VARCHAR(20)); CREATE TABLE task (id INT, person INT); CREATE TABLE payroll (id INT);" +
	"CREATE FUNCTION qed_appKey() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER RETURN @appKey;" +
	"CREATE FUNCTION qed_tenant() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER RETURN @tenant;" +
	"CREATE FUNCTION holiday() RETURNS INT DETERMINISTIC NO SQL RETURN 1;" +
	"CREATE FUNCTION other() RETURNS INT DETERMINISTIC NO SQL RETURN 1;" +
	"CREATE PROCEDURE work() SELECT 1;" +
	"CREATE VIEW secure_person AS SELECT id, concat(name, qed_appKey()) AS name FROM person;"

func mariaCheckedPolicy(schema string) *secureview.Policy {
	return &secureview.Policy{
		Dialect:   "mysql",
		Schema:    schema,
		Tables:    map[string][]string{"person": {"id", "name"}, "task": {"id", "person"}},
		Views:     map[string]string{"person": "secure_person"},
		Functions: []string{"holiday"},
		Setup: &secureview.Setup{Account: "'agent'@'%'", Key: &secureview.Key{Setting: "appKey"},
			Tables: map[string]secureview.TableSetup{"person": {Filters: []secureview.Filter{{Column: "id", Setting: "tenant"}}}}},
	}
}

func mariaFindings(t *testing.T, err error) []sqldb.Finding {
	t.Helper()
	if err == nil {
		return nil
	}
	var failed *sqldb.Error
	if !errors.As(err, &failed) || failed.Kind != sqldb.ErrAccount || len(failed.Findings) == 0 {
		t.Fatalf("no findings: %v", err)
	}
	return failed.Findings
}

// An account with the rights that a policy needs passes. Each further right is
// found, and so is each missing one. After an administrator has run the fixes,
// the account passes.
func TestMySQLDBCheck(t *testing.T) {
	server := mariaServer(t)
	const name = "mysqldb_check"
	db := "`" + name + "`"
	for _, tt := range []struct {
		grant string // run by the administrator; ACCOUNT is the account
		want  string // the kinds and objects of the findings
	}{
		{"", ""},
		{"GRANT EXECUTE ON FUNCTION holiday TO ACCOUNT", ""},
		{"GRANT SHOW VIEW ON *.* TO ACCOUNT", ""},

		{"GRANT INSERT ON task TO ACCOUNT", "can_write " + db + ".`task`"},
		{"GRANT UPDATE (id), SELECT (id) ON task TO ACCOUNT", "can_write " + db + ".`task`"},
		{"GRANT DELETE, DROP ON *.* TO ACCOUNT", "can_write *.*"},
		{"GRANT CREATE TEMPORARY TABLES ON " + name + ".* TO ACCOUNT", "can_write " + db + ".*"},
		{"GRANT ALL ON " + name + ".* TO ACCOUNT", "can_write " + db + ".*"},
		{"GRANT ALL ON `mysqldb\\_ch%`.* TO ACCOUNT WITH GRANT OPTION", "can_write `mysqldb\\_ch%`.*, can_write `mysqldb\\_ch%`.*"},
		{"GRANT SELECT ON task TO ACCOUNT WITH GRANT OPTION", "can_write " + db + ".`task`"},
		{"GRANT SUPER ON *.* TO ACCOUNT", "can_write *.*"},
		{"GRANT PROXY ON root@localhost TO ACCOUNT", "can_write `root`@`localhost`"},
		{"GRANT EXECUTE ON PROCEDURE work TO ACCOUNT", "can_write " + db + ".`work`"},
		{"GRANT EXECUTE ON FUNCTION other TO ACCOUNT", "can_write " + db + ".`other`"},

		{"GRANT FILE ON *.* TO ACCOUNT", "can_read_files *.*"},
		{"GRANT PROCESS ON *.* TO ACCOUNT", "can_read_unlisted *.*"},
		{"GRANT EXECUTE ON FUNCTION qed_appKey TO ACCOUNT", "can_call_key_function " + db + ".`qed_appkey`"},
		{"GRANT EXECUTE ON FUNCTION qed_tenant TO ACCOUNT", "can_call_key_function " + db + ".`qed_tenant`"},
		{"GRANT EXECUTE ON " + name + ".* TO ACCOUNT", "can_call_key_function " + db + ".*"},
		{"GRANT EXECUTE ON *.* TO ACCOUNT", "can_call_key_function *.*"},

		{"GRANT SELECT ON person TO ACCOUNT", "can_read_base_table " + name + ".person"},
		{"GRANT SELECT (ssn) ON person TO ACCOUNT", "can_read_base_table " + name + ".person"},
		{"GRANT SELECT ON " + name + ".* TO ACCOUNT", "can_read_base_table " + name + ".person"},
		{"GRANT SELECT ON `mysqldb_chec_`.* TO ACCOUNT", "can_read_base_table " + name + ".person"},
		{"GRANT SELECT ON *.* TO ACCOUNT", "can_read_base_table " + name + ".person"},
		{"GRANT SELECT ON payroll TO ACCOUNT", "can_read_unlisted " + db + ".`payroll`"},
		{"GRANT SELECT ON mysql.* TO ACCOUNT", "can_read_unlisted `mysql`.*"},
		{"GRANT SELECT ON payroll TO PUBLIC", "can_read_unlisted " + db + ".`payroll`"},

		{"CREATE ROLE mysqldb_a, mysqldb_b; GRANT INSERT ON task TO mysqldb_b; GRANT mysqldb_b TO mysqldb_a; GRANT mysqldb_a TO ACCOUNT", "can_write " + db + ".`task`"},
		{"GRANT SELECT ON payroll TO PUBLIC; CREATE ROLE mysqldb_a, mysqldb_b; GRANT mysqldb_a TO ACCOUNT", "can_read_unlisted " + db + ".`payroll`"},
		{"CREATE ROLE mysqldb_a, mysqldb_b; GRANT mysqldb_a TO ACCOUNT WITH ADMIN OPTION", "can_write `mysqldb_a`"},
		{"CREATE ROLE mysqldb_a, mysqldb_b; REVOKE SELECT ON task FROM ACCOUNT; GRANT SELECT, DELETE ON task TO mysqldb_a; GRANT mysqldb_a TO ACCOUNT; SET DEFAULT ROLE mysqldb_a FOR ACCOUNT", "can_write " + db + ".`task`"},

		{"CREATE ROLE mysqldb_a, mysqldb_b; GRANT SELECT ON payroll TO mysqldb_a; GRANT mysqldb_a TO PUBLIC", "can_read_unlisted " + db + ".`payroll`"},

		{"REVOKE SELECT ON secure_person FROM ACCOUNT", "cannot_read " + name + ".secure_person"},
		{"REVOKE SELECT ON task FROM ACCOUNT; GRANT SELECT (id) ON task TO ACCOUNT", "cannot_read " + name + ".task"},
		{"REVOKE ALL, GRANT OPTION FROM ACCOUNT; GRANT SHOW VIEW ON task TO ACCOUNT", "cannot_read " + name + ".secure_person, cannot_read " + name + ".task"},
	} {
		t.Run(tt.grant, func(t *testing.T) {
			m := newMaria(t, server, name, mariaChecked)
			t.Cleanup(func() {
				m.admin.Exec("DROP ROLE IF EXISTS mysqldb_a; DROP ROLE IF EXISTS mysqldb_b")
				m.admin.Exec("REVOKE ALL ON payroll FROM PUBLIC")
			})
			m.grant(t, "SELECT ON secure_person")
			m.grant(t, "SELECT ON task")
			if tt.grant != "" {
				mariaExec(t, m.admin, strings.ReplaceAll(tt.grant, "ACCOUNT", db+"@`%`"))
			}
			var got []string
			for _, f := range mariaFindings(t, m.open(t, &sqldb.Options{Session: mariaSettings("appKey", "key")}).Check(t.Context(), mariaCheckedPolicy(name))) {
				got = append(got, fmt.Sprint(f.Kind, " ", f.Object))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for round := 0; ; round++ {
				left := mariaFindings(t, m.open(t, &sqldb.Options{Session: mariaSettings("appKey", "key")}).Check(t.Context(), mariaCheckedPolicy(name)))
				if len(left) == 0 {
					break
				}
				if round == 4 {
					t.Fatalf("after %d rounds of fixes there is still %v", round, left)
				}
				for _, f := range left {
					if _, err := m.admin.Exec(f.Fix); err != nil {
						t.Fatalf("the fix %q: %v", f.Fix, err)
					}
				}
			}
		})
	}
}

// A finding that no grant fixes has no fix.
func TestMySQLDBCheckBroken(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_broken", mariaChecked+"CREATE VIEW lost AS SELECT id FROM payroll; DROP TABLE payroll")
	m.grant(t, "SELECT ON secure_person")
	m.grant(t, "SELECT ON task")
	m.grant(t, "SELECT ON lost")
	policy := mariaCheckedPolicy(m.name)
	policy.Tables["lost"] = []string{"id"}
	policy.Tables["task"] = []string{"id", "person", "deadline", "persons"}
	policy.Tables["tasks"] = []string{"id"}
	var got []string
	for _, f := range mariaFindings(t, m.open(t, &sqldb.Options{Session: mariaSettings("appKey", "key")}).Check(t.Context(), policy)) {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", f.Kind, f.Object, f.Column, strings.Join(f.Candidates, ","))))
		if f.Fix != "" && f.Object != m.name+".tasks" {
			t.Errorf("%s would not fix that %s", f.Fix, f.Message)
		}
	}
	want := []string{
		"cannot_read mysqldb_broken.lost",
		"cannot_read mysqldb_broken.tasks  task", // MariaDB does not tell an account whether such a table exists
		"missing_column mysqldb_broken.task deadline",
		"missing_column mysqldb_broken.task persons person",
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An account that may read the whole database learns which tables are missing.
func TestMySQLDBCheckMissingTable(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_missing", "CREATE TABLE task (id INT)")
	m.grant(t, "SELECT ON *")
	policy := &secureview.Policy{Dialect: "mysql", Schema: m.name, Tables: map[string][]string{"task": {"ID"}}}
	if err := m.open(t, nil).Check(t.Context(), policy); err != nil {
		t.Errorf("a policy that fits: %v", err)
	}
	policy.Tables["tasks"] = []string{"id"}
	got := mariaFindings(t, m.open(t, nil).Check(t.Context(), policy))
	want := []sqldb.Finding{{
		Kind: sqldb.MissingTable, Object: m.name + ".tasks", Candidates: []string{"task"},
		Message: "there is no table or view mysqldb_missing.tasks, which the policy lists (did you mean task?)",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without a policy, Check finds what the account may do except reading.
func TestMySQLDBCheckAccount(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_account", mariaChecked)
	m.grant(t, "SELECT ON *")
	if err := m.open(t, nil).Check(t.Context(), nil); err != nil {
		t.Errorf("an account that reads all: %v", err)
	}
	m.grant(t, "INSERT ON *")
	got := mariaFindings(t, m.open(t, nil).Check(t.Context(), nil))
	if len(got) != 1 || got[0].Kind != sqldb.CanWrite || got[0].Fix != "REVOKE INSERT ON `mysqldb_account`.* FROM `mysqldb_account`@`%`" {
		t.Errorf("%+v", got)
	}
	for name, p := range map[string]*secureview.Policy{
		"another dialect": {Dialect: "sqlite", Schema: "main"},
		"no schema":       {Tables: map[string][]string{"t": {"id"}}},
	} {
		if err := m.open(t, nil).Check(t.Context(), p); !errors.Is(err, sqldb.ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
