package sqldb

import (
	"context"
	"database/sql"

	"github.com/qedkit/qed/secureview"
)

// An Estimator is an [Engine] whose database estimates a statement before it runs.
type Estimator interface {
	// Estimate returns what the database expects of an admitted query. It is zero if
	// the account may not see that.
	Estimate(ctx context.Context, conn *sql.Conn, q *Query) (Estimate, error)
}

// An Estimate is what a database expects of a statement.
type Estimate struct {
	// Read is the number of rows that are read from tables, or that the largest join
	// has, whichever is more.
	Read float64

	// Returned is the number of rows of the result without the LIMIT of the statement.
	Returned float64
}

// Estimate returns about how many rows the database expects to read or to join for a
// statement, without running it. It has the database plan the statement, which takes
// milliseconds. A LIMIT counts if the database can stop reading when it is reached.
//
// The number comes from the statistics of the database and can be wrong by orders of
// magnitude. It is 0 if there is none: SQLite has no estimates, and MySQL and MariaDB show
// none to an account that may not read what a view reads.
//
// The error is an [*Error], as of [DB.Query].
func (db *DB) Estimate(ctx context.Context, stmt *secureview.Statement) (rows float64, err error) {
	estimator, ok := db.engine.(Estimator)
	if !ok {
		return 0, nil
	}
	q, err := db.queryFor(ctx, stmt)
	if err != nil {
		return 0, err
	}
	var found Estimate
	err = db.attempt(ctx, q, func() bool { return true }, func(ctx context.Context, conn *sql.Conn, q *Query) (ended bool, err error) {
		q.Complete = nil // the statement does not run
		if found, err = estimator.Estimate(ctx, conn, q); err != nil {
			return db.ended(ctx, err)
		}
		return true, nil
	})
	if limit := float64(stmt.Limit()); err == nil && stmt.EndsAtLimit() && found.Returned > limit {
		found.Read *= limit / found.Returned
	}
	return found.Read, err
}
