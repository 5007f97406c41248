package integration_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/mysqldb"
)

// A server that dies in the middle of a result is ErrUnavailable. When it is
// back, the next query succeeds.
func TestMySQLDBServerDies(t *testing.T) {
	server := integration.MariaDBOwn(t)
	m := newMaria(t, server.Config(), "mysqldb_dies", "CREATE TABLE t (n INT); INSERT INTO t WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 300) SELECT n FROM s")
	m.grant(t, "SELECT ON t")
	m.account.Logger = &driver.NopLogger{}
	db := m.open(t, &sqldb.Options{MaxRows: 1 << 30, MaxBytes: 1 << 40})
	small := mariaGuarded(t, m.name, map[string][]string{"t": {"n"}}, "SELECT max(n) FROM t")
	if _, err := db.Query(t.Context(), small); err != nil {
		t.Fatal(err)
	}
	for _, work := range []string{"sending", "at work"} {
		killed := make(chan struct{})
		time.AfterFunc(200*time.Millisecond, func() { server.Kill(); close(killed) })
		_, err := db.Query(t.Context(), mariaEndless(t, m)[work])
		<-killed
		if !errors.Is(err, sqldb.ErrUnavailable) {
			t.Errorf("%s: %v", work, err)
		}
		if _, err := db.Query(t.Context(), small); !errors.Is(err, sqldb.ErrUnavailable) {
			t.Errorf("without a server: %v", err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		if got, err := db.Query(t.Context(), small); err != nil || got.Rows[0][0] != int64(300) {
			t.Errorf("when it is back: %v, %v", got, err)
		}
	}
}

// Queries succeed while one of two replicas is down.
func TestMySQLDBReplicas(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_replicas", "CREATE TABLE t (n INT); INSERT INTO t VALUES (7)")
	m.grant(t, "SELECT ON t")
	dead := m.account.Clone()
	dead.Addr = mariaClosedPort(t)
	for name, order := range map[string][]*driver.Config{"first": {dead, m.account}, "last": {m.account, dead}} {
		db := openMySQLDB(t, nil, openMaria(t, order[0]), openMaria(t, order[1]))
		for range 10 {
			got, err := db.Query(t.Context(), mariaGuarded(t, m.name, map[string][]string{"t": {"n"}}, "SELECT n FROM t"))
			if err != nil || got.Rows[0][0] != int64(7) {
				t.Errorf("the dead one %s: %v, %v", name, got, err)
			}
		}
	}
	db := openMySQLDB(t, nil, openMaria(t, dead), openMaria(t, dead))
	if _, err := db.Query(t.Context(), mariaGuarded(t, m.name, map[string][]string{"t": {"n"}}, "SELECT n FROM t")); !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("all dead: %v", err)
	}
}

// mariaClosedPort returns an address on the loopback interface without a
// server.
func mariaClosedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Every problem with a pool is a typed error without any part of the data
// source name.
func TestMySQLDBBadInput(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_bad_input", "CREATE TABLE t (n INT); INSERT INTO t VALUES (7)")
	m.grant(t, "SELECT ON t")
	stmt := mariaGuarded(t, m.name, map[string][]string{"t": {"n"}}, "SELECT n FROM t")
	const secret = "hunter2"
	for _, tt := range []struct {
		name   string
		change func(*driver.Config)
		query  sqldb.Kind // empty: no error
		check  sqldb.Kind
	}{
		{"nothing", func(*driver.Config) {}, "", ""},
		{"the password", func(c *driver.Config) { c.Passwd = secret }, sqldb.ErrUnreadable, sqldb.ErrUnreadable},
		{"the user", func(c *driver.Config) { c.User = secret }, sqldb.ErrUnreadable, sqldb.ErrUnreadable},
		{"the host", func(c *driver.Config) { c.Addr = secret + ".invalid:3306" }, sqldb.ErrUnavailable, sqldb.ErrUnavailable},
		{"the port", func(c *driver.Config) { c.Addr = mariaClosedPort(t) }, sqldb.ErrUnavailable, sqldb.ErrUnavailable},
		{"the database, which the account may not see", func(c *driver.Config) { c.DBName = secret }, sqldb.ErrUnreadable, sqldb.ErrUnreadable},
		{"no database", func(c *driver.Config) { c.DBName = "" }, "", sqldb.ErrArgument},
		{"parseTime", func(c *driver.Config) { c.ParseTime = true }, sqldb.ErrAccount, sqldb.ErrAccount},
		{"multiStatements", func(c *driver.Config) { c.MultiStatements = true }, sqldb.ErrAccount, sqldb.ErrAccount},
		{"no TLS on the server", func(c *driver.Config) { c.TLSConfig = "true" }, sqldb.ErrUnreadable, sqldb.ErrUnreadable},
		{"a variable that does not exist", func(c *driver.Config) { c.Params = map[string]string{secret: "1"} }, sqldb.ErrExecution, sqldb.ErrExecution},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config := m.account.Clone()
			config.Logger = &driver.NopLogger{}
			tt.change(config)
			db := openMySQLDB(t, nil, openMaria(t, config))
			_, queryErr := db.Query(t.Context(), stmt)
			for _, got := range []struct {
				err  error
				want sqldb.Kind
			}{{queryErr, tt.query}, {db.Check(t.Context(), nil), tt.check}} {
				if got.want == "" && got.err == nil {
					continue
				}
				if !errors.Is(got.err, got.want) {
					t.Errorf("got %v, want %v", got.err, got.want)
				}
				for _, leaked := range []string{secret, config.Addr, "'" + m.name + "'"} {
					if strings.Contains(fmt.Sprint(got.err), leaked) {
						t.Errorf("%s in %v", leaked, got.err)
					}
				}
			}
		})
	}
	unknown := mariaServer(t)
	unknown.DBName = "mysqldb_there_is_none"
	if _, err := openMySQLDB(t, nil, openMaria(t, unknown)).Query(t.Context(), stmt); !errors.Is(err, sqldb.ErrMissing) {
		t.Errorf("an unknown database: %v", err)
	}
	empty := newMaria(t, mariaServer(t), "mysqldb_empty", "")
	if err := empty.openAsRoot(t, mariaServer(t), nil).Check(t.Context(), nil); !errors.Is(err, sqldb.ErrEmpty) {
		t.Errorf("an empty database: %v", err)
	}
	if _, err := mysqldb.New(nil, nil); !errors.Is(err, sqldb.ErrArgument) {
		t.Errorf("no pool: %v", err)
	}
	if _, err := m.open(t, nil).Query(context.Background(), nil); !errors.Is(err, sqldb.ErrArgument) {
		t.Errorf("no statement: %v", err)
	}
}

