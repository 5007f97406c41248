package postgresdb

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"unicode"

	"github.com/qedkit/qed/sqldb"
)

// stateError is what drivers make of an error that the server reports.
type stateError interface {
	error
	SQLState() string
}

// classify gives an error its kind, with a text that is safe to show.
func classify(err error) *sqldb.Error {
	var s stateError
	if errors.As(err, &s) && len(s.SQLState()) == 5 {
		kind, message := state(s)
		return &sqldb.Error{Kind: kind, Message: message, Err: err}
	}
	message := ""
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		message = "the server's name cannot be resolved: check the host in the connection string"
	case errors.Is(err, syscall.ECONNREFUSED):
		message = "nobody answers at the server's address: check host and port in the connection string, and that the server runs"
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		message = "the connection broke: try again"
	default:
		var dial *net.OpError
		if !errors.As(err, &dial) {
			return nil
		}
		message = "the server cannot be reached"
	}
	return &sqldb.Error{Kind: sqldb.ErrConnect, Message: message, Err: err}
}

// state is the kind and the text of an error that the server reports. Where its
// own text can hold a value of a row, ours takes its place.
func state(s stateError) (sqldb.Kind, string) {
	code := s.SQLState()
	if code == "57014" && strings.Contains(s.Error(), "user request") {
		return sqldb.ErrCancelled, "the statement was stopped on the server"
	}
	message, severity := text(s)
	if severity == "FATAL" && (code[:2] == "22" || code[:2] == "42") { // nothing about a statement is fatal
		if code == "42501" {
			return sqldb.ErrUnreadable, "the account may not connect to the database: grant it CONNECT there"
		}
		return sqldb.ErrArgument, "the server refuses a parameter of the connection string"
	}
	if known, ok := states[code]; ok {
		return known.kind, known.message
	}
	if known, ok := states[code[:2]]; ok {
		return known.kind, known.message
	}
	switch code[:2] {
	case "42", "0A", "55", "25", "3F", "26": // about the statement and the catalogue: names and types
		if code == "42601" { // of a text in a row too, which is read as a tsquery
			message = withoutQuoted(message)
		}
		if code == "42P01" && !strings.Contains(message, ".") { // a statement names its tables with their schema
			message += ": a function that looks for it needs its schema in Session.SearchPath"
		}
		return sqldb.ErrExecution, message
	}
	return sqldb.ErrExecution, "the server failed with SQLSTATE " + code
}

// states is by SQLSTATE, or by its class.
var states = map[string]struct {
	kind    sqldb.Kind
	message string
}{
	"08":    {sqldb.ErrConnect, "the connection failed: try again"},
	"22":    {sqldb.ErrExecution, "a value cannot be used as the statement uses it"},
	"22001": {sqldb.ErrExecution, "a text is too long for its type"},
	"22003": {sqldb.ErrExecution, "a number is out of the range of its type"},
	"22007": {sqldb.ErrExecution, "a text is not a date or a time, or not one of the format given"},
	"22008": {sqldb.ErrExecution, "a date or a time is out of range"},
	"22012": {sqldb.ErrExecution, "division by zero: use NULLIF"},
	"22021": {sqldb.ErrExecution, "a text is not valid in its encoding: the database does not check it (SQL_ASCII), or the text was made of bytes"},
	"22P02": {sqldb.ErrExecution, "a text is not a value of the type that it is read as"},
	"22P05": {sqldb.ErrExecution, "a character does not exist in the encoding of the database"},
	"25006": {sqldb.ErrDenied, "the statement would write"},
	"25P03": {sqldb.ErrConnect, "the server ended the connection, which was idle for too long: try again"},
	"25P04": {sqldb.ErrTimeout, "the server ended the transaction after its time limit (transaction_timeout)"},
	"26000": {sqldb.ErrConnect, "a prepared statement is gone: behind a proxy that shares connections, add default_query_exec_mode=exec to pgx's connection string"},
	"28":    {sqldb.ErrUnreadable, "the server does not let this account in: check user and password, and pg_hba.conf"},
	"2F":    {sqldb.ErrExecution, "a function failed"},
	"38":    {sqldb.ErrExecution, "a function failed"},
	"39":    {sqldb.ErrExecution, "a function failed"},
	"39000": {sqldb.ErrSession, "a function of a view failed: the session's key may not be the one that the values were encrypted with"}, // pgcrypto's
	"3D":    {sqldb.ErrMissing, "there is no such database: check its name in the connection string"},
	"40":    {sqldb.ErrConnect, "the statement was in the way of another one, or of what a replica had to replay: try again"},
	"42501": {sqldb.ErrUnreadable, "the account has not the rights that the statement needs: DB.Check tells which"},
	"42P05": {sqldb.ErrConnect, "a prepared statement is another session's: behind a proxy that shares connections, add default_query_exec_mode=exec to pgx's connection string"},
	"53":    {sqldb.ErrTooLarge, "the server is out of memory, of space or of locks: narrow the statement"},
	"53300": {sqldb.ErrConnect, "the server has no connection left: lower SetMaxOpenConns or raise max_connections"},
	"54":    {sqldb.ErrTooLarge, "the statement or a value in it is beyond a limit of the server: make it simpler"},
	"55P03": {sqldb.ErrConnect, "a table is locked: try again later"},
	"57":    {sqldb.ErrConnect, "the server ended the connection, or takes none now: try again later"},
	"57014": {sqldb.ErrTimeout, "the server stopped the statement after the time limit"},
	"58":    {sqldb.ErrUnreadable, "the server cannot read its files"},
	"P0":    {sqldb.ErrExecution, "a function of the database raised an error"},
	"XX001": {sqldb.ErrNotDatabase, "a table is damaged: restore it"},
	"XX002": {sqldb.ErrNotDatabase, "an index is damaged: run REINDEX"},
}

// text is what the server says, without what drivers add, on one line; before it
// stands how severe that is, or the driver's name.
func text(s stateError) (message, severity string) {
	message = strings.TrimSuffix(s.Error(), " (SQLSTATE "+s.SQLState()+")")
	if before, after, ok := strings.Cut(message, ": "); ok && !strings.ContainsFunc(before, unicode.IsSpace) {
		severity, message = before, after
	}
	message = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(message, "\uFFFD"))
	const longest = 300
	if r := []rune(message); len(r) > longest {
		message = string(r[:longest]) + "…"
	}
	return message, severity
}

// withoutQuoted leaves out all from the first quote to the last.
func withoutQuoted(message string) string {
	first, last := strings.IndexByte(message, '"'), strings.LastIndexByte(message, '"')
	if first < 0 {
		return message
	}
	return message[:first] + "…" + message[last+1:]
}

// refusedSession is the error of a transaction that could not be begun. It holds
// nothing of what the server says about a setting or a role.
func refusedSession(err error) error {
	var s stateError
	if !errors.As(err, &s) || len(s.SQLState()) != 5 {
		return err
	}
	switch s.SQLState()[:2] {
	case "22", "42":
		return &sqldb.Error{
			Kind:    sqldb.ErrArgument,
			Message: "the server does not take the session: its role must be one that the account is a member of, and its settings must not be parameters of an extension (SQLSTATE " + s.SQLState() + ")",
		}
	}
	return err
}
