package mysqldb

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/sqldb"
)

func TestClassify(t *testing.T) {
	server := func(number uint16, message string) error {
		return fmt.Errorf("wrapped: %w", &mysql.MySQLError{Number: number, Message: message})
	}
	for _, tt := range []struct {
		err  error
		kind sqldb.Kind
		show string // what the text contains
		hide string // what it does not contain
	}{
		{server(1969, "Query execution was interrupted (max_statement_time exceeded)"), sqldb.ErrTimeout, "time limit", ""},
		{server(3024, ""), sqldb.ErrTimeout, "time limit", ""},
		{server(1317, "Query execution was interrupted"), sqldb.ErrCanceled, "", ""},
		{server(1045, "Access denied for user 'agent'@'10.0.0.1' (using password: YES)"), sqldb.ErrUnreadable, "password", "agent"},
		{server(1044, "Access denied for user 'agent'@'%' to database 'shop'"), sqldb.ErrUnreadable, "", "shop"},
		{server(1049, "Unknown database 'shop'"), sqldb.ErrMissing, "", "shop"},
		{server(1142, "SELECT command denied to user 'agent'@'%' for table `shop`.`payroll`"), sqldb.ErrUnreadable, "payroll", "agent"},
		{server(1143, "SELECT command denied to user 'agent'@'%' for column 'ssn' in table 'person'"), sqldb.ErrUnreadable, "ssn", "agent"},
		{server(1370, "execute command denied to user 'agent'@'%' for routine 'shop.f'"), sqldb.ErrUnreadable, "shop.f", "agent"},
		{server(1146, "Table 'shop.persn' doesn't exist"), sqldb.ErrExecution, "persn", ""},
		{server(1054, "Unknown column 'nmae' in 'field list'"), sqldb.ErrExecution, "nmae", ""},
		{server(1290, "The MariaDB server is running with the --max-session-mem-used=268435456 option so it cannot execute this statement"),
			sqldb.ErrTooLarge, "max_session_mem_used", ""},
		{server(1290, "The MySQL server is running with the --read-only option so it cannot execute this statement"), sqldb.ErrDenied, "would write", ""},
		{server(1064, "You have an error in your SQL syntax; .. near 'SELEKT' at line 1"), sqldb.ErrExecution, "SELEKT", ""},
		{server(1292, "Truncated incorrect DOUBLE value: 'it's hunter2'"), sqldb.ErrExecution, "Truncated", "hunter2"},
		{server(1366, "Incorrect string value: '\\xFF' for column `shop`.`t`.`c` at row 1"), sqldb.ErrExecution, "Incorrect", "xFF"},
		{server(1690, "BIGINT UNSIGNED value is out of range in '(5 - 4711)'"), sqldb.ErrExecution, "range", "4711"},
		{server(1644, "hunter2 is not allowed"), sqldb.ErrExecution, "function", "hunter2"},
		{&mysql.MySQLError{Number: 30001, SQLState: [5]byte([]byte("45000")), Message: "hunter2 is not allowed"}, sqldb.ErrExecution, "function", "hunter2"},
		{&mysql.MySQLError{Number: 1054, SQLState: [5]byte([]byte("45000")), Message: "hunter2 is not allowed"}, sqldb.ErrExecution, "function", "hunter2"},
		{server(9999, ""), sqldb.ErrExecution, "9999", ""},
		{server(1792, "Cannot execute statement in a READ ONLY transaction"), sqldb.ErrDenied, "", ""},
		{server(1153, "Got a packet bigger than 'max_allowed_packet' bytes"), sqldb.ErrTooLarge, "max_allowed_packet", ""},
		{server(1927, "Connection was killed"), sqldb.ErrUnavailable, "", ""},
		{mysql.ErrPktTooLarge, sqldb.ErrTooLarge, "", ""},
		{mysql.ErrInvalidConn, sqldb.ErrUnavailable, "", ""},
		{fmt.Errorf("driver: %w", driver.ErrBadConn), sqldb.ErrUnavailable, "", ""},
		{io.ErrUnexpectedEOF, sqldb.ErrUnavailable, "", ""},
		{&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}, sqldb.ErrUnavailable, "port", ""},
		{&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Name: "db.internal", Err: "no such host"}}, sqldb.ErrUnavailable, "name", "db.internal"},
		{&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3)}, Err: errors.New("no route")}, sqldb.ErrUnavailable, "", "10.1.2.3"},
	} {
		got := classify(tt.err)
		switch {
		case got == nil || got.Kind != tt.kind || !errors.Is(got, tt.err):
			t.Errorf("%v: %v", tt.err, got)
		case !strings.Contains(got.Message, tt.show) || tt.hide != "" && strings.Contains(got.Error(), tt.hide):
			t.Errorf("%v: the text is %q", tt.err, got)
		case strings.TrimSpace(got.Message) == "":
			t.Errorf("%v: no text", tt.err)
		}
	}
	if got := classify(errors.New("something else")); got != nil {
		t.Errorf("an unknown error: %v", got)
	}
}