// The error of a statement contains no values of rows.
func TestMySQLDBErrors(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_errors", "CREATE TABLE t (n INT UNSIGNED, s VARCHAR(40)); INSERT INTO t VALUES (1, 'hunter2'), (2, 'it''s hunter2');"+
		"CREATE FUNCTION fails(s VARCHAR(40)) RETURNS INT BEGIN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = s; RETURN 1; END;"+
		"CREATE VIEW v AS SELECT n FROM t; CREATE TABLE gone (n INT); CREATE VIEW broken AS SELECT n FROM gone; DROP TABLE gone")
	m.grant(t, "SELECT ON *")
	m.grant(t, "EXECUTE ON *")
	db := m.open(t, nil)
	q := func(text string) string { return strings.ReplaceAll(text, "FROM ", "FROM `"+m.name+"`.") }
	for _, tt := range []struct {
		text string
		kind sqldb.Kind
		show string // a part of the message
	}{
		{q("SELECT n - 10 FROM t"), sqldb.ErrExecution, "out of the range"},
		{q("SELECT missing FROM t"), sqldb.ErrExecution, "missing"},
		{q("SELECT n FROM nowhere"), sqldb.ErrExecution, "nowhere"},
		{q("SELECT n FROM broken"), sqldb.ErrUnreadable, "broken"},
		{q("SELECT n FROM t WHERE n = (SELECT n FROM t)"), sqldb.ErrExecution, "more than 1 row"},
		{q("SELECT s REGEXP concat('[', s) FROM t"), sqldb.ErrExecution, ""},
		{q("SELECT ST_GeomFromText(s) FROM t"), sqldb.ErrExecution, ""},
		{"SELECT `" + m.name + "`.fails(s)" + q(" FROM t"), sqldb.ErrExecution, ""},
		{"SELEKT 1", sqldb.ErrExecution, "syntax"},
		{"SELECT n FROM mysql.user", sqldb.ErrUnreadable, "user"},
	} {
		_, err := db.Query(t.Context(), mariaUnguarded(t, tt.text, m.name, "t", "broken", "nowhere"))
		if !errors.Is(err, tt.kind) && err != nil || err == nil && tt.show != "" {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if err != nil && (!strings.Contains(err.Error(), tt.show) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: %v", tt.text, err)
		}
	}
}
