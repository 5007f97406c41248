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

// A Versioner is an [Engine] whose dialect allows more for a known version of the server.
type Versioner interface {
	// ForServer returns d for the version of the server. It returns d itself if d has a
	// version, or if the database has routines that calls could mean.
	ForServer(ctx context.Context, conn *sql.Conn, d dialect.Dialect) (dialect.Dialect, error)
}

// Guard returns a guard of a policy that allows the functions of the dialect that the
// database has, and refuses others before a statement is executed. It asks the database for
// a list, or, in MySQL and MariaDB, for its version, unless d has one. With
// [Options.Replicas], whose versions may differ, d stays as it is.
//
// The error is that of [secureview.New], or an [*Error].
func (db *DB) Guard(ctx context.Context, p *secureview.Policy, d dialect.Dialect) (*secureview.Guard, error) {
	guard, err := secureview.New(p, d)
	lister, ok := db.engine.(FunctionLister)
	if err != nil || !ok {
		return guard, err
	}
	versioner, ok := db.engine.(Versioner)
	var has map[string]bool
	err = db.ask(ctx, func(ctx context.Context, conn *sql.Conn) (err error) {
		if ok && len(db.replicas.all) == 1 {
			if d, err = versioner.ForServer(ctx, conn, d); err != nil {
				return err
			}
		}
		has, err = lister.Functions(ctx, conn, d)
		return err
	})
	if err != nil {
		return nil, err
	}
	if guard, err = secureview.New(p, d); err != nil {
		return nil, err
	}
	return guard.WithFunctions(has), nil
}
