package integration_test

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/provision"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// securedKey is the key that encrypts the data of a secured company.
const securedKey = "it's a k\u00e9y"

// secured is a small company on an engine, whose policy's script has been run:
// tenant 1 has Ann, Bob, Acme and Bolt, tenant 2 has Eve and Crux, and tenant 11
// has Kim, whose columns are NULL. Nobody may read payroll, nor a dept's budget.
type secured struct {
	dialect  dialect.Dialect
	policy   *secureview.Policy
	guard    *secureview.Guard
	admin    *sql.DB
	account  *sql.DB                                   // the account of the policy's setup, without a guard
	open     func(t *testing.T) *sqldb.DB              // opens the company as the account
	db       *sqldb.DB                                 // the same, opened
	logIn    func(t *testing.T, password string) error // as the account
	settings [3]string                                 // for the key, the tenant and the customers
	encrypts bool
}

// onEach runs a test on each engine.
func onEach(t *testing.T, test func(t *testing.T, c *secured)) {
	t.Run("mariadb", func(t *testing.T) { test(t, securedMySQL(t, integration.MariaDB(t))) })
	t.Run("postgresql", func(t *testing.T) { test(t, securedPostgreSQL(t, integration.PostgreSQL(t))) })
}

type securedSession struct{}

// as returns a context whose session has the key, a tenant and a list of customers. Nil
// means no value.
func (c *secured) as(t *testing.T, key, tenant, customers any) context.Context {
	settings := map[string]any{c.settings[0]: key, c.settings[1]: tenant, c.settings[2]: customers}
	return context.WithValue(t.Context(), securedSession{}, &sqldb.Session{Settings: settings})
}

func securedSessionOf(ctx context.Context) (*sqldb.Session, error) {
	s, _ := ctx.Value(securedSession{}).(*sqldb.Session)
	return s, nil
}

// ask runs a statement of a model as a program does, and returns its rows.
func (c *secured) ask(ctx context.Context, text string) (string, error) {
	stmt, err := c.guard.Rewrite(ctx, text)
	if err != nil {
		return "", err
	}
	table, err := c.db.Query(ctx, stmt)
	if err != nil {
		return "", fmt.Errorf("%s: %w", stmt.SQL(), err)
	}
	rows := make([]string, len(table.Rows))
	for i, row := range table.Rows {
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = fmt.Sprint(cell)
		}
		rows[i] = strings.Join(cells, " ")
	}
	return strings.Join(rows, "; "), nil
}

