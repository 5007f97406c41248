package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

// A server is what this package knows about a connection and its server.
type server struct {
	id         int64 // the number of the connection on the server
	port       int   // the client's port as the server sees it; 0 if there is none
	version    string
	mariaDB    bool
	foldsNames bool // names of tables are not case-sensitive

	always  settings // the changes that every statement needs
	explain settings // further changes for EXPLAIN
	warn    settings // further changes for a statement whose warnings are read
	limit   variable // the time limit that the connection has

	zone, systemZone string // time_zone of the connection, and what SYSTEM is the zone of
}

// newServer queries a connection, in three statements.
func newServer(ctx context.Context, conn *sql.Conn) (*server, error) {
	has := map[string]string{}
	if err := readVariables(ctx, conn, has, commonVariables); err != nil {
		return nil, err
	}
	s := &server{
		version:    has["version"],
		mariaDB:    strings.Contains(strings.ToLower(has["version"]), "mariadb"),
		foldsNames: has["lower_case_table_names"] != "0",
		zone:       has["time_zone"],
		systemZone: has["system_time_zone"],
	}
	if err := s.checkVersion(); err != nil {
		return nil, err
	}
	own := mysqlVariables
	if s.mariaDB {
		own = mariaDBVariables
	}
	if err := readVariables(ctx, conn, has, own); err != nil {
		return nil, err
	}
	s.plan(has)
	var err error
	if s.id, err = strconv.ParseInt(has["pseudo_thread_id"], 10, 64); err != nil {
		return nil, err
	}
	_, rows, err := scan(ctx, conn, "SELECT HOST FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()")
	if err != nil {
		return nil, err
	}
	if len(rows) == 1 {
		s.port = port(rows[0][0])
	}
	return s, nil
}

// readVariables adds the values of variables to has. It does not use SHOW
// VARIABLES, whose result is cut at the sql_select_limit of the session.
func readVariables(ctx context.Context, conn *sql.Conn, has map[string]string, names []string) error {
	_, rows, err := scan(ctx, conn, "SELECT @@"+strings.Join(names, ", @@"))
	if err != nil {
		return err
	}
	for i, name := range names {
		has[name] = rows[0][i]
	}
	return nil
}

// checkVersion returns an error if the server is too old for the statements
// that package dialect/mysql prints.
func (s *server) checkVersion() error {
	name, oldest := "MySQL", [3]int{8, 0, 21}
	if s.mariaDB {
		name, oldest = "MariaDB", [3]int{10, 6, 0}
	}
	have := [3]int{number(s.version, 0), number(s.version, 1), number(s.version, 2)}
	if slices.Compare(have[:], oldest[:]) < 0 {
		return failure.Newf(sqldb.ErrUnreadable, "the server is %s %d.%d.%d: %d.%d.%d is the oldest supported version",
			name, have[0], have[1], have[2], oldest[0], oldest[1], oldest[2])
	}
	return nil
}

// number returns the i-th number of a version such as 10.11.6-MariaDB-log.
func number(version string, i int) int {
	parts := strings.FieldsFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}

// errSyntax is the server's error for invalid SQL.
const errSyntax = 1064

// multiStatements reports whether one text can be several statements.
func multiStatements(ctx context.Context, conn *sql.Conn) (bool, error) {
	_, err := conn.ExecContext(ctx, "DO 0; DO 0")
	if refused, ok := errors.AsType[*mysql.MySQLError](err); ok && refused.Number == errSyntax {
		return false, nil
	}
	return err == nil, err
}

// parseTime reports whether the driver returns a date as a time.Time.
func parseTime(ctx context.Context, conn *sql.Conn) (bool, error) {
	var date any
	err := conn.QueryRowContext(ctx, "SELECT CAST('2001-02-03' AS DATE)").Scan(&date)
	_, ok := date.(time.Time)
	return ok, err
}

// wrongParameters returns a finding for each parameter of the pool's data
// source name that must not be set.
func wrongParameters(ctx context.Context, conn *sql.Conn) (findings []sqldb.Finding, err error) {
	for _, parameter := range []struct {
		name, message string
		isSet         func(context.Context, *sql.Conn) (bool, error)
	}{
		{"parseTime", "the data source name has parseTime=true, which changes zero and partial dates: remove it", parseTime},
		{"multiStatements", "the data source name has multiStatements=true, which is not safe: remove it", multiStatements},
	} {
		isSet, err := parameter.isSet(ctx, conn)
		if err != nil {
			return nil, err
		}
		if isSet {
			findings = append(findings, sqldb.Finding{
				Kind: sqldb.WrongSetting, Object: parameter.name, Message: parameter.message,
			})
		}
	}
	return findings, nil
}
