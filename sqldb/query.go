package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"iter"
	"slices"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/secureview"
)

// QueryText checks the text of a statement with a guard, and executes what the guard
// makes of it: see [secureview.Guard.Rewrite] and [DB.Query]. A statement that the
// guard refuses is not executed, and the error is a [*refusal.Error].
func (db *DB) QueryText(ctx context.Context, guard *secureview.Guard, sql string) (*qed.Table, error) {
	stmt, err := guard.Rewrite(ctx, sql)
	if err != nil {
		return nil, err
	}
	return db.Query(ctx, stmt)
}

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
	table, err := db.collect(func(to *receiver) (result, error) { return db.read(ctx, stmt, to) })
	if err != nil {
		return nil, err
	}
	if stmt.Capped() && len(table.Rows) >= stmt.Limit() {
		table.Truncated = true
	}
	return table, nil
}

// collect returns the rows that read passes on as a table.
func (db *DB) collect(read func(*receiver) (result, error)) (*qed.Table, error) {
	table := &qed.Table{}
	got, err := read(&receiver{
		limits: limits{rows: db.opt.MaxRows, bytes: db.opt.MaxBytes},
		header: func(columns []qed.Column) { table.Columns = columns },
		row: func(cells []any) bool {
			table.Rows = append(table.Rows, cells)
			return true
		},
	})
	if err != nil {
		return nil, err
	}
	table.Truncated = got.truncated
	return table, nil
}

// RowsOptions are the options of [DB.Rows].
type RowsOptions struct {
	// MaxRows is the maximum number of rows, and MaxBytes the maximum size of all
	// their cells. A negative number means no limit. 0 is an error, so that each
	// program chooses. [Options.MaxRows] does not apply.
	MaxRows, MaxBytes int

	// Columns is called with the columns of the result before the first row, also
	// if there is no row. It may be nil.
	Columns func([]qed.Column)
}

// Rows executes a statement and returns an iterator over its rows, for results
// that are too large for [DB.Query], such as an export. The memory does not
// depend on the number of rows. Each use of the iterator executes the statement.
// The cells are those of a [qed.Table]; the loop may keep them.
//
// A result is never cut without notice. If a limit is exceeded, the rows within
// the limit are followed by an error of kind [ErrTooLarge]. That includes the
// limit that the guard added: it has to be larger than the result. The same error
// follows if a single row exceeds [Options.MaxBytes].
// [Options.MaxCellBytes] applies to each cell.
//
// The body of the loop runs while the statement does, and [Options.Timeout]
// includes it. It holds a connection of the pool and must not call [DB.Close].
// When the loop ends, also by break or panic, nothing of the statement runs on
// the server any more, as in [DB.Query]. A statement is retried on another
// replica only before its first row.
//
// An error is the last pair of the iterator, and is an [*Error].
func (db *DB) Rows(ctx context.Context, stmt *secureview.Statement, opt RowsOptions) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		if opt.MaxRows == 0 || opt.MaxBytes == 0 {
			yield(nil, newError(ErrArgument,
				"RowsOptions.MaxRows and MaxBytes must be set: a negative number means no limit"))
			return
		}
		announced, stopped, n := false, false, 0
		got, err := db.read(ctx, stmt, &receiver{
			limits: limits{rows: opt.MaxRows, bytes: opt.MaxBytes},
			header: func(columns []qed.Column) {
				if opt.Columns != nil && !announced {
					opt.Columns(slices.Clone(columns))
				}
				announced = true
			},
			row: func(cells []any) bool {
				n++
				stopped = !yield(cells, nil)
				return !stopped
			},
		})
		switch {
		case stopped:
		case err != nil:
			yield(nil, err)
		case got.truncated:
			yield(nil, errorf(ErrTooLarge, "there are more rows than these %d, which RowsOptions allows "+
				"(MaxRows is %d, MaxBytes is %d)", n, opt.MaxRows, opt.MaxBytes))
		case stmt.Capped() && n >= stmt.Limit():
			yield(nil, errorf(ErrTooLarge, "the guard limits the statement to %d rows: "+
				"raise Policy.RowLimit above the size of the result", stmt.Limit()))
		}
	}
}

