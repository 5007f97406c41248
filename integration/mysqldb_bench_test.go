package integration_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// A query takes two round trips more than its statement alone, and a few more
// on a new connection and for a new statement.
func TestMySQLDBRoundTrips(t *testing.T) {
	server := mariaServer(t)
	m := newMaria(t, server, "mysqldb_trips", mariaSession)
	m.grant(t, "SELECT ON seen")
	dialer := &countingDialer{}
	m.account.DialFunc = dialer.dial
	db := openMySQLDB(t, &sqldb.Options{Session: mariaSettings("aesKey", "key")}, m.pool(t, 1))
	for i, text := range []string{
		"SELECT k FROM seen WHERE id = 1",
		"SELECT k FROM seen WHERE id = 1",
		"SELECT k FROM seen WHERE id = 2 OR k = 'another literal'",
		"SELECT k FROM seen WHERE id = 2 OR k = 'another literal'",
	} {
		stmt := mariaGuarded(t, m.name, mariaSessionTables, text)
		before := dialer.sent.Load()
		if _, err := db.Query(t.Context(), stmt); err != nil {
			t.Fatal(err)
		}
		if trips := dialer.sent.Load() - before; i%2 == 1 && trips != 3 {
			t.Errorf("%s: %d round trips", text, trips)
		} else {
			t.Logf("%s: %d round trips", text, trips)
		}
	}
}

// benchRows is the number of rows in the benchmarks of guarded queries.
var benchRows = []int{1, 1000}

// BenchmarkGuardedReadMariaDB compares a guarded query with the same statement
// through database/sql alone, which also keeps its rows.
func BenchmarkGuardedReadMariaDB(b *testing.B) {
	m := newMaria(b, mariaServer(b), "mysqldb_bench", `
		CREATE TABLE t (id INT PRIMARY KEY, customer BIGINT, name VARCHAR(40), note TEXT, amount DECIMAL(10,2), ratio DOUBLE, born DATE, at DATETIME, active TINYINT, parent INT);
		INSERT INTO t SELECT seq, seq * 1000003, concat('name ', seq), concat('a note of some length about number ', seq), seq / 7, seq / 3,
			'2024-01-02' + INTERVAL seq DAY, '2024-01-02 03:04:05' + INTERVAL seq MINUTE, seq % 2, IF(seq % 3, seq, NULL) FROM seq_1_to_1000`)
	m.grant(b, "SELECT ON t")
	tables := map[string][]string{"t": {"id", "customer", "name", "note", "amount", "ratio", "born", "at", "active", "parent"}}
	for _, rows := range benchRows {
		stmt := mariaGuarded(b, m.name, tables, fmt.Sprintf("SELECT * FROM t WHERE id <= %d", rows))
		b.Run(fmt.Sprintf("rows=%d/guarded", rows), func(b *testing.B) {
			benchGuarded(b, openMySQLDB(b, &sqldb.Options{MaxRows: rows, Session: mariaSettings("aesKey", "key")}, m.pool(b, 1)), stmt, rows)
		})
		b.Run(fmt.Sprintf("rows=%d/bare", rows), func(b *testing.B) { benchBare(b, m.pool(b, 1), stmt.SQL(), rows) })
	}
}

func benchGuarded(b *testing.B, db *sqldb.DB, stmt *secureview.Statement, rows int) {
	b.ReportAllocs()
	for b.Loop() {
		if got, err := db.Query(b.Context(), stmt); err != nil || len(got.Rows) != rows {
			b.Fatal(err)
		}
	}
}

func benchBare(b *testing.B, pool *sql.DB, text string, rows int) {
	b.ReportAllocs()
	for b.Loop() {
		if got, err := readBare(b.Context(), pool, text); err != nil || len(got) != rows {
			b.Fatal(len(got), err)
		}
	}
}

// readBare reads and keeps the rows of a statement with database/sql alone.
func readBare(ctx context.Context, pool *sql.DB, text string) (kept [][]any, err error) {
	rows, err := pool.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	scan := make([]any, len(columns))
	for rows.Next() {
		row := make([]any, len(columns))
		for i := range row {
			scan[i] = &row[i]
		}
		if err := rows.Scan(scan...); err != nil {
			return nil, err
		}
		kept = append(kept, row)
	}
	return kept, rows.Err()
}
