package integration_test

import (
	"context"
	"database/sql"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/mysqldb"
)

// maria is the database of a test on a MariaDB server, and an account without
// rights.
type maria struct {
	name    string
	admin   *sql.DB        // of the administrator; accepts several statements at once
	account *driver.Config // of the account
}

// newMaria creates a database and an account with the given name, and runs a
// script in the database.
func newMaria(tb testing.TB, server *driver.Config, name, script string) *maria {
	tb.Helper()
	root := server.Clone()
	root.MultiStatements = true
	mariaExec(tb, openMaria(tb, root), "CREATE DATABASE `"+name+"` CHARACTER SET utf8mb4; CREATE USER `"+name+"`@`%` IDENTIFIED BY 'right'")
	root.DBName = name
	m := &maria{name: name, admin: openMaria(tb, root), account: server.Clone()}
	tb.Cleanup(func() {
		m.admin.Exec("DROP USER `" + name + "`@`%`; DROP DATABASE `" + name + "`")
	})
	m.account.User, m.account.Passwd, m.account.DBName = name, "right", name
	if script != "" {
		mariaExec(tb, m.admin, script)
	}
	return m
}

func openMaria(tb testing.TB, config *driver.Config) *sql.DB {
	tb.Helper()
	pool, err := mysqldb.OpenPool(config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { pool.Close() })
	return pool
}

func mariaExec(tb testing.TB, pool *sql.DB, script string) {
	tb.Helper()
	if _, err := pool.Exec(script); err != nil {
		tb.Fatalf("%s: %v", script, err)
	}
}

// grant gives the account a right, such as "SELECT ON t".
func (m *maria) grant(tb testing.TB, right string) {
	tb.Helper()
	mariaExec(tb, m.admin, "GRANT "+right+" TO `"+m.name+"`@`%`")
}

// pool opens a pool of the account.
func (m *maria) pool(tb testing.TB, connections int) *sql.DB {
	tb.Helper()
	pool := openMaria(tb, m.account)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return pool
}

// open opens the database as the account.
func (m *maria) open(tb testing.TB, opt *sqldb.Options) *sqldb.DB {
	tb.Helper()
	return openMySQLDB(tb, opt, m.pool(tb, 5))
}

// openAsRoot opens the database as the administrator.
func (m *maria) openAsRoot(tb testing.TB, server *driver.Config, opt *sqldb.Options) *sqldb.DB {
	tb.Helper()
	return openMySQLDB(tb, opt, m.adminPool(tb, server, 5))
}

func openMySQLDB(tb testing.TB, opt *sqldb.Options, pools ...*sql.DB) *sqldb.DB {
	tb.Helper()
	o := mysqldb.Options{}
	if opt != nil {
		o.Options = *opt
	}
	o.Replicas = pools[1:]
	db, err := mysqldb.New(pools[0], &o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

// adminPool opens a pool of the administrator for New.
func (m *maria) adminPool(tb testing.TB, server *driver.Config, connections int) *sql.DB {
	tb.Helper()
	config := server.Clone()
	config.DBName = m.name
	pool := openMaria(tb, config)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return pool
}

// running returns the queries that the server runs for the account. The server
// shows a statement that has just ended, such as a SET, a moment longer.
func (m *maria) running(tb testing.TB) []string {
	tb.Helper()
	rows, err := m.admin.Query("SELECT INFO FROM information_schema.PROCESSLIST WHERE USER = ? AND INFO LIKE '/* qed %'", m.account.User)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			tb.Fatal(err)
		}
		list = append(list, text)
	}
	return list
}

func mariaServer(tb testing.TB) *driver.Config { return integration.MariaDB(tb) }

var mysqlDialect = mysql.Dialect{}

// mariaGuarded returns a guard's statement for the given tables and columns.
func mariaGuarded(tb testing.TB, schema string, tables map[string][]string, text string) *secureview.Statement {
	tb.Helper()
	guard, err := secureview.New(&secureview.Policy{Schema: schema, Tables: tables}, mysql.Dialect{})
	if err != nil {
		tb.Fatal(err)
	}
	stmt, err := guard.Rewrite(tb.Context(), text)
	if err != nil {
		tb.Fatal(err)
	}
	return stmt
}

// askMaria executes a text with a guard. It fails the test if there is an
// error.
func askMaria(tb testing.TB, db *sqldb.DB, schema string, tables map[string][]string, text string) *qed.Table {
	tb.Helper()
	got, err := db.Query(context.WithoutCancel(tb.Context()), mariaGuarded(tb, schema, tables, text))
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return got
}

// mariaVerbatim is a dialect that prints one text whatever it has parsed, like
// a guard with a broken parser or printer. With it, the tests give the engine
// statements that no guard allows.
type mariaVerbatim struct {
	mysql.Dialect
	text string
}

func (d mariaVerbatim) Append(dst []byte, _ *sqlast.Query, _ bool) ([]byte, error) {
	return append(dst, d.text...), nil
}

func (mariaVerbatim) Reread(string, []dialect.TableName) error { return nil }

// mariaUnguarded returns a statement with the given text, which claims to read
// only the given tables of a schema.
func mariaUnguarded(tb testing.TB, text, schema string, reads ...string) *secureview.Statement {
	tb.Helper()
	policy := &secureview.Policy{Schema: schema, Tables: map[string][]string{"unread": {"id"}}}
	claim := "SELECT 1"
	for i, table := range reads {
		policy.Tables[table] = []string{"id"}
		claim += []string{" FROM ", ", "}[min(i, 1)] + (mysql.Dialect{}).Quote(table)
	}
	guard, err := secureview.New(policy, mariaVerbatim{text: text})
	if err != nil {
		tb.Fatal(err)
	}
	stmt, err := guard.Rewrite(tb.Context(), claim)
	if err != nil {
		tb.Fatal(err)
	}
	return stmt
}
