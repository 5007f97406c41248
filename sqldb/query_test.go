package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func numbers(n int) [][]driver.Value {
	rows := make([][]driver.Value, n)
	for i := range rows {
		rows[i] = []driver.Value{int64(i)}
	}
	return rows
}

// read executes a statement without a guard.
func read(ctx context.Context, db *DB) (*qed.Table, error) {
	return db.collect(func(to *receiver) (result, error) {
		return db.query(ctx, Query{SQL: "SELECT 1", Session: &Session{}}, to)
	})
}

// statement returns a statement of a guard.
func statement(t testing.TB, d dialect.Dialect, text string) *secureview.Statement {
	t.Helper()
	guard, err := secureview.New(&secureview.Policy{Schema: "main", Tables: map[string][]string{"t": {"a", "b"}}, RowLimit: 10}, d)
	if err != nil {
		t.Fatal(err)
	}
	stmt, err := guard.Rewrite(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return stmt
}

func TestQuery(t *testing.T) {
	s := &server{columns: []string{"a"}, rows: numbers(10)}
	db := serve(t, engine{"sqlite"}, nil, s)
	for _, test := range []struct {
		text      string
		truncated bool
	}{
		{"SELECT a FROM t", true}, // there may be more rows than the guard's limit
		{"SELECT a FROM t LIMIT 10", false},
	} {
		stmt := statement(t, sqlite.Dialect{}, test.text)
		got, err := db.Query(t.Context(), stmt)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Rows) != 10 || got.Truncated != test.truncated {
			t.Errorf("%s: %d rows, truncated %v", test.text, len(got.Rows), got.Truncated)
		}
		want := Query{SQL: stmt.SQL(), Dialect: stmt.Dialect(), Objects: []Object{{Schema: "main", Name: "t", Columns: []string{"a"}}}, Session: &Session{}, MaxRowBytes: 12 << 20}
		r := s.queries[len(s.queries)-1]
		if r.Timeout <= 29*time.Second || r.Timeout > 30*time.Second || len(r.Tag) < 20 || strings.ContainsFunc(r.Tag, notWord) {
			t.Errorf("timeout %v, tag %q", r.Timeout, r.Tag)
		}
		r.Tag, r.Timeout = "", 0
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", test.text, diff)
		}
	}
	if s.queries[0].Tag == s.queries[1].Tag {
		t.Error("two queries have the same tag")
	}
	for _, stmt := range []*secureview.Statement{nil, {}} {
		if _, err := db.Query(t.Context(), stmt); !errors.Is(err, ErrArgument) {
			t.Errorf("no statement: %v", err)
		}
	}
	if _, err := serve(t, engine{}, nil, s).Query(t.Context(), statement(t, sqlite.Dialect{}, "SELECT a FROM t")); !errors.Is(err, ErrArgument) {
		t.Errorf("another dialect: %v", err)
	}
}

func notWord(r rune) bool {
	return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
}

