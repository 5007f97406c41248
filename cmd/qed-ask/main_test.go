package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/internal/command/chattest"
)

// ask runs the program with nothing configured but env.
func ask(t *testing.T, env map[string]string, in string, args ...string) (string, error) {
	t.Helper()
	return chattest.Run(t, run, env, in, args...)
}

func TestWrongTurns(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.db")
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := sqliteFile(t, "")
	tests := []struct {
		name string
		args []string
		want string // in the error
	}{
		{"no database", nil, "-dsn"},
		{"neither a policy nor all tables", []string{"-dsn", sqliteFile(t, "CREATE TABLE t (id)")}, "-all-tables"},
		{"a database without a model", []string{"-all-tables", "-dsn", sqliteFile(t, "CREATE TABLE t (id)")}, "OPENAI_API_KEY"},
		{"a missing database", []string{"-all-tables", "-dsn", missing}, "missing.db"},
		{"a file that is not a database", []string{"-all-tables", "-dsn", text}, "not a"},
		{"an empty database", []string{"-all-tables", "-dsn", empty}, "empty"},
		{"a MySQL server that is down", []string{"-all-tables", "-dsn", "mysql://root:hunter2@127.0.0.1:1/app"}, "127.0.0.1:1"},
		{"a PostgreSQL server that is down", []string{"-all-tables", "-dsn", "postgres://me:hunter2@127.0.0.1:1/app"}, "127.0.0.1:1"},
		{"another server", []string{"-all-tables", "-dsn", "oracle://me:hunter2@localhost/app"}, "oracle"},
		{"an invalid URL", []string{"-all-tables", "-dsn", "mysql://me:hun/ter2@localhost/app"}, "%2F"},
		{"an invalid policy", []string{"-dsn", sqliteFile(t, "CREATE TABLE t (id)"), "-policy", text}, "text.db: "},
		{"an unknown flag", []string{"-nope"}, "-nope"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ask(t, nil, "", tt.args...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one that contains %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "ter2") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("the missing database was created")
	}
}

// TestDatabaseOfTheEnvironment checks that DB_NAME names a server, and that -dsn has
// precedence.
func TestDatabaseOfTheEnvironment(t *testing.T) {
	env := map[string]string{"DB_NAME": "app", "DB_HOST": "127.0.0.1", "DB_PORT": "1", "DB_USER": "me", "DB_PWD": "hunter2"}
	_, err := ask(t, env, "", "-all-tables")
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error = %v, want one that names the server and not the password", err)
	}
	if _, err := ask(t, env, "", "-all-tables", "-dsn", sqliteFile(t, "CREATE TABLE t (id)")); err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
		t.Errorf("error = %v; -dsn wins over DB_NAME", err)
	}
}

// sqliteFile makes an SQLite file with a schema.
func sqliteFile(t *testing.T, schema string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "own.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA user_version = 1; " + schema); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOwnDatabase asks a fake model about the user's own database.
func TestOwnDatabase(t *testing.T) {
	env := map[string]string{"OPENAI_BASE_URL": chattest.Provider(t, speak), "OPENAI_MODEL": "test"}
	path := sqliteFile(t, "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO boat VALUES (1, 'Ann');")

	t.Run("one question", func(t *testing.T) {
		out, err := ask(t, env, "", "-all-tables", "-dsn", path, "Which boats are there?")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"every table is readable", `FROM "main"."boat"`, "There is one boat: Ann."} {
			if !strings.Contains(out, want) {
				t.Errorf("the output lacks %q:\n%s", want, out)
			}
		}
	})
	t.Run("a conversation", func(t *testing.T) {
		out, err := ask(t, env, "Which boats are there?\nAnd now?\n", "-all-tables", "-dsn", path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out, "There is one boat: Ann."); n != 2 {
			t.Errorf("%d questions were answered, want 2:\n%s", n, out)
		}
	})
	t.Run("a policy", func(t *testing.T) {
		policy := filepath.Join(t.TempDir(), "policy.json")
		if err := os.WriteFile(policy, []byte(`{"dialect":"sqlite","tables":{"boat":["id"]}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := ask(t, env, "", "-dsn", path, "-policy", policy, "Which boats are there?")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out, "every table is readable") || !strings.Contains(out, "refused") {
			t.Errorf("the policy was ignored:\n%s", out)
		}
	})
}

// TestFilter asks about a table whose rows the policy filters.
func TestFilter(t *testing.T) {
	env := map[string]string{"OPENAI_BASE_URL": chattest.Provider(t, speak), "OPENAI_MODEL": "test"}
	path := sqliteFile(t, "CREATE TABLE boat (name TEXT, owner INT); INSERT INTO boat VALUES ('Ann', 7), ('Secret', 8);")
	policy := filepath.Join(t.TempDir(), "policy.json")
	text := `{"dialect":"sqlite","tables":{"boat":["name"]},"filters":{"boat":"owner IN (:owner)"}}`
	if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := ask(t, env, "", "-dsn", path, "-policy", policy, "-session", "owner=7", "Which boats are there?")
	if err != nil || !strings.Contains(out, "Ann") || strings.Contains(out, "Secret") || !strings.Contains(out, "IN (:owner)") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := ask(t, env, "", "-dsn", path, "-policy", policy, "Which boats are there?"); err == nil {
		t.Errorf("it runs without the value:\n%s", out)
	}
	for _, wrong := range []string{"owner", "=7", ""} {
		if _, err := ask(t, env, "", "-dsn", path, "-policy", policy, "-session", wrong, "?"); err == nil || !strings.Contains(err.Error(), "customer=7") {
			t.Errorf("-session %q: %v", wrong, err)
		}
	}
}

// speak is a model that knows one table.
func speak(prompt string) string {
	switch {
	case strings.Contains(prompt, "You choose the tables"):
		return `{"tables":["boat"]}`
	case strings.Contains(prompt, "You write one"), strings.Contains(prompt, "was refused or failed"):
		return `{"sql":"SELECT name FROM boat"}`
	}
	return "There is one boat: Ann."
}
