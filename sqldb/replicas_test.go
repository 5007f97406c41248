package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// replicated returns a DB on n servers.
func replicated(t testing.TB, n int, opt *Options) (*DB, []*server) {
	t.Helper()
	servers := make([]*server, n)
	for i := range servers {
		servers[i] = &server{columns: []string{"n"}, rows: numbers(1)}
	}
	return serve(t, stopping{}, opt, servers...), servers
}

// reached returns how often each server was asked since the last call.
func reached(servers []*server) []int {
	n := make([]int, len(servers))
	for i, s := range servers {
		s.mu.Lock()
		n[i], s.asked = s.asked, 0
		s.mu.Unlock()
	}
	return n
}

func TestSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, servers := replicated(t, 3, nil)
		for range 30 {
			if _, err := read(t.Context(), db); err != nil {
				t.Fatal(err)
			}
		}
		if got := reached(servers); !slices.Equal(got, []int{10, 10, 10}) {
			t.Errorf("one after another: %v", got)
		}
	})
	// A busy server gets fewer queries, whether its pool has free connections
	// or not.
	for _, limit := range []int{0, 1, 8} {
		bubble(t, fmt.Sprintf("%d connections", limit), func(t *testing.T) {
			busy, free := &server{columns: []string{"n"}, at: only("query", hangs)}, &server{columns: []string{"n"}}
			pools := []*sql.DB{sql.OpenDB(free), sql.OpenDB(busy)}
			for _, pool := range pools {
				pool.SetMaxOpenConns(limit)
			}
			db, err := New(stopping{}, pools[0], &Options{Replicas: pools[1:]})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			ctx, cancel := context.WithCancel(t.Context())
			var readers sync.WaitGroup
			readers.Go(func() { read(ctx, db) })
			synctest.Wait()
			for range 4 {
				if _, err := read(t.Context(), db); err != nil {
					t.Error(err)
				}
			}
			if got := reached([]*server{busy, free}); !slices.Equal(got, []int{1, 4}) {
				t.Errorf("reached %v", got)
			}
			cancel()
			readers.Wait()
		})
	}
}

func TestReplicaLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, servers := replicated(t, 2, nil)
		expect := func(what string, queries int, want ...int) {
			t.Helper()
			for range queries {
				if _, err := read(t.Context(), db); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
			if got := reached(servers); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		expect("both are healthy", 4, 2, 2)
		servers[1].at = func(context.Context, string) error { return errBroken }
		expect("one is down", 10, 10, 2) // and it could not be reached to stop the query
		time.Sleep(900 * time.Millisecond)
		expect("it is not used", 10, 10, 0)
		time.Sleep(200 * time.Millisecond)
		expect("it is tried again", 10, 10, 1)
		time.Sleep(1900 * time.Millisecond)
		expect("it is not used for longer", 10, 10, 0)
		time.Sleep(200 * time.Millisecond)
		expect("it is tried once more", 10, 10, 1)
		for range 10 {
			time.Sleep(maxBackoff)
			expect("but not for longer than a minute", 10, 10, 1)
		}
		time.Sleep(maxBackoff)
		servers[1].at = nil
		expect("it is back", 10, 5, 5)
		if _, err := db.Introspect(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// One query at a time tries whether a replica is back.
func TestOneTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, servers := replicated(t, 2, nil)
		servers[1].at = only("connect", fails(errBroken))
		for range 2 {
			read(t.Context(), db)
		}
		time.Sleep(time.Second)
		reached(servers)
		servers[1].at = only("connect", hangs)
		var readers sync.WaitGroup
		for range 5 {
			readers.Go(func() {
				if _, err := read(t.Context(), db); err != nil {
					t.Error(err)
				}
			})
		}
		start := time.Now()
		readers.Wait()
		if got := reached(servers); !slices.Equal(got, []int{5, 1}) || time.Since(start) != connectTime {
			t.Errorf("%v after %v", got, time.Since(start))
		}
	})
}

// A query moves to another replica only if no row was read and the connection
// failed.
func TestMovesOn(t *testing.T) {
	for _, test := range []struct {
		name  string
		rows  int
		at    func(context.Context, string) error
		want  error
		moves bool
	}{
		{"no connection", 1, only("connect", fails(errBroken)), nil, true},
		{"broken when admitted", 1, only("admit", fails(errBroken)), nil, true},
		{"broken in the query", 1, only("query", fails(errBroken)), nil, true},
		{"broken before the first row", 0, only("row", fails(errBroken)), nil, true},
		{"broken after it", 1, only("row", fails(errBroken)), ErrUnavailable, false},
		{"stale after it", 1, only("row", fails(driver.ErrBadConn)), ErrUnavailable, false},
		{"refused", 1, only("query", fails(errSyntax)), ErrExecution, false},
		{"denied", 1, only("admit", fails(&Error{Kind: ErrDenied})), ErrDenied, false},
		{"too slow", 1, only("query", hangs), ErrTimeout, false},
	} {
		bubble(t, test.name, func(t *testing.T) {
			db, servers := replicated(t, 2, nil)
			first := servers[1]
			first.at, first.rows = test.at, numbers(test.rows)
			_, err := read(t.Context(), db)
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if got := reached(servers); got[1] != 1 || (got[0] == 1) != test.moves {
				t.Errorf("reached %v", got)
			}
			for _, s := range servers {
				if !s.idle() {
					t.Error("a server still runs it")
				}
			}
			// Each attempt has its own tag and the number of its pool.
			if r := servers[0].queries; test.moves && len(r) == 2 && (r[0].Tag == r[1].Tag || r[0].Pool != 1 || r[1].Pool != 0) {
				t.Errorf("%v", r)
			}
		})
	}
}

func TestAllLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, servers := replicated(t, 3, nil)
		for _, s := range servers {
			s.at = only("connect", fails(errBroken))
		}
		if _, err := read(t.Context(), db); !errors.Is(err, ErrUnavailable) || !errors.Is(err, errBroken) {
			t.Error(err)
		}
		if got := reached(servers); !slices.Equal(got, []int{1, 1, 1}) {
			t.Errorf("at first: %v", got)
		}
		for range 6 {
			if _, err := read(t.Context(), db); !errors.Is(err, ErrUnavailable) {
				t.Error(err)
			}
		}
		if got := reached(servers); !slices.Equal(got, []int{2, 2, 2}) {
			t.Errorf("then one for each query: %v", got)
		}
		for _, s := range servers {
			s.at = nil
		}
		if _, err := read(t.Context(), db); err != nil {
			t.Errorf("when they are back: %v", err)
		}
	})
}

// A replica whose server refuses the account is treated as unreachable: nothing
// was sent to it.
func TestRefusedLogin(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		db, servers := replicated(t, 2, nil)
		servers[1].at = only("connect", fails(&Error{Kind: ErrUnreadable}))
		for range 4 {
			if _, err := read(t.Context(), db); err != nil {
				t.Error(err)
			}
		}
		if err := db.Check(t.Context(), nil); !errors.Is(err, ErrUnreadable) {
			t.Errorf("Check does not report it: %v", err)
		}
		db, servers = replicated(t, 2, nil)
		servers[0].at = only("connect", fails(&Error{Kind: ErrUnreadable}))
		servers[1].at = servers[0].at
		if _, err := read(t.Context(), db); !errors.Is(err, ErrUnreadable) {
			t.Errorf("where all refuse: %v", err)
		}
	})
}

// Check checks every replica, through a new connection.
func TestCheckReplicas(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		db, servers := replicated(t, 3, nil)
		if _, err := read(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		servers[0].findings = []Finding{{Kind: CanWrite, Message: "One."}}
		servers[1].at = only("connect", fails(driver.ErrBadConn))
		servers[2].findings = []Finding{{Kind: CanWrite, Message: "One."}, {Kind: CanReadUnlisted, Message: "Two."}}
		opened := servers[0].opened + servers[2].opened
		var failed *Error
		if err := db.Check(t.Context(), nil); !errors.As(err, &failed) || len(failed.Findings) != 2 {
			t.Errorf("%v", err)
		}
		if servers[0].opened+servers[2].opened != opened+2 {
			t.Errorf("%d connections were made", servers[0].opened+servers[2].opened-opened)
		}
	})
}

// A replica that does not answer uses a part of the time limit and not all of
// it.
func TestNoAnswer(t *testing.T) {
	for _, test := range []struct{ limit, want time.Duration }{
		{30 * time.Second, connectTime},
		{4 * time.Second, (4*time.Second + grace) / 2},
	} {
		bubble(t, test.limit.String(), func(t *testing.T) {
			db, servers := replicated(t, 2, &Options{Timeout: test.limit})
			servers[1].at = only("connect", hangs)
			start := time.Now()
			if _, err := read(t.Context(), db); err != nil || time.Since(start) != test.want {
				t.Errorf("%v after %v", err, time.Since(start))
			}
			start = time.Now()
			if err := db.Check(t.Context(), nil); err != nil || time.Since(start) > test.want {
				t.Errorf("then %v after %v", err, time.Since(start))
			}
		})
	}
}

// Idle connections that the server closed are not an error, neither of the
// query nor of the replica.
func TestStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{columns: []string{"n"}}
		pool := sql.OpenDB(s)
		pool.SetMaxIdleConns(3)
		db, err := New(stopping{}, pool, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var conns []*sql.Conn
		for range 3 {
			conn, err := pool.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn)
		}
		for _, conn := range conns {
			conn.Close()
		}
		stale := 3
		s.at = only("admit", func(context.Context) error {
			if stale--; stale >= 0 {
				return driver.ErrBadConn
			}
			return nil
		})
		if _, err := read(t.Context(), db); err != nil || s.opened != 4 || s.closed != 3 || s.stopped != 0 {
			t.Errorf("%v; %d opened, %d closed, stopped %d times", err, s.opened, s.closed, s.stopped)
		}
		s.at = only("admit", fails(driver.ErrBadConn))
		if _, err := read(t.Context(), db); !errors.Is(err, ErrUnavailable) || s.opened != 5 {
			t.Errorf("%v; %d opened", err, s.opened)
		}
	})
}
