package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// pgRunning returns the number of queries that the server executes or has a
// transaction open for.
func pgRunning(t *testing.T, admin *sql.DB) (n int) {
	t.Helper()
	if err := admin.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'qed %' AND datname = current_database()").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// When Query returns, nothing of the statement runs any more, and the next
// query can use the connection.
func TestPostgresStops(t *testing.T) {
	p := newPostgres(t, pgServer(t), "stopped", "")
	for _, test := range []struct {
		name, text string
		limit      time.Duration // of the options
		patience   time.Duration // of the caller, until they cancel or their deadline
		deadline   bool
		want       error
	}{
		{"time limit", "SELECT pg_sleep(30)", 200 * time.Millisecond, 0, false, sqldb.ErrTimeout},
		{"time limit in rows", "SELECT pg_sleep(0.01) FROM generate_series(1, 3000)", 200 * time.Millisecond, 0, false, sqldb.ErrTimeout},
		{"time limit while planning", "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b", 200 * time.Millisecond, 0, false, sqldb.ErrTimeout},
		{"the caller goes", "SELECT pg_sleep(30)", 0, 200 * time.Millisecond, false, sqldb.ErrCanceled},
		{"the caller's deadline", "SELECT pg_sleep(30)", 0, 200 * time.Millisecond, true, sqldb.ErrTimeout},
		{"the caller goes during rows", "SELECT repeat('x', 1000), pg_sleep(0.001) FROM generate_series(1, 100000)", 0, 200 * time.Millisecond, false, sqldb.ErrCanceled},
		{"more rows than wanted", "SELECT repeat('x', 1000) FROM generate_series(1, 10000) a, generate_series(1, 10000) b", 0, 0, false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			pool := openPGX(t, p.account)
			pool.SetMaxOpenConns(1)
			db := openPostgresDB(t, &postgresdb.Options{Options: sqldb.Options{Timeout: test.limit}}, pool)
			pgxReady(t, pool)
			before := runtime.NumGoroutine()

			ctx, cancel := context.WithCancel(t.Context())
			if test.deadline {
				ctx, cancel = context.WithTimeout(t.Context(), test.patience)
			} else if test.patience > 0 {
				time.AfterFunc(test.patience, cancel)
			}
			defer cancel()
			start := time.Now()
			_, err := db.Query(ctx, pgUnguarded(t, test.text, "public"))
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("it took %v", took)
			}
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if n := pgRunning(t, p.admin); n > 0 {
				t.Errorf("%d still run", n)
			}
			if got, err := db.Query(t.Context(), pgUnguarded(t, "SELECT 1", "public")); err != nil || pgRows(got) != "1" {
				t.Errorf("the next question: %v, %v", got, err)
			}
			poll.Goroutines(t, before) // a driver closes its connection in the background
		})
	}
}

// A statement that the server does not plan in time is refused, whether the
// server can be interrupted or not. The connection is closed, and other
// statements run meanwhile.
func TestPostgresPlanTime(t *testing.T) {
	p := newPostgres(t, pgServer(t), "planned", `
		CREATE FUNCTION slow() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM pg_sleep(60); RETURN 1; END'`)
	for name, text := range map[string]string{
		"interruptible":   "SELECT public.slow()",
		"uninterruptible": "SELECT translate(repeat('a', 200000), repeat('b', 10000) || 'a', '')",
	} {
		t.Run(name, func(t *testing.T) {
			pool := openPGX(t, p.account)
			pool.SetMaxOpenConns(2)
			db := openPostgresDB(t, nil, pool)
			start := time.Now()
			_, err := db.Query(t.Context(), pgUnguarded(t, text, "public"))
			took := time.Since(start)
			if !errors.Is(err, sqldb.ErrTooLarge) {
				t.Errorf("after %v: %v", took, err)
			}
			if took > 4*time.Second {
				t.Errorf("it took %v", took)
			}
			t.Logf("%v: %v", took, err)
			if got, err := db.Query(t.Context(), pgUnguarded(t, "SELECT 1", "public")); err != nil || pgRows(got) != "1" {
				t.Errorf("the next question: %v, %v", got, err)
			}
			poll.Until(t, "the statement is no longer planned", func() bool { return pgRunning(t, p.admin) == 0 })
		})
	}
}

func pgxReady(t *testing.T, pool *sql.DB) {
	t.Helper()
	if err := pool.Ping(); err != nil {
		t.Fatal(err)
	}
}

// A server dies in the middle of a result and comes back.
func TestPostgresServerDies(t *testing.T) {
	server := integration.PostgreSQLOwn(t)
	p := newPostgres(t, server.Config(), "dying", "")
	pool := openPGX(t, p.account)
	pool.SetMaxOpenConns(2)
	db := openPostgresDB(t, &postgresdb.Options{Options: sqldb.Options{MaxRows: 1 << 30, MaxBytes: 1 << 30}}, pool)
	statement := pgUnguarded(t, "SELECT repeat('x', 100) FROM generate_series(1, 10000) a, generate_series(1, 10000) b", "public")
	failed := make(chan error, 1)
	go func() {
		_, err := db.Query(t.Context(), statement)
		failed <- err
	}()
	poll.Until(t, "the statement runs", func() bool { return pgRunning(t, p.admin) > 0 })
	server.Kill()
	if err := <-failed; !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("in the middle: %v", err)
	}
	if _, err := db.Query(t.Context(), pgUnguarded(t, "SELECT 1", "public")); !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("while it is away: %v", err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Query(t.Context(), pgUnguarded(t, "SELECT 1", "public")); err != nil || pgRows(got) != "1" {
		t.Errorf("afterwards: %v, %v", got, err)
	}
}

// Queries succeed while one of two replicas is down.
func TestPostgresReplicas(t *testing.T) {
	p := newPostgres(t, pgServer(t), "replicated", "")
	dead := p.account.Copy()
	dead.Port = 1
	db := openPostgresDB(t, nil, openPGX(t, dead), openPGX(t, p.account))
	for range 20 {
		if got, err := db.Query(t.Context(), pgUnguarded(t, "SELECT 1", "public")); err != nil || pgRows(got) != "1" {
			t.Fatal(got, err)
		}
	}
}
