package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/secureview"
)

// Query executes a statement and returns its rows. The table is marked as
// Truncated if rows were cut off by [Options.MaxRows] or [Options.MaxBytes], or
// if the statement returned as many rows as the limit that the guard added
// allows.
//
// When ctx ends, the statement is stopped on the server too, and nothing of it
// runs there any more when Query returns. Query tries that for five seconds. If
// it fails, the error says so, and the statement ends at the time limit of the
// server.
//
// The error is an [*Error].
func (db *DB) Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	if stmt == nil || stmt.Dialect() == nil {
		return nil, newError(ErrArgument, "the statement is nil or empty: make one with a secureview.Guard")
	}
	if got := stmt.Dialect().Name(); got != db.Dialect() {
		return nil, errorf(ErrArgument, "the statement is written for %s, the database speaks %s", got, db.Dialect())
	}
	session, err := db.session(ctx)
	if err != nil {
		return nil, err
	}
	q := Query{SQL: stmt.SQL(), Dialect: stmt.Dialect(), Session: session, MaxRowBytes: db.opt.MaxBytes + rowMargin}
	for _, read := range stmt.Reads() {
		q.Objects = append(q.Objects, Object{Schema: read.Object.Schema, Name: read.Object.Name, Columns: read.Columns})
	}
	table, err := db.query(ctx, q)
	if err != nil {
		return nil, err
	}
	if stmt.Capped() && len(table.Rows) >= stmt.Limit() {
		table.Truncated = true
	}
	return table, nil
}

// rowMargin is by how much a row may exceed [Options.MaxBytes] before its cells
// are cut.
const rowMargin = 8 << 20

// grace is how long the client waits after the time limit of a server that
// enforces one: a connection whose statement was ended by the server can be
// used again.
const grace = 500 * time.Millisecond

// query executes q on one of the replicas.
func (db *DB) query(ctx context.Context, q Query) (*qed.Table, error) {
	limit := time.Now().Add(db.opt.Timeout)
	end := limit
	if db.stopper != nil {
		end = limit.Add(grace)
	}
	ctx, cancel := context.WithDeadlineCause(ctx, end, errTimeLimit)
	defer cancel()
	end, _ = ctx.Deadline() // the caller's may be earlier

	var got result
	err := db.onAnyReplica(ctx, func(ctx context.Context, r *replica, conn *sql.Conn) (retry bool, err error) {
		attempt := q
		attempt.Tag, attempt.Pool = rand.Text(), r.number
		attempt.Timeout = min(time.Until(limit), time.Until(end))
		if attempt.Timeout < time.Millisecond {
			conn.Close()
			return false, newError(ErrTimeout, "no time was left for the statement when it had a connection")
		}
		got, err = db.execute(ctx, r, conn, &attempt)
		return !got.hasRow, err
	})
	if err != nil {
		return nil, err
	}
	return got.table, nil
}
