package viewtext_test

import (
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
