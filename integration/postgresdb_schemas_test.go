package integration_test

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/command/database"
	_ "github.com/qedkit/qed/internal/command/database/servers"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/sqldb"
)

// A program reads the schemas of the policy, of the URL, or the first one of the account's
// search path. If one has no tables, the error names those that have.
func TestPostgresSchemas(t *testing.T) {
	p := newPostgres(t, pgServer(t), "schemas", `
		CREATE SCHEMA hr; CREATE SCHEMA "Sales"; CREATE SCHEMA secret; CREATE SCHEMA hollow;
		CREATE TABLE hr.emp(id int PRIMARY KEY, name text); INSERT INTO hr.emp VALUES (1, 'Ann');
		CREATE TABLE "Sales".orders(id int PRIMARY KEY, emp_id int REFERENCES hr.emp, n int); INSERT INTO "Sales".orders VALUES (1, 1, 7);
		CREATE TABLE "Sales".item(id int);
		CREATE VIEW "Sales".emp AS SELECT * FROM hr.emp;
		CREATE TABLE secret.t(id int);
		GRANT USAGE ON SCHEMA hr, "Sales", hollow, public TO schemas;
		GRANT SELECT ON ALL TABLES IN SCHEMA hr, "Sales" TO schemas`)
	at := func(parameters string) string {
		return fmt.Sprintf("postgres://schemas:%s@127.0.0.1:%d/schemas?sslmode=disable%s",
			url.QueryEscape(p.account.Password), p.account.Port, parameters)
	}
	policy := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(policy, []byte(`{"dialect": "postgres", "schema": "hr", "tables": {"emp": ["name"]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, dsn, policy, statement, want string }{
		{"a schema", at("&schema=Sales"), "", "SELECT n FROM orders", "7"},
		{"a search path", at("&search_path=" + url.QueryEscape(`"$user", "Sales", public`)), "", "SELECT n FROM orders", "7"},
		{"a search path in lower case", at("&search_path=HR"), "", "SELECT name FROM emp", "Ann"},
		{"a schema before a search path", at("&schema=Sales&search_path=hr"), "", "SELECT n FROM orders", "7"},
		{"two schemas", at("&schema=Sales,hr"), "", "SELECT e.name, n FROM orders JOIN hr.emp AS e ON e.id = emp_id", "Ann 7"},
		{"two schemas, the other first", at("&schema=hr,Sales"), "", `SELECT emp.name, o.n FROM "Sales".orders AS o JOIN emp ON emp.id = o.emp_id`, "Ann 7"},
		{"a policy", at(""), policy, "SELECT name FROM emp", "Ann"},
		{"a view of another schema's table", at("&schema=Sales"), "", "SELECT name, n FROM orders JOIN emp ON emp.id = emp_id", "Ann 7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := &database.Options{DSN: tt.dsn, Policy: tt.policy, AllTables: true, Owner: true}
			src, err := database.OpenSource(t.Context(), o, &settings.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			if got, err := src.DB.QueryText(t.Context(), src.Guard, tt.statement); err != nil || pgRows(got) != tt.want {
				t.Errorf("got %v, %v", got, err)
			}
			foreign := "orders: foreign key (emp_id): emp is in the schema hr, which is not read: name both schemas"
			one := strings.Contains(tt.statement, "orders") && !strings.HasPrefix(tt.name, "two")
			if said := strings.Contains(strings.Join(src.LeftOut, "\n"), foreign); said != one {
				t.Errorf("left out: %q", src.LeftOut)
			}
			if joined := len(src.Schema.Relationships) == 1; joined != strings.HasPrefix(tt.name, "two") {
				t.Errorf("relationships: %v", src.Schema.Relationships)
			}
		})
	}
	for name, parameters := range map[string]string{"public": "", "hollow": "&schema=hollow", "sales": "&schema=sales", "one of two": "&schema=hr,hollow"} {
		t.Run(name, func(t *testing.T) {
			_, err := database.OpenSource(t.Context(), &database.Options{DSN: at(parameters), AllTables: true, Owner: true}, &settings.Settings{})
			if err == nil || !strings.Contains(err.Error(), "Sales (3), hr (1)") || !strings.Contains(err.Error(), "?schema=") ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := p.open(t, nil).Introspect(t.Context(), "hollow"); !errors.Is(err, sqldb.ErrEmpty) {
		t.Errorf("got %v", err)
	}
	t.Run("the account's search path", func(t *testing.T) {
		pgExec(t, p.admin, `ALTER ROLE schemas SET search_path = absent, "Sales", hr`)
		src, err := database.OpenSource(t.Context(), &database.Options{DSN: at(""), AllTables: true, Owner: true}, &settings.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		if src.Policy.Schema != "Sales" || len(src.Schema.Tables) != 3 {
			t.Errorf("%s has %v", src.Policy.Schema, src.Schema.Tables)
		}
		if got, err := src.DB.QueryText(t.Context(), src.Guard, "SELECT n FROM orders"); err != nil || pgRows(got) != "7" {
			t.Errorf("got %v, %v", got, err)
		}
		pgExec(t, p.admin, "ALTER ROLE schemas SET search_path = absent, other")
		_, err = database.OpenSource(t.Context(), &database.Options{DSN: at(""), AllTables: true, Owner: true}, &settings.Settings{})
		if err == nil || !strings.Contains(err.Error(), "no schema of the account's search path exists") || !strings.Contains(err.Error(), "?schema=") {
			t.Errorf("got %v", err)
		}
	})
	bare := newPostgres(t, pgServer(t), "bare_schemas", "CREATE TABLE t(id int)")
	if _, err := bare.open(t, nil).Introspect(t.Context()); !errors.Is(err, sqldb.ErrEmpty) || !strings.Contains(err.Error(), "rights") {
		t.Errorf("got %v", err)
	}
}

// A key to a table of a schema that is not read is no key to a table of the same name.
func TestForeignSchemas(t *testing.T) {
	const tables = `
		CREATE TABLE apart_auth.users(id int PRIMARY KEY);
		CREATE TABLE apart.users(id int PRIMARY KEY);
		CREATE TABLE apart.profile(id int PRIMARY KEY, user_id int, FOREIGN KEY (user_id) REFERENCES apart_auth.users (id));
		CREATE TABLE apart.visit(id int PRIMARY KEY, user_id int);`
	p := newPostgres(t, pgServer(t), "apart", "CREATE SCHEMA apart; CREATE SCHEMA apart_auth;"+tables)
	dbs := map[string]*sqldb.DB{"PostgreSQL": openPostgresDB(t, nil, openPGX(t, p.adminConfig()))}
	for brand, start := range mysqlServers {
		m := newMaria(t, start(t), "apart", "CREATE DATABASE apart_auth;"+tables)
		t.Cleanup(func() { m.admin.Exec("DROP DATABASE apart_auth") })
		dbs[brand] = m.openAsRoot(t, start(t), nil)
	}
	for name, db := range dbs {
		for _, schemas := range [][]string{{"apart"}, {"apart", "apart_auth"}} {
			schema, err := db.Introspect(t.Context(), schemas...)
			if err != nil {
				t.Fatal(err)
			}
			inferred, err := joingraph.Infer(t.Context(), schema, nil)
			if err != nil {
				t.Fatal(err)
			}
			var joins []string
			for _, r := range append(schema.Relationships, inferred.Relationships...) {
				if r.Confidence >= 0.5 {
					joins = append(joins, r.String())
				}
			}
			want := []string{"visit.user_id -> users.id"}
			if len(schemas) > 1 {
				want = append([]string{"profile.user_id -> apart_auth.users.id"}, want...)
			}
			if diff := cmp.Diff(want, joins); diff != "" {
				t.Errorf("%s, %v (-want +got):\n%s", name, schemas, diff)
			}
		}
	}
}
