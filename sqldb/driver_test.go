package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
)

// server is a driver whose behaviour a test controls, together with the engine
// below. The tests of this package cover what all engines have in common; the
// real engines have their own tests.
//
// A server works on a statement until it has returned the result or was
// stopped, even if the client has closed its connection.
type server struct {
	columns  []string
	rows     [][]driver.Value
	findings []Finding

	// at is called at each stage and returns the error of that stage:
	// "connect", "introspect", "check", "admit", "query", "row" after the last
	// row, "rest" when the remaining rows are not read, "release", "stop".
	at func(ctx context.Context, stage string) error

	mu                                sync.Mutex
	asked                             int // failed connects and queries
	opened, closed, released, stopped int
	works                             map[string]bool // the running statements, by their text
	queries                           []Query
}

var (
	errSyntax = errors.New("syntax")                     // returned by the server
	errBroken = errors.New("dial tcp: password=hunter2") // the server did not answer
)

// only calls do at one stage.
func only(stage string, do func(context.Context) error) func(context.Context, string) error {
	return func(ctx context.Context, at string) error {
		if at != stage {
			return nil
		}
		return do(ctx)
	}
}

func fails(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

// hangs waits for ctx, like a driver.
func hangs(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func panics(context.Context) error { panic("a bug") }

func (s *server) stage(ctx context.Context, name string) error {
	if s.at == nil {
		return nil
	}
	return s.at(ctx, name)
}

func (s *server) count(n *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
}

func (s *server) begin(text string, works bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if works {
		if s.works == nil {
			s.works = map[string]bool{}
		}
		s.works[text] = true
	} else {
		delete(s.works, text)
	}
}

// answer returns the error of a stage in which the server works on a statement.
func (s *server) answer(ctx context.Context, text, stage string) error {
	err := s.stage(ctx, stage)
	if ctx.Err() == nil && !errors.Is(err, errBroken) {
		s.begin(text, false)
	}
	return err
}

// idle reports whether no statement is running.
func (s *server) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.works) == 0
}

func (s *server) Driver() driver.Driver { return nil }
func (s *server) Connect(ctx context.Context) (driver.Conn, error) {
	if err := s.stage(ctx, "connect"); err != nil {
		s.count(&s.asked)
		return nil, err
	}
	s.count(&s.opened)
	return &connection{s}, nil
}

// engine is the engine of all servers.
type engine struct{ dialect string }

// of returns the server of a connection.
func (engine) of(conn *sql.Conn) (s *server) {
	_ = conn.Raw(func(driverConn any) error {
		s = driverConn.(*connection).server
		return nil
	})
	return s
}

func (e engine) Dialect() string { return e.dialect }
func (e engine) Introspect(ctx context.Context, conn *sql.Conn, _ []string, skipped func(table, reason string)) (*joinpath.Schema, error) {
	skipped("t", "why")
	return &joinpath.Schema{}, e.of(conn).stage(ctx, "introspect")
}
func (e engine) Check(ctx context.Context, conn *sql.Conn, _ *secureview.Policy) ([]Finding, error) {
	s := e.of(conn)
	return s.findings, s.stage(ctx, "check")
}
func (e engine) Admit(ctx context.Context, conn *sql.Conn, q *Query) (func(context.Context) error, error) {
	s := e.of(conn)
	s.count(&s.asked)
	s.mu.Lock()
	s.queries = append(s.queries, *q)
	s.mu.Unlock()
	q.SQL = "/* " + q.Tag + " */ " + q.SQL
	s.begin(q.SQL, true)
	if err := s.answer(ctx, q.SQL, "admit"); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		s.count(&s.released)
		return s.stage(ctx, "release")
	}, nil
}
func (engine) Classify(err error) *Error {
	switch {
	case errors.Is(err, errSyntax):
		return &Error{Kind: ErrExecution, Message: "no such thing", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: ErrTimeout, Err: err}
	}
	return nil
}

// stopping is an engine that is a Stopper.
type stopping struct{ engine }

func (e stopping) Stop(ctx context.Context, conn *sql.Conn, q *Query) error {
	s := e.of(conn)
	s.count(&s.stopped)
	if err := s.stage(ctx, "stop"); err != nil {
		return err
	}
	s.begin(q.SQL, false)
	return nil
}

type connection struct{ *server }

func (c *connection) Close() error                        { c.count(&c.closed); return nil }
func (c *connection) Prepare(string) (driver.Stmt, error) { return nil, errSyntax }
func (c *connection) Begin() (driver.Tx, error)           { return nil, errSyntax }
func (c *connection) QueryContext(ctx context.Context, text string, _ []driver.NamedValue) (driver.Rows, error) {
	c.begin(text, true)
	if err := c.answer(ctx, text, "query"); err != nil {
		return nil, err
	}
	c.begin(text, true) // until its rows are read
	return &cursor{server: c.server, ctx: ctx, text: text}, nil
}

type cursor struct {
	*server
	ctx  context.Context
	text string
	next int
	end  bool
}

func (c *cursor) Columns() []string { return c.columns }
func (c *cursor) Close() error {
	if c.end {
		return nil
	}
	c.end = true
	return c.answer(c.ctx, c.text, "rest")
}
func (c *cursor) Next(dest []driver.Value) error {
	if c.next < len(c.rows) {
		copy(dest, c.rows[c.next])
		c.next++
		return nil
	}
	c.end = true
	if err := c.answer(c.ctx, c.text, "row"); err != nil {
		return err
	}
	return io.EOF
}

// serve returns a DB on servers with one connection each.
func serve(t testing.TB, engine Engine, opt *Options, servers ...*server) *DB {
	t.Helper()
	pools := make([]*sql.DB, len(servers))
	for i, s := range servers {
		pools[i] = sql.OpenDB(s)
		pools[i].SetMaxOpenConns(1)
	}
	var o Options
	if opt != nil {
		o = *opt
	}
	o.Replicas = pools[1:]
	db, err := New(engine, pools[0], &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
