package provider

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/qedkit/qed/llm"
)

// Failed says in qed's terms how a call failed. partial is what had arrived.
func (c *Call) Failed(err error, partial *llm.Response) error {
	e := &llm.Error{Provider: c.provider, Err: err, Partial: partial}
	var (
		known       *llm.Error
		certificate *tls.CertificateVerificationError
		network     net.Error
	)
	switch ended, stopped := c.caller.Err(), c.Ctx.Err(); {
	case errors.Is(ended, context.Canceled):
		return c.cancelled(ended)
	case ended != nil:
		e.Kind, e.Message, e.Err = llm.ErrTimeout, "the context's deadline has passed", ended
	case stopped != nil:
		e.Kind, e.Message, e.Err = llm.ErrTimeout, fmt.Sprintf("no whole reply within %v (Config.Timeout) from %s", c.timeout, c.address()), stopped
	case errors.As(err, &known):
		known.Partial = partial
		return known
	case errors.Is(err, errReplyTooLarge), errors.Is(err, bufio.ErrTooLong):
		e.Kind, e.Message = llm.ErrProtocol, fmt.Sprintf("the reply is larger than %d MiB", maxReply>>20)
	case errors.As(err, &certificate), errors.Is(err, http.ErrSchemeMismatch):
		e.Kind, e.Message = llm.ErrProtocol, "no TLS connection to "+c.address()+": is its scheme right, and its certificate known here?"
	case errors.As(err, &network) && network.Timeout():
		e.Kind, e.Message = llm.ErrTimeout, "no connection in time to "+c.address()
	case c.replied && brokeOff(err):
		return c.Cut(err, partial)
	case c.replied:
		return c.garbled(err, partial)
	default:
		e.Kind, e.Message = llm.ErrUnavailable, c.unreachable(err)
	}
	return e
}

// cancelled matches the context's error, with the caller's reason where there is one.
func (c *Call) cancelled(err error) error {
	if cause := context.Cause(c.caller); !errors.Is(cause, err) {
		return fmt.Errorf("llm: %s: %w: %w", c.provider, err, cause)
	}
	return fmt.Errorf("llm: %s: %w", c.provider, err)
}

// Cut is the error for a reply that ended before it was complete.
func (c *Call) Cut(err error, partial *llm.Response) error {
	return &llm.Error{Kind: llm.ErrTruncated, Provider: c.provider, Message: "the connection ended before the reply did", Err: err, Partial: partial}
}

func (c *Call) garbled(err error, partial *llm.Response) error {
	e := c.Protocol("the reply cannot be read")
	e.Err, e.Partial = err, partial
	return e
}

// brokeOff reports whether a connection ended early. JSON that ends early came from one that did too.
func brokeOff(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.As(err, &op)
}

func (c *Call) unreachable(err error) string {
	remedy := "is the server running, and reachable from here?"
	if c.base.Port() == "11434" {
		remedy = "start Ollama there with `ollama serve`"
	}
	reason := "the connection failed"
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		reason, remedy = "its host name is not known", "is it spelt right, and is there a network?"
	case errors.Is(err, syscall.ECONNREFUSED):
		reason = "nothing listens there"
	}
	return fmt.Sprintf("cannot reach %s, %s: %s", c.address(), reason, remedy)
}
