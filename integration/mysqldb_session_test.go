package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// mariaSession is a database with a view that returns the settings of the
// session, through functions with SQL SECURITY INVOKER.
const mariaSession = "CREATE TABLE one (id INT); INSERT INTO one VALUES (1);" +
	"CREATE FUNCTION s_key() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER RETURN @aesKey;" +
	"CREATE FUNCTION s_tenant() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER RETURN @tenant;" +
	"CREATE VIEW seen AS SELECT id, s_key() AS k, s_tenant() AS tenant FROM one;"

var mariaSessionTables = map[string][]string{"seen": {"id", "k", "tenant"}}

func mariaSettings(name string, value any) sqldb.SessionFunc {
	return func(context.Context) (*sqldb.Session, error) {
		return &sqldb.Session{Settings: map[string]any{name: value}}, nil
	}
}

// mariaForgets fails the test if a connection of a pool has a setting of a
// session.
func mariaForgets(t *testing.T, pool *sql.DB, names ...string) {
	t.Helper()
	for range pool.Stats().MaxOpenConnections {
		conn, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() // at the end, so that each iteration has another one
		for _, name := range names {
			var value any
			if err := conn.QueryRowContext(t.Context(), "SELECT @`"+name+"`").Scan(&value); err != nil || value != nil {
				t.Errorf("a connection is left with @%s = %v, %v", name, value, err)
			}
		}
	}
}

// Every value of a setting arrives unchanged, and is removed after the
// statement.
func TestMySQLDBSessionValues(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_session", mariaSession)
	m.grant(t, "SELECT ON seen")
	stmt := mariaGuarded(t, m.name, mariaSessionTables, "SELECT k FROM seen")
	for _, tt := range []struct{ value, want any }{
		{nil, nil},
		{"key", "key"},
		{"", ""},
		{`'; DROP TABLE one; -- "` + "`", `'; DROP TABLE one; -- "` + "`"},
		{`back\slash\'`, `back\slash\'`},
		{"a\x00b", "a\x00b"},
		{"😀 é 漢字", "😀 é 漢字"},
		{[]byte("text"), "text"},
		{[]byte{0xff, 0x00, 0xfe}, "0xff00fe"},
		{[]byte{}, ""},
		{true, "1"},
		{false, "0"},
		{7, "7"},
		{int64(-9223372036854775808), "-9223372036854775808"},
		{1.5e-7, "1.5e-07"},
		{-1e300, "-1e+300"},
		{strings.Repeat("long", 10_000), strings.Repeat("long", 10_000)},
	} {
		pool := m.pool(t, 1)
		db := openMySQLDB(t, &sqldb.Options{Session: mariaSettings("aesKey", tt.value)}, pool)
		got, err := db.Query(t.Context(), stmt)
		if err != nil {
			t.Errorf("%q: %v", tt.value, err)
			continue
		}
		if diff := cmp.Diff([][]any{{tt.want}}, got.Rows); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.value, diff)
		}
		mariaForgets(t, pool, "aesKey")
	}
}

// An invalid setting is an error that does not contain the value, and nothing
// runs.
func TestMySQLDBSessionRefused(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_refused", mariaSession)
	m.grant(t, "SELECT ON seen")
	stmt := mariaGuarded(t, m.name, mariaSessionTables, "SELECT k FROM seen")
	const secret = "hunter2"
	for name, session := range map[string]*sqldb.Session{
		"a name that is too long":  {Settings: map[string]any{strings.Repeat("n", 65): secret}},
		"a name with a quote":      {Settings: map[string]any{"a`b": secret}},
		"a string that is no text": {Settings: map[string]any{"a": secret + "\xff"}},
		"a value of another type":  {Settings: map[string]any{"a": []string{secret}}},
		"one setting twice":        {Settings: map[string]any{"key": secret, "KEY": secret}},
		"a search path":            {SearchPath: []string{"x"}},
		"an unknown role":          {Role: "mysqldb_nobody"},
		"an invalid role":          {Role: "none"},
	} {
		t.Run(name, func(t *testing.T) {
			pool := m.pool(t, 1)
			db := openMySQLDB(t, &sqldb.Options{Session: func(context.Context) (*sqldb.Session, error) { return session, nil }}, pool)
			_, err := db.Query(t.Context(), stmt)
			if !errors.Is(err, sqldb.ErrArgument) {
				t.Errorf("got %v", err)
			}
			if text := fmt.Sprintf("%v %+v", err, errors.Unwrap(err)); strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
				t.Errorf("the value in %s", text)
			}
			mariaForgets(t, pool, "a", "key")
		})
	}
}

