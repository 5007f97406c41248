package sqldb_test

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"slices"
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
	policy, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "mysql"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(policy.Tables, policy.Views)
	fmt.Println("left out:", omitted)
	// Output:
	// map[customer:[id name] secure_employee:[id name]] map[employee:secure_employee]
	// left out: [customer.iban looks like a secret]
}

func TestPolicyFor(t *testing.T) {
	schema := func() *joinpath.Schema {
		return &joinpath.Schema{Tables: map[string]joinpath.Table{
			"Employee":        {Columns: []string{"id", "name", "salary", "token"}},
			"secure_employee": {Columns: []string{"id", "name"}, View: true},
			"SECURE_Crew":     {Columns: []string{"id", "note"}, View: true}, // the account sees the view only
			"secure_":         {Columns: []string{"id"}, View: true, Reads: []string{"secure_table"}},
			"secure_table":    {Columns: []string{"id"}}, // no view
			"job":             {Columns: []string{"id", "note", "api_key"}},
			"readable_job":    {Columns: []string{"id"}, View: true, Reads: []string{}},
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
			p, omitted, err := sqldb.PolicyFor(schema(), test.opt)
			if err != nil {
				t.Fatal(err)
			}
			var secrets []string
			for _, o := range omitted {
				secrets = append(secrets, o.Table+"."+o.Column)
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

// Two tables whose names differ in letter case are two tables, and a policy can list
// neither: a view or an entry of Views that fits both belongs to neither.
func TestPolicyForSimilarNames(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"Crew": {Columns: []string{"id"}}, "CREW": {Columns: []string{"id"}}, "v": {Columns: []string{"id"}, View: true},
		"job": {Columns: []string{"id"}},
	}}
	for range 20 {
		p, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "sqlite", Views: map[string]string{"Crew": "v"}})
		if err != nil || len(p.Views) > 0 || len(p.Tables) != 1 || len(p.Tables["job"]) == 0 || len(omitted) != 2 {
			t.Fatalf("exact names: %v, %+v, %v", err, p, omitted)
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
		"usage":       {Columns: []string{"tokenRecordId", "secret_token_id", "session_token_id", "iban", "paid_token", "password_policy_id", "api_key_id"}},

		"password_policies": {Columns: []string{"id"}},
		"auth.api_key":      {Columns: []string{"id"}, Schema: "auth"},
	}}
	for from, to := range map[string]string{"secret_token_id": "tokenRecord.id", "iban": "account.iban"} {
		table, column, _ := strings.Cut(to, ".")
		if err := schema.AddForeignKey("usage", []string{from}, table, []string{column}); err != nil {
			t.Fatal(err)
		}
	}
	policy, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "mysql"})
	if err != nil {
		t.Fatal(err)
	}
	var secrets []string
	for _, o := range omitted {
		secrets = append(secrets, o.Table+"."+o.Column)
	}
	if diff := cmp.Diff([]string{"tokenRecordId", "secret_token_id", "password_policy_id", "api_key_id"}, policy.Tables["usage"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{"account.iban", "tokenRecord.token", "usage.session_token_id", "usage.iban", "usage.paid_token"}
	if diff := cmp.Diff(want, secrets); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
}

// What no policy can list is left out, and the rest can be used.
func TestPolicyForOddNames(t *testing.T) {
	long := strings.Repeat("x", 300)
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"good":     {Columns: []string{"id", "name", "", "A", "a", "first\tname", "b\xff", "*", long, "größe", "with space"}},
		"Order":    {Columns: []string{"id"}},
		"order":    {Columns: []string{"id"}},
		"":         {Columns: []string{"id"}},
		"a\nb":     {Columns: []string{"id"}},
		"\xff":     {Columns: []string{"id"}},
		long:       {Columns: []string{"id"}},
		"empty":    {Columns: []string{""}},
		"excluded": {Columns: []string{"id"}},
		"EXCLUDED": {Columns: []string{"id"}},
	}}
	p, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "sqlite", Exclude: []string{"excluded"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{"good": {"id", "name", "größe", "with space"}}, p.Tables); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := p.ReadableTables(); err != nil {
		t.Error(err)
	}
	var lines []string
	for _, o := range omitted {
		if o.Kind != sqldb.OmittedName {
			t.Errorf("%v: %s", o, o.Kind)
		}
		lines = append(lines, strings.ReplaceAll(o.String(), long, "LONG"))
	}
	want := []string{
		`"" has an empty name`,
		`Order differs from order in letter case only`,
		`"a\nb" has control characters or invalid UTF-8 in its name`,
		`empty. has an empty name`,
		`good. has an empty name`,
		`good.A differs from a in letter case only`,
		`good.a differs from A in letter case only`,
		`"good.first\tname" has control characters or invalid UTF-8 in its name`,
		`"good.b\xff" has control characters or invalid UTF-8 in its name`,
		`good.* has the name of all columns`,
		`good.LONG has a name of 300 bytes`,
		`order differs from Order in letter case only`,
		`LONG has a name of 300 bytes`,
		`"\xff" has control characters or invalid UTF-8 in its name`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A view over something that may not be read is left out, unless Include names it.
func TestPolicyForViews(t *testing.T) {
	view := func(columns string, reads ...string) joinpath.Table {
		return joinpath.Table{Columns: strings.Fields(columns), View: true, Reads: reads}
	}
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"employee":        {Columns: []string{"id", "name", "pay"}},
		"job":             {Columns: []string{"id", "employeeId"}},
		"user":            {Columns: []string{"id", "mail"}},
		"secure_user":     view("id", "user", "employee"),
		"staff":           view("id name", "employee"),
		"jobs":            view("id", "job"),
		"staff_jobs":      view("id", "jobs", "STAFF"),
		"users":           view("id mail", "user"),
		"safe_users":      view("id", "secure_user", "job"),
		"constant":        {Columns: []string{"one"}, View: true, Reads: []string{}},
		"called":          view("id"),
		"loop":            view("id", "loop"),
		"further_staff_2": view("n", "staff_jobs"),
	}}
	for _, tt := range []struct {
		name             string
		exclude, include []string
		want, left       string // the plain views in the policy, and what is said of the others
	}{
		{"nothing", nil, nil, "called constant further_staff_2 jobs loop safe_users staff staff_jobs",
			"users reads user, which is read through secure_user only"},
		{"a table", []string{"Employee"}, nil, "constant jobs loop safe_users",
			"called is a view, and it is not known whether it reads something that is excluded; " +
				"further_staff_2 reads staff_jobs, which reads staff, which reads employee, which is excluded; " +
				"staff reads employee, which is excluded; staff_jobs reads staff, which reads employee, which is excluded; " +
				"users reads user, which is read through secure_user only"},
		{"a table, and views that are named", []string{"employee"}, []string{"STAFF_jobs", "called", "users"},
			"called constant jobs loop safe_users staff_jobs users",
			"further_staff_2 reads staff_jobs, which reads staff, which reads employee, which is excluded; staff reads employee, which is excluded"},
		{"a column", []string{"job.employeeId"}, []string{"called"}, "called constant loop staff",
			"further_staff_2 reads staff_jobs, which reads jobs, which reads job, of which employeeId is excluded; " +
				"jobs reads job, of which employeeId is excluded; safe_users reads job, of which employeeId is excluded; " +
				"staff_jobs reads jobs, which reads job, of which employeeId is excluded; " +
				"users reads user, which is read through secure_user only"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "sqlite", Exclude: tt.exclude, Include: tt.include})
			if err != nil {
				t.Fatal(err)
			}
			var views, left []string
			for _, name := range slices.Sorted(maps.Keys(p.Tables)) {
				if schema.Tables[name].View && name != "secure_user" {
					views = append(views, name)
				}
			}
			for _, o := range omitted {
				if o.Kind != sqldb.OmittedView {
					t.Errorf("%v: %s", o, o.Kind)
				}
				left = append(left, o.String())
			}
			if got := strings.Join(views, " "); got != tt.want || p.Views["user"] != "secure_user" {
				t.Errorf("got %s, %v\nwant %s", got, p.Views, tt.want)
			}
			if got := strings.Join(left, "; "); got != tt.left {
				t.Errorf("left out: %s\nwant %s", got, tt.left)
			}
		})
	}
	if _, _, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Include: []string{"absent"}}); !errors.Is(err, secureview.ErrUnknownTable) {
		t.Errorf("Include names nothing: %v", err)
	}
}

