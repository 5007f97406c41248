// Package stats computes statistics of the columns of a [qed.Table]: summaries, outliers,
// differences between groups, correlations, trends and seasonal cycles.
//
// Everything is deterministic: the same table gives the same figures in the same order.
// No method supposes that values are normally distributed where one that does not is as
// good, as business data rarely are. Each result has the number of values that it rests on,
// and where these are too few to say something, or cannot say it, its Unclear says why and
// nothing is claimed. A p-value below 0.05 counts as more than chance; those of correlations and
// cycles, of which several are tried at once, must be below 0.01. Results hold no NaN and no infinity, so that they have a JSON form: a
// figure beyond float64 is the largest float64.
//
// # What a cell is
//
// Numbers are int64 and float64 cells and strings that are written as databases write
// decimals, such as "12", "-0.5" and "1.5e3". Whole numbers beyond 2^53 are rounded to the
// nearest float64 in all figures but [Summary].Distinct. A string with a leading zero ("00412"),
// a plus sign or a thousands separator is text: it is an identifier, or nobody can tell.
//
// Values with a fraction that are the same in their first 12 digits, and nearer to each other
// than a millionth of what the column spans, are taken for equal where values are ranked or
// scored: sums and averages of a database are rounded by as much, and 0.1 + 0.2 is 0.3.
//
// Times are strings: RFC 3339, with a T or a space, with or without seconds, fractions and
// zone; dates as 2006-01-02 and 2006/01/02; months as 2006-01; and the forms of
// [time.RFC1123] in GMT or UTC, [time.RFC1123Z] and [time.Time.String]. Forms such as 01/02/2006
// are text, as nobody can tell the day from the month, and so are those with other letters for
// a zone, such as EST, which stand for several. Where a column is asked for as a time, whole
// numbers are read as well: from 1000 to 9999 as years, and from 1e8 on as seconds,
// milliseconds, microseconds or nanoseconds since 1970, by their size.
//
// Null and blank cells are missing. Among numbers and times so are "NaN", "NULL", "none",
// "nil", "N/A", "NA", "-" and infinities, in any case, and the years 1 and 9999, which stand
// for "never". A column is of numbers, or of times, when at least nine of ten of its other
// cells are; the rest are counted as Other and left out.
package stats

import (
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// A p-value below level counts as more than chance. Cycles and correlations, of which several
// are tried at once, must be below strictLevel.
const (
	level       = 0.05
	strictLevel = 0.01
)

// A ColumnError says why a column cannot be used.
type ColumnError struct {
	Column string
	Reason string   // such as "the table has no such column"
	Near   []string // columns that could have been meant
}

func (e *ColumnError) Error() string {
	text := fmt.Sprintf("stats: column %q: %s", prompt.Clip(e.Column, maxNameBytes), e.Reason)
	if len(e.Near) == 0 {
		return text
	}
	near := make([]string, len(e.Near))
	for i, name := range e.Near {
		near[i] = fmt.Sprintf("%q", prompt.Clip(name, maxNameBytes))
	}
	return text + "; there is " + strings.Join(near, ", ")
}

var errNoTable = errors.New("stats: there is no table")

// everyPlace returns where the columns of t stand: all of them.
func everyPlace(t *qed.Table) []int {
	places := make([]int, len(t.Columns))
	for i := range places {
		places[i] = i
	}
	return places
}

// find returns where the column of a name stands.
func find(t *qed.Table, name string) (int, error) {
	if t == nil {
		return 0, errNoTable
	}
	found := -1
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
		if c.Name != name {
			continue
		}
		if found >= 0 {
			return 0, &ColumnError{Column: name, Reason: "several columns have that name: give them names of their own"}
		}
		found = i
	}
	if found >= 0 {
		return found, nil
	}
	near := refusal.Nearest(name, names, 3)
	if len(near) == 0 {
		near = names[:min(len(names), 10)]
	}
	return 0, &ColumnError{Column: name, Reason: "the table has no such column", Near: near}
}