// Functions that a statement calls cannot write.
func TestMySQLDBReadOnly(t *testing.T) {
	server := mariaServer(t)
	m := newMaria(t, server, "mysqldb_read_only", "CREATE TABLE log (n INT); CREATE TABLE t (id INT); INSERT INTO t VALUES (1); CREATE SEQUENCE s;"+
		"CREATE FUNCTION writes() RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO log VALUES (1); RETURN 1; END")
	pool := m.adminPool(t, server, 1)
	db := openMySQLDB(t, nil, pool)
	for _, text := range []string{
		"SELECT `mysqldb_read_only`.writes() AS `x` FROM `mysqldb_read_only`.`t`",
		"SELECT nextval(`mysqldb_read_only`.`s`) AS `x`",
		"DELETE FROM `mysqldb_read_only`.`t`",
		"CREATE TABLE `mysqldb_read_only`.`made` (n INT)",
		"CREATE TEMPORARY TABLE `mysqldb_read_only`.`made` (n INT)",
	} {
		if _, err := db.Query(t.Context(), mariaUnguarded(t, text, m.name, "t")); err == nil {
			t.Errorf("%s: it ran", text)
		}
	}
	var rows int
	if err := m.admin.QueryRow("SELECT (SELECT count(*) FROM t) * 10 + (SELECT count(*) FROM log)").Scan(&rows); err != nil || rows != 10 {
		t.Errorf("t and log have other rows now: %d, %v", rows, err)
	}
	mariaExec(t, pool, "INSERT INTO log VALUES (2)") // the pool can still write
}

// The variables of a pool with an unusual configuration are restored after a
// statement.
func TestMySQLDBVariablesStay(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_stay", mariaSession)
	m.grant(t, "SELECT ON seen")
	m.account.Params = map[string]string{"sql_mode": "'ANSI_QUOTES,NO_ZERO_DATE'", "autocommit": "0", "sql_select_limit": "5", "max_statement_time": "7.5",
		"character_set_results": "NULL", "collation_connection": "latin1_bin", "sql_quote_show_create": "0", "sql_notes": "0", "expensive_subquery_limit": "7"}
	const variables = "SHOW SESSION VARIABLES WHERE Variable_name NOT IN ('timestamp', 'rand_seed1', 'rand_seed2', 'last_insert_id', 'warning_count', 'error_count', 'in_transaction', 'last_gtid')"
	pool := m.pool(t, 1)
	before := mariaVariables(t, pool, variables)
	db := openMySQLDB(t, &sqldb.Options{Session: mariaSettings("aesKey", "k")}, pool)
	for range 2 {
		if _, err := db.Query(t.Context(), mariaGuarded(t, m.name, mariaSessionTables, "SELECT k FROM seen")); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, mariaVariables(t, pool, variables)); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	}
}

// MariaDB plans a statement in the same way after an EXPLAIN and without one. The plan
// decides whether a subquery fails that returns two rows.
func TestMySQLDBPlanStays(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_plan", "CREATE FUNCTION subqueries() RETURNS INT NO SQL SQL SECURITY INVOKER RETURN @@expensive_subquery_limit;"+
		"CREATE VIEW planned AS SELECT subqueries() AS n;")
	m.grant(t, "SELECT ON planned")
	db := openMySQLDB(t, nil, m.pool(t, 1))
	for range 2 {
		table, err := db.Query(t.Context(), mariaGuarded(t, m.name, map[string][]string{"planned": {"n"}}, "SELECT n FROM planned"))
		if err != nil || fmt.Sprint(table.Rows) != "[[100]]" {
			t.Errorf("%v, %v", table, err)
		}
	}
}

func mariaVariables(t *testing.T, pool *sql.DB, query string) map[string]string {
	t.Helper()
	rows, err := pool.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			t.Fatal(err)
		}
		found[name] = value
	}
	return found
}

// A statement runs with the role of its session, and later statements do not.
func TestMySQLDBRole(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_role", mariaSession+"CREATE ROLE mysqldb_reader; GRANT SELECT ON seen TO mysqldb_reader; GRANT mysqldb_reader TO mysqldb_role")
	t.Cleanup(func() { m.admin.Exec("DROP ROLE mysqldb_reader") })
	m.account.DBName = "" // only the role may use the database
	role := ""
	db := openMySQLDB(t, &sqldb.Options{Session: func(context.Context) (*sqldb.Session, error) { return &sqldb.Session{Role: role}, nil }}, m.pool(t, 1))
	stmt := mariaGuarded(t, m.name, mariaSessionTables, "SELECT id FROM seen")
	for _, role = range []string{"mysqldb_reader", "", "mysqldb_reader", ""} {
		_, err := db.Query(t.Context(), stmt)
		if role != "" && err != nil || role == "" && !errors.Is(err, sqldb.ErrUnreadable) {
			t.Errorf("as %q: %v", role, err)
		}
	}
}

