package postgresdb

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/failure/network"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqldb"
)

type stateError interface {
	error
	SQLState() string
}

// classify returns the [sqldb.Error] for an error of the driver. It returns nil
// if the error is not known.
func classify(err error) *sqldb.Error {
	if s, ok := errors.AsType[stateError](err); ok && len(s.SQLState()) == 5 {
		kind, message := state(s)
		return failure.Wrap(kind, message, err)
	}
	if isTooLong(err) {
		return failure.Wrap(sqldb.ErrTooLarge, "a row exceeds Options.MaxBytes by more than 8 MiB (bytea values count twice): "+
			"select fewer columns, or parts of long values", err)
	}
	// pgx has no types for these.
	if strings.Contains(err.Error(), "received unexpected message") {
		return failure.Wrap(sqldb.ErrUnavailable, "the server at this address is not PostgreSQL: check host and port in the connection string", err)
	}
	if strings.Contains(err.Error(), "server refused TLS connection") {
		return failure.Wrap(sqldb.ErrUnreadable, "the connection string requires TLS, which the server does not support", err)
	}
	return network.Failure(err, "connection string")
}

// state returns the kind and the text for an error of the server. The server's
// own text is not used if it may contain a value of a row.
func state(s stateError) (sqldb.Kind, string) {
	code := s.SQLState()
	for _, raised := range []string{sqlast.EndlessRecursion, sqlast.TooMuchCollected} {
		if code == "22P02" && strings.Contains(s.Error(), raised) {
			return sqldb.ErrTooLarge, raised
		}
	}
	if code == "57014" && strings.Contains(s.Error(), "user request") {
		return sqldb.ErrCanceled, "the statement was stopped on the server"
	}
	message, severity := text(s)
	if severity == "FATAL" && (code[:2] == "22" || code[:2] == "42") { // errors of statements are not fatal
		if code == "42501" {
			return sqldb.ErrUnreadable, "the account may not connect to the database: grant it CONNECT there"
		}
		return sqldb.ErrArgument, "the server refuses a parameter of the connection string"
	}
	if code == "28000" && (strings.HasSuffix(message, "no encryption") || strings.HasSuffix(message, "SSL off")) {
		return sqldb.ErrUnreadable, "the server accepts no account without TLS here: set sslmode=verify-full in the connection " +
			"string, or add a rule to pg_hba.conf"
	}
	if code == "08P01" {
		for _, known := range pooler {
			if strings.HasPrefix(message, known.prefix) {
				return known.kind, known.message
			}
		}
	}
	if known, ok := states[code]; ok {
		return known.kind, known.message
	}
	if known, ok := states[code[:2]]; ok {
		return known.kind, known.message
	}
	switch code[:2] {
	case "42", "0A", "55", "25", "3F", "26": // about the statement and the catalogue: contains names and types
		if code == "42601" { // also an error in the text of a row that is read as a tsquery
			message = failure.WithoutQuoted(message, `"`)
		}
		if called, ok := strings.CutPrefix(message, "function "); ok && code == "42883" {
			// PostgreSQL's own functions are called with their schema, but for these.
			name, _, _ := strings.Cut(called, "(")
			if !strings.Contains(name, ".") && !slices.Contains(sqlast.Overloaded, name) {
				message += ": a function of the policy needs its schema in Session.SearchPath"
			}
		}
		if code == "42P01" && !strings.Contains(message, ".") { // not from the statement, which names schemas
			message += ": a function that looks for it needs its schema in Session.SearchPath"
		}
		return sqldb.ErrExecution, message
	}
	return sqldb.ErrExecution, "the server failed with SQLSTATE " + code
}

// behindProxy is the advice for a proxy such as PgBouncer.
const behindProxy = "behind a proxy that shares connections, add default_query_exec_mode=exec to the connection string"

// pooler are the errors of PgBouncer, which have one SQLSTATE, by their beginning.
var pooler = []struct {
	prefix  string
	kind    sqldb.Kind
	message string
}{
	{"unsupported startup parameter", sqldb.ErrArgument, "the pooler refuses a parameter of the connection string, such as " +
		"statement_timeout, search_path or options: remove it, or add it to ignore_startup_parameters of PgBouncer"},
	{"transaction blocks not allowed", sqldb.ErrArgument, "the pooler shares a connection between statements: " +
		"connect to one with pool_mode = transaction or session"},
	{"no such database", sqldb.ErrMissing, "the pooler knows no such database: check its name in the connection string"},
	{"no such user", sqldb.ErrUnreadable, "the pooler refuses the account: check user and password"},
	{"no more connections allowed", sqldb.ErrUnavailable, "the pooler has no connection left: lower MaxOpenConns or raise max_client_conn"},
	{"query_wait_timeout", sqldb.ErrUnavailable, "the pooler had no connection to the server in time: check that the server runs, raise default_pool_size, or try again later"},
	{"server login", sqldb.ErrUnavailable, "the pooler cannot log in to the server: check its database and account there, and that the server runs"},
	{"pgbouncer cannot connect", sqldb.ErrUnavailable, "the pooler cannot reach the server: check its host and port there, and that the server runs"},
	{"SSL required", sqldb.ErrUnreadable, "the pooler requires TLS: set sslmode=verify-full in the connection string"},
}

