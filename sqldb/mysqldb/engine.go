package mysqldb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/lru"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
)

type engine struct {
	connections connections
	checked     *lru.Cache[fingerprint, struct{}] // queries whose tables the server has confirmed
	suitable    *lru.Cache[poolVersion, struct{}] // pools whose data source names were checked
}

type fingerprint = [sha256.Size]byte // of a sqldb.Query

type poolVersion struct {
	pool    int
	version string // of the server
	dialect dialect.Dialect
}

var (
	_ sqldb.Engine         = (*engine)(nil)
	_ sqldb.Stopper        = (*engine)(nil)
	_ sqldb.ValueConverter = (*engine)(nil)
	_ sqldb.Zoner          = (*engine)(nil)
	_ sqldb.Estimator      = (*engine)(nil)
	_ sqldb.Versioner      = (*engine)(nil)
)

func (*engine) Dialect() string { return "mysql" }

func (*engine) Classify(err error) *sqldb.Error { return classify(err) }

// Admit sets the variables of the session and, unless the query's fingerprint
// is known, checks with EXPLAIN what the statement would read. The release is
// one statement.
func (e *engine) Admit(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (func(context.Context) error, error) {
	s, err := e.connections.server(ctx, conn)
	if err != nil {
		return nil, err
	}
	if err := e.checkPool(ctx, conn, poolVersion{q.Pool, s.version, q.Dialect}); err != nil {
		return nil, err
	}
	key := q.Fingerprint()
	_, checked := e.checked.Get(key)
	var further []settings
	if !checked {
		further = append(further, s.explain)
	}
	limited := s.mariaDB && (strings.Contains(q.SQL, "RECURSIVE") || strings.Contains(q.SQL, patternLimit))
	if limited || !checked {
		further = append(further, s.warn)
	}
	if limited {
		q.Complete = func(ctx context.Context) error { return complete(ctx, conn) }
	}
	if q.Zone != "" {
		further = append(further, s.inZone(q.Zone))
	}
	vars, err := s.session(q.Session, q.Timeout, further...)
	if err != nil {
		return nil, err
	}
	if err := vars.apply(ctx, conn); err != nil {
		return nil, err
	}
	if q.Session.Role != "" {
		if err := setRole(ctx, conn, q.Session.Role); err != nil {
			return nil, err
		}
	}
	m, err := meterOf(conn, q.MaxRowBytes)
	if err != nil {
		return nil, err
	}
	if m != nil {
		q.Receiver = m
	}
	text := q.SQL
	q.SQL = s.mark(q.Tag) + text
	if !checked {
		if err := verifyInTime(ctx, conn, s, q, text); err != nil {
			return nil, err
		}
		// The statement must be planned as it is when it runs again.
		if err := s.explain.revert(ctx, conn); err != nil {
			return nil, err
		}
		e.checked.Add(key, struct{}{})
	}
	return func(ctx context.Context) error {
		if q.Session.Role != "" {
			return errRole
		}
		return vars.revert(ctx, conn)
	}, nil
}

// patternLimit is in each regular expression that package dialect/mysql bounds.
const patternLimit = "(*LIMIT_MATCH="

// incomplete are the errors for the numbers of MariaDB's warnings that a result is not
// what the statement means.
var incomplete = map[string]string{
	"1931": "the recursion does not end within " + strconv.Itoa(longestRecursion) +
		" steps, as if its rows formed a cycle: write UNION instead of UNION ALL, or count the steps and stop",
	"1139": "a regular expression takes too many steps for a text: write one with fewer repetitions next to each other, " +
		"compare with LIKE, or match a part of the text, such as left(x, 1000)",
}

// complete returns an error if MariaDB ended a recursion of the last statement after
// longestRecursion steps, or gave up matching a regular expression, or has more
// warnings than it keeps.
func complete(ctx context.Context, conn *sql.Conn) error {
	_, count, err := scan(ctx, conn, "SHOW COUNT(*) WARNINGS")
	if err != nil || len(count) == 1 && count[0][0] == "0" {
		return err
	}
	_, warnings, err := scan(ctx, conn, "SHOW WARNINGS")
	if err != nil {
		return err
	}
	for _, w := range warnings {
		if len(w) > 1 && incomplete[w[1]] != "" {
			return failure.New(sqldb.ErrTooLarge, incomplete[w[1]])
		}
	}
	if len(count) != 1 || count[0][0] != strconv.Itoa(len(warnings)) {
		return failure.New(sqldb.ErrTooLarge, "the server has so many warnings about the statement that it is "+
			"unknown whether the result is complete: avoid the warnings, such as those of conversions")
	}
	return nil
}

// errRole causes a connection to be closed: no statement restores the roles
// that were active before SET ROLE.
var errRole = errors.New("mysqldb: the connection has a role")

// checkPool returns an error if the pool's data source name has a parameter
// that must not be set, or if a function that the dialect allows can be a stored
// function. It checks again if the server's version has changed, and after a
// while.
func (e *engine) checkPool(ctx context.Context, conn *sql.Conn, key poolVersion) error {
	if _, ok := e.suitable.Get(key); ok {
		return nil
	}
	findings, err := wrongParameters(ctx, conn)
	if err != nil {
		return err
	}
	if len(findings) > 0 {
		return &sqldb.Error{Kind: sqldb.ErrAccount, Message: findings[0].Message, Findings: findings}
	}
	if err := checkFunctions(ctx, conn, key); err != nil {
		return err
	}
	e.suitable.Add(key, struct{}{})
	return nil
}

// withSettings runs do under the variables that every statement has, with the
// deadline of ctx as the server's time limit.
func (e *engine) withSettings(ctx context.Context, conn *sql.Conn, do func(*server) error) error {
	s, err := e.connections.server(ctx, conn)
	if err != nil {
		return err
	}
	limit := time.Duration(0)
	if end, ok := ctx.Deadline(); ok {
		limit = time.Until(end)
	}
	vars, err := s.session(&sqldb.Session{}, limit, s.explain)
	if err != nil {
		return err
	}
	if err := vars.apply(ctx, conn); err != nil {
		return err
	}
	err = do(s)
	if vars.revert(ctx, conn) != nil {
		discard(conn)
	}
	return err
}

// discard keeps a connection from going back to the pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
}
