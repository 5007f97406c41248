package sqldb

import (
	"context"
	"database/sql"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
)

// A FunctionLister is an [Engine] whose database may lack functions of its dialect: those
// of later versions, or of other builds.
type FunctionLister interface {
	// Functions returns the functions of the database itself that the dialect may call, in
	// lower case. It may return more.
	Functions(ctx context.Context, conn *sql.Conn, d dialect.Dialect) (map[string]bool, error)
}

// Guard returns a guard of a policy that also refuses the functions of the dialect that
// the database does not have, before a statement is executed. It asks the database, if
// that has a list: MySQL has none, so that only its brand counts, and the dialect knows the
// functions of a Version.
//
// The error is that of [secureview.New], or an [*Error].
func (db *DB) Guard(ctx context.Context, p *secureview.Policy, d dialect.Dialect) (*secureview.Guard, error) {
	guard, err := secureview.New(p, d)
	lister, ok := db.engine.(FunctionLister)
	if err != nil || !ok {
		return guard, err
	}
	var has map[string]bool
	err = db.ask(ctx, func(ctx context.Context, conn *sql.Conn) (err error) {
		has, err = lister.Functions(ctx, conn, d)
		return err
	})
	if err != nil {
		return nil, err
	}
	return guard.WithFunctions(has), nil
}
