package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
)

// server is a driver and an engine that do as they are told. The engines of
// real databases have tests of their own; these are about what is common.
type server struct {
	connect  error
	columns  []string
	rows     [][]driver.Value
	fail     error // after the rows
	hang     bool  // after the rows, until the context ends
	admit    error
	release  error
	check    error
	closed   int // connections
	released int
	readings []Reading
}

func (s *server) Connect(context.Context) (driver.Conn, error) {
	if s.connect != nil {
		return nil, s.connect
	}
	return &session{s}, nil
}
func (s *server) Driver() driver.Driver { return nil }

func (s *server) Dialect() string { return "test" }
func (s *server) Introspect(_ context.Context, _ *sql.Conn, skipped func(table, reason string)) (*joinpath.Schema, error) {
	skipped("t", "why")
	return &joinpath.Schema{}, s.check
}
func (s *server) Check(context.Context, *sql.Conn) error { return s.check }
func (s *server) Admit(_ context.Context, _ *sql.Conn, r *Reading) (func() error, error) {
	s.readings = append(s.readings, *r)
	return func() error { s.released++; return s.release }, s.admit
}
func (s *server) Classify(err error) *Error {
	if errors.Is(err, errSyntax) {
		return &Error{Kind: ErrExecution, Message: "no such thing", Err: err}
	}
	return nil
}

var (
	errSyntax = errors.New("syntax")
	errOther  = errors.New("dial tcp: password=hunter2")
)

type session struct{ *server }

func (s *session) Close() error                        { s.closed++; return nil }
func (s *session) Prepare(string) (driver.Stmt, error) { return nil, errSyntax }
func (s *session) Begin() (driver.Tx, error)           { return nil, errSyntax }
func (s *session) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	return &cursor{server: s.server, ctx: ctx}, nil
}

type cursor struct {
	*server
	ctx  context.Context
	next int
}

func (c *cursor) Columns() []string { return c.columns }
func (c *cursor) Close() error      { return nil }
func (c *cursor) Next(dest []driver.Value) error {
	if c.next < len(c.rows) {
		copy(dest, c.rows[c.next])
		c.next++
		return nil
	}
	if c.hang {
		<-c.ctx.Done()
		return c.ctx.Err()
	}
	if c.fail != nil {
		return c.fail
	}
	return io.EOF
}

func serve(t *testing.T, s *server, opt *Options) *DB {
	t.Helper()
	db, err := New(sql.OpenDB(s), s, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func numbers(n int) [][]driver.Value {
	rows := make([][]driver.Value, n)
	for i := range rows {
		rows[i] = []driver.Value{int64(i)}
	}
	return rows
}

func TestRead(t *testing.T) {
	s := &server{columns: []string{"a", "b\xff"}, rows: [][]driver.Value{{[]byte("text"), time.Unix(0, 0).UTC()}, {nil, true}}}
	got, err := serve(t, s, nil).read(t.Context(), &Reading{SQL: "SELECT"})
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
	if s.released != 1 || len(s.readings) != 1 || s.readings[0].SQL != "SELECT" {
		t.Errorf("released %d, readings %v", s.released, s.readings)
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
		{"as many as allowed", numbers(100), Options{}, 100, false, nil},
		{"one more", numbers(101), Options{}, 100, true, nil},
		{"an own limit", numbers(10), Options{MaxRows: 9}, 9, true, nil},
		{"bytes", numbers(10), Options{MaxBytes: 40}, 5, true, nil},
		{"bytes to the last", numbers(5), Options{MaxBytes: 40}, 5, false, nil},
		{"a row beyond", [][]driver.Value{{long}}, Options{MaxBytes: 99}, 0, false, ErrTooLarge},
		{"a cell that is cut fits", [][]driver.Value{{long}}, Options{MaxBytes: 99, MaxCellBytes: 50}, 1, false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := serve(t, &server{columns: []string{"n"}, rows: test.rows}, &test.opt).read(t.Context(), &Reading{})
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
		if got := text(test.in, 10); got != test.want {
			t.Errorf("text(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	denied := &Error{Kind: ErrDenied, Message: "no"}
	for _, test := range []struct {
		name   string
		server server
		want   Kind
		cause  error
	}{
		{"no connection", server{connect: errOther}, ErrConnect, errOther},
		{"denied before", server{admit: denied}, ErrDenied, nil},
		{"what the engine knows", server{fail: errSyntax}, ErrExecution, errSyntax},
		{"what it does not", server{fail: errOther}, ErrConnect, errOther},
		{"time", server{hang: true, rows: numbers(1)}, ErrTimeout, context.DeadlineExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &test.server
			s.columns = []string{"n"}
			_, err := serve(t, s, &Options{Timeout: 20 * time.Millisecond}).read(t.Context(), &Reading{})
			if !errors.Is(err, test.want) || test.cause != nil && !errors.Is(err, test.cause) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("a secret in %v", err)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		_, err := serve(t, &server{columns: []string{"n"}, hang: true}, nil).read(ctx, &Reading{})
		if !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// A connection that cannot be set back does not serve another statement.
func TestReleaseFails(t *testing.T) {
	s := &server{columns: []string{"n"}, release: errOther}
	db := serve(t, s, nil)
	for range 3 {
		if _, err := db.read(t.Context(), &Reading{}); err != nil {
			t.Fatal(err)
		}
	}
	if s.closed != 3 {
		t.Errorf("%d of 3 connections were thrown away", s.closed)
	}
}

func TestNew(t *testing.T) {
	s := &server{}
	pool := sql.OpenDB(s)
	defer pool.Close()
	for name, err := range map[string]error{
		"no pool":   second(New(nil, s, nil)),
		"no engine": second(New(pool, nil, nil)),
		"negative":  second(New(pool, s, &Options{Timeout: -1})),
	} {
		if !errors.Is(err, ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second(_ *DB, err error) error { return err }

func TestCheckAndIntrospect(t *testing.T) {
	var skipped []string
	s := &server{}
	db := serve(t, s, &Options{Skipped: func(table, reason string) { skipped = append(skipped, table+reason) }})
	if err := db.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := db.Introspect(t.Context()); err != nil || len(skipped) != 1 {
		t.Errorf("%v, %v", err, skipped)
	}
	s.check = &Error{Kind: ErrWritable}
	if err := db.Check(t.Context()); !errors.Is(err, ErrWritable) {
		t.Error(err)
	}
	if schema, err := db.Introspect(t.Context()); err == nil || schema != nil {
		t.Errorf("%v, %v", schema, err)
	}
}
