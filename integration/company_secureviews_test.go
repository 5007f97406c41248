package integration_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/integration"
)

func TestSecureViewsProgram(t *testing.T) {
	program := buildExample(t, "secureviews")
	t.Run("MariaDB", func(t *testing.T) {
		s := mariaDBExample(t, "secureviews")
		t.Cleanup(func() { s.admin.Exec("DROP USER IF EXISTS qed_agent") })
		testSecureViews(t, program, s, "customerIds")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		s := postgreSQLExample(t, "secureviews")
		integration.PGCrypto(t, s.admin)
		t.Cleanup(func() {
			s.admin.Exec("DROP OWNED BY qed_agent")
			s.admin.Exec("DROP ROLE qed_agent")
		})
		testSecureViews(t, program, s, "app.customerIds")
	})
}

// testSecureViews runs the program as a user does: it makes the demo company, applies
// its policy, and then asks.
func testSecureViews(t *testing.T, program *example, s *exampleServer, filter string) {
	policy := "../examples/secureviews/policy." + s.scheme + ".json"
	dsn, as := s.url(s.root, "", s.database), s.url("qed_agent", examplePassword, s.database)
	const key = "a key that nobody sees"
	tests := []struct {
		name   string
		before string // a statement of an administrator
		env    []string
		args   []string
		ok     bool
		want   []string // in the output
		not    []string // not in the output
	}{
		{"made", "", nil, []string{"-demo", "-key", key, "-dsn", dsn}, true,
			[]string{"secure_employee", "None of this was run"}, []string{"Statements run"}},
		{"made twice", "", nil, []string{"-demo", "-key", key, "-dsn", dsn}, false,
			[]string{"not empty"}, nil},
		{"not applied yet", "", nil, []string{"-policy", policy, "-as", as, "-ask", "SELECT name FROM employee"}, false,
			[]string{"qed_agent"}, []string{"Rosa"}},
		{"applied", "", nil, []string{"-policy", policy, "-dsn", dsn, "-apply", "-as", as}, true,
			[]string{"Statements run"}, nil},
		{"applied again", "", nil, []string{"-policy", policy, "-dsn", dsn, "-apply", "-as", as}, true,
			[]string{"Statements run"}, nil},
		{"decrypted", "", nil, []string{"-policy", policy, "-as", as, "-key", key, "-ask", "SELECT name, phone, salary FROM employee WHERE salary > 1000 ORDER BY salary"}, true,
			[]string{"and nothing else", "secure_employee", "+351 912 000 111", "2150.5", "2890"}, []string{"Ulla"}},
		{"the key of the environment", "", []string{"DB_ENCRYPT_KEY=" + key}, []string{"-policy", policy, "-as", as, "-ask", "SELECT phone FROM employee"}, true,
			[]string{"+351 912 000 111"}, nil},
		{"no key", "", nil, []string{"-policy", policy, "-as", as, "-ask", "SELECT name, phone FROM employee"}, true,
			[]string{"Rosa Ferreira", "NULL"}, []string{"+351"}},
		{"confined", "", nil, []string{"-policy", policy, "-as", as, "-key", key, "-set", filter + "=1,2", "-ask",
			"SELECT c.name, c.taxId, COUNT(*) AS visits FROM customer c JOIN visit v ON v.customerId = c.id GROUP BY c.name, c.taxId"}, true,
			[]string{"Malmö Harbour Logistics", "SE-556677", "Göteborg Ferries"}, []string{"Santa Rita", "PT-501442"}},
		{"not confined", "", nil, []string{"-policy", policy, "-as", as, "-key", key, "-ask", "SELECT name FROM customer"}, true,
			[]string{"Santa Rita"}, nil},
		{"a statement that the policy refuses", "", nil, []string{"-policy", policy, "-as", as, "-key", key, "-ask", "SELECT ssn FROM employee"}, false,
			[]string{"ssn"}, nil},
		{"another account", "", nil, []string{"-policy", policy, "-as", dsn, "-ask", "SELECT name FROM employee"}, false,
			[]string{"qed_agent"}, []string{"Rosa"}},
		{"too many rights", "GRANT SELECT ON employee TO qed_agent", nil, []string{"-policy", policy, "-as", as, "-ask", "SELECT name FROM employee"}, false,
			[]string{"can_read_base_table", "REVOKE"}, []string{"Rosa"}},
		{"applied for the third time", "", nil, []string{"-policy", policy, "-dsn", dsn, "-apply", "-as", as, "-ask", "SELECT name FROM employee"}, true,
			[]string{"and nothing else", "Rosa"}, nil},
		{"a question", "", modelServer(t, "employee", "SELECT name, phone FROM employee", "+351 912 000 111"),
			[]string{"-policy", policy, "-as", as, "-key", key, "-ask", "Which phones are there?"}, true,
			[]string{"secure_employee", "+351 912 000 111", "The rows have it."}, nil},
	}
	for _, tt := range tests {
		if tt.before != "" {
			mustExec(t, s.admin, tt.before)
		}
		t.Run(tt.name, func(t *testing.T) {
			out, ok := program.run(t, tt.env, absolute(t, tt.args)...)
			if ok != tt.ok {
				t.Errorf("success is %v:\n%s", ok, out)
			}
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
			for _, not := range append(tt.not, key, "panic:", "goroutine") {
				if strings.Contains(out, not) {
					t.Errorf("the output has %q:\n%s", not, out)
				}
			}
		})
	}
}
