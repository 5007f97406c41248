// Package stats computes statistics of the columns of a qed.Table: summaries,
// outliers, differences between groups, correlations, trends and seasonal
// cycles. [NewAnalysisTool] and [NewPatternTool] give them to an agent.
//
// Results are deterministic: the same table gives the same figures in the same
// order. The methods are robust ones that do not assume a normal distribution,
// because business data rarely have one. Each result has the number of values
// that it rests on. If there are too few values, or they allow no conclusion,
// the field Unclear has the reason.
//
// A finding is significant if its p-value is below 0.05. Correlations and cycles
// are tested several at once, so their p-value must be below 0.01.
//
// Results hold no NaN and no infinity, so all of them have a JSON form. A figure
// beyond float64 is the largest float64.
//
// # Columns
//
// Numbers are int64 and float64 cells, and text as databases write decimals:
// "12", "-0.5", "1.5e3". Text with a leading zero ("00412"), a plus sign, a
// percent sign or thousands separators is text: it may be an identifier, and
// separators are ambiguous. Decimals in a column whose [qed.Column].Type is a
// text type are text, except where a function needs numbers. Whole numbers
// beyond 2^53 are rounded to the nearest float64, except in [Summary].Distinct.
//
// Fractions that are equal in their first 12 digits, and closer to each other
// than a millionth of the column's range, are treated as equal where values are
// ranked or scored: sums and averages of a database are rounded, and 0.1 + 0.2
// is not exactly 0.3.
//
// Times are text: RFC 3339, with a T or a space, with or without seconds,
// fractions and zone; dates as 2006-01-02 and 2006/01/02; months as 2006-01;
// and the forms of [time.RFC1123] in GMT or UTC, [time.RFC1123Z] and
// [time.Time.String]. Forms such as 01/02/2006 are text, because day and month
// cannot be told apart. Times with other letters for a zone, such as EST, are
// text too. In a column whose Type is a time type, and where a function needs
// times, whole numbers are times too: 1000 to 9999 are years, and from 1e8 on
// they are seconds, milliseconds, microseconds or nanoseconds since 1970, by
// their size.
//
// Null and blank cells are missing. In a column of numbers or times so are
// "NaN", "NULL", "none", "nil", "N/A", "NA", "-" and infinities, in any letter
// case, the date 0000-00-00, and the years 1 and 9999. A column has numbers, or
// times, if at least nine of ten of its other cells have. The rest are counted
// as Other and left out. Package [chart] reads columns by the same rules.
//
// [chart]: https://pkg.go.dev/github.com/qedkit/qed/chart
package stats

import (
	"errors"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// Codes of refusals. Every argument that does not fit the table is a
// [*refusal.Error] with one of them.
const (
	ErrUnknownField    refusal.Code = "unknown_field"    // the table has no such column
	ErrAmbiguousColumn refusal.Code = "ambiguous_column" // several columns have the name, or could be meant
	ErrFieldType       refusal.Code = "field_type"       // the column does not have the values that are needed
	ErrUnknownName     refusal.Code = "unknown_name"     // there is no such period or aggregate
	ErrMissingColumn   refusal.Code = "missing_column"   // a column has to be named
	ErrTooLarge        refusal.Code = "too_large"        // a series would have too many points
)

// P-values below these are significant.
const (
	level       = 0.05
	strictLevel = 0.01 // of correlations and cycles
)

var errNoTable = errors.New("stats: the table is nil")

func refuse(p refusal.Problem) error {
	return &refusal.Error{Package: "stats", Problems: []refusal.Problem{p}}
}

// unknownName is the error for a word that is not one of known.
func unknownName[S ~string](what string, got S, known []S) error {
	p := refusal.Problem{
		Code: ErrUnknownName, Name: clip(string(got)),
		Message: fmt.Sprintf("there is no %s %s", what, quoted(string(got))),
	}
	for _, name := range known {
		p.Candidates = append(p.Candidates, string(name))
	}
	return refuse(p)
}

// findAll returns the indexes of the columns with the names, or of all columns
// if there are no names.
func findAll(t *qed.Table, names []string) ([]int, error) {
	var all []int
	if len(names) == 0 {
		for i := range t.Columns {
			all = append(all, i)
		}
	}
	for _, name := range names {
		i, err := find(t, name)
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

// find returns the index of the column with a name.
func find(t *qed.Table, name string) (int, error) {
	if t == nil {
		return 0, errNoTable
	}
	found := -1
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = prompt.Clip(c.Name, maxNameBytes)
		if c.Name != name {
			continue
		}
		if found >= 0 {
			return 0, refuse(refusal.Problem{
				Code: ErrAmbiguousColumn, Name: clip(name),
				Message: fmt.Sprintf("several columns have the name %s: rename them in the query", quoted(name)),
			})
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
	return 0, refuse(refusal.Problem{
		Code: ErrUnknownField, Name: clip(name), Candidates: near,
		Message: fmt.Sprintf("the table has no column %s", quoted(name)),
	})
}