func TestRead(t *testing.T) {
	s := &server{columns: []string{"a", "b\xff"}, rows: [][]driver.Value{{[]byte("text"), time.Unix(0, 0).UTC()}, {nil, true}}}
	got, err := read(t.Context(), serve(t, engine{}, nil, s))
	if err != nil {
		t.Fatal(err)
	}
	want := &qed.Table{
		Columns: []qed.Column{{Name: "a"}, {Name: "b\uFFFD"}},
		Rows:    [][]any{{"text", "1970-01-01T00:00:00Z"}, {nil, true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.released != 1 || s.opened != 1 || s.closed != 0 {
		t.Errorf("released %d, opened %d, closed %d", s.released, s.opened, s.closed)
	}
}

func TestReadLimits(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, test := range []struct {
		name      string
		rows      [][]driver.Value
		opt       Options
		want      int
		truncated bool
		err       error
	}{
		{"as many as allowed", numbers(1000), Options{}, 1000, false, nil},
		{"one more", numbers(1001), Options{}, 1000, true, nil},
		{"Options.MaxRows", numbers(10), Options{MaxRows: 9}, 9, true, nil},
		{"bytes", numbers(10), Options{MaxBytes: 40}, 5, true, nil},
		{"bytes to the last", numbers(5), Options{MaxBytes: 40}, 5, false, nil},
		{"a row that is too large", [][]driver.Value{{long}}, Options{MaxBytes: 99}, 0, false, ErrTooLarge},
		{"a cell that is cut fits", [][]driver.Value{{long}}, Options{MaxBytes: 99, MaxCellBytes: 50}, 1, false, nil},
		{"a value without a cell", [][]driver.Value{{complex(1, 2)}}, Options{}, 0, false, ErrExecution},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &server{columns: []string{"n"}, rows: test.rows}
			got, err := read(t.Context(), serve(t, engine{}, &test.opt, s))
			if s.released != 1 || s.closed != 0 || !s.idle() {
				t.Errorf("released %d, closed %d connections", s.released, s.closed)
			}
			if test.err != nil {
				if !errors.Is(err, test.err) {
					t.Errorf("got %v, want %v", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Rows) != test.want || got.Truncated != test.truncated {
				t.Errorf("%d rows, truncated %v", len(got.Rows), got.Truncated)
			}
		})
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct{ in, want any }{
		{"short", "short"},
		{"0123456789", "0123456789"},
		{"0123456789a", "0123456789… (cut: 11 bytes)"},
		{"012345678ä", "012345678… (cut: 11 bytes)"},
		{[]byte("bytes"), "bytes"},
		{[]byte("\xff\x00"), "0xff00"},
		{[]byte("\xff12345"), "0xff31323334… (cut: 6 bytes)"},
		{"\xff12345", "0xff31323334… (cut: 6 bytes)"},
		{[]byte(nil), nil},
		{int64(5), int64(5)},
	} {
		row := Row{columns: make([]qed.Column, 1), maxCell: 10}
		row.begin(100)
		row.Add(test.in)
		if got, err := row.end(); err != nil || got[0] != test.want {
			t.Errorf("the cell of %q is %q (%v), want %q", test.in, got, err, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	denied := &Error{Kind: ErrDenied, Message: "no"}
	for _, test := range []struct {
		name   string
		at     func(context.Context, string) error
		want   Kind
		cause  error
		closed int // connections
	}{
		{"no connection", only("connect", fails(errBroken)), ErrUnavailable, errBroken, 0},
		{"denied", only("admit", fails(denied)), ErrDenied, nil, 1},
		{"an error that the engine knows", only("row", fails(errSyntax)), ErrExecution, errSyntax, 0},
		{"an error that it does not know", only("row", fails(errBroken)), ErrUnavailable, errBroken, 0},
		{"time", only("row", hangs), ErrTimeout, context.DeadlineExceeded, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &server{columns: []string{"n"}, rows: numbers(1), at: test.at}
			_, err := read(t.Context(), serve(t, engine{}, &Options{Timeout: 20 * time.Millisecond}, s))
			if !errors.Is(err, test.want) || test.cause != nil && !errors.Is(err, test.cause) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("a secret in %v", err)
			}
			if s.closed != test.closed {
				t.Errorf("%d connections were thrown away, want %d", s.closed, test.closed)
			}
		})
	}
	for _, e := range []*Error{{Kind: ErrTimeout}, {Kind: ErrCanceled}} {
		if errors.Is(e, context.DeadlineExceeded) != (e.Kind == ErrTimeout) || errors.Is(e, context.Canceled) != (e.Kind == ErrCanceled) {
			t.Errorf("%v is not the context's error", e)
		}
	}
}

// A connection that cannot be reset is not used again.
func TestReleaseFails(t *testing.T) {
	s := &server{columns: []string{"n"}, at: only("release", fails(errBroken))}
	db := serve(t, engine{}, nil, s)
	for range 3 {
		if _, err := read(t.Context(), db); err != nil {
			t.Fatal(err)
		}
	}
	if s.closed != 3 {
		t.Errorf("%d of 3 connections were thrown away", s.closed)
	}
}
