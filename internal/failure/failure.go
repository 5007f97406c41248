// Package failure makes the errors of the engines of package sqldb. It turns
// the errors of servers and networks into texts that are safe to show.
package failure

import (
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"github.com/qedkit/qed/sqldb"
)

// New returns an error of the given kind. The message is one sentence, with
// what to do about it if that is known.
func New(kind sqldb.Kind, message string) *sqldb.Error {
	return &sqldb.Error{Kind: kind, Message: message}
}

// Newf is New with a formatted message.
func Newf(kind sqldb.Kind, format string, args ...any) *sqldb.Error {
	return New(kind, fmt.Sprintf(format, args...))
}

// Wrap is New with a cause.
func Wrap(kind sqldb.Kind, message string, cause error) *sqldb.Error {
	return &sqldb.Error{Kind: kind, Message: message, Err: cause}
}

// maxRunes is the length of the longest text that [Line] returns.
const maxRunes = 300

// Line returns message as one line of valid UTF-8. A long message is cut.
func Line(message string) string {
	message = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(message, "\uFFFD"))
	if r := []rune(message); len(r) > maxRunes {
		message = string(r[:maxRunes]) + "…"
	}
	return strings.TrimSpace(message)
}

// WithoutQuoted returns message without the text from the first to the last of
// quotes, which may be a value of a row.
func WithoutQuoted(message, quotes string) string {
	first, last := strings.IndexAny(message, quotes), strings.LastIndexAny(message, quotes)
	if first < 0 {
		return message
	}
	return message[:first] + "…" + message[last+1:]
}

// broken are the errors of a connection that ended.
var broken = []error{driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE}

// OfNetwork returns the error for a connection that could not be opened or
// ended, and nil for other errors. source is what the program was given to
// connect with, such as "connection string".
func OfNetwork(err error, source string) *sqldb.Error {
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