// secure runs the script of the policy.
func (c *secured) secure(t *testing.T) {
	t.Helper()
	script, err := provision.SQL(c.policy)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range script {
		if _, err := c.admin.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// readable opens the company for reading through its policy.
func (c *secured) readable(t *testing.T) *secured {
	t.Helper()
	c.secure(t)
	c.secure(t) // it can be run again
	var err error
	if c.guard, err = secureview.New(c.policy, c.dialect); err != nil {
		t.Fatal(err)
	}
	return c
}

// securedPolicy is the policy of the company without the parts that depend on the engine.
func securedPolicy(d dialect.Dialect, schema, account string, settings [3]string) *secureview.Policy {
	tenant := secureview.Filter{Column: "tenant_id", Setting: settings[1]}
	customers := secureview.Filter{Column: "customer_id", Setting: settings[2], List: true}
	return &secureview.Policy{
		Dialect: d.Name(),
		Schema:  schema,
		Tables: map[string][]string{
			"employee":         {"id", "name", "ssn", "salary"},
			"customer":         {"id", "name", "phone"},
			"secure_workorder": {"id", "customer_id", "price"},
			"job":              {"id", "title"},
			"dept":             {"id", "name"},
		},
		Views: map[string]string{
			"employee": "secure_employee", "customer": "secure_customer", "workOrder": "secure_workorder", "job": "secure_job",
		},
		Setup: &secureview.Setup{
			Account: account,
			Key:     &secureview.Key{Setting: settings[0]},
			Tables: map[string]secureview.TableSetup{
				"employee": {Encrypted: map[string]string{"ssn": "text", "salary": "decimal(10,2)"}, Filters: []secureview.Filter{tenant}},
				"customer": {
					Encrypted: map[string]string{"phone": "text"},
					Filters:   []secureview.Filter{tenant, {Column: "id", Setting: settings[2], List: true, Optional: true}},
				},
				"workOrder": {Filters: []secureview.Filter{customers}},
			},
		},
	}
}

// securedTables creates and fills the tables. ENC(..) stands for the function that
// encrypts, and BIN for the type of its result.
const securedTables = `
CREATE TABLE employee (id INT PRIMARY KEY, name VARCHAR(40), ssn BIN, salary BIN, tenant_id INT);
INSERT INTO employee VALUES (1, 'Ann', ENC('111-11-1111'), ENC('1000.50'), 1), (2, 'Bob', ENC('222-22-2222'), ENC('950.00'), 1),
  (3, 'Eve', ENC('333-33-3333'), ENC('7000.00'), 2), (4, 'Kim', NULL, NULL, 11);
CREATE INDEX employee_tenant ON employee (tenant_id);
CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(40), phone BIN, tenant_id VARCHAR(40));
INSERT INTO customer VALUES (1, 'Acme', ENC('555-0001'), '1'), (2, 'Bolt', ENC('555-0002'), '1'), (3, 'Crux', ENC('555-0003'), '2'),
  (4, 'Dusk', ENC('555-0004'), ''), (5, 'Echo', NULL, NULL);
CREATE TABLE "workOrder" (id INT PRIMARY KEY, customer_id INT, price DECIMAL(10,2), note VARCHAR(40));
INSERT INTO "workOrder" VALUES (1, 1, 10.50, 'a'), (2, 2, 20.00, 'b'), (3, 3, 99.00, 'hidden'), (4, 12, 77.00, 'hidden');
CREATE TABLE job (id INT PRIMARY KEY, title VARCHAR(40), pay INT);
INSERT INTO job VALUES (1, 'driver', 7);
CREATE TABLE dept (id INT PRIMARY KEY, name VARCHAR(40), budget INT);
INSERT INTO dept VALUES (1, 'north', 123456), (2, 'south', 654321);
CREATE TABLE payroll (id INT PRIMARY KEY, amount INT);
INSERT INTO payroll VALUES (1, 424242)`

// securedSecrets are values that only tenant 2 may see, or nobody.
var securedSecrets = []string{"Eve", "333-33", "7000", "Crux", "555-0003", "Dusk", "555-0004", "Kim", "Echo", "99.00", "77.00", "hidden", "123456", "654321", "424242", securedKey}

var encryptedText = regexp.MustCompile(`ENC\('(.*?)'\)`)

// fill creates the tables, with the expression that encrypts $1, its type, and the quotes
// around a name.
func (c *secured) fill(t *testing.T, encrypt, of, quote string) {
	t.Helper()
	text := encryptedText.ReplaceAllString(securedTables, encrypt)
	for statement := range strings.SplitSeq(strings.NewReplacer("BIN", of, `"`, quote).Replace(text), ";\n") {
		mustExec(t, c.admin, statement)
	}
}

func securedMySQL(t *testing.T, config *driver.Config) *secured {
	const name, account = "secured", "secured'agent"
	root := connect(t, config)
	mustExec(t, root, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4")
	t.Cleanup(func() {
		root.Exec("DROP USER 'secured''agent'@'%'")
		root.Exec("DROP DATABASE " + name)
	})
	config.DBName = name
	c := &secured{dialect: mysql.Dialect{}, admin: connect(t, config), settings: [3]string{"aesKey", "tenant", "customerIds"}, encrypts: true}
	c.fill(t, "AES_ENCRYPT('$1', _utf8mb4 X'"+hex.EncodeToString([]byte(securedKey))+"')", "VARBINARY(200)", "`")
	c.policy = securedPolicy(c.dialect, name, "`"+account+"`@`%`", c.settings)
	c.readable(t)
	mustExec(t, root, "ALTER USER 'secured''agent'@'%' IDENTIFIED BY 'right' ACCOUNT UNLOCK")
	login := config.Clone()
	login.User, login.Passwd = account, "right"
	c.account = connect(t, login)
	c.open = func(t *testing.T) *sqldb.DB {
		return openMySQLDB(t, &sqldb.Options{Session: securedSessionOf}, connect(t, login))
	}
	c.logIn = func(t *testing.T, password string) error {
		login := login.Clone()
		login.Passwd = password
		return connect(t, login).Ping()
	}
	c.db = c.open(t)
	return c
}

func securedPostgreSQL(t *testing.T, config *pgx.ConnConfig) *secured {
	const name, account = "secured", `secured"agent's`
	root := openPGX(t, config)
	mustExec(t, root, "CREATE DATABASE "+name)
	t.Cleanup(func() {
		root.Exec("DROP DATABASE " + name + " WITH (FORCE)")
		root.Exec(`DROP ROLE "secured""agent's"`)
	})
	config.Database = name
	c := &secured{dialect: postgres.Dialect{}, admin: openPGX(t, config), settings: [3]string{"app.key", "app.tenant", "app.customer_ids"}}
	c.policy = securedPolicy(c.dialect, "app", account, c.settings)
	if err := c.admin.QueryRow("SELECT count(*) > 0 FROM pg_available_extensions WHERE name = 'pgcrypto'").Scan(&c.encrypts); err != nil {
		t.Fatal(err)
	}
	own := config.Copy()
	own.RuntimeParams["search_path"] = "app, public"
	c.admin = openPGX(t, own)
	mustExec(t, c.admin, "CREATE SCHEMA app")
	if c.encrypts {
		mustExec(t, c.admin, "CREATE SCHEMA crypto")
		mustExec(t, c.admin, "CREATE EXTENSION pgcrypto WITH SCHEMA crypto")
		c.policy.Setup.Key.Schema = "crypto"
		c.fill(t, "crypto.pgp_sym_encrypt('$1', '"+strings.ReplaceAll(securedKey, "'", "''")+"')", "bytea", `"`)
	} else {
		c.fill(t, "'$1'", "text", `"`)
		mustExec(t, c.admin, "ALTER TABLE employee ALTER COLUMN salary TYPE numeric(10,2) USING salary::numeric(10,2)")
		for table, s := range c.policy.Setup.Tables {
			s.Encrypted = nil
			c.policy.Setup.Tables[table] = s
		}
	}
	// Row-level security is for a table without a view.
	mustExec(t, c.admin, `CREATE TABLE visit (id INT PRIMARY KEY, place VARCHAR(40), tenant_id INT)`)
	mustExec(t, c.admin, `INSERT INTO visit VALUES (1, 'Oslo', 1), (2, 'Rome', 1), (3, 'hidden', 2)`)
	c.policy.Tables["visit"] = []string{"id", "place"}
	c.policy.Setup.Tables["visit"] = secureview.TableSetup{Filters: []secureview.Filter{{Column: "tenant_id", Setting: "app.tenant"}}}
	c.readable(t)
	mustExec(t, root, `ALTER ROLE "secured""agent's" LOGIN`)
	login := config.Copy()
	login.User = account
	c.account = openPGX(t, login)
	c.open = func(t *testing.T) *sqldb.DB {
		return openPostgresDB(t, &postgresdb.Options{Options: sqldb.Options{Session: securedSessionOf}}, openPGX(t, login))
	}
	c.logIn = func(t *testing.T, password string) error {
		login := login.Copy()
		login.Password = password
		return openPGX(t, login).Ping()
	}
	c.db = c.open(t)
	return c
}
