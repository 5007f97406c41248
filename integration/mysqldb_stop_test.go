package integration_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// mariaEndless are statements that run for hours: one before its first row, and
// one while it sends rows.
func mariaEndless(tb testing.TB, m *maria) map[string]*secureview.Statement {
	tables := map[string][]string{"t": {"n"}}
	join := " FROM t AS a, t AS b, t AS c, t AS d, t AS e, t AS f, t AS g"
	return map[string]*secureview.Statement{
		"at work":       mariaGuarded(tb, m.name, tables, "SELECT count(a.n * b.n + c.n - d.n * e.n + f.n * g.n)"+join),
		"sending":       mariaUnguarded(tb, "SELECT concat(a.n, b.n, c.n) AS x"+strings.ReplaceAll(join, " t AS", " `"+m.name+"`.`t` AS"), m.name, "t"),
		"sorting":       mariaGuarded(tb, m.name, tables, "SELECT a.n"+join+" ORDER BY concat(a.n, b.n, g.n) LIMIT 10"),
		"in a function": mariaUnguarded(tb, "SELECT SLEEP(3600) AS x FROM `"+m.name+"`.`t`", m.name, "t"),
	}
}

func newMariaEndless(tb testing.TB, name string) *maria {
	m := newMaria(tb, mariaServer(tb), name, "CREATE TABLE t (n INT); INSERT INTO t WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 300) SELECT n FROM s")
	m.grant(tb, "SELECT ON t")
	return m
}

// A statement ends on the server when its caller cancels or its time is up.
func TestMySQLDBStops(t *testing.T) {
	m := newMariaEndless(t, "mysqldb_stops")
	small := mariaGuarded(t, m.name, map[string][]string{"t": {"n"}}, "SELECT max(n) FROM t")
	for _, tt := range []struct {
		name string
		opt  sqldb.Options
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		kind sqldb.Kind
		is   error
	}{
		{"the time limit", sqldb.Options{Timeout: 300 * time.Millisecond}, context.WithCancel, sqldb.ErrTimeout, context.DeadlineExceeded},
		{"the caller's deadline", sqldb.Options{}, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 300*time.Millisecond)
		}, sqldb.ErrTimeout, context.DeadlineExceeded},
		{"the caller", sqldb.Options{}, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(300*time.Millisecond, cancel)
			return ctx, cancel
		}, sqldb.ErrCanceled, context.Canceled},
	} {
		for _, connections := range []int{1, 3} {
			tt.opt.MaxRows, tt.opt.MaxBytes = 1<<30, 1<<40
			pool := m.pool(t, connections)
			db := openMySQLDB(t, &tt.opt, pool)
			for work, stmt := range mariaEndless(t, m) {
				t.Run(tt.name+", "+work, func(t *testing.T) {
					if _, err := db.Query(t.Context(), small); err != nil {
						t.Fatal(err)
					}
					goroutines := runtime.NumGoroutine()
					ctx, cancel := tt.ctx(t.Context())
					defer cancel()
					done, ran := make(chan struct{}), make(chan []string)
					go func() { ran <- m.whatRan(t, done) }()
					start := time.Now()
					_, err := db.Query(ctx, stmt)
					took := time.Since(start)
					close(done)
					if left := m.running(t); len(left) > 0 {
						t.Errorf("%q is left on the server", left)
					}
					if !errors.Is(err, tt.kind) || !errors.Is(err, tt.is) {
						t.Errorf("got %v", err)
					}
					if running := <-ran; len(running) != 1 || !strings.HasPrefix(running[0], "/* qed ") {
						t.Errorf("the server ran %q", running)
					}
					if took > 2*time.Second {
						t.Errorf("it took %v", took)
					}
					if got, err := db.Query(t.Context(), small); err != nil || got.Rows[0][0] != int64(300) {
						t.Errorf("the next question: %v, %v", got, err)
					}
					poll.Goroutines(t, goroutines)
				})
			}
		}
	}
}

// whatRan waits until queries run on the server, or until done is closed.
func (m *maria) whatRan(tb testing.TB, done <-chan struct{}) []string {
	for {
		if running := m.running(tb); len(running) > 0 {
			return running
		}
		select {
		case <-done:
			return nil
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// The server ends a statement whose time is up, so that the connection can be
// used again.
func TestMySQLDBTimeLimitKeepsConnection(t *testing.T) {
	m := newMariaEndless(t, "mysqldb_keeps")
	dialer := &countingDialer{}
	m.account.DialFunc = dialer.dial
	db := openMySQLDB(t, &sqldb.Options{Timeout: 200 * time.Millisecond}, m.pool(t, 1))
	for range 3 {
		if _, err := db.Query(t.Context(), mariaEndless(t, m)["at work"]); !errors.Is(err, sqldb.ErrTimeout) {
			t.Errorf("got %v", err)
		}
	}
	if n := dialer.dialed.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// A caller that cancels while the statement is being sent leaves nothing
// running.
func TestMySQLDBStopsSoon(t *testing.T) {
	m := newMariaEndless(t, "mysqldb_soon")
	m.account.Params = map[string]string{"sql_select_limit": "1"} // would cut SHOW PROCESSLIST
	db := m.open(t, nil)
	stmt := mariaEndless(t, m)["at work"]
	for i := range 150 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i*20)*time.Microsecond, cancel)
		_, err := db.Query(ctx, stmt)
		if !errors.Is(err, sqldb.ErrCanceled) {
			t.Fatalf("after %d: %v", i, err)
		}
		if left := m.running(t); len(left) > 0 {
			t.Fatalf("after %d: %q is left on the server", i, left)
		}
	}
}

// A statement that reaches the server after its caller has canceled does not
// run there.
func TestMySQLDBStopsLate(t *testing.T) {
	m := newMariaEndless(t, "mysqldb_late")
	const after = 600 * time.Millisecond
	m.account.DialFunc = (&lateDialer{text: "*/ SELECT count(", after: after}).dial
	db := m.open(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := db.Query(ctx, mariaEndless(t, m)["at work"]); !errors.Is(err, sqldb.ErrTimeout) {
		t.Errorf("got %v", err)
	}
	for end := time.Now().Add(after + 200*time.Millisecond); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left := m.running(t); len(left) > 0 {
			t.Fatalf("%q runs on the server", left)
		}
	}
}
