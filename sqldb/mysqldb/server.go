package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/sqldb"
)

// server is what a connection tells of itself and of its server when it is first
// used.
type server struct {
	id         int64 // of the connection, in the server's list of them
	port       int   // that it comes from, as the server sees it; 0: from none
	version    string
	mariaDB    bool
	foldsNames bool // the names of tables have no case

	always  settings // what every statement needs that the pool has otherwise
	telling settings // the same for EXPLAIN
	limit   variable // the time limit that the pool has
}

// ask asks a connection, in three statements.
func ask(ctx context.Context, conn *sql.Conn) (*server, error) {
	has := map[string]string{}
	if err := askFor(ctx, conn, has, commonVariables); err != nil {
		return nil, err
	}
	s := &server{
		version:    has["version"],
		mariaDB:    strings.Contains(strings.ToLower(has["version"]), "mariadb"),
		foldsNames: has["lower_case_table_names"] != "0",
	}
	if err := s.oldEnough(); err != nil {
		return nil, err
	}
	own := mysqlVariables
	if s.mariaDB {
		own = mariaDBVariables
	}
	if err := askFor(ctx, conn, has, own); err != nil {
		return nil, err
	}
	s.pin(has)
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

// askFor asks for the values of variables. SHOW VARIABLES would not do: it keeps to
// the sql_select_limit of the session.
func askFor(ctx context.Context, conn *sql.Conn, has map[string]string, names []string) error {
	_, rows, err := scan(ctx, conn, "SELECT @@"+strings.Join(names, ", @@"))
	if err != nil {
		return err
	}
	for i, name := range names {
		has[name] = rows[0][i]
	}
	return nil
}

// oldEnough refuses a server that lacks what statements are printed with.
func (s *server) oldEnough() error {
	name, major, minor := "MySQL", 8, 0
	if s.mariaDB {
		name, major, minor = "MariaDB", 10, 6
	}
	if number(s.version, 0) < major || number(s.version, 0) == major && number(s.version, 1) < minor {
		return &sqldb.Error{Kind: sqldb.ErrUnreadable, Message: fmt.Sprintf("the server is %s %d.%d: %d.%d is the oldest that can be read",
			name, number(s.version, 0), number(s.version, 1), major, minor)}
	}
	return nil
}

// number is the i-th number of a version such as 10.11.6-MariaDB-log.
func number(version string, i int) int {
	parts := strings.FieldsFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}

// errSyntax is the number of a text that is no statement.
const errSyntax = 1064

// takesMany reports whether one text can be several statements here.
func takesMany(ctx context.Context, conn *sql.Conn) (bool, error) {
	_, err := conn.ExecContext(ctx, "DO 0; DO 0")
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && refused.Number == errSyntax {
		return false, nil
	}
	return err == nil, err
}

// parsesTime reports whether the driver makes a time of a date.
func parsesTime(ctx context.Context, conn *sql.Conn) (bool, error) {
	var date any
	err := conn.QueryRowContext(ctx, "SELECT CAST('2001-02-03' AS DATE)").Scan(&date)
	_, is := date.(time.Time)
	return is, err
}

// unsuitable tells what in a pool's data source name would have values read
// wrongly, or one statement bring another along.
func unsuitable(ctx context.Context, conn *sql.Conn) (findings []sqldb.Finding, err error) {
	for _, parameter := range []struct {
		name, message string
		is            func(context.Context, *sql.Conn) (bool, error)
	}{
		{"parseTime", "the data source name has parseTime=true, under which zero and partial dates become other dates: leave it out", parsesTime},
		{"multiStatements", "the data source name has multiStatements=true, under which one text can be several statements: leave it out", takesMany},
	} {
		is, err := parameter.is(ctx, conn)
		if err != nil {
			return nil, err
		}
		if is {
			findings = append(findings, sqldb.Finding{Problem: sqldb.Unsuitable, Object: parameter.name, Message: parameter.message})
		}
	}
	return findings, nil
}
