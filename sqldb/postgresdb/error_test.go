package postgresdb

import (
	"context"
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/qedkit/qed/sqldb"
)

// reported is a driver's error for an error of the server.
type reported struct{ text, code string }

func (e reported) Error() string    { return e.text }
func (e reported) SQLState() string { return e.code }

// ofPGX and pq return an error in the form of these drivers.
func ofPGX(severity, code, message string) error {
	return reported{severity + ": " + message + " (SQLSTATE " + code + ")", code}
}
func pq(code, message string) error { return reported{"pq: " + message, code} }

func TestClassify(t *testing.T) {
	const secret = "hunter2"
	for _, test := range []struct {
		err  error
		want sqldb.Kind
		says string
	}{
		{ofPGX("ERROR", "57014", "canceling statement due to statement timeout"), sqldb.ErrTimeout, ""},
		{ofPGX("FEHLER", "57014", "storniere Anfrage wegen Zeitüberschreitung der Anfrage"), sqldb.ErrTimeout, ""},
		{ofPGX("ERROR", "57014", "canceling statement due to user request"), sqldb.ErrCanceled, ""},
		{ofPGX("FATAL", "57P01", "terminating connection due to administrator command"), sqldb.ErrUnavailable, ""},
		{ofPGX("FATAL", "57P03", "the database system is starting up"), sqldb.ErrUnavailable, ""},
		{ofPGX("FATAL", "53300", "sorry, too many clients already"), sqldb.ErrUnavailable, "MaxOpenConns"},
		{ofPGX("ERROR", "53200", "out of memory"), sqldb.ErrTooLarge, ""},
		{ofPGX("ERROR", "54001", "stack depth limit exceeded"), sqldb.ErrTooLarge, ""},
		{ofPGX("FATAL", "28P01", `password authentication failed for user "hunter2"`), sqldb.ErrUnreadable, ""},
		{ofPGX("FATAL", "28000", `no pg_hba.conf entry for host "10.0.0.1", user "hunter2"`), sqldb.ErrUnreadable, ""},
		{ofPGX("FATAL", "28000", `no pg_hba.conf entry for host "10.0.0.1", user "hunter2", no encryption`), sqldb.ErrUnreadable, "sslmode"},
		{ofPGX("FATAL", "08P01", "unsupported startup parameter: hunter2"), sqldb.ErrArgument, "ignore_startup_parameters"},
		{ofPGX("FATAL", "08P01", "transaction blocks not allowed in statement pooling mode"), sqldb.ErrArgument, "pool_mode"},
		{ofPGX("FATAL", "08P01", "no such database: hunter2"), sqldb.ErrMissing, "database"},
		{ofPGX("FATAL", "08P01", "no such user: hunter2"), sqldb.ErrUnreadable, "account"},
		{ofPGX("FATAL", "08P01", "no more connections allowed (max_client_conn)"), sqldb.ErrUnavailable, "max_client_conn"},
		{ofPGX("FATAL", "08P01", "query_wait_timeout"), sqldb.ErrUnavailable, "default_pool_size"},
		{ofPGX("FATAL", "08P01", "server login failed: FATAL hunter2"), sqldb.ErrUnavailable, "log in to the server"},
		{ofPGX("FATAL", "08P01", "pgbouncer cannot connect to server"), sqldb.ErrUnavailable, "reach the server"},
		{ofPGX("FATAL", "08P01", "protocol error: hunter2"), sqldb.ErrUnavailable, ""},
		{ofPGX("FATAL", "3D000", `database "hunter2" does not exist`), sqldb.ErrMissing, ""},
		{ofPGX("FATAL", "42501", `permission denied for database "hunter2"`), sqldb.ErrUnreadable, "CONNECT"},
		{ofPGX("FATAL", "42704", `unrecognized configuration parameter "hunter2"`), sqldb.ErrArgument, ""},
		{ofPGX("FATAL", "22023", `invalid value for parameter "DateStyle": "hunter2"`), sqldb.ErrArgument, ""},
		{ofPGX("FATAL", "25P03", "terminating connection due to idle-in-transaction timeout"), sqldb.ErrUnavailable, ""},
		{ofPGX("ERROR", "42501", "permission denied for table t"), sqldb.ErrUnreadable, "DB.Check"},
		{ofPGX("ERROR", "42P01", `relation "public.t" does not exist`), sqldb.ErrExecution, `relation "public.t" does not exist`},
		{pq("42P01", `relation "public.t" does not exist`), sqldb.ErrExecution, `relation "public.t" does not exist`},
		{ofPGX("ERROR", "42P01", `relation "t" does not exist`), sqldb.ErrExecution, "SearchPath"},
		{ofPGX("ERROR", "42883", `function fullname(text) does not exist`), sqldb.ErrExecution, "SearchPath"},
		{ofPGX("ERROR", "42883", `function replace(integer, unknown, unknown) does not exist`), sqldb.ErrExecution, "does not exist"},
		{ofPGX("ERROR", "42703", "column \"a\n: b\" does not exist"), sqldb.ErrExecution, `column "a : b" does not exist`},
		{ofPGX("ERROR", "42601", "syntax error: "+strings.Repeat("x", 1000)), sqldb.ErrExecution, "…"},
		{ofPGX("ERROR", "42601", `syntax error in tsquery: "hunter2 "x"`), sqldb.ErrExecution, "syntax error in tsquery"},
		{ofPGX("ERROR", "22P02", `invalid input syntax for type integer: "hunter2"`), sqldb.ErrExecution, ""},
		{ofPGX("ERROR", "22023", `wrong: hunter2`), sqldb.ErrExecution, ""},
		{ofPGX("ERROR", "22021", `invalid byte sequence for encoding "UTF8": 0xff`), sqldb.ErrExecution, "encoding"},
		{ofPGX("ERROR", "P0001", "hunter2"), sqldb.ErrExecution, ""},
		{ofPGX("ERROR", "23514", "hunter2"), sqldb.ErrExecution, "23514"},
		{ofPGX("ERROR", "XX000", "hunter2"), sqldb.ErrExecution, "XX000"},
		{ofPGX("ERROR", "XX001", "hunter2"), sqldb.ErrNotDatabase, ""},
		{ofPGX("ERROR", "25006", "cannot execute INSERT in a read-only transaction"), sqldb.ErrDenied, ""},
		{ofPGX("ERROR", "40001", "canceling statement due to conflict with recovery"), sqldb.ErrUnavailable, ""},
		{ofPGX("ERROR", "26000", `prepared statement "x" does not exist`), sqldb.ErrUnavailable, "default_query_exec_mode"},
		{fmt.Errorf("wrapped: %w", ofPGX("ERROR", "22012", "division by zero")), sqldb.ErrExecution, "NULLIF"},
		{driver.ErrBadConn, sqldb.ErrUnavailable, ""},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), sqldb.ErrUnavailable, ""},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, sqldb.ErrUnavailable, "host and port"},
		{&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, sqldb.ErrUnavailable, ""},
		{&net.DNSError{Name: secret}, sqldb.ErrUnavailable, "host"},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, sqldb.ErrUnavailable, "in time"},
		{fmt.Errorf("timeout: %w", context.DeadlineExceeded), sqldb.ErrUnavailable, "in time"},
		{fmt.Errorf("tls: %w", x509.HostnameError{Certificate: &x509.Certificate{}, Host: secret}), sqldb.ErrUnreadable, "another host"},
		{fmt.Errorf("tls: %w", x509.UnknownAuthorityError{}), sqldb.ErrUnreadable, "authority"},
		{errors.New("tls error: server refused TLS connection"), sqldb.ErrUnreadable, "requires TLS"},
		{errors.New("received unexpected message: %!w(<nil>)\ntls error: server refused TLS connection"), sqldb.ErrUnavailable, "is not PostgreSQL"},
		{errors.New("other: " + secret), "", ""},
		{reported{"no state: " + secret, ""}, "", ""},
	} {
		got := classify(test.err)
		if got == nil {
			if test.want != "" {
				t.Errorf("%v is not known", test.err)
			}
			continue
		}
		if got.Kind != test.want || !strings.Contains(got.Message, test.says) || got.Message == "" {
			t.Errorf("%v: got %v", test.err, got)
		}
		if strings.Contains(got.Error(), secret) {
			t.Errorf("%v: the text contains %q", got, secret)
		}
		if !errors.Is(got, test.err) {
			t.Errorf("%v: the driver's error is not wrapped", got)
		}
	}
}
