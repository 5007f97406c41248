package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runs runs the program, and asserts that it shows no password.
func runs(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), args, &out)
	if strings.Contains(out.String(), "hunter2") || err != nil && strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the password is shown: %v\n%s", err, &out)
	}
	return out.String(), err
}

// TestPrint prints the script of either server, and asks no server for it.
func TestPrint(t *testing.T) {
	for _, tt := range []struct{ dsn, policy, view string }{
		{"mysql://root:hunter2@127.0.0.1:1/app", "mysql", "VIEW `app`.`secure_employee`"},
		{"postgres://me:hunter2@127.0.0.1:1/app?schema=sales", "postgres", `VIEW "sales"."secure_employee"`},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			out, err := runs(t, "-dsn", tt.dsn, "-policy", "testdata/"+tt.policy+".json")
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{tt.view, "qed_agent", "-apply"} {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
		})
	}
}

func TestWrongTurns(t *testing.T) {
	const admin, agent = "mysql://root:hunter2@127.0.0.1:1/app", "mysql://qed_agent:hunter2@127.0.0.1:1/app"
	const policy = "testdata/mysql.json"
	noSetup := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(noSetup, []byte(`{"tables":{"t":["id"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		want string // in the error
	}{
		{"no database", []string{"-policy", policy}, "-dsn"},
		{"no policy", []string{"-dsn", admin}, "-policy"},
		{"SQLite", []string{"-dsn", "app.db", "-policy", policy}, "SQLite"},
		{"a policy of another server", []string{"-dsn", admin, "-policy", "testdata/postgres.json"}, "mysql"},
		{"a policy without a setup", []string{"-dsn", admin, "-policy", noSetup}, "setup"},
		{"another account", []string{"-dsn", admin, "-as", "mysql://you:p@127.0.0.1:1/app", "-policy", policy}, "qed_agent"},
		{"a part of the account's name", []string{"-dsn", admin, "-as", "mysql://agent:p@127.0.0.1:1/app", "-policy", policy}, "qed_agent"},
		{"nobody", []string{"-dsn", admin, "-as", "mysql://127.0.0.1:1/app", "-policy", policy}, "qed_agent"},
		{"no password", []string{"-dsn", admin, "-as", "mysql://qed_agent@127.0.0.1:1/app", "-policy", policy}, "password"},
		{"a password that cannot be set", []string{"-dsn", admin, "-as", "mysql://qed_agent:hunter2'@127.0.0.1:1/app", "-policy", policy}, "password"},
		{"another database", []string{"-dsn", admin, "-as", "mysql://qed_agent:p@127.0.0.1:1/other", "-policy", policy}, "different"},
		{"a word too many", []string{"-dsn", admin, "-policy", policy, "now"}, "now"},
		{"a server that is down", []string{"-dsn", admin, "-as", agent, "-policy", policy, "-apply"}, "127.0.0.1:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := runs(t, tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one that contains %q", err, tt.want)
			}
		})
	}
}
