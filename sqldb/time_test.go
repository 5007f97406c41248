package sqldb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Queries wait while all connections of the pool are in use, until their time
// is up.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{columns: []string{"n"}, at: only("row", hangs)}
		db := serve(t, stopping{}, &Options{Timeout: 10 * time.Second}, s)
		errs := make(chan error)
		go func() {
			_, err := read(t.Context(), db)
			errs <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		if _, err := read(ctx, db); !errors.Is(err, ErrCanceled) || time.Since(start) != time.Second {
			t.Errorf("canceled: %v after %v", err, time.Since(start))
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := read(ctx, db); !errors.Is(err, ErrTimeout) || time.Since(start) != 2*time.Second {
			t.Errorf("a deadline: %v after %v", err, time.Since(start))
		}
		if err := db.Check(ctx, nil); !errors.Is(err, ErrTimeout) {
			t.Errorf("Check: %v", err)
		}
		if err := <-errs; !errors.Is(err, ErrTimeout) {
			t.Errorf("the first: %v", err)
		}
		if len(s.queries) != 1 {
			t.Errorf("%d statements ran", len(s.queries))
		}
		whole(t, db, s)
	})
}

// The server gets what is left of the shorter of the two time limits.
func TestTimeLeft(t *testing.T) {
	for _, test := range []struct{ limit, deadline, wait, want time.Duration }{
		{time.Minute, time.Hour, 0, time.Minute},
		{time.Minute, time.Second, 0, time.Second},
		{time.Minute, time.Hour, time.Second, 59 * time.Second},
		{time.Second, time.Hour, time.Second - time.Microsecond, 0},
		{time.Second, time.Hour, time.Second + grace/2, 0},
	} {
		bubble(t, fmt.Sprintf("%v of %v, after %v", test.deadline, test.limit, test.wait), func(t *testing.T) {
			s := &server{columns: []string{"n"}, at: only("connect", func(context.Context) error {
				time.Sleep(test.wait)
				return nil
			})}
			db := serve(t, stopping{}, &Options{Timeout: test.limit}, s)
			ctx, cancel := context.WithTimeout(t.Context(), test.deadline)
			defer cancel()
			_, err := read(ctx, db)
			switch {
			case test.want == 0:
				if !errors.Is(err, ErrTimeout) || len(s.queries) > 0 {
					t.Errorf("%v, %d statements ran", err, len(s.queries))
				}
			case err != nil || s.queries[0].Timeout != test.want:
				t.Errorf("%v, %v", err, s.queries)
			}
			whole(t, db, s)
		})
	}
}

// A statement that the server ends at the time limit leaves its connection
// usable.
func TestServerKeepsTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{columns: []string{"n"}}
		s.at = only("row", func(context.Context) error {
			time.Sleep(s.queries[0].Timeout)
			return errSyntax // "execution was interrupted"
		})
		db := serve(t, stopping{}, &Options{Timeout: time.Second}, s)
		if _, err := read(t.Context(), db); !errors.Is(err, ErrExecution) || s.stopped != 0 || s.closed != 0 {
			t.Errorf("%v, stopped %d, closed %d", err, s.stopped, s.closed)
		}
		whole(t, db, s)
	})
}

// Close waits for running queries.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{columns: []string{"n"}, at: only("row", hangs)}
		db := serve(t, stopping{}, &Options{Timeout: time.Second}, s)
		go read(t.Context(), db)
		synctest.Wait()
		if err := db.Close(); err != nil || !s.idle() || s.opened != s.closed {
			t.Errorf("%v, idle %v, %d of %d connections closed", err, s.idle(), s.closed, s.opened)
		}
		if _, err := read(t.Context(), db); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if err := db.Check(t.Context(), nil); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Many queries that end in many ways leave nothing behind.
func TestMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		db, servers := replicated(t, 3, &Options{Timeout: 3 * time.Second})
		for _, s := range servers {
			s.at = func(ctx context.Context, stage string) error {
				at := n.Add(1)
				switch {
				case stage == "stop" || stage == "connect":
					return nil
				case at%17 == 0:
					return hangs(ctx)
				case at%13 == 0:
					return errBroken
				case at%11 == 0:
					return errSyntax
				case at%7 == 0 && stage == "admit":
					panic("a bug")
				}
				time.Sleep(time.Duration(at%5) * time.Millisecond)
				return nil
			}
		}
		var readers sync.WaitGroup
		for i := range 200 {
			readers.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*50*time.Millisecond)
				defer cancel()
				attempted(ctx, db)
			})
		}
		readers.Wait()
		for _, s := range servers {
			s.at = nil
		}
		for i, s := range servers {
			if stats := db.replicas.all[i].pool.Stats(); stats.InUse != 0 || len(db.replicas.all[i].slots) != 0 || db.replicas.all[i].load != 0 {
				t.Errorf("%+v", stats)
			}
			whole(t, db, s)
		}
	})
}
