package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/qedkit/qed/store"
)

// A Dialect says what kind of database a [Store] has. The zero value is none.
type Dialect int

// The dialects.
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

// An engine is what a dialect is to this package. Its statements have question marks
// for parameters, and tables whose names begin with qed_.
type engine interface {
	// texts are its statements, as far as they differ in their text alone.
	texts() *texts

	// name is an id, a kind or an address, as a parameter.
	name(string) any

	// placeholder is how the server wants the nth parameter; "" means a question mark.
	placeholder(n int) string

	// prepares reports whether to keep statements prepared: where the driver does
	// not do so by itself, or where that is none of the server's business.
	prepares() bool

	// serial reports whether one writer at a time works best.
	serial() bool

	// batch is how many records put takes at a time.
	batch() int

	// alone reports whether a put is all right without a transaction around it.
	alone(p *put) bool

	// put appends records behind the last, or reports that there is another last.
	put(ctx context.Context, on session, p *put) (bool, error)

	// migrations are the steps to the present tables, each a list of statements that
	// do no harm a second time, as not every engine can take one back that failed.
	migrations() [][]string

	// exclusively calls do when no other process is in it.
	exclusively(ctx context.Context, s *Store, do func(querier) error) error
}

// texts are statements. What they return and take is told beside them.
type texts struct {
	// frequent are those within transactions that are worth preparing.
	frequent []string

	// table returns whether there is a table, as a number, by its name.
	table string

	// head returns a thread's number and the number of its last record. It takes its id.
	head string

	// wrote returns a row where a thread has this id, number of the last record, and
	// writer. It is empty where an append that failed was not made, for sure.
	wrote string

	// read returns thread, number, time, kind, run, address and data of records. It takes
	// a thread's id and the lowest and the highest number. More conditions follow it.
	read string

	// order is what the records of a thread are ordered by.
	order string

	// within is a condition on records: of a thread, by its number, from a record to a
	// record, by theirs.
	within string

	// forget removes the row of a thread. It takes its number, and a time before which its
	// last record was written.
	forget string

	// idle returns the numbers of threads, in order. It takes a number that they are above,
	// the time before which their last record was written, and how many.
	idle string
}

// A put is records to be appended behind a place.
type put struct {
	thread  string
	after   int64
	records []store.Record
	writer  int64 // the number that only whoever appends them has
}

// row is the ith record as parameters, from its number on.
func (p *put) row(e engine, i int) []any {
	rec := &p.records[i]
	var data any
	if len(rec.Data) > 0 {
		data = []byte(rec.Data)
	}
	return []any{
		p.after + 1 + int64(i), rec.Time.UnixMicro(), e.name(string(rec.Kind)), rec.Run, e.name(rec.Address), data,
	}
}

// A querier is a connection, or a transaction on one.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// maxSeq is more records than a thread will ever have: SQLite has both the thread and
// the record in one number.
const maxSeq = 1<<32 - 1
