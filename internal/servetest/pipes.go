package servetest

import (
	"net"
	"sync"
)

// Pipes is a listener for connections in memory, which work in a bubble of
// testing/synctest. Make one with [NewPipes].
type Pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// NewPipes returns a listener.
func NewPipes() *Pipes { return &Pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

// Dial returns the client's end of a new connection, after it was accepted.
func (p *Pipes) Dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

// Accept waits for a connection.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (p *Pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr returns the address of every connection.
func (p *Pipes) Addr() net.Addr {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	return server.LocalAddr()
}
