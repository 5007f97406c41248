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
// Package tools says how the cells of a column are read.
package stats

import (
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/refusal"
)

// Codes of refusals. Every argument that does not fit the table is a
// [*refusal.Error] with one of them.
const (
	ErrUnknownField                 = column.ErrUnknownField
	ErrAmbiguousColumn              = column.ErrAmbiguousColumn // or several could be meant
	ErrFieldType       refusal.Code = "field_type"              // the column does not have the values that are needed
	ErrMissingColumn   refusal.Code = "missing_column"          // a column has to be named
	ErrTooLarge        refusal.Code = "too_large"               // a series would have too many points
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

// findAll returns the indexes of the columns with the names, or of all columns
// if there are no names.
func findAll(t *qed.Table, names []string) ([]int, error) {
	var all []int
	if len(names) == 0 {
		all = lists.Indexes(len(t.Columns))
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
	i, p := column.Find(t, name)
	if p != nil {
		return 0, refuse(*p)
	}
	return i, nil
}
