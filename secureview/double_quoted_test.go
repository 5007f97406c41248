package secureview_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A misspelled column in double quotes would be a constant in SQLite: it is refused
// with the columns that may have been meant, unless the policy allows strings in
// double quotes. The name of a listed column is never a string.
func TestDoubleQuotedStrings(t *testing.T) {
	read := func(fields string) *secureview.Policy {
		p, err := secureview.ReadPolicy(strings.NewReader(
			`{"dialect": "sqlite", "tables": {"employee": ["id", "name"], "dept": ["id", "budget"]}` + fields + `}`))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	tests := []struct {
		text            string
		strict, allowed error // nil: accepted
		candidate       string
	}{
		{`SELECT "nmae" FROM employee`, secureview.ErrUnknownColumn, nil, "employee.name"},
		{`SELECT id FROM employee WHERE "nmae" = 'Ann'`, secureview.ErrUnknownColumn, nil, "employee.name"},
		{`SELECT id FROM employee WHERE name = "Ann"`, secureview.ErrUnknownColumn, nil, ""},
		{`SELECT id FROM employee ORDER BY "nmae"`, secureview.ErrUnknownColumn, nil, "employee.name"},
		{`SELECT id FROM employee WHERE name = "budget"`, secureview.ErrUnknownColumn, secureview.ErrUnknownColumn, "dept.budget"},
		{`SELECT "Ann"`, secureview.ErrUnknownColumn, nil, ""},
		{`SELECT "name", "id" AS "number" FROM "employee" ORDER BY "number"`, nil, nil, ""},
		{`SELECT id FROM employee WHERE name = 'Ann'`, nil, nil, ""},
	}
	for i, fields := range []string{"", `, "double_quoted_strings": true`} {
		g, err := secureview.New(read(fields), sqlite.Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range tests {
			want := []error{tt.strict, tt.allowed}[i]
			_, err := g.Rewrite(context.Background(), tt.text)
			if !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("%s: %v, want %v", tt.text, err, want)
			}
			var e *refusal.Error
			if errors.As(err, &e) && tt.candidate != "" && !slices.Contains(e.Problems[0].Candidates, tt.candidate) {
				t.Errorf("%s: candidates %q, want %s", tt.text, e.Problems[0].Candidates, tt.candidate)
			}
		}
	}
	p := read(`, "double_quoted_strings": true`)
	p.Dialect, p.Schema = "mysql", "app"
	if _, err := secureview.New(p, mysql.Dialect{}); !errors.Is(err, secureview.ErrInvalidPolicy) {
		t.Errorf("mysql: %v", err)
	}
}
