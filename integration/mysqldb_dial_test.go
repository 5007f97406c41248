package integration_test

import (
	"bytes"
	"context"
	"net"
	"sync/atomic"
	"time"
)

// breakingDialer makes connections. One of them breaks before it sends a packet
// that contains a text.
type breakingDialer struct {
	text   atomic.Pointer[string]
	dialed atomic.Int64
}

// at sets the text. The next connection that sends it breaks, once.
func (b *breakingDialer) at(text string) { b.text.Store(&text) }

func (b *breakingDialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	b.dialed.Add(1)
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	return breakingConn{conn, b}, err
}

type breakingConn struct {
	net.Conn
	dialer *breakingDialer
}

func (c breakingConn) Write(p []byte) (int, error) {
	text := c.dialer.text.Load()
	if text != nil && bytes.Contains(p, []byte(*text)) && c.dialer.text.CompareAndSwap(text, nil) {
		c.Close()
	}
	return c.Conn.Write(p)
}

// countingDialer counts the packets that are sent. Each of them waits for an
// answer.
type countingDialer struct{ dialed, sent atomic.Int64 }

func (d *countingDialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d.dialed.Add(1)
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	return countingConn{conn, d}, err
}

type countingConn struct {
	net.Conn
	dialer *countingDialer
}

func (c countingConn) Write(p []byte) (int, error) {
	c.dialer.sent.Add(1)
	return c.Conn.Write(p)
}

// lateDialer makes connections that delay a packet that contains a text. They
// send it even if they were closed meanwhile.
type lateDialer struct {
	text  string
	after time.Duration
}

func (d *lateDialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	return &lateConn{Conn: conn, dialer: d}, err
}

type lateConn struct {
	net.Conn
	dialer *lateDialer
	late   atomic.Bool
}

func (c *lateConn) Write(p []byte) (int, error) {
	if !bytes.Contains(p, []byte(c.dialer.text)) {
		return c.Conn.Write(p)
	}
	c.late.Store(true)
	p = bytes.Clone(p)
	time.AfterFunc(c.dialer.after, func() {
		c.Conn.Write(p)
		c.Conn.Close()
	})
	return len(p), nil
}

func (c *lateConn) Close() error {
	if c.late.Load() {
		return c.Conn.SetReadDeadline(time.Now())
	}
	return c.Conn.Close()
}
