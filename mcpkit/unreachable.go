package mcpkit

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An unreachableError is the reason why a connection was not made. The target is
// only for the application: models and users read the errors of calls.
type unreachableError struct {
	target string // a host or a program, without path, query and arguments, which may hold a key
	reason string // empty if it is not known
	cause  error
}

func (e *unreachableError) Error() string { return e.cause.Error() }
func (e *unreachableError) Unwrap() error { return e.cause }

// newUnreachable returns the reason why a transport did not connect.
func newUnreachable(t *tracked, cause error) *unreachableError {
	e := &unreachableError{reason: reason(cause), cause: cause}
	switch transport := t.Transport.(type) {
	case *mcp.CommandTransport:
		if transport.Command != nil {
			e.target = filepath.Base(transport.Command.Path)
		}
	case *mcp.StreamableClientTransport:
		u, err := url.Parse(transport.Endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			e.reason = "its address is not an http or https URL"
			break
		}
		e.target = u.Host
		if e.reason == "" {
			e.reason = statusReason(int(t.web.status.Load()))
		}
	}
	return e
}

// reason returns the kind of an error, without the texts in it.
func reason(err error) string {
	network, isNetwork := errors.AsType[net.Error](err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "there is no such program"
	case errors.Is(err, fs.ErrPermission):
		return "the program may not be run"
	case isDNS && dns.IsNotFound:
		return "there is no such host"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case isCertificate:
		return "its certificate is not trusted"
	case errors.Is(err, context.DeadlineExceeded), isNetwork && network.Timeout():
		return "it did not respond in time"
	}
	return ""
}

func statusReason(status int) string {
	switch status {
	case 0:
		return ""
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Sprintf("the client is not authorized (HTTP %d)", status)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fmt.Sprintf("there is no MCP endpoint at that address (HTTP %d)", status)
	}
	return fmt.Sprintf("it returned HTTP %d", status)
}

// withTarget returns err, the error of connecting, with a text that names the
// target.
func (e *unreachableError) withTarget(err error) error {
	text := ErrUnavailable.Error()
	for _, part := range []string{e.target, e.reason} {
		if part != "" {
			text += ": " + part
		}
	}
	return &quietError{text, err}
}