// A view that may show a secret under another name is left out, and so is a full-text index
// with a column that may not be read.
func TestPolicyForUses(t *testing.T) {
	uses := func(table string, columns ...string) (all []joinpath.Use) {
		for _, column := range columns {
			all = append(all, joinpath.Use{Table: table, Column: column})
		}
		return all
	}
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"user":      {Columns: []string{"id", "mail", "password_hash", "token_id"}},
		"token":     {Columns: []string{"id"}},
		"mails":     {Columns: []string{"id", "address"}, View: true, Reads: []string{"user"}, Uses: uses("user", "mail")},
		"tokens":    {Columns: []string{"number"}, View: true, Reads: []string{"user"}, Uses: uses("user", "token_id")},
		"hints":     {Columns: []string{"hint"}, View: true, Reads: []string{"user"}, Uses: uses("user", "password_hash")},
		"further":   {Columns: []string{"hint"}, View: true, Reads: []string{"hints"}},
		"elsewhere": {Columns: []string{"x"}, View: true, Uses: uses("apart.vault", "api_key")},
		"words":     {Columns: []string{"title", "body"}, View: true, Reads: []string{}, Uses: uses("words", "title", "body")},
		"starts":    {Columns: []string{"id", "start"}, View: true, Reads: []string{"person"}},
		"person": {Columns: []string{"id", "pay", "pin", "yearly", "start"}, Uses: []joinpath.Use{
			{By: "yearly", Table: "person", Column: "pay"}, {By: "start", Table: "person", Column: "pin"}, {By: "start", Table: "person", Column: "id"}}},
		"renamed": {Columns: []string{"id", "login"}, View: true, Reads: []string{"person"}, Uses: uses("person", "start")},
		"doubled": {Columns: []string{"id", "login"}, View: true, Reads: []string{"person"}, Uses: uses("person", "yearly")},
		"again":   {Columns: []string{"id", "start"}, View: true, Reads: []string{"starts"}},
		"circle": {Columns: []string{"id", "a", "b", "c"}, Uses: []joinpath.Use{
			{By: "a", Table: "circle", Column: "b"}, {By: "b", Table: "circle", Column: "a"}, {By: "c", Table: "circle", Column: "a"}}},
	}}
	for _, tt := range []struct {
		name string
		opt  sqldb.PolicyOptions
		left string
	}{
		{"secrets", sqldb.PolicyOptions{}, "again.start uses person.pin, which looks like a secret; elsewhere uses apart.vault.api_key, which looks like a secret; " +
			"further reads hints, which uses user.password_hash, which looks like a secret; " +
			"hints uses user.password_hash, which looks like a secret; person.pin looks like a secret; " +
			"person.start uses person.pin, which looks like a secret; " +
			"renamed uses person.start, which uses person.pin, which looks like a secret; starts.start uses person.pin, which looks like a secret; " +
			"user.password_hash looks like a secret"},
		{"secrets that may be read", sqldb.PolicyOptions{Secrets: []string{"*.password_hash", "apart.vault.api_key", "person.pin"}}, ""},
		{"views and columns that are named", sqldb.PolicyOptions{Include: []string{"hints", "further", "elsewhere", "person.start", "starts.start", "again.start", "renamed"}},
			"person.pin looks like a secret; user.password_hash looks like a secret"},
		{"columns", sqldb.PolicyOptions{Exclude: []string{"words.body", "person.pay"}, Include: []string{"elsewhere", "hints", "further"}, Secrets: []string{"*.pin"}},
			"again reads starts, which reads person, of which pay is excluded; doubled uses person.yearly, which uses person.pay, which is excluded; " +
				"person.yearly uses person.pay, which is excluded; renamed reads person, of which pay is excluded; starts reads person, of which pay is excluded; user.password_hash looks like a secret; words uses words.body, which is excluded"},
	} {
		p, omitted, err := sqldb.PolicyFor(schema, &tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, o := range omitted {
			left = append(left, o.String())
			if columns, listed := p.Tables[o.Table]; listed && (o.Column == "" || slices.Contains(columns, o.Column)) {
				t.Errorf("%s: %v is in the policy", tt.name, o)
			}
		}
		if got := strings.Join(left, "; "); got != tt.left || p.Tables["mails"] == nil || p.Tables["tokens"] == nil {
			t.Errorf("%s: left out: %s\nwant %s", tt.name, got, tt.left)
		}
	}
	schema.Tables["secure_user"] = joinpath.Table{Columns: []string{"id"}, View: true, Reads: []string{"user"}, Uses: uses("user", "password_hash")}
	if p, _, err := sqldb.PolicyFor(schema, nil); err != nil || p.Tables["secure_user"] == nil {
		t.Errorf("a secure view: %v, %v", p, err)
	}
}

