package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// The errors of drivers that say what they are.
type sqliteError int

func (e sqliteError) Error() string { return "secret" }
func (e sqliteError) Code() int     { return int(e) }

type postgresError string

func (e postgresError) Error() string    { return "secret" }
func (e postgresError) SQLState() string { return string(e) }

var errUnknown = errors.New("secret")

func TestTry(t *testing.T) {
	const full = 700 * time.Millisecond // 100, 200 and 400
	for _, test := range []struct {
		name     string
		err      error
		failures int // how often it fails
		attempts int
		took     time.Duration // at least, and not a quarter more
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
				s := retrying(t, nil)
				attempts := 0
				start := time.Now()
				err := s.try(t.Context(), "trying", func() error {
					if attempts++; attempts > test.failures {
						return nil
					}
					return test.err
				})
				took := time.Since(start)
				if attempts != test.attempts || took < test.took || took > test.took+test.took/4+time.Nanosecond*10 {
					t.Errorf("%d attempts in %v, want %d in %v", attempts, took, test.attempts, test.took)
				}
				if failed := test.failures >= test.attempts; failed != (err != nil) || failed && !errors.Is(err, test.err) {
					t.Error(err)
				}
				if err != nil && (strings.Contains(err.Error(), "secret") || !strings.HasPrefix(err.Error(), "sqlstore: trying: ")) {
					t.Error(err)
				}
			})
		})
	}
}

func TestTryOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for retries, want := range map[int]int{-1: 1, 1: 2, 5: 6} {
			attempts := 0
			retrying(t, &Options{RetryAttempts: retries, RetryDelay: time.Microsecond}).try(t.Context(), "trying", func() error {
				attempts++
				return errUnknown
			})
			if attempts != want {
				t.Errorf("%d retries: %d attempts, want %d", retries, attempts, want)
			}
		}
	})
}

// Waiting for another try ends with the context, and with the store.
func TestTryEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := retrying(t, &Options{RetryDelay: time.Hour})
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

// Where the engine takes one writer at a time, the others wait here, as long as they may.
func TestWriteWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := retrying(t, nil)
		at, most := 0, 0
		for range 5 {
			go s.write(t.Context(), "writing", func() error {
				at++
				most = max(most, at)
				time.Sleep(time.Minute)
				at--
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
		if err := s.write(t.Context(), "writing", func() error { return nil }); err != nil || most != 1 || time.Since(start) > 5*time.Minute {
			t.Errorf("%v; %d wrote at a time; it took %v", err, most, time.Since(start))
		}
		time.Sleep(time.Hour)
	})
}

// retrying is a store without a database.
func retrying(t *testing.T, opt *Options) *Store {
	t.Helper()
	s := &Store{engine: sqlite{}, writing: make(chan struct{}, 1)}
	var err error
	if s.opt, err = opt.withDefaults(); err != nil {
		t.Fatal(err)
	}
	s.life, s.close = context.WithCancel(context.Background())
	return s
}
