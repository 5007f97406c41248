package sqldb

import (
	"context"
	"database/sql"

	"github.com/qedkit/qed/joinpath"
)

// Engine is what differs between database servers. Engines come from packages
// of their own, such as sqldb/sqlitedb; hosts only pass them on. An Engine is
// safe for concurrent use, a connection is not.
type Engine interface {
	// Dialect is the name of the dialect whose statements it executes.
	Dialect() string

	// Introspect reads the catalogue and tells skipped what it leaves out.
	Introspect(ctx context.Context, conn *sql.Conn, skipped func(table, reason string)) (*joinpath.Schema, error)

	// Check answers an error of kind [ErrEmpty] or [ErrWritable], or one
	// that says why the database cannot be read.
	Check(ctx context.Context, conn *sql.Conn) error

	// Admit prepares the connection for one statement: read-only, and where
	// the engine can, nothing beyond what r names. release undoes that; when
	// it fails the connection is thrown away.
	Admit(ctx context.Context, conn *sql.Conn, r *Reading) (release func() error, err error)

	// Classify turns a driver's error into an [*Error] with a text that is
	// safe to show, or answers nil for one that it does not know.
	Classify(err error) *Error
}

// Reading is a statement that a guard let pass, as an [Engine] sees it.
type Reading struct {
	SQL     string
	Objects []Object
}

// Object is a table or view that a [Reading] names, as the catalogue spells
// it, with the columns that may be read.
type Object struct {
	Schema  string // empty where the engine has none
	Name    string
	Columns []string
}