// The policy of several schemas lists each table in its own.
func TestPolicyForSchemas(t *testing.T) {
	schema := &joinpath.Schema{Name: "sales", Tables: map[string]joinpath.Table{
		"orders":              {Columns: []string{"id", "customer_id"}},
		"customer":            {Columns: []string{"id", "title"}},
		"crm.customer":        {Columns: []string{"id", "name"}, Schema: "crm"},
		"crm.secure_customer": {Columns: []string{"id", "name"}, Schema: "crm", View: true, Reads: []string{"crm.customer"}},
		"crm.names":           {Columns: []string{"name"}, Schema: "crm", View: true, Reads: []string{"crm.customer"}},
		"crm.note":            {Columns: []string{"id", "secret"}, Schema: "crm"},
		"hr.payroll":          {Columns: []string{"id"}, Schema: "hr"},
		"hr.staff":            {Columns: []string{"id", "wage"}, Schema: "hr"},
	}}
	policy, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "postgres", Exclude: []string{"hr.payroll", "hr.staff.wage"}})
	if err != nil {
		t.Fatal(err)
	}
	want := &secureview.Policy{
		Dialect: "postgres", Schema: "sales", Views: map[string]string{},
		Tables: map[string][]string{"orders": {"id", "customer_id"}, "customer": {"id", "title"}},
		Schemas: map[string]secureview.Schema{
			"crm": {Tables: map[string][]string{"secure_customer": {"id", "name"}, "note": {"id"}}, Views: map[string]string{"customer": "secure_customer"}},
			"hr":  {Tables: map[string][]string{"staff": {"id"}}, Views: map[string]string{}},
		},
	}
	if diff := cmp.Diff(want, policy); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var left []string
	for _, o := range omitted {
		left = append(left, o.String())
	}
	if diff := cmp.Diff([]string{
		"crm.names reads crm.customer, which is read through crm.secure_customer only", "crm.note.secret looks like a secret",
	}, left); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for view, table := range map[string]string{"crm.names": "orders", "crm.note": "hr.staff", "crm.secure_customer": "customer"} {
		_, _, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "postgres", Views: map[string]string{table: view}})
		if err == nil || !strings.Contains(err.Error(), "is not in the schema of") {
			t.Errorf("%s for %s: %v", view, table, err)
		}
	}
}