// read executes a statement and passes its rows to a receiver.
func (db *DB) read(ctx context.Context, stmt *secureview.Statement, to *receiver) (got result, err error) {
	q, err := db.queryFor(ctx, stmt)
	if err != nil {
		return got, err
	}
	return db.query(ctx, q, to)
}

func (db *DB) queryFor(ctx context.Context, stmt *secureview.Statement) (Query, error) {
	if stmt == nil || stmt.Dialect() == nil {
		return Query{}, newError(ErrArgument, "the statement is nil or empty: make one with a secureview.Guard")
	}
	if got := stmt.Dialect().Name(); got != db.Dialect() {
		return Query{}, errorf(ErrArgument, "the statement is written for %s, the database speaks %s", got, db.Dialect())
	}
	session, err := db.session(ctx)
	if err != nil {
		return Query{}, err
	}
	text, settings, err := stmt.Bind(session.Settings)
	if err != nil {
		return Query{}, &Error{Kind: ErrSession, Message: err.Error(), Err: err}
	}
	needed := *session
	needed.Settings = settings
	q := Query{SQL: text, Dialect: stmt.Dialect(), Session: &needed, MaxRowBytes: db.opt.MaxBytes + rowMargin}
	if zone := db.zone.Load(); zone != nil {
		q.Zone = *zone
	}
	q.Objects, q.Fields = objectsOf(stmt.Reads()), objectsOf(stmt.Fields())
	for _, columns := range stmt.Merged() {
		q.Merged = append(q.Merged, objectsOf(columns))
	}
	return q, nil
}

func objectsOf(reads []secureview.TableRead) (list []Object) {
	for _, r := range reads {
		columns := slices.Concat(r.Columns, r.FilterColumns)
		list = append(list, Object{Schema: r.Object.Schema, Name: r.Object.Name, Columns: columns})
	}
	return list
}

// rowMargin is by how much a row may exceed [Options.MaxBytes] before its cells
// are cut.
const rowMargin = 8 << 20

// grace is how long the client waits after the time limit of a server that
// enforces one: a connection whose statement was ended by the server can be
// used again.
const grace = 500 * time.Millisecond

func (db *DB) query(ctx context.Context, q Query, to *receiver) (got result, err error) {
	again := func() bool { return !got.hasRow }
	err = db.attempt(ctx, q, again, func(ctx context.Context, conn *sql.Conn, q *Query) (ended bool, err error) {
		got, ended, err = db.run(ctx, conn, q, to)
		return ended, err
	})
	return got, err
}

// attempt admits q on one of the replicas and calls do, which reports whether nothing of q
// runs on the server any more. After a failed connection it tries another replica if again
// returns true.
func (db *DB) attempt(
	ctx context.Context, q Query, again func() bool, do func(context.Context, *sql.Conn, *Query) (ended bool, err error),
) error {
	limit := time.Now().Add(db.opt.Timeout)
	end := limit
	if db.stopper != nil {
		end = limit.Add(grace)
	}
	ctx, cancel := context.WithDeadlineCause(ctx, end, errTimeLimit)
	defer cancel()
	end, _ = ctx.Deadline() // the caller's may be earlier

	return db.onAnyReplica(ctx, func(ctx context.Context, r *replica, conn *sql.Conn) (retry bool, err error) {
		attempt := q
		attempt.Tag, attempt.Pool = rand.Text(), r.number
		attempt.Timeout = min(time.Until(limit), time.Until(end))
		if attempt.Timeout < time.Millisecond {
			conn.Close()
			return false, newError(ErrTimeout, "no time was left for the statement when it had a connection")
		}
		err = db.execute(ctx, r, conn, &attempt, do)
		return again(), err
	})
}
