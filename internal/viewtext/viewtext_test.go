package viewtext_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/viewtext"
	"github.com/qedkit/qed/joinpath"
)

func calls(text string) bool { return strings.Contains(text, "mask(") }

func TestSetReads(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	for _, name := range []string{"v", "employee", "Order", "order", "pay day", `odd"name`, "straße", "emp"} {
		schema.Tables[name] = joinpath.Table{View: name == "v"}
	}
	quoted := `odd"name` // its text may double the quote
	for text, want := range map[string][]string{
		"CREATE VIEW v AS SELECT 1":                          {quoted},
		"CREATE VIEW v AS SELECT * FROM employee":            {"employee", quoted},
		"select `app`.`EMPLOYEE`.`id` from `app`.`EMPLOYEE`": {"employee", quoted},
		"SELECT * FROM 'employee', [pay day]":                {"employee", quoted, "pay day"},
		"SELECT * FROM query('select 1 from emp')":           {"emp", quoted},
		"SELECT * FROM ORDER":                                {"Order", quoted, "order"},
		"SELECT * FROM employees, my_emp, emp2, STRASSE":     {quoted},
		"SELECT/**/*FROM(Straße)":                            {quoted, "straße"},
		"SELECT * FROM t -- of emp":                          {"emp", quoted},
	} {
		viewtext.SetReads(schema, map[string]string{"v": text, "absent": text}, nil, calls)
		if diff := cmp.Diff(want, schema.Tables["v"].Reads); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// The columns that the text of a view has are used, except for those that the view shows by
// their names.
func TestSetReadsUses(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT id, name FROM person":                                       "",
		"SELECT id FROM person":                                             "",
		"SELECT id, pin AS name FROM person":                                "person.pin",
		"SELECT left(PIN, 1) AS name FROM person":                           "person.pin",
		"CREATE VIEW v(id, name) AS SELECT * FROM person":                   "person.pin, person.odd name, person.straße",
		"SELECT DISTINCT p . * FROM person p":                               "person.pin, person.odd name, person.straße",
		"SELECT id, p.* FROM person p":                                      "person.pin, person.odd name, person.straße",
		"SELECT count(*) AS id FROM person":                                 "",
		"CREATE VIEW v(id, name) AS SELECT /* x */ * FROM person":           "person.pin, person.odd name, person.straße",
		"CREATE VIEW v(id, name) AS SELECT -- every column\n * FROM person": "person.pin, person.odd name, person.straße",
		"SELECT '--' AS id, * FROM person":                                  "person.pin, person.odd name, person.straße",
		"SELECT [it's], /* it's */ * FROM person":                           "person.pin, person.odd name, person.straße",
		"SELECT DISTINCT ON (id) * FROM person":                             "person.pin, person.odd name, person.straße",
		"SELECT min(COLUMNS(*)) FROM person":                                "person.pin, person.odd name, person.straße",
		"SELECT hash(*) AS id FROM person":                                  "person.pin, person.odd name, person.straße",
		"SELECT id /* not , * */, 'a.*' AS name FROM person -- select *":    "",
		"SELECT '*' AS id, COUNT ( * ) AS name FROM person":                 "",
		"SELECT (id) * 2 AS id, (id) /* x */ * fromage AS name FROM person": "",
		"SELECT id * 2 AS id, (id)*id AS name FROM person":                  "",
		"SELECT `app`.`person`.`odd name` AS `name` FROM `app`.`person`":    "person.odd name",
		"SELECT STRASSE, Straße AS name FROM person":                        "person.straße",
		"SELECT x.pin AS id, y.code AS name FROM person x, code y":          "code.code, person.pin",
		"SELECT pin AS id FROM other":                                       "other.id",
		"SELECT id FROM o.hidden_person":                                    "person.pin",
		"SELECT f.pin AS id FROM first f JOIN person ON person.id = f.pin":  "first.pin, person.pin",
	} {
		schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
			"v": {View: true, Columns: []string{"Id", "NAME"}}, "person": {Columns: []string{"id", "name", "pin", "odd name", "straße"}},
			"code": {Columns: []string{"id", "code"}}, "first": {View: true, Columns: []string{"pin"}}, "other": {Columns: []string{"id"}},
		}}
		viewtext.SetReads(schema, map[string]string{"v": text}, map[[2]string]string{{"o", "hidden_person"}: "select pin as name from person"}, calls)
		if got := usesOf(schema.Tables["v"]); got != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}

