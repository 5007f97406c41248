// Package network turns the errors of networks into those of package sqldb. Only the
// engines that are servers import it, because it needs crypto/tls.
package network

import (
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"syscall"

	"github.com/qedkit/qed/sqldb"
)

// broken are the errors of a connection that ended.
var broken = []error{driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE}

// Failure returns the error for a connection that could not be opened or
// ended, and nil for other errors. source is what the program was given to
// connect with, such as "connection string".
func Failure(err error, source string) *sqldb.Error {
	var certificate *tls.CertificateVerificationError
	var dns *net.DNSError
	var operation *net.OpError
	e := &sqldb.Error{Kind: sqldb.ErrUnavailable, Err: err}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message = "no server listens at the address: check host and port in the " + source + ", and that the server runs"
	case slices.ContainsFunc(broken, func(target error) bool { return errors.Is(err, target) }):
		e.Message = "the connection broke: try again"
	case errors.As(err, &certificate):
		e.Kind = sqldb.ErrUnreadable
		e.Message = "the server's certificate is not trusted: add its authority to the TLS configuration of the driver"
	case errors.As(err, &dns):
		e.Message = "the server's name cannot be resolved: check the host in the " + source
	case errors.As(err, &operation):
		e.Message = "the server cannot be reached"
	default:
		return nil
	}
	return e
}