// states has the errors by SQLSTATE, and by its class of two letters.
var states = map[string]struct {
	kind    sqldb.Kind
	message string
}{
	"08":    {sqldb.ErrUnavailable, "the connection failed: try again"},
	"22":    {sqldb.ErrExecution, "a value cannot be used as the statement uses it"},
	"22001": {sqldb.ErrExecution, "a text is too long for its type"},
	"22003": {sqldb.ErrExecution, "a number is out of the range of its type"},
	"22007": {sqldb.ErrExecution, "a text is not a date or a time, or not one of the format given"},
	"22008": {sqldb.ErrExecution, "a date or a time is out of range"},
	"22012": {sqldb.ErrExecution, "division by zero: use NULLIF"},
	"22021": {sqldb.ErrExecution, "a text is not valid in its encoding: the database is SQL_ASCII, or it was made of bytes"},
	"22P02": {sqldb.ErrExecution, "a text is not a value of the type that it is read as"},
	"22P05": {sqldb.ErrExecution, "a character does not exist in the encoding of the database"},
	"25006": {sqldb.ErrDenied, "the statement would write"},
	"25P03": {sqldb.ErrUnavailable, "the server ended the connection, which was idle for too long: try again"},
	"25P04": {sqldb.ErrTimeout, "the server ended the transaction after its time limit (transaction_timeout)"},
	"26000": {sqldb.ErrUnavailable, "a prepared statement is gone: " + behindProxy},
	"28":    {sqldb.ErrUnreadable, "the server refuses the account: check user and password, and pg_hba.conf"},
	"2F":    {sqldb.ErrExecution, "a function failed"},
	"38":    {sqldb.ErrExecution, "a function failed"},
	"39":    {sqldb.ErrExecution, "a function failed"},
	"39000": {sqldb.ErrSession, "a function of a view failed (pgcrypto): the session's key may not be that of the values"},
	"3D":    {sqldb.ErrMissing, "there is no such database: check its name in the connection string"},
	"40":    {sqldb.ErrUnavailable, "the statement conflicted with another one, or with a replica's recovery: try again"},
	"42501": {sqldb.ErrUnreadable, "the account lacks a right that the statement needs: DB.Check reports which"},
	"42P05": {sqldb.ErrUnavailable, "a prepared statement belongs to another session: " + behindProxy},
	"53":    {sqldb.ErrTooLarge, "the server is out of memory, of space or of locks: narrow the statement"},
	"53300": {sqldb.ErrUnavailable, "the server has no connection left: lower MaxOpenConns or raise max_connections"},
	"54":    {sqldb.ErrTooLarge, "the statement or a value in it exceeds a limit of the server: make it simpler"},
	"55P03": {sqldb.ErrUnavailable, "a table is locked: try again later"},
	"57":    {sqldb.ErrUnavailable, "the server ended the connection, or accepts none now: try again later"},
	"57014": {sqldb.ErrTimeout, "the server stopped the statement after the time limit"},
	"58":    {sqldb.ErrUnreadable, "the server cannot read its files"},
	"P0":    {sqldb.ErrExecution, "a function of the database raised an error"},
	"XX001": {sqldb.ErrNotDatabase, "a table is damaged: restore it"},
	"XX002": {sqldb.ErrNotDatabase, "an index is damaged: run REINDEX"},
}

// text returns the server's message on one line, without what drivers add, and
// the severity or the name of the driver that stood before it.
func text(s stateError) (message, severity string) {
	message = strings.TrimSuffix(s.Error(), " (SQLSTATE "+s.SQLState()+")")
	if before, after, ok := strings.Cut(message, ": "); ok && !strings.ContainsFunc(before, unicode.IsSpace) {
		severity, message = before, after
	}
	return failure.Line(message), severity
}

// refusedSession returns the error for a transaction that could not be begun.
// It does not contain the server's text about a setting or a role.
func refusedSession(err error) error {
	var s stateError
	if !errors.As(err, &s) || len(s.SQLState()) != 5 {
		return err
	}
	if strings.Contains(s.Error(), `"TimeZone"`) {
		return failure.New(sqldb.ErrArgument, "the server does not know the time zone of sqldb.Options.Zone: "+
			"use a name that is in its view pg_timezone_names")
	}
	switch s.SQLState()[:2] {
	case "22", "42":
		return failure.New(sqldb.ErrArgument,
			"the server refused the session: its role must be one that the account is a member of, and its "+
				"settings must not be parameters of an extension (SQLSTATE "+s.SQLState()+")")
	}
	return err
}
