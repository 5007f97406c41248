package sqldb_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
)

// staff has an encrypted table, the view that decrypts it, and a table that refers to
// it, as the owner of the database sees them.
func staff(t *testing.T) *joinpath.Schema {
	t.Helper()
	s := &joinpath.Schema{Version: 1, Tables: map[string]joinpath.Table{
		"employee": {
			Columns: []string{"id", "badge", "firstName", "salary"}, PrimaryKey: []string{"id"}, UniqueColumns: []string{"id", "badge"},
			NotNull: []string{"id", "firstName"}, Rows: 40, Comment: "the staff",
			Types: map[string]string{"id": "int", "badge": "int", "firstName": "varbinary(255)", "salary": "varbinary(255)"},
		},
		"secure_employee": {
			Columns: []string{"id", "badge", "firstName", "initials"}, View: true,
			Types: map[string]string{"id": "int", "badge": "int", "firstName": "varchar(255)", "initials": "varchar(2)"},
		},
		"workTime": {
			Columns: []string{"id", "employeeId", "salary"}, PrimaryKey: []string{"id"}, UniqueColumns: []string{"id"}, NotNull: []string{"id"},
			Types: map[string]string{"id": "int", "employeeId": "int", "salary": "int"},
		},
		"audit": {Columns: []string{"employeeId"}},
	}}
	for _, from := range []string{"workTime", "audit"} {
		if err := s.AddForeignKey(from, []string{"employeeId"}, "employee", []string{"id"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.AddForeignKey("workTime", []string{"salary"}, "employee", []string{"salary"}); err != nil {
		t.Fatal(err)
	}
	return s
}

func staffPolicy() *secureview.Policy {
	return &secureview.Policy{
		Schema: "app",
		Tables: map[string][]string{
			"secure_employee": {"id", "badge", "firstName", "initials"},
			"workTime":        {"id", "employeeId"},
		},
		Views: map[string]string{"employee": "secure_employee"},
	}
}

// agentSees returns the schema of the account that the agent uses: it may read the view
// and not the table, so that the server shows it no keys of the table.
func agentSees(s *joinpath.Schema) *joinpath.Schema {
	return &joinpath.Schema{Version: 1, Tables: map[string]joinpath.Table{
		"secure_employee": s.Tables["secure_employee"], "workTime": s.Tables["workTime"],
	}}
}

func guardOf(t *testing.T, p *secureview.Policy, d dialect.Dialect) *secureview.Guard {
	t.Helper()
	g, err := secureview.New(p, d)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestReadable compares the schema of the owner of a database with that of the account
// of an agent, alone and together with the graph that the owner wrote.
func TestReadable(t *testing.T) {
	owner := staff(t)
	guard := guardOf(t, staffPolicy(), mysql.Dialect{})
	employee := joinpath.Table{
		Columns: []string{"id", "badge", "firstName", "initials"}, SecureView: "secure_employee",
		Types: map[string]string{"id": "int", "badge": "int", "firstName": "varchar(255)", "initials": "varchar(2)"},
	}
	known := employee
	known.PrimaryKey, known.UniqueColumns, known.Rows, known.Comment = []string{"id"}, []string{"id", "badge"}, 40, "the staff"
	unknown := employee
	unknown.View = true
	combined := known
	combined.View = true
	join := []string{"workTime.employeeId -> employee.id"}

	readable := func(s *joinpath.Schema) *joinpath.Schema {
		t.Helper()
		out, err := sqldb.Readable(s, guard)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	withGraph := func(graph *joinpath.Schema) *joinpath.Schema {
		t.Helper()
		s, _, err := joingraph.Combine(readable(agentSees(owner)), joingraph.Source{Name: "graph", Schema: graph})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	byView := &joinpath.Schema{Relationships: []joinpath.Relationship{
		{FromTable: "worktime", FromColumn: "employeeId", ToTable: "secure_employee", ToColumn: "id", Confidence: 1},
	}}
	for name, tt := range map[string]struct {
		schema *joinpath.Schema
		want   joinpath.Table
		joins  []string
	}{
		"the owner":                          {readable(owner), known, join},
		"again":                              {readable(readable(owner)), known, join},
		"the agent":                          {readable(agentSees(owner)), unknown, nil},
		"the agent with a graph":             {withGraph(readable(owner)), combined, join},
		"the agent with a schema":            {withGraph(owner), combined, join},
		"the agent with a graph of the view": {withGraph(byView), unknown, join},
	} {
		t.Run(name, func(t *testing.T) {
			ignore := cmpopts.IgnoreFields(joinpath.Table{}, "ColumnComments", "NotNull")
			if diff := cmp.Diff(tt.want, tt.schema.Tables["employee"], ignore, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("employee (-want +got):\n%s", diff)
			}
			var joins []string
			for _, r := range tt.schema.Relationships {
				joins = append(joins, r.String())
			}
			if diff := cmp.Diff(tt.joins, joins); diff != "" {
				t.Errorf("relationships (-want +got):\n%s", diff)
			}
			if len(tt.schema.Tables) != 2 {
				t.Errorf("%d tables, want those of the policy", len(tt.schema.Tables))
			}
		})
	}
}

// A view hides one of two key columns: neither the key nor a relationship over it is
// left, and the rows of the table are not taken for unique.
func TestReadableWithoutKeyColumn(t *testing.T) {
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"line":   {Columns: []string{"order_id", "no", "item"}, PrimaryKey: []string{"order_id", "no"}, UniqueKeys: [][]string{{"order_id", "item"}}},
		"refund": {Columns: []string{"order_id", "no"}},
	}}
	if err := s.AddForeignKey("refund", []string{"order_id", "no"}, "line", []string{"order_id", "no"}); err != nil {
		t.Fatal(err)
	}
	got, err := sqldb.Readable(s, guardOf(t, &secureview.Policy{Schema: "app", Tables: map[string][]string{
		"line": {"order_id", "item"}, "refund": {"order_id", "no"},
	}}, mysql.Dialect{}))
	if err != nil {
		t.Fatal(err)
	}
	want := joinpath.Table{Columns: []string{"order_id", "item"}, UniqueKeys: [][]string{{"order_id", "item"}}}
	if diff := cmp.Diff(want, got.Tables["line"], cmpopts.EquateEmpty(), cmpopts.IgnoreFields(joinpath.Table{}, "Types", "ColumnComments")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(got.Relationships) > 0 {
		t.Errorf("relationships over a hidden column: %v", got.Relationships)
	}
}

// The policy's spelling of a column wins where the letter case of names does not matter.
func TestReadableSpelling(t *testing.T) {
	p := staffPolicy()
	p.Tables["workTime"] = []string{"ID", "EMPLOYEEID"}
	got, err := sqldb.Readable(staff(t), guardOf(t, p, mysql.Dialect{}))
	if err != nil {
		t.Fatal(err)
	}
	if want := "workTime.EMPLOYEEID -> employee.id"; len(got.Relationships) != 1 || got.Relationships[0].String() != want {
		t.Errorf("relationships: %v, want %s", got.Relationships, want)
	}
	if got := got.Tables["workTime"]; got.Types["EMPLOYEEID"] != "int" || !cmp.Equal(got.PrimaryKey, []string{"ID"}) {
		t.Errorf("workTime: %+v", got)
	}
	_, err = sqldb.Readable(staff(t), guardOf(t, p, postgres.Dialect{}))
	if refused, ok := errors.AsType[*refusal.Error](err); !ok || len(refused.Problems) != 2 || refused.Problems[0].Code != secureview.ErrUnknownColumn {
		t.Errorf("PostgreSQL has no column ID next to id: %v", err)
	}
}

// Two tables of one name are distinguished by their schemas, and so are their views.
func TestReadableSchemas(t *testing.T) {
	schema := &joinpath.Schema{Name: "sales", Tables: map[string]joinpath.Table{
		"orders":            {Columns: []string{"id", "region_id"}},
		"region":            {Columns: []string{"id", "title"}, PrimaryKey: []string{"id"}},
		"crm.region":        {Columns: []string{"id", "name"}, PrimaryKey: []string{"id"}, Schema: "crm", Unreadable: true},
		"crm.secure_region": {Columns: []string{"id", "name"}, Schema: "crm", View: true},
	}}
	for _, to := range []string{"region", "crm.region"} {
		if err := schema.AddForeignKey("orders", []string{"region_id"}, to, []string{"id"}); err != nil {
			t.Fatal(err)
		}
	}
	policy := &secureview.Policy{
		Schema: "sales", Tables: map[string][]string{"orders": {"id", "region_id"}, "region": {"id", "title"}},
		Schemas: map[string]secureview.Schema{"crm": {
			Tables: map[string][]string{"region": {"id", "name"}}, Views: map[string]string{"region": "secure_region"},
		}},
	}
	got, err := sqldb.Readable(schema, guardOf(t, policy, postgres.Dialect{}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"id", "name"}, got.Tables["crm.region"].Columns); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if about := got.Tables["crm.region"]; about.SecureView != "crm.secure_region" || about.Schema != "crm" || len(about.PrimaryKey) != 1 || got.Name != "sales" {
		t.Errorf("got %+v of %s", about, got.Name)
	}
	if len(got.Tables) != 3 || len(got.Relationships) != 2 {
		t.Errorf("got %+v", got)
	}
	policy.Schema, policy.Schemas = "crm", nil
	if _, err := sqldb.Readable(schema, guardOf(t, policy, postgres.Dialect{})); !errors.Is(err, secureview.ErrInvalidPolicy) {
		t.Errorf("another default schema: %v", err)
	}
	policy.Schema, policy.Schemas = "Sales", map[string]secureview.Schema{"hr": {Tables: map[string][]string{"region": {"id"}}}}
	_, err = sqldb.Readable(schema, guardOf(t, policy, postgres.Dialect{}))
	if !errors.Is(err, secureview.ErrUnknownTable) || !strings.Contains(err.Error(), `"hr.region"`) || !strings.Contains(err.Error(), "SchemaNames") {
		t.Errorf("a schema that was not read: %v", err)
	}
	policy.Schemas = map[string]secureview.Schema{"crm": {Tables: map[string][]string{"region": {"id"}}}}
	_, err = sqldb.Readable(schema, guardOf(t, policy, postgres.Dialect{}))
	if !errors.Is(err, secureview.ErrUnknownTable) || !strings.Contains(err.Error(), `grant it SELECT`) {
		t.Errorf("a table that the account may not read: %v", err)
	}
	policy.Schemas = nil
	policy.Tables, policy.Views = map[string][]string{"visit": {"id"}}, map[string]string{"visit": "secure_visit"}
	_, err = sqldb.Readable(schema, guardOf(t, policy, postgres.Dialect{}))
	if !errors.Is(err, secureview.ErrUnknownTable) || !strings.Contains(err.Error(), `grant the account SELECT on it`) {
		t.Errorf("a view that the account may not read: %v", err)
	}
}

// A column whose declared key leads to a table that may not be read is joined with no
// other table, unless a view may read the table.
func TestReadableOutside(t *testing.T) {
	for _, tt := range []struct {
		name string
		view joinpath.Table
		want bool // the guess is made
	}{
		{"no view", joinpath.Table{Columns: []string{"note"}}, false},
		{"a view of something else", joinpath.Table{Columns: []string{"note"}, View: true, Reads: []string{"orders"}}, false},
		{"a view of the table", joinpath.Table{Columns: []string{"note"}, View: true, Reads: []string{"customer"}}, true},
		{"a view of which nothing is known", joinpath.Table{Columns: []string{"note"}, View: true}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id := map[string]string{"id": "int", "customer_id": "int"}
			schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
				"customer":  {Columns: []string{"id"}, PrimaryKey: []string{"id"}, Types: id},
				"customers": {Columns: []string{"id"}, PrimaryKey: []string{"id"}, Types: id},
				"orders":    {Columns: []string{"id", "customer_id"}, PrimaryKey: []string{"id"}, Types: id},
				"payment":   {Columns: []string{"id", "customer_id"}, PrimaryKey: []string{"id"}, Types: id},
				"seen":      tt.view,
			}}
			if err := schema.AddForeignKey("orders", []string{"customer_id"}, "customer", []string{"id"}); err != nil {
				t.Fatal(err)
			}
			guard := guardOf(t, &secureview.Policy{Schema: "app", Tables: map[string][]string{
				"customers": {"id"}, "orders": {"id", "customer_id"}, "payment": {"id", "customer_id"}, "seen": {"note"},
			}}, mysql.Dialect{})
			for range 2 { // what is readable is readable again
				var err error
				if schema, err = sqldb.Readable(schema, guard); err != nil {
					t.Fatal(err)
				}
			}
			inferred, err := joingraph.Infer(t.Context(), schema, nil)
			if err != nil {
				t.Fatal(err)
			}
			var joins []string
			for _, r := range inferred.Relationships {
				joins = append(joins, r.String())
			}
			want := []string{"payment.customer_id -> customers.id"}
			if tt.want {
				want = append([]string{"orders.customer_id -> customers.id"}, want...)
			}
			if diff := cmp.Diff(want, joins); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
