package sqldb

import (
	"context"
	"database/sql"
	"time"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
)

// Engine is what differs between database servers. Engines come from packages
// of their own, such as sqldb/sqlitedb; hosts only pass them on. An Engine is
// safe for concurrent use, a connection is not.
type Engine interface {
	// Dialect is the name of the dialect whose statements it executes.
	Dialect() string

	// Introspect reads the catalogue and tells skipped what it leaves out.
	Introspect(ctx context.Context, conn *sql.Conn, skipped func(table, reason string)) (*joinpath.Schema, error)

	// Check answers an error that says why the database cannot be read, or of
	// kind [ErrEmpty] or [ErrWritable]; else what the account may do beyond
	// what the policy needs. A nil policy lets it look at the account alone.
	Check(ctx context.Context, conn *sql.Conn, p *secureview.Policy) ([]Finding, error)

	// Admit prepares the connection for one statement: read-only, with the
	// session and the time limit of r, and where the engine can, nothing
	// beyond what r names. It may put a comment before r.SQL.
	//
	// release undoes all of it, under a context that goes on when the
	// caller's has ended. When it fails the connection is thrown away, and so
	// it is, without release, after an error of Admit and before a
	// [Stopper]'s Stop.
	Admit(ctx context.Context, conn *sql.Conn, r *Reading) (release func(context.Context) error, err error)

	// Classify turns a driver's error into an [*Error] with a text that is
	// safe to show, or answers nil for one that it does not know.
	Classify(err error) *Error
}

// Stopper is an [Engine] whose server may go on with a statement whose
// connection is gone. Such a server keeps to [Reading.Timeout] by itself.
type Stopper interface {
	// Stop ends on the server what is left of a reading, and returns when it
	// has ended, or at once where nothing of it is there. conn is another
	// connection of the same pool. It is called when the reading's context
	// ended or its connection broke, in Admit too.
	Stop(ctx context.Context, conn *sql.Conn, r *Reading) error
}

// Celler is an [Engine] whose drivers hand some values over otherwise than the
// server writes them.
type Celler interface {
	// Cell answers what stands for a driver's value, in a column of a type as
	// the driver names it. It may answer bytes that it was given, but not keep
	// them.
	Cell(columnType string, value any) any
}

// Reading is a statement that a guard let pass, as an [Engine] sees it. Each
// attempt has a Reading of its own; what it points to is shared, for reading
// alone.
type Reading struct {
	SQL     string
	Objects []Object
	Session *Session      // never nil
	Timeout time.Duration // for the server to keep to: a millisecond or more
	Tag     string        // letters and digits that nobody can guess: finds this reading again among those of a server
	Pool    int           // which of the pools given to [New] it runs on
}

// Object is a table or view that a [Reading] names, as the catalogue spells
// it, with the columns that may be read.
type Object struct {
	Schema  string // empty where the engine has none
	Name    string
	Columns []string
}
