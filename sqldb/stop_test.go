package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test with a fake clock. It fails if a goroutine is left.
func bubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// whole fails the test if something is left of a query: a running statement, a
// slot, or the one connection of the pool.
func whole(t *testing.T, db *DB, s *server) {
	t.Helper()
	if !s.idle() {
		t.Error("a statement is still running")
	}
	s.at = nil
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := read(ctx, db); err != nil {
		t.Errorf("the next query: %v", err)
	}
}

// For every stage and every kind of end: the right error comes at the right
// time, and nothing is left.
func TestEveryEnd(t *testing.T) {
	type end struct {
		name  string
		limit time.Duration                                               // Options.Timeout
		begin func(context.Context) (context.Context, context.CancelFunc) // makes the context of the caller
		do    func(context.Context) error
		want  error // nil: a panic
		after time.Duration
	}
	cancelled := end{"canceled", time.Minute, func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Second, cancel)
		return ctx, cancel
	}, hangs, ErrCanceled, time.Second}
	deadline := end{"the caller's deadline", time.Minute, func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Second)
	}, hangs, ErrTimeout, time.Second}
	limit := end{"the time limit", time.Second, context.WithCancel, hangs, ErrTimeout, time.Second + grace}
	broken := end{"a broken connection", time.Minute, context.WithCancel, fails(errBroken), ErrUnavailable, 0}
	stale := end{"a stale connection", time.Minute, context.WithCancel, fails(driver.ErrBadConn), ErrUnavailable, 0}
	answered := end{"the server's answer", time.Minute, context.WithCancel, fails(errSyntax), ErrExecution, 0}
	gaveUp := end{"the engine gave up", time.Minute, context.WithCancel,
		fails(&Error{Kind: ErrTooLarge, Err: context.DeadlineExceeded}), ErrTooLarge, 0}
	panicked := end{"a panic", time.Minute, context.WithCancel, panics, nil, 0}

	for _, test := range []struct {
		stage         string
		end           end
		stopped, kept bool // on the server; its connection
	}{
		{"connect", cancelled, false, false},
		{"connect", deadline, false, false},
		{"connect", limit, false, false},
		{"connect", broken, false, false},
		{"connect", answered, false, false},
		{"admit", cancelled, true, false},
		{"admit", deadline, true, false},
		{"admit", limit, true, false},
		{"admit", broken, true, false},
		{"admit", stale, false, false},
		{"admit", answered, false, false},
		{"admit", gaveUp, true, false},
		{"admit", panicked, true, false},
		{"query", cancelled, true, false},
		{"query", deadline, true, false},
		{"query", limit, true, false},
		{"query", broken, true, false},
		{"query", stale, false, false},
		{"query", answered, false, true},
		{"row", cancelled, true, false},
		{"row", deadline, true, false},
		{"row", limit, true, false},
		{"row", broken, true, false},
		{"row", answered, false, true},
		{"row", panicked, true, false},
		{"release", panicked, false, false},
	} {
		bubble(t, test.stage+", "+test.end.name, func(t *testing.T) {
			s := &server{columns: []string{"n"}, rows: numbers(3)}
			s.at = only(test.stage, test.end.do)
			db := serve(t, stopping{}, &Options{Timeout: test.end.limit}, s)
			ctx, cancel := test.end.begin(t.Context())
			defer cancel()
			start := time.Now()
			err, panicked := attempted(ctx, db)
			if panicked != (test.end.want == nil) || !errors.Is(err, test.end.want) {
				t.Errorf("got %v, panicked %v, want %v", err, panicked, test.end.want)
			}
			if took := time.Since(start); took != test.end.after {
				t.Errorf("it took %v, want %v", took, test.end.after)
			}
			if (s.stopped > 0) != test.stopped {
				t.Errorf("stopped %d times, want %v", s.stopped, test.stopped)
			}
			if test.stage != "connect" && (s.closed == 0) != test.kept {
				t.Errorf("%d connections were thrown away, want it kept: %v", s.closed, test.kept)
			}
			whole(t, db, s)
		})
	}
}

// attempted runs a query and reports whether it panicked.
func attempted(ctx context.Context, db *DB) (err error, panicked bool) {
	defer func() { panicked = recover() != nil }()
	_, err = read(ctx, db)
	return err, false
}