// A connection that cannot be reset is not used again.
func TestMySQLDBClearFails(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_clear", mariaSession)
	m.grant(t, "SELECT ON seen")
	breaking := &breakingDialer{}
	m.account.DialFunc, m.account.Logger = breaking.dial, &driver.NopLogger{}
	key := "first"
	pool := m.pool(t, 1)
	db := openMySQLDB(t, &sqldb.Options{Session: func(context.Context) (*sqldb.Session, error) {
		return &sqldb.Session{Settings: map[string]any{"aesKey": key}}, nil
	}}, pool)
	stmt := mariaGuarded(t, m.name, mariaSessionTables, "SELECT k FROM seen")
	if _, err := db.Query(t.Context(), stmt); err != nil { // so that the server has checked the next one
		t.Fatal(err)
	}
	breaking.at("@`aesKey` = NULL") // which resets the session
	if got, err := db.Query(t.Context(), stmt); err != nil || got.Rows[0][0] != "first" {
		t.Errorf("%v, %v", got, err)
	}
	if breaking.dialed.Load() != 1 {
		t.Fatalf("%d connections so far", breaking.dialed.Load())
	}
	mariaForgets(t, pool, "aesKey")
	if breaking.dialed.Load() != 2 {
		t.Errorf("%d connections, not another one", breaking.dialed.Load())
	}
}

// On a small pool with callers that cancel, every caller sees only their own session.
func TestMySQLDBManyCallers(t *testing.T) {
	const callers, questions = 50, 40
	type caller struct{}
	m := newMaria(t, mariaServer(t), "mysqldb_many", mariaSession)
	m.grant(t, "SELECT ON seen")
	pool := m.pool(t, 5)
	db := openMySQLDB(t, &sqldb.Options{Session: func(ctx context.Context) (*sqldb.Session, error) {
		n := ctx.Value(caller{}).(int)
		return &sqldb.Session{Settings: map[string]any{"aesKey": fmt.Sprintf("key %d", n), "tenant": n}}, nil
	}}, pool)
	quick := mariaGuarded(t, m.name, mariaSessionTables, "SELECT k, tenant FROM seen")
	slow := mariaGuarded(t, m.name, mariaSessionTables, "SELECT s.k, s.tenant FROM seen AS s WHERE (SELECT count(*) FROM seen AS a, seen AS b, "+
		"(WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT x.i FROM n AS x, n AS y) AS c) > 0")
	var answered, stopped atomic.Int64
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(c)))
			for q := range questions {
				n := c*questions + q
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), caller{}, n))
				stmt := quick
				if rng.IntN(20) == 0 {
					stmt = slow
					time.AfterFunc(time.Duration(rng.IntN(30))*time.Millisecond, cancel)
				} else if rng.IntN(10) == 0 {
					time.AfterFunc(time.Duration(rng.IntN(3000))*time.Microsecond, cancel)
				}
				got, err := db.Query(ctx, stmt)
				cancel()
				switch want := [][]any{{fmt.Sprintf("key %d", n), fmt.Sprint(n)}}; {
				case errors.Is(err, sqldb.ErrCanceled):
					stopped.Add(1)
				case err != nil:
					t.Errorf("caller %d: %v", n, err)
				case !cmp.Equal(want, got.Rows):
					t.Errorf("caller %d sees %v", n, got.Rows)
				default:
					answered.Add(1)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d answered, %d stopped", answered.Load(), stopped.Load())
	if answered.Load() < callers*questions/2 || stopped.Load() == 0 {
		t.Error("the test did not try what it should")
	}
	mariaForgets(t, pool, "aesKey", "tenant")
	if left := m.running(t); len(left) > 0 {
		t.Errorf("the server still runs %q", left)
	}
}

// The account of secure views sees the rows of the views and nothing of their tables.
func TestMySQLDBSecureView(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_secure", "CREATE TABLE person (id INT, name VARBINARY(100)); INSERT INTO person VALUES (1, AES_ENCRYPT('Ann', 'right key'));"+
		"CREATE FUNCTION qed_key() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER RETURN @appKey;"+
		"CREATE VIEW secure_person AS SELECT id, CAST(AES_DECRYPT(name, qed_key()) AS CHAR) AS name FROM person")
	m.grant(t, "SELECT ON secure_person")
	guard, err := secureview.New(&secureview.Policy{Schema: m.name, Tables: map[string][]string{"person": {"id", "name"}}, Views: map[string]string{"person": "secure_person"}}, mysqlDialect)
	if err != nil {
		t.Fatal(err)
	}
	stmt, err := guard.Rewrite(t.Context(), "SELECT name FROM person")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[any]any{"right key": "Ann", "wrong key": nil, nil: nil} {
		db := openMySQLDB(t, &sqldb.Options{Session: mariaSettings("appKey", key)}, m.pool(t, 2))
		got, err := db.Query(t.Context(), stmt)
		if err != nil || !slices.EqualFunc(got.Rows, [][]any{{want}}, slices.Equal) {
			t.Errorf("with %v: %v, %v", key, got, err)
		}
		if _, err := db.Query(t.Context(), mariaUnguarded(t, "SELECT `name` FROM `mysqldb_secure`.`person`", m.name, "person")); !errors.Is(err, sqldb.ErrUnreadable) {
			t.Errorf("the table itself: %v", err)
		}
	}
}
