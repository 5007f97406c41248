package provision_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/provision"
)

var setupDialects = map[string]dialect.Dialect{"mysql": mysql.Dialect{}, "postgres": postgres.Dialect{}}

// company returns a policy whose setup uses every feature, with names that must be
// quoted.
func company(name string) *secureview.Policy {
	account, key, tenant, customers, salary := "'agent'@'10.%'", "aesKey", "tenant", "customerIds", "DECIMAL(10,2)"
	if name == "postgres" {
		account, key, tenant, customers, salary = `ag"ent's`, "app.key", "app.tenant", "app.customer_ids", "numeric(10,2)"
	}
	p := &secureview.Policy{
		Dialect: name,
		Schema:  "app",
		Tables: map[string][]string{
			"employee":        {"id", "name", "ssn", "salary"},
			"secure_customer": {"id", "name", "phone"},
			"secure_order":    {"id", "total"},
			"dept":            {"id", "name"},
			"job":             {"id", "title"},
		},
		Views: map[string]string{
			"employee": "secure_employee",
			"customer": "secure_customer",
			"order":    "secure_order",
			"job":      "secure_job",
		},
		Schemas: map[string]secureview.Schema{
			"arch`i\"v'e": {Tables: map[string][]string{"inv`oi\"ce": {"id", "to`t\"al"}}},
		},
		Functions: []string{"full_name"},
		Setup: &secureview.Setup{
			Account: account,
			Key:     &secureview.Key{Setting: key},
			Tables: map[string]secureview.TableSetup{
				"employee": {Encrypted: map[string]string{"ssn": "text", "Salary": salary, "iban": "text"}},
				"customer": {
					Encrypted: map[string]string{"phone": "text"},
					Filters:   []secureview.Filter{{Column: "tenantId", Setting: tenant}, {Column: "id", Setting: customers, List: true, Optional: true}},
				},
				"order": {Filters: []secureview.Filter{{Column: "customerId", Setting: customers, List: true}}},
			},
		},
	}
	if name == "postgres" {
		p.Setup.Tables["dept"] = secureview.TableSetup{Filters: []secureview.Filter{{Column: "tenant id", Setting: tenant, Optional: true}}}
	}
	return p
}

func TestSQLAccepted(t *testing.T) {
	type test struct {
		name   string
		change func(p *secureview.Policy)
	}
	both := []test{
		{"every feature", func(p *secureview.Policy) {}},
		{"an account alone", func(p *secureview.Policy) { p.Setup = &secureview.Setup{Account: "agent"} }},
		{"a key that nothing needs", func(p *secureview.Policy) { p.Setup.Tables = nil }},
		{"a table without anything", func(p *secureview.Policy) { p.Setup.Tables["job"] = secureview.TableSetup{} }},
		{"an encrypted column that is not listed", func(p *secureview.Policy) {
			p.Setup.Tables["job"] = secureview.TableSetup{Encrypted: map[string]string{"pay": "text"}}
		}},
	}
	own := map[string][]test{"mysql": {
		{"a bare account", func(p *secureview.Policy) { p.Setup.Account = "agent@localhost" }},
		{"an account in backticks", func(p *secureview.Policy) { p.Setup.Account = "`a``b`@`%`" }},
		{"an address", func(p *secureview.Policy) { p.Setup.Account = "agent@10.0.0.0/255.0.0.0" }},
		{"a table of another schema", func(p *secureview.Policy) {
			s := p.Schemas["arch`i\"v'e"]
			s.Views = map[string]string{"inv`oi\"ce": "secure_invoice"}
			p.Schemas["arch`i\"v'e"] = s
			p.Setup.Tables["arch`i\"v'e.inv`oi\"ce"] = secureview.TableSetup{Encrypted: map[string]string{"id": "unsigned"}}
		}},
		{"a filter with the setting of another", func(p *secureview.Policy) {
			p.Setup.Tables["job"] = secureview.TableSetup{Filters: []secureview.Filter{{Column: "t", Setting: "tenant"}}}
		}},
		{"types", func(p *secureview.Policy) {
			p.Setup.Tables["employee"] = secureview.TableSetup{Encrypted: map[string]string{
				"a": "Text", "b": "BINARY", "c": "signed", "d": "UNSIGNED", "e": "decimal(10, 2)", "f": "DECIMAL(5)", "g": "double",
				"h": "DATE", "i": "DATETIME(6)", "j": "time", "k": "datetime",
			}}
		}},
	}, "postgres": {
		{"an account with capitals and a mark", func(p *secureview.Policy) { p.Setup.Account = "The Agent's" }},
		{"a schema of the extension", func(p *secureview.Policy) { p.Setup.Key.Schema = "extensions" }},
		{"types", func(p *secureview.Policy) {
			p.Setup.Tables["employee"] = secureview.TableSetup{Encrypted: map[string]string{
				"a": "TEXT", "b": "bytea", "c": "bigint", "d": "Numeric(10,2)", "e": "decimal", "f": "double precision",
				"g": "date", "h": "timestamptz", "i": "uuid", "j": "jsonb", "k": "boolean",
			}}
		}},
	}}
	for name, d := range setupDialects {
		for _, tt := range append(slices.Clip(both), own[name]...) {
			p := company(name)
			tt.change(p)
			if _, err := secureview.New(p, d); err != nil {
				t.Errorf("%s: %s: %v", name, tt.name, err)
			}
			if _, err := provision.SQL(p); err != nil {
				t.Errorf("%s: %s: SQL: %v", name, tt.name, err)
			}
		}
	}
}

