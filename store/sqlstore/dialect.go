package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
)

// A Dialect is the kind of database that a [Store] uses. The zero value is
// invalid.
type Dialect int

// The supported dialects.
const (
	SQLite     Dialect = iota + 1 // 3.37 or newer
	MySQL                         // MySQL and MariaDB, with InnoDB
	PostgreSQL                    // 12 or newer
)

// String returns the dialect's name.
func (d Dialect) String() string {
	switch d {
	case SQLite:
		return "SQLite"
	case MySQL:
		return "MySQL"
	case PostgreSQL:
		return "PostgreSQL"
	}
	return fmt.Sprintf("Dialect(%d)", int(d))
}

func (d Dialect) engine() engine {
	switch d {
	case SQLite:
		return sqlite{}
	case MySQL:
		return mysql{}
	case PostgreSQL:
		return postgres{}
	}
	return nil
}

// An engine is the part of the store that depends on the dialect. Its statements
// have question marks for parameters and tables whose names begin with qed_;
// [Store.render] replaces both.
type engine interface {
	// texts returns the statements that differ only in their text.
	texts() *texts

	// text returns a thread id, a kind or an address as a parameter.
	text(string) any

	// placeholder returns the nth placeholder of a statement; "" means a
	// question mark.
	placeholder(n int) string

	// prepares reports whether the store keeps prepared statements. It does not
	// if the driver prepares statements itself or a connection pooler of the
	// server may not support them.
	prepares() bool

	// singleWriter reports whether the engine has one writer at a time.
	singleWriter() bool

	// batch returns how many records a call of append can have.
	batch() int

	// lanes returns how many transactions append at a time. Further appends
	// wait and then share one.
	lanes() int

	// atomic reports whether append needs no transaction for a group.
	atomic(group []*appending) bool

	// append makes appends and sets their made. An append to a thread with
	// another last record changes nothing and is not an error.
	append(ctx context.Context, on session, group []*appending) error

	// migrations returns the changes that lead to each version of the tables.
	// They must be repeatable, because not every engine can roll back a
	// migration that failed.
	migrations() [][]change

	// lockedForMigration calls do while it holds a lock that no other process
	// can hold.
	lockedForMigration(ctx context.Context, s *Store, do func(querier) error) error
}

// texts are the statements of an engine. The key of a thread is the number that
// the database gave it.
type texts struct {
	// frequent are the statements that are worth preparing before they are
	// used in a transaction.
	frequent []string

	// table counts the tables with a name.
	table string

	// head returns the key of a thread and the number of its last record.
	// Parameter: thread id.
	head string

	// wasMade returns a row if an append was made. Parameters: thread id, number
	// of the last record, id of the append. It is empty if an append that
	// returned an error was certainly not made.
	wasMade string

	// read returns thread key, number, time, kind, run, address and data of
	// records. Its parameters, and those of byAddress, byKind and join, are
	// those of a [selection]: thread id, lowest and highest number.
	read string

	// order is what the records of a thread are ordered by.
	order string

	// byAddress and byKind return, as seq, what the records of a thread are
	// ordered by. They use the index on addresses or kinds. Conditions are added
	// at their end.
	byAddress, byKind string

	// join returns the same as read. %s stands for a statement that returns
	// which records.
	join string

	// trim deletes records. Parameters: thread key, lowest and highest number.
	// A condition on kinds is added at its end.
	trim string

	// deleteRecords deletes all records of a thread. Parameter: thread key.
	deleteRecords string

	// deleteThread deletes the row of a thread. Parameter: thread key.
	deleteThread string

	// ifLast is a condition that is added to deleteThread. Parameter: the number
	// of the thread's last record.
	ifLast string

	// list returns entries of the list of threads. Parameters: the time of a
	// position, twice, and its key. Further conditions are added at its end.
	list string

	// limit returns how many bytes a statement may have with its parameters. It
	// is empty if the engine returns an error for a statement that is larger.
	limit string

	// clock is the time in microseconds by the server's clock. It is empty for
	// an engine without a server.
	clock string
}

// The parts that the engines' list statements have in common. The columns
// before listColumns are key, name, last number and time of the last record.
const (
	listColumns = `, h.user_name, h.tenant, h.title, h.status, h.turns, h.lease, h.created, h.updated `
	listAfter   = ` WHERE h.updated <= ? AND (h.updated < ? OR h.thread < ?)`
)

// A querier is a connection or a transaction.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// maxSeq is the highest number of a record. SQLite keeps the thread and the
// number in one 64-bit integer.
const maxSeq = 1<<32 - 1
