package viewtext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/viewtext"
	"github.com/qedkit/qed/joinpath"
)

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
		viewtext.SetReads(schema, map[string]string{"v": text, "absent": text}, nil)
		if diff := cmp.Diff(want, schema.Tables["v"].Reads); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// The columns that the text of a view has are used, except for those that the view shows by
// their names.
func TestSetReadsUses(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT id, name FROM person":                                      "",
		"SELECT id FROM person":                                            "",
		"SELECT id, pin AS name FROM person":                               "person.pin",
		"SELECT left(PIN, 1) AS name FROM person":                          "person.pin",
		"CREATE VIEW v(id, name) AS SELECT * FROM person":                  "person.pin, person.odd name, person.straße",
		"SELECT DISTINCT p . * FROM person p":                              "person.pin, person.odd name, person.straße",
		"SELECT id, p.* FROM person p":                                     "person.pin, person.odd name, person.straße",
		"SELECT count(*) AS id FROM person":                                "",
		"SELECT id * 2 AS id, (id)*id AS name FROM person":                 "",
		"SELECT `app`.`person`.`odd name` AS `name` FROM `app`.`person`":   "person.odd name",
		"SELECT STRASSE, Straße AS name FROM person":                       "person.straße",
		"SELECT x.pin AS id, y.code AS name FROM person x, code y":         "code.code, person.pin",
		"SELECT pin AS id FROM other":                                      "",
		"SELECT id FROM o.hidden_person":                                   "person.pin",
		"SELECT f.pin AS id FROM first f JOIN person ON person.id = f.pin": "first.pin, person.pin",
	} {
		schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
			"v": {View: true, Columns: []string{"Id", "NAME"}}, "person": {Columns: []string{"id", "name", "pin", "odd name", "straße"}},
			"code": {Columns: []string{"id", "code"}}, "first": {View: true, Columns: []string{"pin"}}, "other": {Columns: []string{"id"}},
		}}
		viewtext.SetReads(schema, map[string]string{"v": text}, map[[2]string]string{{"o", "hidden_person"}: "select pin as name from person"})
		var got []string
		for _, u := range schema.Tables["v"].Uses {
			got = append(got, u.By+u.Table+"."+u.Column)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %v, want %s", text, got, want)
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
	viewtext.SetReads(schema, map[string]string{"crm.v": "select 1 from `crm`.`note` join `crm`.`Pay Day`"}, nil)
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
		viewtext.SetReads(schema, map[string]string{"v": text}, outside)
		if diff := cmp.Diff(want, schema.Tables["v"].Reads); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
