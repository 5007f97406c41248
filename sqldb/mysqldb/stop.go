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

// markFormat is the comment before a statement by which SHOW PROCESSLIST
// identifies it: the query's tag, and the number and the port of the
// connection.
const markFormat = "/* qed %s %d %d */ "

func (s *server) mark(tag string) string { return fmt.Sprintf(markFormat, tag, s.id, s.port) }

// startTime is how long to wait until the server shows the statement of a
// connection without a port: the server may not have read it yet. The
// connection cannot be ended without the statement: after a restart of the
// server, its number may be that of somebody else's.
const startTime = 250 * time.Millisecond

// errNoThread is the number of a KILL of a connection that is gone.
const errNoThread = 1094

// Stop ends the connection of q on the server and waits until it is gone.
func (e *engine) Stop(ctx context.Context, conn *sql.Conn, q *sqldb.Query) error {
	var tag string
	var other server
	if _, err := fmt.Sscanf(q.SQL, markFormat, &tag, &other.id, &other.port); err != nil {
		return nil // the statement was not marked yet, so it was not sent
	}
	return e.withSettings(ctx, conn, func(*server) error { return other.end(ctx, conn, tag) })
}

// end ends the connection of s. It ends an idle connection too, because a
// statement may still be on its way to it.
func (s *server) end(ctx context.Context, conn *sql.Conn, tag string) error {
	start, wait, killed := time.Now(), time.Millisecond, false
	for {
		found, ours, err := s.find(ctx, conn, s.mark(tag))
		switch {
		case err != nil:
			return err
		case !found, !ours && !killed && (s.port > 0 || time.Since(start) > startTime):
			return nil
		case ours:
			if err := kill(ctx, conn, s.id); err != nil {
				return err
			}
			killed = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
			wait = min(2*wait, 50*time.Millisecond)
		}
	}
}

// find reports whether the server has a connection with the number of s, and
// whether it is the connection of s, which follows from its port or its
// statement. SHOW PROCESSLIST lists the account's own connections, with the
// beginnings of their statements.
func (s *server) find(ctx context.Context, conn *sql.Conn, mark string) (found, ours bool, err error) {
	list, err := scanMaps(ctx, conn, "SHOW PROCESSLIST")
	if err != nil {
		return false, false, err
	}
	for _, row := range list {
		if row["id"] == fmt.Sprint(s.id) {
			same := s.port > 0 && port(row["host"]) == s.port
			return true, same || strings.HasPrefix(row["info"], strings.TrimSpace(mark)), nil
		}
	}
	return false, false, nil
}

// port returns the client's port from the host of a connection as the server
// lists it. It returns 0 if there is none, as for a Unix socket.
func port(host string) int {
	n, err := strconv.ParseUint(host[strings.LastIndexByte(host, ':')+1:], 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}

func kill(ctx context.Context, conn *sql.Conn, id int64) error {
	_, err := conn.ExecContext(ctx, fmt.Sprintf("KILL %d", id))
	if gone, ok := errors.AsType[*mysql.MySQLError](err); ok && gone.Number == errNoThread {
		return nil
	}
	return err
}
