package mysqldb

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/failure/network"
	"github.com/qedkit/qed/sqldb"
)

// classify returns the [sqldb.Error] for an error of the driver. It returns nil
// if the error is not known.
func classify(err error) *sqldb.Error {
	if server, ok := errors.AsType[*mysql.MySQLError](err); ok {
		e := serverError(server)
		e.Err = err
		return e
	}
	for _, known := range driverErrors {
		if errors.Is(err, known.err) {
			return failure.Wrap(known.kind, known.message, err)
		}
	}
	return network.Failure(err, "data source name")
}

var driverErrors = []struct {
	err     error
	kind    sqldb.Kind
	message string
}{
	{mysql.ErrInvalidConn, sqldb.ErrUnavailable, "the connection broke: try again"},
	{mysql.ErrPktTooLarge, sqldb.ErrTooLarge, "the statement, the session or a row exceeds maxAllowedPacket of the driver"},
	{mysql.ErrNoTLS, sqldb.ErrUnreadable, "the data source name requires TLS, which the server does not support"},
	{mysql.ErrCleartextPassword, sqldb.ErrUnreadable, disallowedAuthentication},
	{mysql.ErrNativePassword, sqldb.ErrUnreadable, disallowedAuthentication},
	{mysql.ErrOldPassword, sqldb.ErrUnreadable, disallowedAuthentication},
	{mysql.ErrUnknownPlugin, sqldb.ErrUnreadable, unknownAuthentication},
	{mysql.ErrOldProtocol, sqldb.ErrUnreadable, "the server is too old for the driver"},
}

const (
	disallowedAuthentication = "the account needs an authentication method that the data source name does not allow"
	refusedAccount           = "the server refuses the account: check user and password in the data source name, " +
		"and add tls=true if the server or the account requires TLS"
	unknownAuthentication = "the account needs an authentication method that the driver does not support"
)

// serverError returns the kind and the text for an error of the server.
func serverError(e *mysql.MySQLError) *sqldb.Error {
	if string(e.SQLState[:]) == signalled {
		return failure.New(sqldb.ErrExecution, functionFailed)
	}
	if e.Number == 1290 && strings.Contains(e.Message, "max-session-mem-used") {
		return failure.New(sqldb.ErrTooLarge, "the statement needs more memory than max_session_mem_used: "+
			"collect and sort fewer rows")
	}
	if known, ok := serverErrors[e.Number]; ok {
		return failure.New(known.kind, known.message)
	}
	switch e.Number {
	case 1142, 1143, 1370: // the message names the account, then the object
		message := "the account lacks a right that the statement needs"
		if i := strings.LastIndex(e.Message, " for "); i >= 0 {
			message += ", on " + failure.Line(e.Message[i+len(" for "):])
		}
		return failure.New(sqldb.ErrUnreadable, message+": DB.Check reports which")
	}
	message := e.Message
	if !slices.Contains(aboutNames, e.Number) {
		message = failure.WithoutQuoted(message, "'\"`")
	}
	return failure.New(sqldb.ErrExecution, cmp.Or(failure.Line(message), fmt.Sprintf("the server failed with its error %d", e.Number)))
}

// signalled is the SQLSTATE of an error that a function of the database raises.
// The function's author chooses its number and its text.
const (
	signalled      = "45000"
	functionFailed = "a function of the database raised an error"
)

