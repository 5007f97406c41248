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

// Error returns the error of a failed call as an [*llm.Error], or as one that
// matches [context.Canceled]. partial is the part of the reply that arrived.
func (c *Call) Error(err error, partial *llm.Response) error {
	e := &llm.Error{Provider: c.provider, Err: err, Partial: partial}
	var (
		known       *llm.Error
		malformed   Malformed
		certificate *tls.CertificateVerificationError
		network     net.Error
		tooLarge    *http.MaxBytesError
	)
	switch callerErr, callErr := c.caller.Err(), c.Ctx.Err(); {
	case errors.Is(callerErr, context.Canceled):
		return c.cancelled(callerErr)
	case callerErr != nil:
		e.Kind, e.Message, e.Err = llm.ErrTimeout, "the context's deadline has passed", callerErr
	case callErr != nil:
		e.Kind, e.Err = llm.ErrTimeout, context.Cause(c.Ctx)
		e.Message = fmt.Sprintf("no complete reply within %v (Options.Timeout) from %s", c.timeout, c.address())
	case errors.As(err, &known):
		known.Partial = partial
		return known
	case errors.As(err, &malformed):
		e = c.ProtocolError(string(malformed))
		e.Partial = partial
	case errors.As(err, &tooLarge), errors.Is(err, bufio.ErrTooLong):
		e.Kind, e.Message = llm.ErrProtocol, fmt.Sprintf("the reply is larger than %d MiB", maxReply>>20)
	case errors.As(err, &certificate), errors.Is(err, http.ErrSchemeMismatch):
		e.Kind = llm.ErrProtocol
		e.Message = "no TLS connection to " + c.address() + ": check the scheme and the server's certificate"
	case errors.As(err, &network) && network.Timeout():
		e.Kind, e.Message = llm.ErrTimeout, "no connection in time to "+c.address()
	case c.replied && connectionEnded(err):
		return c.TruncatedError(err, partial)
	case c.replied:
		e = c.ProtocolError("the reply cannot be read")
		e.Err, e.Partial = err, partial
	default:
		e.Kind, e.Message = llm.ErrUnavailable, c.unreachable(err)
	}
	return e
}

// cancelled returns an error that matches err, the context's error, and the cause
// of the cancellation.
func (c *Call) cancelled(err error) error {
	if cause := context.Cause(c.caller); !errors.Is(cause, err) {
		return fmt.Errorf("llm: %s: %w: %w", c.provider, err, cause)
	}
	return fmt.Errorf("llm: %s: %w", c.provider, err)
}

// TruncatedError returns the error for a reply whose connection ended too early.
func (c *Call) TruncatedError(err error, partial *llm.Response) error {
	return &llm.Error{
		Kind:     llm.ErrTruncated,
		Provider: c.provider,
		Message:  "the connection ended before the reply was complete",
		Err:      err,
		Partial:  partial,
	}
}

// connectionEnded reports whether err is that of a connection that ended early.
// Incomplete JSON is a sign of one as well.
func connectionEnded(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.As(err, &op)
}

// unreachable explains an error of a server that did not reply.
func (c *Call) unreachable(err error) string {
	remedy := "is the server running, and is there a route to it?"
	if c.base.Port() == "11434" {
		remedy = "start Ollama there with `ollama serve`"
	}
	reason := "the connection failed"
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		reason, remedy = "its host name is unknown", "check the spelling and the network"
	case errors.Is(err, syscall.ECONNREFUSED):
		reason = "the connection was refused"
	}
	return fmt.Sprintf("cannot reach %s: %s: %s", c.address(), reason, remedy)
}
