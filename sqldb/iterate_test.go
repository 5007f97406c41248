package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

var unlimited = RowsOptions{MaxRows: -1, MaxBytes: -1}

func TestRows(t *testing.T) {
	long := string(make([]byte, 100))
	for _, test := range []struct {
		name string
		text string
		rows [][]driver.Value
		db   Options
		opt  RowsOptions
		want int
		err  error
	}{
		{"no row", "SELECT a FROM t", nil, Options{}, unlimited, 0, nil},
		{"all rows", "SELECT a FROM t LIMIT 9", numbers(9), Options{MaxRows: 1, MaxBytes: 20}, unlimited, 9, nil},
		{"as many as allowed", "SELECT a FROM t LIMIT 9", numbers(9), Options{}, RowsOptions{MaxRows: 9, MaxBytes: 72}, 9, nil},
		{"too many rows", "SELECT a FROM t LIMIT 9", numbers(9), Options{}, RowsOptions{MaxRows: 8, MaxBytes: -1}, 8, ErrTooLarge},
		{"too many bytes", "SELECT a FROM t LIMIT 9", numbers(9), Options{}, RowsOptions{MaxRows: -1, MaxBytes: 71}, 8, ErrTooLarge},
		{"the limit of the guard", "SELECT a FROM t", numbers(10), Options{}, unlimited, 10, ErrTooLarge},
		{"a row that is too large", "SELECT a FROM t", [][]driver.Value{{int64(1)}, {long}}, Options{MaxBytes: 99}, unlimited, 1, ErrTooLarge},
		{"no choice of rows", "SELECT a FROM t", numbers(1), Options{}, RowsOptions{MaxBytes: -1}, 0, ErrArgument},
		{"no choice of bytes", "SELECT a FROM t", numbers(1), Options{}, RowsOptions{MaxRows: -1}, 0, ErrArgument},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &server{columns: []string{"a"}, rows: test.rows}
			db := serve(t, engine{"sqlite"}, &test.db, s)
			opt, calls := test.opt, 0
			opt.Columns = func(columns []qed.Column) {
				if calls++; len(columns) != 1 || columns[0].Name != "a" {
					t.Errorf("columns %v", columns)
				}
			}
			var got [][]any // kept, so that a cell that is used again would show
			var failed error
			for row, err := range db.Rows(t.Context(), statement(t, sqlite.Dialect{}, test.text), opt) {
				if failed != nil {
					t.Error("there is a pair after the error")
				}
				if failed = err; err == nil {
					got = append(got, row)
				}
			}
			if !errors.Is(failed, test.err) {
				t.Errorf("got %v, want %v", failed, test.err)
			}
			var want [][]any
			for i := range test.want {
				want = append(want, []any{test.rows[i][0]})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if wantCalls := 1; test.err != ErrArgument && calls != wantCalls || !s.idle() {
				t.Errorf("Columns was called %d times; idle: %v", calls, s.idle())
			}
		})
	}
}

// However the loop ends, the rest of the statement is stopped or read, and
// nothing is left.
func TestRowsEnd(t *testing.T) {
	for _, test := range []struct {
		name    string
		rest    func(context.Context) error // what reading the rest does
		body    func(cancel context.CancelFunc) bool
		want    error
		stopped bool
	}{
		{"break, a short rest", nil, func(context.CancelFunc) bool { return false }, nil, false},
		{"break, a long rest", hangs, func(context.CancelFunc) bool { return false }, nil, true},
		{"cancel", nil, func(cancel context.CancelFunc) bool { cancel(); return true }, ErrCanceled, true},
		{"panic", hangs, func(context.CancelFunc) bool { panic("a bug of the loop") }, nil, true},
	} {
		bubble(t, test.name, func(t *testing.T) {
			s := &server{columns: []string{"a"}, rows: numbers(5)}
			s.at = func(ctx context.Context, stage string) error {
				if stage == "row" && ctx.Err() != nil {
					return ctx.Err()
				}
				if stage == "rest" && test.rest != nil {
					return test.rest(ctx)
				}
				return nil
			}
			db := serve(t, stopping{engine{"sqlite"}}, &Options{Timeout: time.Minute}, s)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var failed error
			func() {
				defer func() { recover() }()
				for _, err := range db.Rows(ctx, statement(t, sqlite.Dialect{}, "SELECT a FROM t"), unlimited) {
					if failed = err; err == nil && !test.body(cancel) {
						break
					}
				}
			}()
			if !errors.Is(failed, test.want) {
				t.Errorf("got %v, want %v", failed, test.want)
			}
			if (s.stopped > 0) != test.stopped {
				t.Errorf("stopped %d times, want %v", s.stopped, test.stopped)
			}
			whole(t, db, s)
		})
	}
}

// A statement is retried on another replica before its first row, and never
// after it.
func TestRowsRetry(t *testing.T) {
	for _, test := range []struct {
		stage string
		rows  int
		want  error
	}{
		{"query", 3, nil},
		{"row", 3, ErrUnavailable}, // after the last row
		{"row", 0, nil},
	} {
		failing := &server{columns: []string{"a"}, rows: numbers(test.rows), at: only(test.stage, fails(errBroken))}
		works := &server{columns: []string{"a"}, rows: numbers(3)}
		db := serve(t, engine{"sqlite"}, nil, failing, works)
		for range 2 { // one of the two begins on the server that fails
			n := 0
			var failed error
			for _, err := range db.Rows(t.Context(), statement(t, sqlite.Dialect{}, "SELECT a FROM t"), unlimited) {
				if failed = err; err == nil {
					n++
				}
			}
			if n != 3 || failed != nil && !errors.Is(failed, test.want) {
				t.Errorf("%s, %d rows: %d rows, %v", test.stage, test.rows, n, failed)
			}
		}
		if failing.asked == 0 {
			t.Errorf("%s: the server that fails was not used", test.stage)
		}
	}
}
