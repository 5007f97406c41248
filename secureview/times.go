package secureview

import (
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqltimes"
)

// Times are the times that a statement reads: see [Statement.Times].
type Times struct {
	// Bounds are the values that conditions leave of columns with dates or moments.
	// There is one entry for each range of each condition: of WHERE and ON, of the
	// branches of a CASE, of FILTER, and of each subquery. A limit that CASE or a
	// subquery narrows from beginning to end is left out.
	//
	// An entry is not Exact if what it leaves depends on what the column holds: a text
	// column that is compared with <= '2026-03-31' may have times of that day.
	Bounds []dates.Bound

	// Complete reports that Bounds has all conditions on times. It is false if a
	// condition compares columns with each other or with the current time, combines
	// columns by OR, or uses a function that is not read.
	Complete bool

	// Looks reports that the statement may look at times at all. It is false only if
	// no expression is a date or a function of dates, and no condition, group or
	// order has a column of a type or with a name of times.
	Looks bool
}

// Times returns the times that the statement reads, from its tree. types returns
// the type of a column in the database, such as "timestamp without time zone", or an
// empty string if it is not known: on a column of dates <= '2026-03-31' has all of
// that day, and on one of timestamps only its beginning. Times of a Statement that no
// Guard made are empty.
func (s *Statement) Times(types func(table dialect.TableName, column string) string) Times {
	if s.query == nil {
		return Times{}
	}
	return Times(sqltimes.Read(s.query, s.dialect.Name(), func(o *sqlast.Object, column string) string {
		return types(dialect.TableName{Schema: o.Schema, Name: o.Logical}, column)
	}))
}
