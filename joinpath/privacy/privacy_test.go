package privacy_test

import (
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/privacy"
)

var staff = &joinpath.Schema{Tables: map[string]joinpath.Table{
	"employee": {Columns: []string{"id", "status", "email", "ssn", "nickname"}},
	"hr.audit": {Columns: []string{"event", "ip"}},
}}

func TestColumns(t *testing.T) {
	for name, tt := range map[string]struct {
		columns *privacy.Columns
		allowed string
	}{
		"default":       {nil, "employee.id employee.status employee.nickname hr.audit.event"},
		"zero":          {&privacy.Columns{}, "employee.id employee.status employee.nickname hr.audit.event"},
		"shown":         {&privacy.Columns{Show: []string{"Employee.EMAIL"}}, "employee.id employee.status employee.email employee.nickname hr.audit.event"},
		"table shown":   {&privacy.Columns{Show: []string{"hr.audit.*"}}, "employee.id employee.status employee.nickname hr.audit.event hr.audit.ip"},
		"hidden":        {&privacy.Columns{Hide: []string{"employee.nickname"}}, "employee.id employee.status hr.audit.event"},
		"table hidden":  {&privacy.Columns{Hide: []string{"employee.*"}}, "hr.audit.event"},
		"hide and show": {&privacy.Columns{Show: []string{"employee.*"}, Hide: []string{"employee.ssn"}}, "employee.id employee.status employee.email employee.nickname hr.audit.event"},
	} {
		var allowed []string
		for _, table := range []string{"employee", "hr.audit"} {
			for _, column := range staff.Tables[table].Columns {
				if tt.columns.Allows(table, column) {
					allowed = append(allowed, table+"."+column)
				}
			}
		}
		if got := strings.Join(allowed, " "); got != tt.allowed {
			t.Errorf("%s: allowed are %s, want %s", name, got, tt.allowed)
		}
		left, err := tt.columns.LeftOut(staff)
		if err != nil || len(left)+len(allowed) != 7 {
			t.Errorf("%s: %v, %v are left out, %v are allowed", name, err, left, allowed)
		}
	}
}

func TestLeftOutReasons(t *testing.T) {
	got, err := (&privacy.Columns{Hide: []string{"employee.nickname"}}).LeftOut(staff)
	if err != nil {
		t.Fatal(err)
	}
	want := []privacy.LeftOut{
		{Table: "employee", Column: "email", Reason: privacy.Personal},
		{Table: "employee", Column: "ssn", Reason: privacy.Secret},
		{Table: "employee", Column: "nickname", Reason: privacy.Hidden},
		{Table: "hr.audit", Column: "ip", Reason: privacy.Personal},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUnknownColumns(t *testing.T) {
	for name, hint := range map[string]string{
		"employee.nikname": "did you mean employee.nickname?", "employe.*": "table.column", "employee": "table.column",
		"employee.": "table.column", "": "table.column",
	} {
		for _, c := range []*privacy.Columns{{Hide: []string{name}}, {Show: []string{name}}} {
			if _, err := c.LeftOut(staff); err == nil || !strings.Contains(err.Error(), hint) {
				t.Errorf("%+v: %v, want %q", c, err, hint)
			}
		}
	}
}

func Example() {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"customer": {Columns: []string{"id", "status", "email", "password", "diagnosis"}},
	}}
	columns := &privacy.Columns{Hide: []string{"customer.diagnosis"}}
	left, err := columns.LeftOut(schema)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range left {
		fmt.Println(l)
	}
	fmt.Println(columns.Allows("customer", "status"))
	// Output:
	// customer.email (personal)
	// customer.password (secret)
	// customer.diagnosis (hidden)
	// true
}
