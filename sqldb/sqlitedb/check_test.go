package sqlitedb_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// A policy fits if the database has all its tables, views and columns, in any
// letter case.
func TestCheckPolicy(t *testing.T) {
	db := open(t, create(t, `
		CREATE TABLE employee(id INTEGER PRIMARY KEY, name TEXT, ssn TEXT);
		CREATE TABLE "workTime"(id INTEGER PRIMARY KEY, hours INT, doubled INT AS (hours * 2));
		CREATE VIEW secure_employee AS SELECT id, name, upper(name) AS loud FROM employee`), nil)
	for _, test := range []struct {
		name   string
		tables map[string][]string
		views  map[string]string
		want   []sqldb.Finding
	}{
		{"all there", map[string][]string{"EMPLOYEE": {"ID", "ssn"}, "workTime": {"doubled"}}, nil, nil},
		{"a view", map[string][]string{"employee": {"id", "loud"}}, map[string]string{"employee": "secure_employee"}, nil},
		{"no table", map[string][]string{"employees": {"id"}}, nil, []sqldb.Finding{{
			Kind: sqldb.MissingTable, Object: "employees", Candidates: []string{"employee"},
			Message: "there is no table or view employees, which the policy lists (did you mean employee?)",
		}}},
		{"no column", map[string][]string{"workTime": {"id", "hour", "zzz"}}, nil, []sqldb.Finding{
			{Kind: sqldb.MissingColumn, Object: "workTime", Column: "hour", Candidates: []string{"hours"},
				Message: "workTime has no column hour, which the policy lists (did you mean hours?)"},
			{Kind: sqldb.MissingColumn, Object: "workTime", Column: "zzz",
				Message: "workTime has no column zzz, which the policy lists"},
		}},
		{"a column of the table behind the view", map[string][]string{"employee": {"id", "ssn"}}, map[string]string{"employee": "secure_employee"},
			[]sqldb.Finding{{Kind: sqldb.MissingColumn, Object: "secure_employee", Column: "ssn",
				Message: "secure_employee has no column ssn, which the policy lists"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := db.Check(t.Context(), &secureview.Policy{Dialect: "sqlite", Tables: test.tables, Views: test.views})
			var got []sqldb.Finding
			var failed *sqldb.Error
			if errors.As(err, &failed) {
				got = failed.Findings
			}
			if (err != nil) != (test.want != nil) || err != nil && !errors.Is(err, sqldb.ErrAccount) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
