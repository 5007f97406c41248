package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// A gateway is a proxy in front of a server. It can lose an answer of the server:
// it then closes the connection instead of forwarding the answer. It can also
// fall silent: it forwards nothing more, and closes nothing.
type gateway struct {
	addr   string
	mu     sync.Mutex
	left   int // answers to forward before one is lost; negative means all
	silent bool
	mute   int // connections that fall silent with their next answer
}

func newGateway(t *testing.T, server string) *gateway {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	g := &gateway{addr: l.Addr().String(), left: -1}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			go func() {
				defer upstream.Close()
				request := make([]byte, 64<<10)
				for {
					n, err := client.Read(request)
					if err != nil {
						return
					}
					if g.isSilent() {
						io.Copy(io.Discard, client)
						return
					}
					if _, err := upstream.Write(request[:n]); err != nil {
						return
					}
				}
			}()
			go func() {
				defer client.Close()
				defer upstream.Close()
				answer := make([]byte, 64<<10)
				for {
					n, err := upstream.Read(answer)
					if g.muted() {
						<-t.Context().Done()
						return
					}
					if err != nil || g.lost() {
						return
					}
					if g.isSilent() {
						io.Copy(io.Discard, upstream) // until the client closes
						return
					}
					if _, err := client.Write(answer[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return g
}

// lose lets the gateway lose the answer after the next n. A negative n means none.
func (g *gateway) lose(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = n
}

// silence lets the gateway fall silent, or forward what comes on new connections.
func (g *gateway) silence(silent bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.silent = silent
}

func (g *gateway) isSilent() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.silent
}

// muteNext lets n connections fall silent, each with its next answer.
func (g *gateway) muteNext(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mute = n
}

func (g *gateway) muted() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mute = max(g.mute-1, -1)
	return g.mute >= 0
}

func (g *gateway) lost() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = max(g.left-1, -2)
	return g.left == -1
}

// lossyStores are the engines with a server, behind a gateway.
var lossyStores = []struct {
	name    string
	dialect sqlstore.Dialect
	create  func(t *testing.T) (pool func(setting string) *sql.DB, g *gateway)
}{
	{"MariaDB", sqlstore.MySQL, func(t *testing.T) (func(string) *sql.DB, *gateway) {
		config := integration.MariaDB(t)
		open := func(config *mysql.Config) func(string) *sql.DB { return mariaStores(t, config) }
		g := newGateway(t, config.Addr)
		config.Addr = g.addr
		return open(config), g
	}},
	{"PostgreSQL", sqlstore.PostgreSQL, func(t *testing.T) (func(string) *sql.DB, *gateway) {
		config := integration.PostgreSQL(t)
		g := newGateway(t, fmt.Sprintf("%s:%d", config.Host, config.Port))
		host, port, _ := net.SplitHostPort(g.addr)
		config.Host = host
		fmt.Sscan(port, &config.Port)
		return postgresStores(t, config), g
	}},
}

// Whichever answer of the server is lost, an append is made once and returns no
// error.
func TestSQLStoreLostAnswer(t *testing.T) {
	for _, e := range lossyStores {
		t.Run(e.name, func(t *testing.T) {
			pool, g := e.create(t)
			db := pool("")
			db.SetMaxOpenConns(1)
			s := newStore(t, db, e.dialect, &sqlstore.Options{Retry: shortWaits})
			for _, records := range []int{1, 3} {
				for lost := range 12 {
					thread := fmt.Sprintf("%d records, answer %d lost", records, lost)
					after := int64(0)
					add := func() {
						t.Helper()
						var recs []store.Record
						for i := range records {
							recs = append(recs, entry(int(after), i))
						}
						if err := s.Append(t.Context(), thread, after, recs...); err != nil {
							t.Fatalf("%s, append after number %d: %v", thread, after, err)
						}
						after += int64(records)
					}
					g.lose(lost)
					add()
					g.lose(-1)
					add()
					g.lose(lost)
					add()
					g.lose(-1)
					n := int64(0)
					for rec, err := range s.Records(t.Context(), thread, store.Range{}) {
						if n++; err != nil || rec.Seq != n {
							t.Fatal(thread, rec.Seq, err)
						}
					}
					if n != after {
						t.Errorf("%s: it has %d records, want %d", thread, n, after)
					}
				}
			}
		})
	}
}

// Whichever answer of the server is lost while appends share a transaction, each
// is made once and returns no error.
func TestSQLStoreLostAnswerInGroups(t *testing.T) {
	for _, e := range lossyStores {
		t.Run(e.name, func(t *testing.T) {
			pool, g := e.create(t)
			db := pool("")
			s := newStore(t, db, e.dialect, &sqlstore.Options{Retry: shortWaits})
			for after := range int64(40) {
				g.lose(int(after))
				var group sync.WaitGroup
				for i := range 30 {
					group.Go(func() {
						if err := s.Append(t.Context(), fmt.Sprint("thread ", i), after, entry(i, int(after))); err != nil {
							t.Errorf("thread %d, answer %d lost: %v", i, after, err)
						}
					})
				}
				group.Wait()
				g.lose(-1)
			}
			for i := range 30 {
				n := 0
				for rec, err := range s.Records(t.Context(), fmt.Sprint("thread ", i), store.Range{}) {
					if want := entry(i, n); err != nil || rec.Seq != int64(n+1) || string(rec.Data) != string(want.Data) {
						t.Errorf("thread %d: number %d is %s, want %s, %v", i, rec.Seq, rec.Data, want.Data, err)
					}
					n++
				}
				if n != 40 {
					t.Errorf("thread %d has %d records", i, n)
				}
			}
		})
	}
}

// A connection on which the server does not answer any more stops only its own
// append, not those that would share a transaction with others.
func TestSQLStoreSilentConnection(t *testing.T) {
	for _, e := range lossyStores {
		t.Run(e.name, func(t *testing.T) {
			pool, g := e.create(t)
			db := pool("read timeout")
			db.SetMaxOpenConns(10)
			db.SetMaxIdleConns(10)
			s := newStore(t, db, e.dialect, &sqlstore.Options{Retry: shortWaits})
			var group sync.WaitGroup
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			var failed atomic.Int64
			for i := range 60 {
				group.Go(func() {
					for after := range int64(20) {
						if i == 0 && after == 5 {
							g.muteNext(4)
						}
						if err := s.Append(ctx, fmt.Sprint("thread ", i), after, entry(i, int(after))); err != nil {
							failed.Add(1)
							return
						}
					}
				})
			}
			group.Wait()
			if n := failed.Load(); n > 4 {
				t.Errorf("%d appends failed, with 4 silent connections", n)
			}
		})
	}
}

// A lost answer does not hide a conflict with another writer.
func TestSQLStoreLostAnswerAndConflict(t *testing.T) {
	for _, e := range lossyStores {
		t.Run(e.name, func(t *testing.T) {
			pool, g := e.create(t)
			db := pool("")
			db.SetMaxOpenConns(1)
			s := newStore(t, db, e.dialect, &sqlstore.Options{Retry: shortWaits})
			if err := s.Append(t.Context(), "thread", 0, entry(1, 1)); err != nil {
				t.Fatal(err)
			}
			for lost := range 6 {
				g.lose(lost)
				if err := s.Append(t.Context(), "thread", 0, entry(2, 2)); !errors.Is(err, store.ErrConflict) {
					t.Errorf("answer %d lost: %v, want a conflict", lost, err)
				}
				g.lose(-1)
			}
		})
	}
}

// A server is killed during appends and started again. Confirmed appends are there,
// and no append was made twice.
func TestSQLStoreServerDies(t *testing.T) {
	for _, e := range dyingEngines {
		t.Run(e.name, func(t *testing.T) {
			pool, kill, start := e.start(t)
			db := pool("")
			s := newStore(t, db, e.dialect, &sqlstore.Options{Retry: noRetry})
			var group sync.WaitGroup
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			down, failures := make(chan struct{}), make([]int, 4)
			var appended atomic.Int64
			more := func() { // waits for further appends
				enough := appended.Load() + 200
				poll.Until(t, "the writers append", func() bool { return appended.Load() >= enough || t.Failed() })
			}
			for w := range failures {
				group.Go(func() {
					thread := fmt.Sprint("thread ", w)
					after := int64(0)
					for ctx.Err() == nil {
						err := s.Append(t.Context(), thread, after, entry(w, int(after)))
						if err == nil {
							after++
							appended.Add(1)
							continue
						}
						failures[w]++
						if errors.Is(err, store.ErrConflict) {
							t.Errorf("a conflict without another writer: %v", err)
							return
						}
						<-down
						last, err := lastOf(t.Context(), s, thread)
						if err != nil {
							continue
						}
						if last != after && last != after+1 {
							t.Errorf("the thread ends at number %d, but %d was confirmed", last, after)
							return
						}
						after = last
					}
					n := int64(0)
					for rec, err := range s.Records(t.Context(), thread, store.Range{}) {
						if n++; err != nil || rec.Seq != n || string(rec.Data) != string(entry(w, int(n-1)).Data) {
							t.Errorf("record %d is number %d with %s, %v", n, rec.Seq, rec.Data, err)
							return
						}
					}
					if n != after {
						t.Errorf("%d records, want %d", n, after)
					}
				})
			}
			more()
			kill()
			if err := s.Append(t.Context(), "other", 0, entry(0, 0)); err == nil || errors.Is(err, store.ErrConflict) {
				t.Errorf("without a server: %v", err)
			}
			if err := start(); err != nil {
				t.Fatal(err)
			}
			close(down)
			more()
			cancel()
			group.Wait()
			t.Logf("failures: %v", failures)
		})
	}
}

// dyingEngines are engines whose server a test can kill and start again.
var dyingEngines = []struct {
	name    string
	dialect sqlstore.Dialect
	start   func(t *testing.T) (pool func(string) *sql.DB, kill func(), start func() error)
}{
	{"MariaDB", sqlstore.MySQL, func(t *testing.T) (func(string) *sql.DB, func(), func() error) {
		server := integration.MariaDBOwn(t)
		return mariaStores(t, server.Config()), server.Kill, server.Start
	}},
	{"PostgreSQL", sqlstore.PostgreSQL, func(t *testing.T) (func(string) *sql.DB, func(), func() error) {
		server := integration.PostgreSQLOwn(t)
		return postgresStores(t, server.Config()), server.Kill, server.Start
	}},
}
