// Package network turns the errors of networks into those of package sqldb. Only the
// engines that are servers import it, because it needs crypto/tls.
package network

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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
	var dns *net.DNSError
	var operation *net.OpError
	var timeout net.Error
	e := &sqldb.Error{Kind: sqldb.ErrUnavailable, Err: err}
	if message := certificate(err); message != "" {
		e.Kind, e.Message = sqldb.ErrUnreadable, message
		return e
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message = "no server listens at the address: check host and port in the " + source + ", and that the server runs"
	case slices.ContainsFunc(broken, func(target error) bool { return errors.Is(err, target) }):
		e.Message = "the connection broke: try again"
	case errors.As(err, &dns):
		e.Message = "the server's name cannot be resolved: check the host in the " + source
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		e.Message = "the server did not answer in time: check host and port in the " + source + ", and what lies between"
	case errors.As(err, &operation):
		e.Message = "the server cannot be reached"
	default:
		return nil
	}
	return e
}

// certificate returns what is wrong with the certificate of a server, or an empty text.
func certificate(err error) string {
	var verification *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &host):
		return "the server's certificate is for another host: connect by a name that it has, " +
			"or set that name in the TLS configuration of the driver"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the server's certificate has expired, or is not valid yet: renew it, or correct the clock of this machine"
	case errors.As(err, &unknown), errors.As(err, &verification):
		return "the server's certificate is not trusted: add its authority to the TLS configuration of the driver"
	}
	return ""
}