// serverErrors are the errors whose message says what to do, by their numbers. Up
// to 1900, MySQL and MariaDB have the same numbers.
var serverErrors = map[uint16]struct {
	kind    sqldb.Kind
	message string
}{
	1969: {sqldb.ErrTimeout, "the server stopped the statement after the time limit"},
	3024: {sqldb.ErrTimeout, "the server stopped the statement after the time limit"},
	1028: {sqldb.ErrCanceled, "the statement was stopped on the server"},
	1317: {sqldb.ErrCanceled, "the statement was stopped on the server"},

	1040: {sqldb.ErrUnavailable, "the server has no connection left: lower MaxOpenConns or raise max_connections"},
	1053: {sqldb.ErrUnavailable, "the server is shutting down: try again later"},
	1129: {sqldb.ErrUnavailable, "the server blocks this host after failed attempts: run FLUSH HOSTS there"},
	1203: {sqldb.ErrUnavailable, "the account has no connection left: lower MaxOpenConns or raise max_user_connections"},
	1205: {sqldb.ErrUnavailable, "a table or row is locked: try again later"},
	1213: {sqldb.ErrUnavailable, "the statement was in a deadlock with another one: try again"},
	1226: {sqldb.ErrUnavailable, "the account has reached its limit of connections or statements: try again later"},
	1158: {sqldb.ErrUnavailable, "the connection broke: try again"},
	1159: {sqldb.ErrUnavailable, "the connection broke: try again"},
	1160: {sqldb.ErrUnavailable, "the connection broke: try again"},
	1161: {sqldb.ErrUnavailable, "the connection broke: try again"},
	1927: {sqldb.ErrUnavailable, "the connection was ended on the server: try again"},
	3169: {sqldb.ErrUnavailable, "the connection was ended on the server: try again"},

	1044: {sqldb.ErrUnreadable, "the account may not use the database: grant it a right there"},
	1045: {sqldb.ErrUnreadable, refusedAccount},
	1130: {sqldb.ErrUnreadable, "the server refuses every account from this host"},
	1227: {sqldb.ErrUnreadable, "the account lacks a right that the statement needs: DB.Check reports which"},
	1251: {sqldb.ErrUnreadable, unknownAuthentication},
	1356: {sqldb.ErrUnreadable, "a view is broken: something that it reads is missing, or its definer may not read it"},
	1449: {sqldb.ErrUnreadable, "a view's definer does not exist: create the view again"},
	1698: {sqldb.ErrUnreadable, refusedAccount},
	1820: {sqldb.ErrUnreadable, "the account's password has expired: set a new one"},
	1862: {sqldb.ErrUnreadable, "the account's password has expired: set a new one"},
	3118: {sqldb.ErrUnreadable, "the account is locked"},
	3159: {sqldb.ErrUnreadable, "the server requires TLS: add tls=true to the data source name"},
	4151: {sqldb.ErrUnreadable, "the account is locked"},

	1046: {sqldb.ErrArgument, "the pool is connected to no database: name one in the data source name, after the slash"},
	1049: {sqldb.ErrMissing, "there is no such database: check its name in the data source name"},

	1290: {sqldb.ErrDenied, "the statement would write"},
	1792: {sqldb.ErrDenied, "the statement would write"},
	1836: {sqldb.ErrDenied, "the statement would write"},

	3:    {sqldb.ErrTooLarge, "the server has no space for temporary files: narrow the statement"},
	1021: {sqldb.ErrTooLarge, "the server has no space for temporary files: narrow the statement"},
	1037: {sqldb.ErrTooLarge, "the server is out of memory: narrow the statement"},
	1038: {sqldb.ErrTooLarge, "the server is out of memory for sorting: narrow the statement"},
	1041: {sqldb.ErrTooLarge, "the server is out of memory: narrow the statement"},
	1104: {sqldb.ErrTooLarge, "the statement would examine more rows than max_join_size allows: narrow it"},
	1114: {sqldb.ErrTooLarge, "an intermediate result is too large for the server: narrow the statement"},
	1116: {sqldb.ErrTooLarge, "the statement joins too many tables"},
	1117: {sqldb.ErrTooLarge, "the statement has too many columns"},
	1118: {sqldb.ErrTooLarge, "a row is too large for the server: select fewer columns"},
	1135: {sqldb.ErrTooLarge, "the server is out of memory: try again later"},
	1153: {sqldb.ErrTooLarge, "the statement, the session or a row is larger than the server's max_allowed_packet"},
	1436: {sqldb.ErrTooLarge, "the statement is nested too deep for the server"},
	3636: {sqldb.ErrTooLarge, "the recursion went deeper than the server allows: narrow it"},

	1194: {sqldb.ErrNotDatabase, "a table is damaged: repair it"},
	1195: {sqldb.ErrNotDatabase, "a table is damaged: repair it"},

	1298: {sqldb.ErrArgument, "the server does not know the time zone of sqldb.Options.Zone: load its tables of " +
		"time zones with mysql_tzinfo_to_sql, or use an offset such as +02:00"},

	1191: {sqldb.ErrExecution, "no FULLTEXT index has exactly the columns of MATCH, or a view computes them: " +
		"match the columns of an index, or use LIKE"},
	1365: {sqldb.ErrExecution, "division by zero: use NULLIF"},
	1644: {sqldb.ErrExecution, functionFailed},
	1690: {sqldb.ErrExecution, "a number is out of the range of its type: CAST the operands to SIGNED or DECIMAL"},
}

// aboutNames are the errors whose text quotes names and the statement, but no value
// of a row.
var aboutNames = []uint16{
	1052, 1054, 1055, 1056, 1059, 1060, 1064, 1066, 1109, 1115, 1128, 1146, 1176, 1210, 1235, 1247, 1250, 1253,
	1267, 1270, 1271, 1273, 1305, 1318, 1347, 1425, 1426, 1427, 1463, 1582, 1583, 1584, 1630,
	// Of MySQL, about ORDER BY, WITH and windows.
	3029, 3065, 3573, 3574, 3575, 3576, 3579, 3580, 3581, 3582, 3587, 3591, 3593, 3594,
}
