package sqldb_test

import (
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

func ExamplePolicyFor() {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"employee":        {Columns: []string{"id", "name", "salary", "password_hash"}},
		"secure_employee": {Columns: []string{"id", "name"}, View: true},
		"customer":        {Columns: []string{"id", "name", "iban"}},
	}}
	policy, secrets, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "mysql", Schema: "service"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(policy.Tables, policy.Views)
	fmt.Println("left out:", secrets)
	// Output:
	// map[customer:[id name] secure_employee:[id name]] map[employee:secure_employee]
	// left out: [customer.iban]
}

func TestPolicyFor(t *testing.T) {
	schema := func() *joinpath.Schema {
		return &joinpath.Schema{Tables: map[string]joinpath.Table{
			"Employee":        {Columns: []string{"id", "name", "salary", "token"}},
			"secure_employee": {Columns: []string{"id", "name"}, View: true},
			"SECURE_Crew":     {Columns: []string{"id", "note"}, View: true}, // the account sees the view only
			"secure_":         {Columns: []string{"id"}, View: true},
			"secure_table":    {Columns: []string{"id"}}, // no view
			"job":             {Columns: []string{"id", "note", "api_key"}},
			"readable_job":    {Columns: []string{"id"}, View: true},
			"vault":           {Columns: []string{"secret"}},
			"audit.log":       {Columns: []string{"id", "note"}},
		}}
	}
	tables := func(more map[string][]string) map[string][]string {
		all := map[string][]string{
			"secure_employee": {"id", "name"}, "SECURE_Crew": {"id", "note"}, "secure_": {"id"}, "secure_table": {"id"},
			"job": {"id", "note"}, "readable_job": {"id"}, "audit.log": {"id", "note"},
		}
		for name, columns := range more {
			if all[name] = columns; columns == nil {
				delete(all, name)
			}
		}
		return all
	}
	found := map[string]string{"Employee": "secure_employee", "Crew": "SECURE_Crew"}
	for _, test := range []struct {
		name    string
		opt     *sqldb.PolicyOptions
		tables  map[string][]string
		views   map[string]string
		secrets []string
	}{
		{"views by prefix, no secrets", nil, tables(nil), found, []string{"job.api_key", "vault.secret"}},
		{"a map of views", &sqldb.PolicyOptions{Views: map[string]string{"JOB": "Readable_Job"}},
			tables(map[string][]string{"job": nil}),
			map[string]string{"Employee": "secure_employee", "Crew": "SECURE_Crew", "job": "readable_job"}, []string{"vault.secret"}},
		{"exclusions", &sqldb.PolicyOptions{Exclude: []string{"EMPLOYEE", "*.note", "audit.log.id", "employee.salary"}},
			tables(map[string][]string{"secure_employee": nil, "SECURE_Crew": {"id"}, "job": {"id"}, "audit.log": nil}),
			map[string]string{"Crew": "SECURE_Crew"}, []string{"job.api_key", "vault.secret"}},
		{"secrets that may be read", &sqldb.PolicyOptions{Secrets: []string{"job.api_key", "*.secret"}},
			tables(map[string][]string{"job": {"id", "note", "api_key"}, "vault": {"secret"}}), found, nil},
		{"another prefix", &sqldb.PolicyOptions{ViewPrefix: "readable_"},
			tables(map[string][]string{"job": nil, "Employee": {"id", "name", "salary"}}),
			map[string]string{"job": "readable_job"}, []string{"Employee.token", "vault.secret"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, secrets, err := sqldb.PolicyFor(schema(), test.opt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.tables, p.Tables); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.views, p.Views); diff != "" {
				t.Errorf("views (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.secrets, secrets, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("secrets (-want +got):\n%s", diff)
			}
			p.Dialect = "sqlite"
			if _, err := p.ReadableTables(); err != nil {
				t.Errorf("the policy: %v", err)
			}
		})
	}

	// A view that is excluded, or that has nothing to read, does not open its table.
	views := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"user":        {Columns: []string{"id", "pay"}},
		"secure_user": {Columns: []string{"id", "pay"}, View: true},
		"user_view":   {Columns: []string{"id", "pay"}, View: true},
		"job":         {Columns: []string{"id"}},
	}}
	byMap := map[string]string{"user": "user_view"}
	job := []string{"id"}
	for _, test := range []struct {
		name   string
		opt    sqldb.PolicyOptions
		tables map[string][]string
		views  map[string]string
	}{
		{"a column of the view", sqldb.PolicyOptions{Exclude: []string{"secure_user.pay", "user_view"}},
			map[string][]string{"job": job, "secure_user": {"id"}}, map[string]string{"user": "secure_user"}},
		{"a column of the table", sqldb.PolicyOptions{Exclude: []string{"user.pay", "user_view"}},
			map[string][]string{"job": job, "secure_user": {"id"}}, map[string]string{"user": "secure_user"}},
		{"all columns of the view", sqldb.PolicyOptions{Exclude: []string{"secure_user.id", "user.pay", "user_view"}},
			map[string][]string{"job": job}, map[string]string{}},
		{"the view", sqldb.PolicyOptions{Exclude: []string{"secure_user", "user_view"}},
			map[string][]string{"job": job}, map[string]string{}},
		{"a table with two views", sqldb.PolicyOptions{Views: byMap, Exclude: []string{"user"}},
			map[string][]string{"job": job}, map[string]string{}},
		{"a column of a table with two views", sqldb.PolicyOptions{Views: byMap, Exclude: []string{"user.pay"}},
			map[string][]string{"job": job, "secure_user": {"id"}, "user_view": {"id"}}, byMap},
		{"the view that is not used", sqldb.PolicyOptions{Views: byMap, Exclude: []string{"secure_user"}},
			map[string][]string{"job": job, "user_view": {"id", "pay"}}, byMap},
		{"nothing", sqldb.PolicyOptions{Views: byMap},
			map[string][]string{"job": job, "secure_user": {"id", "pay"}, "user_view": {"id", "pay"}}, byMap},
	} {
		p, _, err := sqldb.PolicyFor(views, &test.opt)
		if err != nil {
			t.Errorf("exclude %s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(test.tables, p.Tables); diff != "" {
			t.Errorf("exclude %s: tables (-want +got):\n%s", test.name, diff)
		}
		if diff := cmp.Diff(test.views, p.Views); diff != "" {
			t.Errorf("exclude %s: views (-want +got):\n%s", test.name, diff)
		}
	}

	for name, test := range map[string]struct {
		opt  sqldb.PolicyOptions
		code refusal.Code
	}{
		"an unknown table":  {sqldb.PolicyOptions{Exclude: []string{"jobs"}}, secureview.ErrUnknownTable},
		"an unknown column": {sqldb.PolicyOptions{Exclude: []string{"job.notes"}}, secureview.ErrUnknownColumn},
		"an unknown secret": {sqldb.PolicyOptions{Secrets: []string{"job.apikey"}}, secureview.ErrUnknownColumn},
		"an unknown view":   {sqldb.PolicyOptions{Views: map[string]string{"job": "secure_jobs"}}, secureview.ErrUnknownTable},
	} {
		if p, _, err := sqldb.PolicyFor(schema(), &test.opt); p != nil || !errors.Is(err, test.code) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if _, _, err := sqldb.PolicyFor(&joinpath.Schema{}, nil); !errors.Is(err, sqldb.ErrEmpty) {
		t.Errorf("an empty schema: %v", err)
	}
}

// Two tables whose names differ in letter case are two tables: a view or an entry of
// Views that fits both belongs to neither.
func TestPolicyForSimilarNames(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"Crew": {Columns: []string{"id"}}, "CREW": {Columns: []string{"id"}}, "v": {Columns: []string{"id"}, View: true},
		"V": {Columns: []string{"id"}, View: true},
	}}
	for range 20 {
		p, _, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Views: map[string]string{"Crew": "v"}})
		if err != nil || p.Views["Crew"] != "v" || len(p.Tables["CREW"]) == 0 || len(p.Tables["Crew"]) > 0 {
			t.Fatalf("exact names: %v, %+v", err, p)
		}
	}
	similar := map[string]joinpath.Table{"crew": {Columns: []string{"id"}}, "vA": {Columns: []string{"id"}}, "Va": {Columns: []string{"id"}}}
	_, _, err := sqldb.PolicyFor(&joinpath.Schema{Tables: similar}, &sqldb.PolicyOptions{Views: map[string]string{"crew": "va"}})
	if !errors.Is(err, secureview.ErrUnknownTable) {
		t.Errorf("a view that may be one of two: %v", err)
	}
}

// The id of a row is no secret, whatever the row holds. A key that is a secret itself stays
// one.
func TestPolicyForReferences(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"tokenRecord": {Columns: []string{"id", "token"}, UniqueColumns: []string{"id"}},
		"account":     {Columns: []string{"iban"}, UniqueColumns: []string{"iban"}},
		"usage":       {Columns: []string{"tokenRecordId", "secret_token_id", "session_token_id", "iban", "paid_token"}},
	}}
	for from, to := range map[string]string{"secret_token_id": "tokenRecord.id", "iban": "account.iban"} {
		table, column, _ := strings.Cut(to, ".")
		if err := schema.AddForeignKey("usage", []string{from}, table, []string{column}); err != nil {
			t.Fatal(err)
		}
	}
	policy, secrets, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "mysql", Schema: "service"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tokenRecordId", "secret_token_id"}, policy.Tables["usage"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{"account.iban", "tokenRecord.token", "usage.session_token_id", "usage.iban", "usage.paid_token"}
	if diff := cmp.Diff(want, secrets); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
}
