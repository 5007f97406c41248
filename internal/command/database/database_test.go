package database_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/internal/command/database"
	_ "github.com/qedkit/qed/internal/command/database/servers"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/secureview"
)

func TestParse(t *testing.T) {
	for _, name := range []string{"PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE", "PGSERVICE"} {
		t.Setenv(name, "")
	}
	type parsed struct{ Name, Dialect, Schemas, User, Password string }
	tests := []struct {
		dsn  string
		want parsed
	}{
		{"app.db", parsed{"Your database", "sqlite", "", "", ""}},
		{"data/user=5/host=a/app.db", parsed{"Your database", "sqlite", "", "", ""}},
		{"file:app.db?mode=ro", parsed{"Your database", "sqlite", "", "", ""}},
		{"mysql://root@localhost/app", parsed{"MySQL or MariaDB: app at localhost:3306, as root", "mysql", "app", "root", ""}},
		{"MariaDB://me%40home:p%40s%2Fs%3F@[::1]:3307/app?tls=skip-verify",
			parsed{"MySQL or MariaDB: app at [::1]:3307, as me@home", "mysql", "app", "me@home", "p@s/s?"}},
		{"mysql:///app", parsed{"MySQL or MariaDB: app at 127.0.0.1:3306", "mysql", "app", "", ""}},
		{"postgres://me:p%40ss@db/app", parsed{"PostgreSQL: app at db:5432, as me", "postgres", "", "me", "p@ss"}},
		{"mysql://root@localhost/app?schema=crm,%20billing&tls=skip-verify",
			parsed{"MySQL or MariaDB: app at localhost:3306, as root", "mysql", "app crm billing", "root", ""}},
		{"postgres://me@db/app?schema=sales,crm", parsed{"PostgreSQL: app, schema sales, crm at db:5432, as me", "postgres", "sales crm", "me", ""}},
		{"postgresql://me@127.0.0.1:6543/app?schema=sales&sslmode=disable",
			parsed{"PostgreSQL: app, schema sales at 127.0.0.1:6543, as me", "postgres", "sales", "me", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.dsn, func(t *testing.T) {
			d, err := database.Parse(tt.dsn)
			if err != nil {
				t.Fatal(err)
			}
			got := parsed{d.Name, d.Dialect.Name(), strings.Join(d.Schemas, " "), d.User, d.Password}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if d.Password != "" && strings.Contains(d.Name, d.Password) {
				t.Errorf("the name shows the password: %s", d.Name)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ name, dsn, want string }{
		{"another database", "oracle://me:hunter2@db/app", "oracle"},
		{"no database", "mysql://me:hunter2@db", "database"},
		{"a slash in the password", "mysql://me:12/hunter2@db/app", "%2F"},
		{"a question mark in the password", "postgres://me:12?hunter2@db/app", "%3F"},
		{"a hash in the password", "mysql://me:12#hunter2@db/app", "%23"},
		{"a percent sign in the password", "postgres://me:hunter2%@db/app", "%25"},
		{"a driver's form of MySQL", "root:hunter2@tcp(127.0.0.1:3306)/", "mysql://"},
		{"a driver's form of PostgreSQL", "port=5432 host=127.0.0.1 password=hunter2 dbname=app", "postgres://"},
		{"an ADO form", "Server=localhost;Database=app;Uid=root;Pwd=hunter2;", "mysql://"},
		{"a PDO form", "mysql:host=localhost;dbname=app;user=root;password=hunter2", "mysql://"},
		{"an account and a server", "root:hunter2@localhost:3306", "mysql://"},
		{"a command line", "mysql -h localhost -u root -phunter2 app", "mysql://"},
		{"a driver's form with quotes and spaces", "application_name='a b' Password = 'hunter2'", "postgres://"},
		{"no port", "mysql://me:hunter2@db:port/app", "URL"},
		{"an empty schema", "postgres://me:hunter2@db/app?schema=sales,", "?schema=sales,crm"},
		{"an empty database", "mysql://me:hunter2@db/app?schema=", "?schema=sales,crm"},
		{"times", "mysql://me:hunter2@db/app?parseTime=true", "parseTime"},
		{"several statements", "mysql://me:hunter2@db/app?multiStatements=true", "multiStatements"},
		{"a parameter of MySQL's driver", "mysql://me:hunter2@db/app?timeout=soon", "soon"},
		{"a parameter of PostgreSQL's driver", "postgres://me:hunter2@db/app?sslmode=perhaps", "sslmode"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := database.Parse(tt.dsn)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error = %v, want one that contains %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error = %v", err)
			}
		})
	}
}

func TestPool(t *testing.T) {
	for _, dsn := range []string{"app.db", "mysql://root:hunter2@127.0.0.1:1/app", "postgres://me:hunter2@127.0.0.1:1/app"} {
		d, err := database.Parse(dsn)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = d.Pool(t.Context()); err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error = %v, want one line without the password", dsn, err)
		}
	}
}

func TestSession(t *testing.T) {
	setup := &secureview.Policy{Setup: &secureview.Setup{
		Key: &secureview.Key{Setting: "app.key"},
		Tables: map[string]secureview.TableSetup{
			"customer": {Filters: []secureview.Filter{{Column: "id", Setting: "app.customers"}}},
		},
	}}
	for _, tt := range []struct {
		name    string
		dialect string
		policy  *secureview.Policy
		key     string
		values  map[string]any
		want    map[string]any
	}{
		{"SQLite has no session", "sqlite", setup, "k", nil, nil},
		{"nothing to set", "mysql", nil, "", nil, nil},
		{"the names of old", "mysql", nil, "k", nil,
			map[string]any{"aesKey": "k", "customerIds": nil, "workOrderIds": nil, "serviceLocationIds": nil}},
		{"what the policy names", "postgres", setup, "k", nil, map[string]any{"app.key": "k", "app.customers": nil}},
		{"no key", "postgres", setup, "", nil, map[string]any{"app.key": nil, "app.customers": nil}},
		{"values", "postgres", setup, "", map[string]any{"app.customers": "1,2"}, map[string]any{"app.key": nil, "app.customers": "1,2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var of func(context.Context) (map[string]any, error)
			if tt.values != nil {
				of = func(context.Context) (map[string]any, error) { return tt.values, nil }
			}
			answer := database.Session(tt.dialect, tt.policy, tt.key, of)
			if answer == nil {
				if tt.want != nil {
					t.Error("there is no session")
				}
				return
			}
			got, err := answer(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Settings); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A graph file of another version of the schema is used as far as it fits, and each entry that
// does not fit is listed.
func TestGraphOfAnotherVersion(t *testing.T) {
	dir := t.TempDir()
	file, graph := filepath.Join(dir, "app.db"), filepath.Join(dir, "graph.json")
	pool, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec("CREATE TABLE good (id INTEGER PRIMARY KEY); CREATE TABLE odd (id INTEGER PRIMARY KEY, g INTEGER)"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(graph, []byte(`{"version": 1,
		"tables": {"good": {"columns": ["id"]}, "odd": {"columns": ["id", "g"]}, "gone": {"columns": ["id", "good_id"]}},
		"relationships": [
			{"from_table": "odd", "from_column": "g", "to_table": "good", "to_column": "id", "type": "foreign_key", "confidence": 1},
			{"from_table": "gone", "from_column": "good_id", "to_table": "good", "to_column": "id", "type": "foreign_key", "confidence": 1}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := database.OpenSource(t.Context(), &database.Options{DSN: file, Graph: graph, AllTables: true}, &settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if n := len(src.Schema.Relationships); n != 1 {
		t.Errorf("%d relationships are used", n)
	}
	for _, want := range []string{"gone: ", "gone.good_id -> good.id: "} {
		if !slices.ContainsFunc(src.LeftOut, func(text string) bool { return strings.Contains(text, want) }) {
			t.Errorf("%q is not listed: %q", want, src.LeftOut)
		}
	}
}