func TestSQLRefused(t *testing.T) {
	secured := func(table string, s secureview.TableSetup) func(p *secureview.Policy) {
		return func(p *secureview.Policy) { p.Setup.Tables[table] = s }
	}
	filtered := func(filters ...secureview.Filter) func(p *secureview.Policy) {
		return secured("job", secureview.TableSetup{Filters: filters})
	}
	account := func(account string) func(p *secureview.Policy) {
		return func(p *secureview.Policy) { p.Setup.Account = account }
	}
	setting := func(setting string) func(p *secureview.Policy) {
		return func(p *secureview.Policy) { p.Setup.Key.Setting = setting }
	}
	function := func(name string) func(p *secureview.Policy) {
		return func(p *secureview.Policy) { p.Functions = append(p.Functions, name) }
	}
	type test struct {
		entry  string
		change func(p *secureview.Policy)
	}
	both := []test{
		{"setup.account", account("")},
		{"setup.account", account("a\x00")},
		{"setup.account", account("a\nb")},
		{"setup.key.setting", setting("")},
		{"setup.key.setting", setting("a'b")},
		{"setup.key.setting", setting("a.b.c")},
		{"setup.key.setting", setting("app.k y")},
		{"setup.key.setting", setting("app." + strings.Repeat("k", 64))},
		{`setup.tables["payroll"]`, secured("payroll", secureview.TableSetup{})},
		{`setup.tables["Employee"]`, secured("Employee", secureview.TableSetup{})},
		{`setup.tables["secure_job"]`, secured("secure_job", secureview.TableSetup{})},
		{`setup.tables["app.job"]`, secured("app.job", secureview.TableSetup{})},
		{`setup.tables["dept"].encrypted`, secured("dept", secureview.TableSetup{Encrypted: map[string]string{"name": "text"}})},
		{`setup.tables["customer"].encrypted`, func(p *secureview.Policy) { p.Setup.Key = nil }},
		{`setup.tables["job"].encrypted[""]`, secured("job", secureview.TableSetup{Encrypted: map[string]string{"": "text"}})},
		{`setup.tables["job"].encrypted["title"]`, secured("job", secureview.TableSetup{Encrypted: map[string]string{"title": ""}})},
		{`setup.tables["job"].encrypted["title"]`, secured("job", secureview.TableSetup{Encrypted: map[string]string{"title": "text) AS x, (1"}})},
		{`setup.tables["job"].encrypted["title"]`, secured("job", secureview.TableSetup{Encrypted: map[string]string{"title": "money"}})},
		{`setup.tables["job"].encrypted["title"]`, secured("job", secureview.TableSetup{Encrypted: map[string]string{"title": "text", "TITLE": "text"}})},
		{`tables["a.b"]`, func(p *secureview.Policy) {
			p.Tables["a.b"] = []string{"x"}
			p.Schemas["a"] = secureview.Schema{Tables: map[string][]string{"b": {"x"}}}
			p.Setup.Tables["a.b"] = secureview.TableSetup{}
		}},
	}
	tests := map[string][]test{
		"mysql": {
			{"setup.account", account("@localhost")},
			{"setup.account", account("''@'%'")},
			{"setup.account", account("agent@")},
			{"setup.account", account("agent@''")},
			{"setup.account", account("agent@%@%")},
			{"setup.account", account("'agent@'%'")},
			{"setup.account", account("'agent'x")},
			{"setup.account", account("'agent'@'%' IDENTIFIED BY ''")},
			{"setup.account", account("agent, root")},
			{"setup.account", account("'Root'@'localhost'")},
			{"setup.account", account("mysql.sys@localhost")},
			{"setup.account", account(`'age\nt'@'%'`)},
			{"setup.key.setting", setting("app.key")},
			{"setup.key.schema", func(p *secureview.Policy) { p.Setup.Key.Schema = "public" }},
			{`setup.tables["dept"].filters`, secured("dept", secureview.TableSetup{Filters: []secureview.Filter{{Column: "t", Setting: "tenant"}}})},
			{`setup.tables["job"].filters[1].setting`, filtered(secureview.Filter{Column: "t", Setting: "tenant"}, secureview.Filter{Column: "t", Setting: ""})},
			{`setup.tables["job"].filters[0].setting`, filtered(secureview.Filter{Column: "t", Setting: "AESKEY"})},
			{`setup.tables["job"].filters[0].setting`, filtered(secureview.Filter{Column: "t", Setting: "te nant"})},
			{`setup.tables["job"].filters[0].column`, filtered(secureview.Filter{Setting: "tenant"})},
			{`setup.tables["job"].encrypted["titel"]`, secured("job", secureview.TableSetup{Encrypted: map[string]string{"titel": "text"}})},
			{`setup.tables["job"].filters[0].column`, secured("job", secureview.TableSetup{
				Encrypted: map[string]string{"title": "text"}, Filters: []secureview.Filter{{Column: "TITLE", Setting: "tenant"}},
			})},
			{"functions[1]", function("qed_aesKey")},
			{"functions[1]", function("QED_AESKEY")},
			{"functions[1]", function("app.qed_aeskey")},
			{"functions[1]", function("qed_tenant")},
			{"schema", func(p *secureview.Policy) { p.Schema = "MySQL" }},
			{`schemas["information_schema"]`, func(p *secureview.Policy) {
				p.Schemas["information_schema"] = secureview.Schema{Tables: map[string][]string{"processlist": {"info"}}}
			}},
		},
		"postgres": {
			{"setup.account", account("'agent'@'%'")},
			{"setup.account", account("public")},
			{"setup.account", account("none")},
			{"setup.account", account("postgres")},
			{"setup.account", account("pg_monitor")},
			{"setup.account", account(strings.Repeat("a", 53))},
			{"setup.key.setting", setting("key")},
			{"setup.key.setting", setting("role")},
			{"setup.key.schema", func(p *secureview.Policy) { p.Setup.Key.Schema = "a\x00" }},
			{`setup.tables["dept"].filters[0].setting`, secured("dept", secureview.TableSetup{Filters: []secureview.Filter{{Column: "t", Setting: "tenant"}}})},
			{`setup.tables["job"].filters[0].setting`, filtered(secureview.Filter{Column: "t", Setting: "app.KEY"})},
			{"functions[1]", function("current_setting")},
			{"functions[1]", function("pg_catalog.Set_Config")},
			{"functions[1]", function("query_to_xml")},
			{`schemas["pg_catalog"]`, func(p *secureview.Policy) {
				p.Schemas["pg_catalog"] = secureview.Schema{Tables: map[string][]string{"pg_stat_activity": {"query"}}}
			}},
		},
	}
	for name, own := range tests {
		for _, tt := range append(slices.Clip(both), own...) {
			p := company(name)
			if _, err := provision.SQL(p); err != nil {
				t.Fatal(err)
			}
			tt.change(p)
			_, err := provision.SQL(p)
			var e *refusal.Error
			if !errors.As(err, &e) || !errors.Is(err, secureview.ErrInvalidPolicy) {
				t.Errorf("%s, %s: %v", name, tt.entry, err)
			} else if got := e.Problems[0].Name; got != tt.entry {
				t.Errorf("%s, %s: the error names %q: %v", name, tt.entry, got, err)
			}
		}
	}
}

// TestSQLIncomplete: a script needs a server with accounts and a setup.
func TestSQLIncomplete(t *testing.T) {
	sqlite := company("mysql")
	sqlite.Dialect = "sqlite"
	noDialect, noSetup, noTables := company("mysql"), company("mysql"), company("mysql")
	noDialect.Dialect, noSetup.Setup, noTables.Tables = "", nil, nil
	for entry, p := range map[string]*secureview.Policy{
		"policy": nil, "dialect": noDialect, "setup": noSetup, `views["customer"]`: noTables,
	} {
		_, err := provision.SQL(p)
		var e *refusal.Error
		if !errors.As(err, &e) || !errors.Is(err, secureview.ErrInvalidPolicy) || e.Problems[0].Name != entry {
			t.Errorf("%s: %v", entry, err)
		}
	}
	if _, err := provision.SQL(sqlite); !errors.Is(err, secureview.ErrInvalidPolicy) {
		t.Errorf("sqlite: %v", err)
	}
}
