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

// server is a driver that does as it is told, and so does the engine that goes
// with it. The engines of real databases have tests of their own; these are
// about what is common.
//
// A server works on a statement from when it gets it until it has answered it, or
// until it is stopped: not shorter for a client that has gone.
type server struct {
	columns  []string
	rows     [][]driver.Value
	findings []Finding

	// at is called at each stage, and says what goes wrong there: "connect",
	// "introspect", "check", "admit", "query", "row" after the last row, "rest"
	// where rows are not wanted, "release", "stop".
	at func(ctx context.Context, stage string) error

	mu                                sync.Mutex
	asked                             int // to connect in vain, or for a reading
	opened, closed, released, stopped int
	works                             map[string]bool // on statements, by their text
	readings                          []Reading
}

var (
	errSyntax = errors.New("syntax")                     // the server's answer
	errBroken = errors.New("dial tcp: password=hunter2") // no answer
)

// only has do happen at one stage.
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

// hangs waits for ctx, as drivers do.
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

// answer is what comes of a stage in which the server works on a statement.
func (s *server) answer(ctx context.Context, text, stage string) error {
	err := s.stage(ctx, stage)
	if ctx.Err() == nil && !errors.Is(err, errBroken) {
		s.begin(text, false)
	}
	return err
}

// idle reports whether the server works on nothing.
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

// engine is the engine of any number of servers.
type engine struct{ dialect string }

// of is the server behind a connection.
func (engine) of(conn *sql.Conn) (s *server) {
	_ = conn.Raw(func(driverConn any) error {
		s = driverConn.(*connection).server
		return nil
	})
	return s
}

func (e engine) Dialect() string { return e.dialect }
func (e engine) Introspect(ctx context.Context, conn *sql.Conn, skipped func(table, reason string)) (*joinpath.Schema, error) {
	skipped("t", "why")
	return &joinpath.Schema{}, e.of(conn).stage(ctx, "introspect")
}
func (e engine) Check(ctx context.Context, conn *sql.Conn, _ *secureview.Policy) ([]Finding, error) {
	s := e.of(conn)
	return s.findings, s.stage(ctx, "check")
}
func (e engine) Admit(ctx context.Context, conn *sql.Conn, r *Reading) (func(context.Context) error, error) {
	s := e.of(conn)
	s.count(&s.asked)
	s.mu.Lock()
	s.readings = append(s.readings, *r)
	s.mu.Unlock()
	r.SQL = "/* " + r.Tag + " */ " + r.SQL
	s.begin(r.SQL, true)
	if err := s.answer(ctx, r.SQL, "admit"); err != nil {
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

// stopping is an engine that stops.
type stopping struct{ engine }

func (e stopping) Stop(ctx context.Context, conn *sql.Conn, r *Reading) error {
	s := e.of(conn)
	s.count(&s.stopped)
	if err := s.stage(ctx, "stop"); err != nil {
		return err
	}
	s.begin(r.SQL, false)
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
	c.begin(text, true) // its rows are to come
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

// serve is a DB on servers with one connection each.
func serve(t testing.TB, engine Engine, opt *Options, servers ...*server) *DB {
	t.Helper()
	pools := make([]*sql.DB, len(servers))
	for i, s := range servers {
		pools[i] = sql.OpenDB(s)
		pools[i].SetMaxOpenConns(1)
	}
	db, err := New(engine, opt, pools...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
