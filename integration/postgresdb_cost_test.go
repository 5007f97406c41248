package integration_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// pgCounted counts round trips: how often a connection was written to after it
// was read from.
type pgCounted struct {
	net.Conn
	trips *atomic.Int64
	wrote atomic.Bool
}

func (c *pgCounted) Write(b []byte) (int, error) {
	if !c.wrote.Swap(true) {
		c.trips.Add(1)
	}
	return c.Conn.Write(b)
}

func (c *pgCounted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.wrote.Store(false)
	return n, err
}

// A statement that was checked before takes two round trips more than the
// statement alone.
func TestPostgresRoundTrips(t *testing.T) {
	p := newPostgres(t, pgServer(t), "tripping", `
		CREATE TABLE t(id int);
		INSERT INTO t SELECT generate_series(1, 1000);
		GRANT SELECT ON t TO tripping`)
	const text = "SELECT id FROM public.t ORDER BY id LIMIT 50"
	for _, mode := range []string{"cache_statement", "exec"} {
		t.Run(mode, func(t *testing.T) {
			var trips atomic.Int64
			config := p.account.Copy()
			pgSetMode(t, config, mode)
			config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
				return &pgCounted{Conn: conn, trips: &trips}, err
			}
			pool := openPGX(t, config)
			pool.SetMaxOpenConns(1)
			session := &sqldb.Session{Settings: map[string]any{"app.key": "k", "app.tenant": 7}}
			db := openPostgresDB(t, &postgresdb.Options{Options: sqldb.Options{Session: pgSession(session)}}, pool)
			statement := pgUnguarded(t, text, "public", "t")
			cost := func(do func()) int64 {
				do()
				do() // the server has checked the statement
				before := trips.Load()
				do()
				return trips.Load() - before
			}
			bare := cost(func() { pgDrain(t, pool, text) })
			guarded := cost(func() {
				if _, err := db.Query(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			})
			t.Logf("%d round trips by itself, %d guarded", bare, guarded)
			if guarded > bare+2 {
				t.Errorf("%d round trips by itself, %d guarded", bare, guarded)
			}
		})
	}
}

func pgDrain(tb testing.TB, pool *sql.DB, text string) {
	rows, err := pool.Query(text)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	var cell any
	for rows.Next() {
		if err := rows.Scan(&cell); err != nil {
			tb.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkGuardedReadPostgres compares a guarded query, also of a new
// statement, with the same statement through database/sql alone, which also
// keeps its rows.
func BenchmarkGuardedReadPostgres(b *testing.B) {
	p := newPostgres(b, pgServer(b), "costing", `
		CREATE TABLE t(id int PRIMARY KEY, customer bigint, name text, note text, amount numeric(10,2), ratio float8, born date, at timestamp, active bool, parent int);
		INSERT INTO t SELECT i, i * 1000003::bigint, 'name ' || i, 'a note of some length about number ' || i, i / 7.0, i / 3.0,
			date '2024-01-02' + i, timestamp '2024-01-02 03:04:05' + make_interval(mins => i), i % 2 = 0, nullif(i % 3, 0) FROM generate_series(1, 1000) AS i;
		GRANT SELECT ON t TO costing`)
	opt := &postgresdb.Options{Options: sqldb.Options{MaxRows: 1000, Session: pgSession(&sqldb.Session{Settings: map[string]any{"app.key": "k", "app.tenant": 7}})}}
	pool := func() *sql.DB {
		pool := openPGX(b, p.account)
		pool.SetMaxOpenConns(1)
		return pool
	}
	for _, rows := range benchRows {
		text := fmt.Sprintf("SELECT * FROM public.t WHERE id <= %d", rows)
		stmt := pgUnguarded(b, text, "public", "t")
		b.Run(fmt.Sprintf("rows=%d/guarded", rows), func(b *testing.B) { benchGuarded(b, openPostgresDB(b, opt, pool()), stmt, rows) })
		b.Run(fmt.Sprintf("rows=%d/new", rows), func(b *testing.B) {
			pool := pool()
			for b.Loop() {
				db, err := postgresdb.New(pool, opt) // has checked no statement
				if err != nil {
					b.Fatal(err)
				}
				if _, err := db.Query(b.Context(), stmt); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("rows=%d/bare", rows), func(b *testing.B) { benchBare(b, pool(), text, rows) })
	}
}
