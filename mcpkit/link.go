package mcpkit

import (
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A link is one connection.
type link struct {
	session   *mcp.ClientSession
	transport *tracked
	ended     chan struct{} // closed when the connection has ended

	mu      sync.Mutex
	calls   int           // that are running
	retired bool          // no more calls are made on the link
	unused  chan struct{} // closed when the link is retired and its last call is over
}

func newLink(session *mcp.ClientSession, t *tracked) *link {
	return &link{session: session, transport: t, ended: make(chan struct{}), unused: make(chan struct{})}
}

// use counts a call. It reports false if the link takes no more calls.
func (l *link) use() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.retired {
		l.calls++
	}
	return !l.retired
}

// leave ends a call that use counted.
func (l *link) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls--; l.calls == 0 && l.retired {
		close(l.unused)
	}
}

// retire makes use refuse later calls. It reports whether this is the first time.
func (l *link) retire() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.retired
	if l.retired = true; first && l.calls == 0 {
		close(l.unused)
	}
	return first
}

// close ends the connection and waits until it has ended. If the server does not let
// it end, the transport is closed.
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
