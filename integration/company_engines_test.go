package integration_test

import (
	"database/sql"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	postgresdialect "github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/mysqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// company is the example company on an engine.
type company struct {
	dialect dialect.Dialect
	policy  *secureview.Policy
	admin   *sql.DB   // the administrator
	owner   *sqldb.DB // the administrator, for reading
	reader  *sqldb.DB // the account of an agent: it can read what the policy lists
}

func newCompany(t *testing.T, d dialect.Dialect, schema string, admin *sql.DB) *company {
	t.Helper()
	if err := fieldservice.CreateIn(t.Context(), admin, d.Name()); err != nil {
		t.Fatal(err)
	}
	return &company{dialect: d, policy: fieldservice.Policy(d.Name(), schema), admin: admin}
}

func sqliteCompany(t *testing.T) *company {
	t.Helper()
	path := filepath.Join(t.TempDir(), "company.db")
	admin, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close() })
	c := newCompany(t, sqlite.Dialect{}, "main", admin)
	if c.reader, err = sqlitedb.Open(path, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.reader.Close() })
	c.owner = c.reader
	return c
}

const companyAccount = "company_agent"

func mariaDBCompany(t *testing.T) *company {
	t.Helper()
	const name = "company"
	c := newCompany(t, mysql.Dialect{}, name, openMariaDB(t, name, ""))
	mustExec(t, c.admin, "CREATE USER "+companyAccount+"@'%' IDENTIFIED BY 'secret'")
	t.Cleanup(func() { c.admin.Exec("DROP USER " + companyAccount + "@'%'") })
	for _, object := range c.readable() {
		mustExec(t, c.admin, "GRANT SELECT ON "+c.dialect.Quote(name)+"."+c.dialect.Quote(object)+" TO "+companyAccount+"@'%'")
	}
	config := integration.MariaDB(t)
	config.User, config.Passwd, config.DBName = companyAccount, "secret", name
	var err error
	if c.owner, err = mysqldb.New(c.admin, nil); err != nil {
		t.Fatal(err)
	}
	if c.reader, err = mysqldb.New(connect(t, config), nil); err != nil {
		t.Fatal(err)
	}
	return c
}

func postgreSQLCompany(t *testing.T) *company {
	t.Helper()
	const name, schema = "company", "public"
	config := integration.PostgreSQL(t)
	server := stdlib.OpenDB(*config)
	t.Cleanup(func() { server.Close() })
	mustExec(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() { server.Exec("DROP DATABASE " + name + " WITH (FORCE)") })
	config.Database = name
	admin := stdlib.OpenDB(*config)
	t.Cleanup(func() { admin.Close() })
	c := newCompany(t, postgresdialect.Dialect{}, schema, admin)

	mustExec(t, admin, "CREATE ROLE "+companyAccount+" LOGIN")
	t.Cleanup(func() {
		admin.Exec("DROP OWNED BY " + companyAccount)
		admin.Exec("DROP ROLE " + companyAccount)
	})
	mustExec(t, admin, "REVOKE TEMPORARY ON DATABASE "+name+" FROM PUBLIC")
	mustExec(t, admin, "REVOKE CREATE ON SCHEMA "+schema+" FROM PUBLIC")
	for _, object := range c.readable() {
		mustExec(t, admin, "GRANT SELECT ON "+c.dialect.Quote(object)+" TO "+companyAccount)
	}
	config.User = companyAccount
	var err error
	if c.owner, err = postgresdb.New(admin, nil); err != nil {
		t.Fatal(err)
	}
	if c.reader, err = postgresdb.New(stdlib.OpenDB(*config), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.reader.Close() })
	return c
}

// readable returns what an agent's account reads: the views, and the tables without a view.
func (c *company) readable() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.policy.Tables)) {
		if c.policy.Views[name] == "" {
			names = append(names, name)
		}
	}
	return names
}
