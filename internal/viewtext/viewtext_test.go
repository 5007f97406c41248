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
		viewtext.SetReads(schema, map[string]string{"v": text, "absent": text})
		if diff := cmp.Diff(want, schema.Tables["v"].Reads); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