// A view that shows a column may have it under another name too, if no table has that name.
func TestSetReadsUsesOfComputed(t *testing.T) {
	for _, tt := range []struct{ columns, text, want string }{
		{"id token", "SELECT id, token FROM login", ""},
		{"id token access", "SELECT d.token AS access, k.token, k.id FROM device d JOIN login k", "device.token, login.id, login.token"},
		{"id prefix token", "SELECT id, substr(token,1,4) AS prefix, '***' AS token FROM login", "login.id, login.token"},
		{"id title token", "SELECT id, token, title FROM login JOIN device USING (id)", ""},
		{"id token name n", "SELECT *, upper(name) AS n FROM login", "login.name"},
		{"id t", "SELECT id, mask(token) AS t FROM login", "login.id, login.token"}, // its Reads are not known
		{"id t", "SELECT * FROM o.masked", "login.id, login.name, login.token"},
		{"id t", "SELECT t, login.id FROM o.hidden, login", "login.id"},
		{"id n", "SELECT id, upper(name) AS n FROM login", "login.id, login.name"},
	} {
		schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
			"v": {View: true, Columns: strings.Fields(tt.columns)}, "login": {Columns: []string{"id", "name", "token"}}, "device": {Columns: []string{"token", "title"}},
		}}
		viewtext.SetReads(schema, map[string]string{"v": tt.text}, map[[2]string]string{{"o", "masked"}: "select id, mask(token) as t from app.login", {"o", "hidden"}: ""}, calls)
		if reads := schema.Tables["v"].Reads; (reads == nil) != (tt.columns == "id t") {
			t.Errorf("%s: reads %q", tt.text, reads)
		}
		if got := usesOf(schema.Tables["v"]); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
		}
	}
	for text, want := range map[string]string{ // of a table whose columns are not known
		" SELECT id,\n    token\n   FROM apart.login":                                                "",
		" SELECT id,\n    \"left\"(token, 2) AS prefix,\n    ''::text AS token\n   FROM apart.login": "apart.login.token",
	} {
		schema := &joinpath.Schema{Tables: map[string]joinpath.Table{"v": {View: true, Columns: []string{"id", "token", "prefix"}}}}
		viewtext.AddUses(schema, "v", "", text, []string{"apart.login"})
		if got := usesOf(schema.Tables["v"]); strings.Contains(got, "apart.login.token") != (want != "") {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func usesOf(t joinpath.Table) string {
	var all []string
	for _, u := range t.Uses {
		all = append(all, u.By+u.Table+"."+u.Column)
	}
	return strings.Join(all, ", ")
}

// Each of many views reads its own of many tables.
func TestSetReadsOfMany(t *testing.T) {
	schema, texts := &joinpath.Schema{Tables: map[string]joinpath.Table{}}, map[string]string{}
	for i := range 5_000 {
		schema.Tables[fmt.Sprintf("orders_%d", i)] = joinpath.Table{Columns: []string{"id"}}
	}
	for i := range 1_000 {
		name := fmt.Sprintf("view_%d", i)
		schema.Tables[name], texts[name] = joinpath.Table{View: true, Columns: []string{"id"}}, fmt.Sprintf("SELECT id FROM Orders_%d", i)
	}
	viewtext.SetReads(schema, texts, nil, calls)
	for i := range 1_000 {
		if got := schema.Tables[fmt.Sprintf("view_%d", i)].Reads; !slices.Equal(got, []string{fmt.Sprintf("orders_%d", i)}) {
			t.Fatalf("view %d reads %q", i, got)
		}
	}
}

// A computed column uses the other columns of its table that its expression has.
func TestAddUses(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{"t": {Columns: []string{"a", "B", "sum", `q"q`}}}}
	viewtext.AddUses(schema, "t", "sum", "", []string{"t"})
	viewtext.AddUses(schema, "t", "sum", "([a] + `b`) * sum", []string{"t"})
	want := []joinpath.Use{{By: "sum", Table: "t", Column: "a"}, {By: "sum", Table: "t", Column: "B"}, {By: "sum", Table: "t", Column: `q"q`}}
	if diff := cmp.Diff(want, schema.Tables["t"].Uses); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A view reads a table of its own schema without the schema's name.
func TestSetReadsOfSchemas(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"note": {}, "crm.note": {Schema: "crm"}, "crm.pay day": {Schema: "crm"}, "crm.v": {Schema: "crm", View: true},
	}}
	viewtext.SetReads(schema, map[string]string{"crm.v": "select 1 from `crm`.`note` join `crm`.`Pay Day`"}, nil, calls)
	if diff := cmp.Diff([]string{"crm.note", "crm.pay day", "note"}, schema.Tables["crm.v"].Reads); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A view reads what the views of other schemas read that it mentions.
func TestSetReadsOutside(t *testing.T) {
	outside := map[[2]string]string{
		{"o", "First"}:       "select * from `o`.`second view`",
		{"o", "second view"}: "select * from `app`.`pay`",
		{"o", "hidden"}:      "",
		{"o", "again"}:       "select * from o.again",
		{"x", "pay"}:         "select * from app.name",
	}
	for text, want := range map[string][]string{
		"select * from `o`.`first`":        {"pay"},
		"select * from o.\"second view\"":  {"pay"},
		"select * from app.first, app.pay": {"pay"},
		"select * from o.pay":              {"pay"},
		"select * from o.again":            {},
		"select * from o.hidden":           nil,
		"select hidden from app.name as o": nil, // it mentions the view
		"select hidden from app.name":      {"name"},
	} {
		schema := &joinpath.Schema{Tables: map[string]joinpath.Table{"v": {View: true}, "pay": {}, "name": {}}}
		viewtext.SetReads(schema, map[string]string{"v": text}, outside, calls)
		if diff := cmp.Diff(want, schema.Tables["v"].Reads); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
