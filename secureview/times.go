package secureview

import (
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqltimes"
	"github.com/qedkit/qed/secureview/dialect"
)

// Times returns the times that the statement reads, from its tree.
//
// types returns the type of a column in the database, such as "timestamp without
// time zone", or an empty string if it is not known. On a column of dates
// <= '2026-03-31' has all of that day, and on one of timestamps only its beginning.
//
// The bounds are those of WHERE and ON, of the branches of a CASE, of FILTER, and of
// each subquery. A limit that CASE or a subquery narrows from beginning to end is left
// out. The bounds are not complete if a condition compares columns with each other or
// with the current time, combines columns by OR, or uses a function that is not read.
// The Times of a Statement that no Guard made are empty.
func (s *Statement) Times(types func(table dialect.TableName, column string) string) dates.Times {
	if s.query == nil {
		return dates.Times{}
	}
	return sqltimes.Read(s.query, s.dialect.Name(), func(o *sqlast.Object, column string) string {
		return types(dialect.TableName{Schema: o.Schema, Name: o.Logical}, column)
	})
}
