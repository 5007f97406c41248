package secureview_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// secretPolicy returns a policy whose setup has a key and filters.
func secretPolicy(name string) *secureview.Policy {
	key, tenant, customers := "aesKey", "tenant", "customerIds"
	if name == "postgres" {
		key, tenant, customers = "app.key", "app.tenant", "app.customer_ids"
	}
	return &secureview.Policy{
		Dialect: name,
		Schema:  "app",
		Tables: map[string][]string{
			"employee":        {"id", "name", "ssn"},
			"secure_customer": {"id", "name", "phone"},
		},
		Views:     map[string]string{"employee": "secure_employee", "customer": "secure_customer"},
		Schemas:   map[string]secureview.Schema{"archive": {Tables: map[string][]string{"invoice": {"id"}}}},
		Functions: []string{"full_name"},
		Setup: &secureview.Setup{
			Account: "agent",
			Key:     &secureview.Key{Setting: key},
			Tables: map[string]secureview.TableSetup{
				"employee": {Encrypted: map[string]string{"ssn": "text"}},
				"customer": {
					Encrypted: map[string]string{"phone": "text"},
					Filters:   []secureview.Filter{{Column: "tenantId", Setting: tenant}, {Column: "id", Setting: customers, List: true}},
				},
			},
		},
	}
}

// TestSetupRefused: a policy that lets statements read the settings of a session is
// refused. Package provision checks the rest of a setup.
func TestSetupRefused(t *testing.T) {
	function := func(name string) func(p *secureview.Policy) {
		return func(p *secureview.Policy) { p.Functions = append(p.Functions, name) }
	}
	type test struct {
		entry  string
		change func(p *secureview.Policy)
	}
	tests := map[string][]test{
		"mysql": {
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
			{"functions[1]", function("current_setting")},
			{"functions[1]", function("pg_catalog.Set_Config")},
			{"functions[1]", function("query_to_xml")},
			{`schemas["pg_catalog"]`, func(p *secureview.Policy) {
				p.Schemas["pg_catalog"] = secureview.Schema{Tables: map[string][]string{"pg_stat_activity": {"query"}}}
			}},
		},
	}
	for _, d := range []dialect.Dialect{mysql.Dialect{}, postgres.Dialect{}} {
		if _, err := secureview.New(secretPolicy(d.Name()), d); err != nil {
			t.Fatal(err)
		}
		for _, tt := range tests[d.Name()] {
			p := secretPolicy(d.Name())
			tt.change(p)
			_, err := secureview.New(p, d)
			if e := refuse(t, err); e.Code != secureview.ErrInvalidPolicy || e.Name != tt.entry {
				t.Errorf("%s, %s: the error names %q: %v", d.Name(), tt.entry, e.Name, err)
			}
		}
	}
}

// TestSetupOnSQLite: SQLite has no accounts.
func TestSetupOnSQLite(t *testing.T) {
	p := policy(sqlite.Dialect{})
	p.Setup = &secureview.Setup{Account: "agent"}
	_, err := secureview.New(p, sqlite.Dialect{})
	if e := refuse(t, err); e.Code != secureview.ErrInvalidPolicy || e.Name != "setup" {
		t.Error(err)
	}
}

// TestNoStatementReadsSettings: no statement reads the key or another setting of
// the session.
func TestNoStatementReadsSettings(t *testing.T) {
	p := secretPolicy("mysql")
	g, err := secureview.New(p, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"SELECT qed_aesKey()", "SELECT QED_AESKEY()", "SELECT `qed_aesKey`()", "SELECT app.qed_aesKey()", "SELECT `app`.`qed_aesKey`()",
		"SELECT qed_tenant()", "SELECT qed_customerIds()",
		"SELECT @aesKey", "SELECT @`aesKey`", "SELECT @'aesKey'", "SELECT @@aesKey", "SELECT @tenant := 2", "SELECT name, @tenant := 2 FROM customer",
		"SELECT name FROM customer WHERE id = @customerIds", "SELECT name INTO @tenant FROM customer", "SET @tenant = 2",
		"SELECT name FROM customer ORDER BY qed_aesKey()", "SELECT (SELECT qed_tenant()) AS t", "WITH k AS (SELECT qed_aesKey() AS k) SELECT k FROM k",
		"SELECT tenantId FROM customer", "SELECT name FROM customer WHERE tenantId = 2", "SELECT iban FROM employee",
		"SELECT aes_decrypt(name, 'x') FROM employee",
	} {
		if stmt, err := g.Rewrite(t.Context(), sql); err == nil {
			t.Errorf("%s is accepted: %s", sql, stmt.SQL())
		}
	}
	stmt, err := g.Rewrite(t.Context(), "SELECT full_name(name), phone FROM customer")
	if err != nil {
		t.Fatal(err)
	}
	if got := plain(stmt.SQL()); !strings.Contains(got, "FROM app.secure_customer AS customer") {
		t.Error(got)
	}
}

func TestSetupFunctions(t *testing.T) {
	setup := secretPolicy("mysql").Setup
	if diff := cmp.Diff([]string{"aesKey", "customerIds", "tenant"}, setup.Settings()); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"qed_aesKey", "qed_customerIds", "qed_tenant"}, setup.Functions()); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
}

// TestReadPolicyFields: the JSON form of a policy has every field of the Go type.
func TestReadPolicyFields(t *testing.T) {
	want := new(secureview.Policy)
	fill(reflect.ValueOf(want).Elem())
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := secureview.ReadPolicy(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// fill sets every field in v to a value that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("x")
	case reflect.Int:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("a policy has a " + v.Kind().String())
	}
}
