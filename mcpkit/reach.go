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

// An unreached error says why a connection was not made. Where it was to go is for the host
// alone: a call's error is read by models and users.
type unreached struct {
	where string // a host, or the name of a program: no path, no query and no argument, in which a key may be
	why   string // empty: it is not known
	cause error
}

func (e *unreached) Error() string { return e.cause.Error() }
func (e *unreached) Unwrap() error { return e.cause }

// newUnreached says why a transport did not connect.
func newUnreached(t *tracked, cause error) *unreached {
	e := &unreached{why: reason(cause), cause: cause}
	switch transport := t.Transport.(type) {
	case *mcp.CommandTransport:
		if transport.Command != nil {
			e.where = filepath.Base(transport.Command.Path)
		}
	case *mcp.StreamableClientTransport:
		u, err := url.Parse(transport.Endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			e.why = "its address is no http or https URL"
			break
		}
		e.where = u.Host
		if e.why == "" {
			e.why = answered(int(t.web.status.Load()))
		}
	}
	return e
}

// reason is the kind of an error, without anything that stands in it.
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
		return "it did not answer in time"
	}
	return ""
}

// answered says what a status of HTTP means.
func answered(status int) string {
	switch status {
	case 0:
		return ""
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Sprintf("the client is not authorized (HTTP %d)", status)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fmt.Sprintf("there is no MCP endpoint at that address (HTTP %d)", status)
	}
	return fmt.Sprintf("it answered with HTTP %d", status)
}

// told is an error of connecting as the host reads it.
func (e *unreached) told(err error) error {
	text := ErrUnavailable.Error()
	for _, part := range []string{e.where, e.why} {
		if part != "" {
			text += ": " + part
		}
	}
	return &quiet{text, err}
}
