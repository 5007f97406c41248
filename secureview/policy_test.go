package secureview_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func TestReadPolicy(t *testing.T) {
	got, err := secureview.ReadPolicy(strings.NewReader(`{
		"dialect": "mysql", "schema": "app",
		"tables": {"employee": ["id", "name"], "secure_employee": ["id", "name"]},
		"views": {"employee": "secure_employee"},
		"schemas": {"archive": {"tables": {"Dept": ["id"]}, "views": {"Dept": "secure_dept"}}},
		"functions": ["full_name"], "row_limit": 1000, "columns_in_messages": 30, "view_prefix": "v_",
		"setup": {
			"account": "'agent'@'%'",
			"key": {"setting": "aesKey"},
			"tables": {"employee": {
				"encrypted": {"name": "text"},
				"filters": [{"column": "tenant", "setting": "tenants", "list": true, "optional": true}]
			}}
		}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &secureview.Policy{
		Dialect: "mysql", Schema: "app",
		Tables:    map[string][]string{"employee": {"id", "name"}, "secure_employee": {"id", "name"}},
		Views:     map[string]string{"employee": "secure_employee"},
		Schemas:   map[string]secureview.Schema{"archive": {Tables: map[string][]string{"Dept": {"id"}}, Views: map[string]string{"Dept": "secure_dept"}}},
		Functions: []string{"full_name"}, RowLimit: 1000, ColumnsInMessages: 30, ViewPrefix: "v_",
		Setup: &secureview.Setup{
			Account: "'agent'@'%'",
			Key:     &secureview.Key{Setting: "aesKey"},
			Tables: map[string]secureview.TableSetup{"employee": {
				Encrypted: map[string]string{"name": "text"},
				Filters:   []secureview.Filter{{Column: "tenant", Setting: "tenants", List: true, Optional: true}},
			}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := secureview.New(got, mysql.Dialect{}); err != nil {
		t.Error(err)
	}
}

// A policy is written by hand, also in editors that begin a file with a byte order mark.
func TestReadPolicyByHand(t *testing.T) {
	if _, err := secureview.ReadPolicy(strings.NewReader("\ufeff{\"dialect\": \"mysql\"}\r\n")); err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		"{\n \"dialect\": \"mysql\",\n}\n",
		"{\n \"dialect\": \"mysql\",\n \"tables\": {\"a\": [\"x\",]}\n}\n",
		"{\n \"dialect\": \"mysql\",\n // every table\n \"tables\": {}\n}\n",
	} {
		_, err := secureview.ReadPolicy(strings.NewReader(text))
		if e := refuse(t, err); !strings.Contains(e.Message, "line 3") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestReadPolicyRefused(t *testing.T) {
	tests := []struct{ text, entry string }{
		{``, "file"},
		{`null`, "file"},
		{`[]`, "file"},
		{`{"dialect": "mysql"`, "file"},
		{`{"dialect": "mysql"} {}`, "file"},
		{`{"dialect": "mysql"} x`, "file"},
		{`{"dialekt": "mysql"}`, "dialekt"},
		{`{"Dialect": "mysql"}`, "Dialect"},
		{`{"dialect": "mysql", "dialect": "sqlite"}`, "dialect"},
		{`{"dialect": "mysql", "tables": {"a": ["x"], "a": ["y"]}}`, "tables.a"},
		{`{"dialect": "mysql", "tables": {"a": ["x"], "A": ["y"]}}`, "tables.A"},
		{`{"dialect": "mysql", "views": {"a": "b", "a": "c"}}`, "views.a"},
		{`{"dialect": "mysql", "schemas": {"s": {"table": {}}}}`, "schemas.s.table"},
		{`{"dialect": "mysql", "setup": {"acount": "agent"}}`, "setup.acount"},
		{`{"dialect": "mysql", "setup": {"account": "a", "account": "b"}}`, "setup.account"},
		{`{"dialect": "mysql", "setup": {"key": {"Setting": "k"}}}`, "setup.key.Setting"},
		{`{"dialect": "mysql", "setup": {"tables": {"a": {"filter": []}}}}`, "setup.tables.a.filter"},
		{`{"dialect": "mysql", "setup": {"tables": {"a": {"filters": [{"columns": "x"}]}}}}`, "setup.tables.a.filters.columns"},
		{`{"dialect": "mysql", "setup": {"tables": {"a": {}, "A": {}}}}`, "setup.tables.A"},
		{`{"dialect": "mysql", "setup": {"tables": {"a": {"filters": {"column": "x"}}}}}`, "setup.tables"},
		{`{"dialect": "mysql", "setup": []}`, "setup"},
		{`{"dialect": "mysql", "tables": {"a": "x"}}`, "tables"},
		{`{"dialect": "mysql", "row_limit": "many"}`, "row_limit"},
		{`{"dialect": "mysql", "row_limit": 1.5}`, "row_limit"},
	}
	for _, tt := range tests {
		_, err := secureview.ReadPolicy(strings.NewReader(tt.text))
		e := refuse(t, err)
		if e.Code != secureview.ErrInvalidPolicy {
			t.Errorf("%s: %v", tt.text, err)
		} else if !strings.HasPrefix(e.Name, tt.entry) || !strings.Contains(e.Message, tt.entry) {
			t.Errorf("%s: the error names %q: %v", tt.text, e.Name, err)
		}
	}
}

func TestNewRefused(t *testing.T) {
	tests := []struct {
		entry  string
		change func(p *secureview.Policy)
	}{
		{"dialect", func(p *secureview.Policy) { p.Dialect = "mysql" }},
		{"tables", func(p *secureview.Policy) { p.Tables, p.Views = nil, nil }},
		{`tables["dept"]`, func(p *secureview.Policy) { p.Tables["dept"] = nil }},
		{`tables["dept"]`, func(p *secureview.Policy) { p.Tables["dept"] = []string{"id", "ID"} }},
		{`tables["dept"]`, func(p *secureview.Policy) { p.Tables["dept"] = []string{"id", ""} }},
		{`tables["dept"]`, func(p *secureview.Policy) { p.Tables["Dept"] = []string{"id"} }},
		{`tables[""]`, func(p *secureview.Policy) { p.Tables[""] = []string{"id"} }},
		{`tables["a\x00"]`, func(p *secureview.Policy) { p.Tables["a\x00"] = []string{"id"} }},
		{`views["payroll"]`, func(p *secureview.Policy) { p.Views["payroll"] = "secure_payroll" }},
		{`views["dept"]`, func(p *secureview.Policy) { p.Views["dept"] = "Dept" }},
		{`views["dept"]`, func(p *secureview.Policy) { p.Views["dept"] = "employee" }},
		{`views["person"]`, func(p *secureview.Policy) { p.Views["person"] = "secure_employee" }},
		{`views["Employee"]`, func(p *secureview.Policy) { p.Views["Employee"] = "secure_dept" }},
		{`views["payroll"]`, func(p *secureview.Policy) {
			p.Tables["secure_a"], p.Tables["secure_b"] = []string{"x"}, []string{"x"}
			p.Views["payRoll"], p.Views["payroll"] = "secure_a", "secure_b"
		}},
		{`views["Dept"]`, func(p *secureview.Policy) { p.Views["Dept"] = "secure_dept" }},
		{`views["dept"]`, func(p *secureview.Policy) { p.Views["dept"] = "" }},
		{`schemas["Main"]`, func(p *secureview.Policy) {
			p.Schemas = map[string]secureview.Schema{"Main": {Tables: map[string][]string{"a": {"x"}}}}
		}},
		{`tables["A.b"]`, func(p *secureview.Policy) {
			p.Tables["A.b"] = []string{"x"}
			p.Schemas = map[string]secureview.Schema{"a": {Tables: map[string][]string{"b": {"x"}}}}
		}},
		{`schemas["s"]`, func(p *secureview.Policy) { p.Schemas = map[string]secureview.Schema{"s": {}} }},
		{`schemas["s"].tables["a"]`, func(p *secureview.Policy) {
			p.Schemas = map[string]secureview.Schema{"s": {Tables: map[string][]string{"a": {}}}}
		}},
		{"functions[0]", func(p *secureview.Policy) { p.Functions = []string{"f(x)"} }},
		{"functions[0]", func(p *secureview.Policy) { p.Functions = []string{"app.f"} }},
		{`tables["dept"]`, func(p *secureview.Policy) { p.Tables["dept"] = []string{"*"} }},
		{"row_limit", func(p *secureview.Policy) { p.RowLimit = -1 }},
		{"columns_in_messages", func(p *secureview.Policy) { p.ColumnsInMessages = -1 }},
	}
	for _, tt := range tests {
		p := &secureview.Policy{
			Dialect: "sqlite",
			Tables:  map[string][]string{"employee": {"id", "name"}, "dept": {"id"}},
			Views:   map[string]string{"employee": "secure_employee"},
		}
		if _, err := secureview.New(p, sqlite.Dialect{}); err != nil {
			t.Fatal(err)
		}
		tt.change(p)
		_, err := secureview.New(p, sqlite.Dialect{})
		e := refuse(t, err)
		if !errors.Is(err, secureview.ErrInvalidPolicy) {
			t.Errorf("%s: %v", tt.entry, err)
		} else if e.Name != tt.entry {
			t.Errorf("%s: the error names %q: %v", tt.entry, e.Name, err)
		}
	}
	if _, err := secureview.New(nil, sqlite.Dialect{}); !errors.Is(err, secureview.ErrInvalidPolicy) {
		t.Error("no policy is accepted")
	}
	if _, err := secureview.New(&secureview.Policy{}, nil); !errors.Is(err, secureview.ErrInvalidPolicy) {
		t.Error("no dialect is accepted")
	}
	p := &secureview.Policy{Dialect: "mysql", Tables: map[string][]string{"a": {"x"}}}
	if _, err := secureview.New(p, mysql.Dialect{}); refuse(t, err).Name != "schema" {
		t.Errorf("mysql without a schema: %v", err)
	}
}

// TestNewCopies: a change of the policy after New does not change the guard.
func TestNewCopies(t *testing.T) {
	p := policy(sqlite.Dialect{})
	g, err := secureview.New(p, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	p.Tables["dept"][0] = "pw"
	p.Tables["secret"] = []string{"x"}
	for _, sql := range []string{"SELECT pw FROM dept", "SELECT x FROM secret"} {
		if _, err := g.Rewrite(t.Context(), sql); err == nil {
			t.Errorf("%s is accepted", sql)
		}
	}
}

func TestReadable(t *testing.T) {
	p := policy(sqlite.Dialect{})
	g, err := secureview.New(p, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := p.ReadableTables()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(g.Tables(), tables); diff != "" {
		t.Errorf("(-guard +policy):\n%s", diff)
	}
	p.Tables["dept"] = nil
	if _, err := p.ReadableTables(); !errors.Is(err, secureview.ErrInvalidPolicy) {
		t.Error(err)
	}
}
