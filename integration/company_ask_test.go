package integration_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed/integration"
)

func TestAskProgram(t *testing.T) {
	program := &example{integration.Program(t, "cmd/qed-ask")}
	t.Run("MariaDB", func(t *testing.T) { testAskOnMariaDB(t, program) })
	t.Run("PostgreSQL", func(t *testing.T) { testAskOnPostgreSQL(t, program) })
}

func testAskOnMariaDB(t *testing.T, program *example) {
	s := mariaDBExample(t, "quickstart")
	mustExec(t, s.admin, "CREATE TABLE boat (id INT PRIMARY KEY, name VARCHAR(80), code VARBINARY(255)) CHARACTER SET utf8mb4")
	mustExec(t, s.admin, "INSERT INTO boat VALUES (1, 'Ann', AES_ENCRYPT('b-17', 'k'))")
	mustExec(t, s.admin, "CREATE FUNCTION qed_aesKey() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER RETURN @aesKey")
	mustExec(t, s.admin, "CREATE VIEW secure_boat AS SELECT id, name, CAST(AES_DECRYPT(code, qed_aesKey()) AS CHAR) AS code FROM boat")
	mustExec(t, s.admin, "CREATE USER boat_reader@'%' IDENTIFIED BY '"+examplePassword+"'")
	t.Cleanup(func() { s.admin.Exec("DROP USER boat_reader@'%'") })
	mustExec(t, s.admin, "GRANT SELECT ON quickstart.secure_boat TO boat_reader@'%'")
	testAsk(t, program, s)

	host, port, _ := strings.Cut(s.address, ":")
	env := []string{"DB_HOST=" + host, "DB_PORT=" + port, "DB_USER=boat_reader", "DB_PWD=" + examplePassword, "DB_NAME=quickstart", "DB_ENCRYPT_KEY=k"}
	env = append(env, modelServer(t, "secure_boat", "SELECT name, code FROM secure_boat", "b-17")...)
	if out, ok := program.run(t, env, "-all-tables", "Which boats are there?"); !ok || !strings.Contains(out, "The rows have it.") {
		t.Errorf("a database of the environment, with its key:\n%s", out)
	}
	if out, ok := program.run(t, nil, "-all-tables", "-dsn", s.url("boat_reader", "wrong", s.database)); ok || !strings.Contains(out, "password") {
		t.Errorf("a wrong password:\n%s", out)
	}
}

func testAskOnPostgreSQL(t *testing.T, program *example) {
	s := postgreSQLExample(t, "quickstart")
	mustExec(t, s.admin, "REVOKE TEMPORARY ON DATABASE quickstart FROM PUBLIC")
	mustExec(t, s.admin, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	mustExec(t, s.admin, "CREATE TABLE boat (id integer PRIMARY KEY, name text, code text)")
	mustExec(t, s.admin, "INSERT INTO boat VALUES (1, 'Ann', 'b-17')")
	mustExec(t, s.admin, "CREATE VIEW secure_boat AS SELECT id, name FROM boat")
	mustExec(t, s.admin, "CREATE ROLE boat_reader LOGIN PASSWORD '"+examplePassword+"'")
	t.Cleanup(func() {
		s.admin.Exec("DROP OWNED BY boat_reader")
		s.admin.Exec("DROP ROLE boat_reader")
	})
	mustExec(t, s.admin, "GRANT SELECT ON secure_boat TO boat_reader")
	testAsk(t, program, s)

	env := append(modelServer(t, "boat", "SELECT name FROM boat", "Ann"), "SQL_MAX_ESTIMATED_ROWS=1")
	if out, _ := program.run(t, env, "-all-tables", "-dsn", s.url("boat_reader", examplePassword, s.database), "Which boats are there?"); !strings.Contains(out, "expects to read about") {
		t.Errorf("a statement with an estimate above the limit runs unasked:\n%s", out)
	}
}

// testAsk runs the program on a database with a table boat and its view
// secure_boat.
func testAsk(t *testing.T, program *example, s *exampleServer) {
	policy := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(policy, []byte(`{"tables":{"secure_boat":["id","name"]},"views":{"boat":"secure_boat"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	admin, reader := s.url(s.root, "", s.database), s.url("boat_reader", examplePassword, s.database)
	model := modelServer(t, "boat", "SELECT name FROM boat", "Ann")
	for _, tt := range []struct {
		name string
		env  []string
		args []string
		ok   bool
		want []string
		not  []string
	}{
		{"an account that may only read", model, []string{"-dsn", reader, "-policy", policy, "Which boats are there?"}, true,
			[]string{"secure_boat", "ran", "The rows have it."}, []string{"fix:"}},
		{"without a policy", nil, []string{"-all-tables", "-dsn", reader}, false,
			[]string{"every table is readable", "OPENAI_API_KEY"}, []string{"fix:"}},
		{"the administrator", model, []string{"-dsn", admin, "-policy", policy, "Which boats are there?"}, false,
			[]string{"connect as an account of its own", "-unsafe-account"}, []string{"fix:", "The rows have it."}},
		{"the administrator all the same", model, []string{"-unsafe-account", "-all-tables", "-dsn", admin, "Which boats are there?"}, true,
			[]string{"connect as an account of its own", "Read through secure views only: boat", "secure_boat", "The rows have it."}, nil},
		{"no such database", nil, []string{"-all-tables", "-dsn", s.url(s.root, "", "nowhere")}, false, []string{"nowhere"}, nil},
		{"a server that is down", nil, []string{"-all-tables", "-dsn", strings.Replace(reader, s.address, "127.0.0.1:1", 1)}, false,
			[]string{"127.0.0.1:1"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, ok := program.run(t, tt.env, tt.args...)
			if ok != tt.ok {
				t.Errorf("success is %v:\n%s", ok, out)
			}
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
			for _, not := range append(tt.not, "panic:", "goroutine") {
				if strings.Contains(out, not) {
					t.Errorf("the output has %q:\n%s", not, out)
				}
			}
		})
	}
	mustExec(t, s.admin, "GRANT INSERT ON boat TO boat_reader")
	if out, ok := program.run(t, model, "-dsn", reader, "-policy", policy, "Which boats are there?"); ok || !strings.Contains(out, "fix:") {
		t.Errorf("an account that may write:\n%s", out)
	}
	mustExec(t, s.admin, "REVOKE INSERT ON boat FROM boat_reader")
}
