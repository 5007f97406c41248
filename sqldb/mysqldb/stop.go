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

// marked is the comment before a statement by which the list of a server's
// connections shows it: the reading's tag, and the connection's number and port.
const marked = "/* qed %s %d %d */ "

func (s *server) mark(tag string) string { return fmt.Sprintf(marked, tag, s.id, s.port) }

// unproven is how long a connection without a port is waited for that is not seen
// with the statement: its server may not have read the statement yet. After a
// restart it may be another one that is not ours to end.
const unproven = 250 * time.Millisecond

// errNoThread is the number of a KILL of a connection that is gone.
const errNoThread = 1094

// Stop ends the connection of r on the server and waits until it is gone from
// there.
func (e *engine) Stop(ctx context.Context, conn *sql.Conn, r *sqldb.Reading) error {
	var tag string
	var was server
	if _, err := fmt.Sscanf(r.SQL, marked, &tag, &was.id, &was.port); err != nil {
		return nil // it had not come so far
	}
	return e.own(ctx, conn, func(*server) error { return was.end(ctx, conn, tag) })
}

// end ends the connection that told s. A statement may still be on its way to a
// connection that is idle, so that is ended too.
func (s *server) end(ctx context.Context, conn *sql.Conn, tag string) error {
	start, wait, killed := time.Now(), time.Millisecond, false
	for {
		found, ours, err := s.look(ctx, conn, s.mark(tag))
		switch {
		case err != nil:
			return err
		case !found, !ours && !killed && (s.port > 0 || time.Since(start) > unproven):
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

// look reports whether a connection of this number is on the server, and whether it
// is the one that told s: from its port, or with the statement. The list is of the
// account's own connections, with the beginnings of what they run.
func (s *server) look(ctx context.Context, conn *sql.Conn, mark string) (found, ours bool, err error) {
	list, err := table(ctx, conn, "SHOW PROCESSLIST")
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

// port is that of the client in a connection's host, as the server lists it; 0 where
// there is none, as on a socket.
func port(host string) int {
	n, err := strconv.ParseUint(host[strings.LastIndexByte(host, ':')+1:], 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}

func kill(ctx context.Context, conn *sql.Conn, id int64) error {
	_, err := conn.ExecContext(ctx, fmt.Sprintf("KILL %d", id))
	var gone *mysql.MySQLError
	if errors.As(err, &gone) && gone.Number == errNoThread {
		return nil
	}
	return err
}
