package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/secureview"
)

// Query executes a statement that a guard let pass and returns its rows. The
// table is Truncated where more rows would have come: beyond
// [Options.MaxRows] or [Options.MaxBytes], or beyond a limit that the guard
// added, where as many rows came as it allows.
//
// When ctx ends, the statement is stopped on the server too, and nothing of it
// runs any more when Query returns. Where the server cannot be told, which is
// tried for five seconds, the error says so, and the server's own time limit
// ends the statement.
//
// The error is an [*Error].
func (db *DB) Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	if stmt == nil || stmt.Dialect() == nil {
		return nil, &Error{Kind: ErrArgument, Message: "there is no statement: let a secureview.Guard make one"}
	}
	if got := stmt.Dialect().Name(); got != db.Dialect() {
		return nil, &Error{Kind: ErrArgument, Message: fmt.Sprintf("the statement is written for %s, the database speaks %s", got, db.Dialect())}
	}
	session, err := db.session(ctx)
	if err != nil {
		return nil, err
	}
	r := Reading{SQL: stmt.SQL(), Session: session}
	for _, read := range stmt.Reads() {
		r.Objects = append(r.Objects, Object{Schema: read.Object.Schema, Name: read.Object.Name, Columns: read.Columns})
	}
	table, err := db.read(ctx, r)
	if err != nil {
		return nil, err
	}
	if stmt.Capped() && len(table.Rows) >= stmt.Limit() {
		table.Truncated = true
	}
	return table, nil
}

// grace is how much later than a server that keeps to the time limit itself
// this side does: a connection whose statement the server ended can go on.
const grace = 500 * time.Millisecond

// read executes a reading on one of the replicas.
func (db *DB) read(ctx context.Context, r Reading) (*qed.Table, error) {
	limit := time.Now().Add(db.opt.Timeout)
	end := limit
	if db.stopper != nil {
		end = limit.Add(grace)
	}
	ctx, cancel := context.WithDeadlineCause(ctx, end, errTimeLimit)
	defer cancel()
	end, _ = ctx.Deadline() // or the caller's

	var got result
	err := db.anywhere(ctx, func(ctx context.Context, p *replica, conn *sql.Conn) (again bool, err error) {
		attempt := r
		attempt.Tag, attempt.Pool = rand.Text(), p.number
		attempt.Timeout = min(time.Until(limit), time.Until(end))
		if attempt.Timeout < time.Millisecond {
			conn.Close()
			return false, &Error{Kind: ErrTimeout, Message: "no time was left for it when it had a connection"}
		}
		got, err = db.execute(ctx, p, conn, &attempt)
		return !got.seen, err
	})
	if err != nil {
		return nil, err
	}
	return got.table, nil
}
