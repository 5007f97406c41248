package integration_test

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/sqldb"
)

// raw opens a connection of the account without the guard and without sqldb.
func (c *secured) raw(t *testing.T) *sql.Conn {
	t.Helper()
	conn, err := c.account.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// rawRows runs a statement and returns its rows.
func rawRows(t *testing.T, conn *sql.Conn, text string) (string, error) {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), text)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var lines []string
	for rows.Next() {
		cells, texts := make([]any, len(columns)), make([]sql.NullString, len(columns))
		for i := range cells {
			cells[i] = &texts[i]
		}
		if err := rows.Scan(cells...); err != nil {
			return "", err
		}
		line := make([]string, len(texts))
		for i, text := range texts {
			line[i] = text.String
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return strings.Join(lines, "; "), rows.Err()
}

// tell sets the session's settings as sqldb does.
func (c *secured) tell(t *testing.T, conn *sql.Conn, values ...string) {
	t.Helper()
	for i, value := range values {
		text := fmt.Sprintf("SET @%s = %s", c.settings[i], value)
		if c.dialect.Name() == "postgres" {
			text = fmt.Sprintf("SELECT set_config('%s', %s, false)", c.settings[i], value)
		}
		if _, err := conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSecureViewsAccount checks what the grants, the views and row-level security prevent
// without a guard.
func TestSecureViewsAccount(t *testing.T) {
	refused := map[string][]string{
		"both": {
			"SELECT name FROM employee",
			"SELECT count(*) FROM employee",
			"SELECT ssn FROM employee",
			"SELECT * FROM customer",
			"SELECT * FROM job",
			"SELECT * FROM payroll",
			"SELECT budget FROM dept",
			"SELECT * FROM dept",
			"SELECT count(*) FROM dept WHERE budget > 1",
			"SELECT id FROM dept ORDER BY budget",
			"SELECT tenant_id FROM secure_employee",
			"INSERT INTO dept (id, name) VALUES (3, 'x')",
			"INSERT INTO secure_job (id, title) VALUES (3, 'x')",
			"UPDATE dept SET name = 'x'",
			"UPDATE secure_customer SET name = 'x'",
			"UPDATE secure_job SET title = 'x'",
			"DELETE FROM dept",
			"DELETE FROM secure_job",
			"TRUNCATE TABLE dept",
			"DROP TABLE payroll",
			"DROP VIEW secure_employee",
			"CREATE TABLE x (id INT)",
			"CREATE TEMPORARY TABLE x (id INT)",
			"CREATE VIEW x AS SELECT 1",
			"GRANT SELECT ON payroll TO PUBLIC",
		},
		"mysql": {
			"SELECT * FROM `workOrder`",
			"SELECT qed_aesKey()",
			"SELECT qed_tenant()",
			"SELECT secured.qed_customerIds()",
			"SELECT name FROM secure_job WHERE qed_aesKey() = 'x'",
			"SHOW CREATE VIEW secure_employee",
			"SHOW CREATE FUNCTION qed_aesKey",
			"EXPLAIN SELECT * FROM secure_employee",
			"SELECT * FROM mysql.user",
			"CREATE FUNCTION f() RETURNS INT RETURN 1",
			"CREATE OR REPLACE VIEW secure_employee AS SELECT 1",
			"SET GLOBAL read_only = 0",
			"SELECT name FROM secure_job INTO OUTFILE '/tmp/qed-secured'",
			"LOCK TABLES dept WRITE",
		},
		"postgres": {
			`SELECT * FROM "workOrder"`,
			"SELECT tenant_id FROM visit",
			"SELECT * FROM visit",
			"SELECT visit FROM visit",
			"INSERT INTO visit VALUES (4, 'x', 1)",
			"UPDATE visit SET place = 'x'",
			"DELETE FROM visit",
			"ALTER TABLE visit DISABLE ROW LEVEL SECURITY",
			`DROP POLICY "qed_filter_secured""agent's" ON visit`,
			"CREATE TABLE public.x (id INT)",
			"CREATE SCHEMA x",
			"CREATE FUNCTION app.f() RETURNS INT LANGUAGE sql AS 'SELECT 1'",
			"SELECT rolpassword FROM pg_authid",
			"SELECT pg_read_file('/etc/passwd')",
			"COPY payroll TO STDOUT",
			"COPY (SELECT 1) TO PROGRAM 'cat'",
			"SET ROLE postgres",
		},
	}
	answers := []struct{ text, want string }{
		{"SELECT name FROM secure_employee ORDER BY id", "Ann; Bob"},
		{"SELECT ssn FROM secure_employee WHERE id = 1", "111-11-1111"},
		{"SELECT name FROM secure_employee WHERE id = 3", ""},
		{"SELECT name FROM secure_customer ORDER BY id", "Acme; Bolt"},
		{"SELECT id FROM secure_workorder ORDER BY id", "1; 2"},
		{"SELECT id, name FROM dept ORDER BY id", "1 north; 2 south"},
		{"SELECT count(*) FROM dept", "2"},
		{"SELECT title FROM secure_job", "driver"},
	}
	onEach(t, func(t *testing.T, c *secured) {
		conn := c.raw(t)
		if c.dialect.Name() == "postgres" {
			answers = append(slices.Clip(answers), struct{ text, want string }{"SELECT place FROM visit ORDER BY id", "Oslo; Rome"})
			if _, err := conn.ExecContext(t.Context(), "SET search_path = app"); err != nil {
				t.Fatal(err)
			}
		}
		if rows, err := rawRows(t, conn, "SELECT name FROM secure_employee"); err != nil || rows != "" {
			t.Errorf("a session that was told nothing sees %q; %v", rows, err)
		}
		c.tell(t, conn, "'"+strings.ReplaceAll(securedKey, "'", "''")+"'", "'1'", "'1,2'")
		for _, tt := range answers {
			if rows, err := rawRows(t, conn, tt.text); err != nil || rows != tt.want {
				t.Errorf("%s: %q, want %q; %v", tt.text, rows, tt.want, err)
			}
		}
		for _, text := range append(refused["both"], refused[c.dialect.Name()]...) {
			if rows, err := rawRows(t, conn, text); err == nil {
				t.Errorf("%s: the account may do this: %s", text, rows)
			}
		}
	})
}

// TestSecureViewsAccountIsClosed checks that nobody can log in as the account that the
// script creates until an administrator allows it; in MySQL by setting a password.
func TestSecureViewsAccountIsClosed(t *testing.T) {
	onEach(t, func(t *testing.T, c *secured) {
		drop, user := []string{"DROP USER 'secured''agent'@'%'"}, "secured'agent"
		if c.dialect.Name() == "postgres" {
			drop, user = []string{`DROP OWNED BY "secured""agent's"`, `DROP ROLE "secured""agent's"`}, `secured"agent's`
		}
		for _, statement := range drop {
			mustExec(t, c.admin, statement)
		}
		c.secure(t)
		for _, password := range []string{"", "right", "invalid", user} {
			if err := c.logIn(t, password); err == nil {
				t.Errorf("the password %q opens a new account", password)
			}
		}
		if c.dialect.Name() == "mysql" {
			mustExec(t, c.admin, "ALTER USER 'secured''agent'@'%' ACCOUNT UNLOCK")
			for _, password := range []string{"", "invalid", user} {
				if err := c.logIn(t, password); err == nil {
					t.Errorf("the password %q opens an account that was unlocked", password)
				}
			}
		}
	})
}

// TestSecureViewsNeedTheGuard checks what the account's rights do not prevent, as the
// package documents: without the guard, a session can read its key and can set any
// tenant.
func TestSecureViewsNeedTheGuard(t *testing.T) {
	onEach(t, func(t *testing.T, c *secured) {
		conn := c.raw(t)
		c.tell(t, conn, "'"+strings.ReplaceAll(securedKey, "'", "''")+"'", "'1'")
		text := "SELECT @aesKey"
		if c.dialect.Name() == "postgres" {
			text = "SELECT current_setting('app.key')"
		}
		if got, err := rawRows(t, conn, text); err != nil || got != securedKey {
			t.Errorf("%q; %v", got, err)
		}
		c.tell(t, conn, "NULL", "'2'")
		view := "secure_employee"
		if c.dialect.Name() == "postgres" {
			view = "app.secure_employee"
		}
		if got, err := rawRows(t, conn, "SELECT name FROM "+view); err != nil || got != "Eve" {
			t.Errorf("%q; %v", got, err)
		}
	})
}

// TestSecureViewsWrongKey checks that a wrong key decrypts nothing.
func TestSecureViewsWrongKey(t *testing.T) {
	onEach(t, func(t *testing.T, c *secured) {
		if c.dialect.Name() == "postgres" {
			integration.PGCrypto(t, c.admin)
		}
		const text = "SELECT name, ssn, salary FROM employee ORDER BY id"
		for _, key := range []any{nil, "wrong", "", securedKey + " ", strings.ToUpper(securedKey), 7} {
			got, err := c.ask(c.as(t, key, 1, nil), text)
			switch {
			case key == "" && c.dialect.Name() == "postgres": // PostgreSQL does not distinguish it from no key
				if !errors.Is(err, sqldb.ErrArgument) {
					t.Errorf("key %v: %q; %v", key, got, err)
				}
			case key == nil, c.dialect.Name() == "mysql":
				if got != "Ann <nil> <nil>; Bob <nil> <nil>" || err != nil {
					t.Errorf("key %v: %q; %v", key, got, err)
				}
			case err == nil:
				t.Errorf("key %v: %q", key, got)
			case strings.Contains(err.Error(), fmt.Sprint(key)):
				t.Errorf("key %v: the error holds it: %v", key, err)
			}
			var e *sqldb.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("key %v: %v", key, err)
			}
		}
	})
}
