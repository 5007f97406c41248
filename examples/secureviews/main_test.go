package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/command/chattest"
)

// secureviews runs the program with no model configured.
func secureviews(t *testing.T, args ...string) (string, error) {
	t.Helper()
	chattest.Isolate(t, nil)
	var out strings.Builder
	err := run(t.Context(), args, &out)
	return out.String(), err
}

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPrint prints the script of either server, and asks no server for it.
func TestPrint(t *testing.T) {
	for _, tt := range []struct{ name, dsn, policy, view string }{
		{"mysql", "mysql://root:hunter2@127.0.0.1:1/app", policyMySQL, "VIEW `app`.`secure_employee`"},
		{"postgres", "postgres://me:hunter2@127.0.0.1:1/app?schema=sales", policyPostgres, `VIEW "sales"."secure_employee"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := secureviews(t, "-dsn", tt.dsn, "-policy", file(t, tt.policy))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{tt.view, "qed_agent", "-apply"} {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
			if strings.Contains(out, "hunter2") {
				t.Error("the output shows the password")
			}
		})
	}
}

func TestWrongTurns(t *testing.T) {
	const admin, agent = "mysql://root:hunter2@127.0.0.1:1/app", "mysql://qed_agent:hunter2@127.0.0.1:1/app"
	policy := file(t, policyMySQL)
	for _, tt := range []struct {
		name string
		args []string
		want string // in the error
	}{
		{"no database", []string{"-policy", policy}, "-dsn"},
		{"no policy", []string{"-dsn", admin}, "-policy"},
		{"two policies", []string{"-dsn", admin, "-policy", policy, "-demo", "-key", "k"}, "-policy"},
		{"SQLite", []string{"-dsn", "app.db", "-policy", policy}, "SQLite"},
		{"a policy of another server", []string{"-dsn", admin, "-policy", file(t, policyPostgres)}, "mysql"},
		{"a policy without a setup", []string{"-dsn", admin, "-policy", file(t, `{"tables":{"t":["id"]}}`)}, "setup"},
		{"another account", []string{"-as", "mysql://you@127.0.0.1:1/app", "-policy", policy, "-ask", "SELECT 1"}, "qed_agent"},
		{"a part of the account's name", []string{"-as", "mysql://agent@127.0.0.1:1/app", "-policy", policy, "-ask", "SELECT 1"}, "qed_agent"},
		{"nobody", []string{"-as", "mysql://127.0.0.1:1/app", "-policy", policy, "-ask", "SELECT 1"}, "qed_agent"},
		{"a password that cannot be set", []string{"-dsn", admin, "-as", "mysql://qed_agent:hunter2'@127.0.0.1:1/app", "-policy", policy, "-apply"}, "password"},
		{"another database", []string{"-dsn", admin, "-as", "mysql://qed_agent@127.0.0.1:1/other", "-policy", policy}, "different"},
		{"a demonstration without a key", []string{"-dsn", admin, "-demo"}, "-key"},
		{"nothing to ask through", []string{"-dsn", admin, "-policy", policy, "-ask", "SELECT 1"}, "-as"},
		{"nothing to ask", []string{"-as", agent, "-policy", policy}, "-ask"},
		{"a setting without a value", []string{"-as", agent, "-policy", policy, "-set", "customerIds", "-ask", "SELECT 1"}, "name=value"},
		{"a question without -ask", []string{"-as", agent, "-policy", policy, "SELECT 1"}, "-ask"},
		{"a server that is down", []string{"-dsn", admin, "-policy", policy, "-apply"}, "127.0.0.1:1"},
		{"a server that is down for the account", []string{"-as", agent, "-policy", policy, "-ask", "SELECT 1"}, "127.0.0.1:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := secureviews(t, tt.args...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one that contains %q", err, tt.want)
			}
			if err != nil && strings.Contains(out+err.Error(), "hunter2") {
				t.Errorf("the password is shown: %v\n%s", err, out)
			}
		})
	}
}

func TestIsStatement(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 1":                       true,
		" (select 1) UNION SELECT 2":     true,
		"WITH x AS (SELECT 1) SELECT *":  true,
		"select\n1":                      true,
		"Which customers are there?":     false,
		"Selected customers, please":     false,
		"":                               false,
		"Who works with Rosa?":           false,
		"DELETE FROM customer":           false,
		"withdraw the visits of January": false,
	} {
		if got := isStatement(text); got != want {
			t.Errorf("isStatement(%q) = %v", text, got)
		}
	}
}
