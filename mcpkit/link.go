package mcpkit

import (
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A link is one connection.
type link struct {
	session   *mcp.ClientSession
	transport *tracked      // nil where the session is the host's
	ended     chan struct{} // closed when the connection has ended

	mu        sync.Mutex
	users     int           // calls that go on
	forgotten bool          // it gets no more calls: it is of no use, or being ended
	unused    chan struct{} // closed when it is forgotten and its last call is over
}

func newLink(session *mcp.ClientSession, t *tracked) *link {
	return &link{session: session, transport: t, ended: make(chan struct{}), unused: make(chan struct{})}
}

// use counts a call, unless the link gets no more.
func (l *link) use() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.forgotten {
		l.users++
	}
	return !l.forgotten
}

// leave is called when a call that use counted is over.
func (l *link) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users == 0 && l.forgotten {
		close(l.unused)
	}
}

// forget makes use refuse later calls. It reports whether it was the first to do so.
func (l *link) forget() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.forgotten
	if l.forgotten = true; first && l.users == 0 {
		close(l.unused)
	}
	return first
}

// close ends the connection and waits until it has. A server that does not let it end
// is hung up on.
func (l *link) close() error {
	closed := make(chan error, 1)
	go func() { closed <- l.session.Close() }()
	select {
	case err := <-closed:
		<-l.ended
		return err
	case <-time.After(stopWait):
	}
	l.transport.hangUp()
	err := <-closed
	<-l.ended
	return err
}