// An error while the rest of a cut result is read does not lose the result.
func TestRest(t *testing.T) {
	for _, test := range []struct {
		name    string
		do      func(context.Context) error
		after   time.Duration
		stopped int
	}{
		{"little", func(context.Context) error { return nil }, 0, 0},
		{"much", hangs, drainTime, 1},
		{"broken", fails(errBroken), 0, 1},
	} {
		bubble(t, test.name, func(t *testing.T) {
			s := &server{columns: []string{"n"}, rows: numbers(3), at: only("rest", test.do)}
			db := serve(t, stopping{}, &Options{MaxRows: 2}, s)
			start := time.Now()
			got, err := read(t.Context(), db)
			if err != nil || len(got.Rows) != 2 || !got.Truncated {
				t.Errorf("%v, %v", got, err)
			}
			if took := time.Since(start); took != test.after || s.stopped != test.stopped {
				t.Errorf("it took %v, stopped %d times", took, s.stopped)
			}
			whole(t, db, s)
		})
	}
}

// Resetting a connection does not depend on the caller and has its own time
// limit.
func TestRelease(t *testing.T) {
	bubble(t, "the caller goes", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &server{columns: []string{"n"}, at: only("release", func(ctx context.Context) error {
			cancel()
			return ctx.Err()
		})}
		db := serve(t, stopping{}, nil, s)
		if _, err := read(ctx, db); err != nil || s.closed != 0 {
			t.Errorf("%v, %d connections thrown away", err, s.closed)
		}
		whole(t, db, s)
	})
	bubble(t, "it hangs", func(t *testing.T) {
		s := &server{columns: []string{"n"}, at: only("release", hangs)}
		db := serve(t, stopping{}, nil, s)
		start := time.Now()
		if _, err := read(t.Context(), db); err != nil || s.closed != 1 || s.stopped != 0 {
			t.Errorf("%v, %d connections thrown away, stopped %d times", err, s.closed, s.stopped)
		}
		if took := time.Since(start); took != cleanupTime {
			t.Errorf("it took %v", took)
		}
		whole(t, db, s)
	})
}

// If the statement cannot be stopped, the error says so, next to its cause.
func TestStopFails(t *testing.T) {
	for _, test := range []struct {
		name string
		stop func(context.Context) error
		take time.Duration
	}{
		{"refused", fails(errBroken), 0},
		{"no answer", hangs, cleanupTime},
	} {
		bubble(t, test.name, func(t *testing.T) {
			s := &server{columns: []string{"n"}}
			s.at = func(ctx context.Context, stage string) error {
				switch stage {
				case "row":
					return hangs(ctx)
				case "stop":
					return test.stop(ctx)
				}
				return nil
			}
			db := serve(t, stopping{}, &Options{Timeout: time.Second}, s)
			start := time.Now()
			_, err := read(t.Context(), db)
			if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "did not confirm") || strings.Contains(err.Error(), "hunter2") {
				t.Error(err)
			}
			if took := time.Since(start); took != time.Second+grace+test.take {
				t.Errorf("it took %v", took)
			}
			s.works = nil
			whole(t, db, s)
		})
	}
	bubble(t, "no answer to an engine that gave up", func(t *testing.T) {
		s := &server{columns: []string{"n"}}
		s.at = func(ctx context.Context, stage string) error {
			switch stage {
			case "admit":
				return &Error{Kind: ErrTooLarge, Err: context.DeadlineExceeded}
			case "stop":
				return hangs(ctx)
			}
			return nil
		}
		db := serve(t, stopping{}, nil, s)
		start := time.Now()
		if _, err := read(t.Context(), db); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "did not confirm") {
			t.Error(err)
		}
		if took := time.Since(start); took != grace {
			t.Errorf("it took %v", took)
		}
		s.works = nil
		whole(t, db, s)
	})
	bubble(t, "a panic", func(t *testing.T) {
		s := &server{columns: []string{"n"}}
		s.at = func(ctx context.Context, stage string) error {
			switch stage {
			case "row":
				return errBroken
			case "stop":
				panic("a bug")
			}
			return nil
		}
		db := serve(t, stopping{}, nil, s)
		if _, panicked := attempted(t.Context(), db); !panicked {
			t.Error("it did not panic")
		}
		s.works = nil
		whole(t, db, s)
	})
}