// A secure view cannot be in another schema than its table: the table is left out.
func TestPolicyForSecureViewElsewhere(t *testing.T) {
	for name, tt := range map[string]struct {
		reads   []string
		include []string
		want    bool // the table is readable
	}{
		"it reads the table":       {[]string{"crm.customer"}, nil, false},
		"nobody knows":             {nil, nil, false},
		"it reads another table":   {[]string{"customer"}, nil, true},
		"it reads it, and include": {[]string{"crm.customer"}, []string{"crm.customer"}, true},
	} {
		schema := &joinpath.Schema{Name: "app", Tables: map[string]joinpath.Table{
			"secure_customer": {Columns: []string{"id"}, View: true, Reads: tt.reads},
			"crm.customer":    {Columns: []string{"id", "name"}, Schema: "crm"},
			"crm.plain":       {Columns: []string{"id"}, Schema: "crm", View: true, Reads: []string{"crm.customer"}},
			"crm.note":        {Columns: []string{"id"}, Schema: "crm"},
		}}
		policy, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "postgres", Include: tt.include})
		if err != nil {
			t.Fatal(err)
		}
		listed := policy.Schemas["crm"].Tables
		schema.Tables["customer"] = joinpath.Table{Columns: []string{"id"}}
		if policy, _, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "postgres"}); err != nil || policy.Schemas["crm"].Tables["customer"] == nil {
			t.Errorf("%s: the view has a table of its own: %v, %v", name, policy, err)
		}
		if (listed["customer"] != nil) != tt.want || (listed["plain"] != nil) != tt.want || listed["note"] == nil || policy.Tables["secure_customer"] == nil {
			t.Errorf("%s: %v, left out: %v", name, policy, omitted)
		}
	}
}
