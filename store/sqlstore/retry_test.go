package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed/retry"
)

// sqliteError and postgresError are errors of drivers that have a code.
type sqliteError int

func (e sqliteError) Error() string { return "secret" }
func (e sqliteError) Code() int     { return int(e) }

type postgresError string

func (e postgresError) Error() string    { return "secret" }
func (e postgresError) SQLState() string { return string(e) }

var errUnknown = errors.New("secret")

func TestTry(t *testing.T) {
	const full = 700 * time.Millisecond // at least half of 200, 400 and 800
	for _, test := range []struct {
		name     string
		err      error
		failures int // of the operation, before it succeeds
		attempts int
		took     time.Duration // at least, and at most twice as long
	}{
		{"no error", nil, 0, 1, 0},
		{"once", errUnknown, 1, 2, 100 * time.Millisecond},
		{"three times", errUnknown, 3, 4, full},
		{"always", errUnknown, 9, 4, full},
		{"locked", sqliteError(5), 9, 4, full},
		{"locked by an older snapshot", sqliteError(517), 9, 4, full},
		{"disk full", sqliteError(13), 9, 1, 0},
		{"a lost connection", driver.ErrBadConn, 9, 4, full},
		{"a refused connection", syscall.ECONNREFUSED, 9, 4, full},
		{"a serialization failure", postgresError("40001"), 9, 4, full},
		{"a deadlock", postgresError("40P01"), 9, 4, full},
		{"a lock", postgresError("55P03"), 9, 4, full},
		{"starting", postgresError("57P03"), 9, 4, full},
		{"too many connections", postgresError("53300"), 9, 4, full},
		{"disk full on the server", postgresError("53100"), 9, 1, 0},
		{"no table", postgresError("42P01"), 9, 1, 0},
		{"no password", postgresError("28P01"), 9, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := unconnected(t, nil)
				attempts := 0
				start := time.Now()
				err := s.try(t.Context(), "trying", func() error {
					if attempts++; attempts > test.failures {
						return nil
					}
					return test.err
				})
				took := time.Since(start)
				if attempts != test.attempts || took < test.took || took > 2*test.took+10*time.Nanosecond {
					t.Errorf("%d attempts in %v, want %d in %v", attempts, took, test.attempts, test.took)
				}
				failed := test.failures >= test.attempts
				if failed != (err != nil) || failed && !errors.Is(err, test.err) {
					t.Error(err)
				}
				if err != nil && (strings.Contains(err.Error(), "secret") ||
					!strings.HasPrefix(err.Error(), "sqlstore: trying: ")) {
					t.Error(err)
				}
			})
		})
	}
}

func TestTryOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, want := range []int{1, 2, 6} {
			attempts := 0
			s := unconnected(t, &Options{Retry: retry.Policy{Attempts: want, Wait: time.Microsecond}})
			s.try(t.Context(), "trying", func() error {
				attempts++
				return errUnknown
			})
			if attempts != want {
				t.Errorf("%d attempts, want %d", attempts, want)
			}
		}
	})
}

// The wait before an attempt ends with the context and with the store.
func TestTryEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := unconnected(t, &Options{Retry: retry.Policy{Wait: 4 * time.Hour, MaxWait: 8 * time.Hour}})
		cause := errors.New("why")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		start := time.Now()
		err := s.try(ctx, "trying", func() error { return errUnknown })
		if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}

		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		if err := s.try(ctx, "trying", func() error { return errUnknown }); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}

		time.AfterFunc(time.Second, s.close)
		start = time.Now()
		err = s.try(t.Context(), "trying", func() error { return errUnknown })
		if !errors.Is(err, ErrClosed) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// If the engine has a single writer, the others wait until their contexts end.
func TestWriteWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := unconnected(t, nil)
		writers, most := 0, 0
		for range 5 {
			go s.write(t.Context(), "writing", func() error {
				writers++
				most = max(most, writers)
				time.Sleep(time.Minute)
				writers--
				return nil
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.write(ctx, "writing", func() error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		start := time.Now()
		err := s.write(t.Context(), "writing", func() error { return nil })
		if took := time.Since(start); err != nil || most != 1 || took > 5*time.Minute {
			t.Errorf("%v; %d writers at a time; it took %v", err, most, took)
		}
		time.Sleep(time.Hour)
	})
}

// unconnected returns a store without a database.
func unconnected(t *testing.T, opt *Options) *Store {
	t.Helper()
	s := &Store{db: new(sql.DB), engine: sqlite{}, writing: make(chan struct{}, 1)}
	var err error
	if s.opt, err = opt.withDefaults(); err != nil {
		t.Fatal(err)
	}
	s.open, s.close = context.WithCancel(context.Background())
	return s
}
