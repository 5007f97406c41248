// Package profile computes profiles of the columns of a database table over all
// its rows: ranges, means, quantiles, outliers, frequent values and problems of
// the data.
//
// [Read] reads the table once, through the guard of a policy, and keeps no rows. If it
// has times, it reads their days once more, to find periods that are broken. Its memory
// depends on the number of columns and of days only. Figures that need all values of a
// column are exact if the column has at most 50,000 different values (fewer in a
// table of more than 20 columns). Otherwise they are estimates from random samples,
// and the Profile marks them.
//
// In an engine that stores tables by column, such as DuckDB, Read sends a statement
// for each column, which groups its values. Values that the collation of the column
// treats as equal are then one value.
//
// Package [tools] classifies columns by the same rules.
//
// [tools]: https://pkg.go.dev/github.com/qedkit/qed/tools
package profile

import (
	"context"
	"errors"
	"math"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
)

// A Source is a table of a database.
type Source struct {
	DB      *sqldb.DB
	Policy  *secureview.Policy // lists the columns that may be read; its RowLimit does not apply
	Dialect dialect.Dialect    // of DB

	// Table is the name of the table in the policy, such as "orders", or
	// "sales.orders" if its schema is not that of the policy.
	Table string
}

// Options are the options of [Read]. Nil and zero fields mean the defaults.
type Options struct {
	// Columns are the columns to profile. Empty means all that the policy lists.
	Columns []string

	// IncludeDistribution adds the most frequent values of each column and the
	// histograms of numbers.
	IncludeDistribution bool

	// OmitNulls leaves out the number of nulls of each column.
	OmitNulls bool
}

// A Profile has the profiles of the columns of a table. It has a JSON form.
type Profile struct {
	Table string `json:"table"`
	Rows  int    `json:"rows"`

	// DuplicateRows is the number of rows that are equal to an earlier one. It is
	// nil unless all columns that the policy lists were read.
	DuplicateRows *Figure `json:"duplicate_rows,omitempty"`

	Columns []Column `json:"columns"`
}

// A Figure is a number of rows or values.
type Figure struct {
	Value    int  `json:"value"`
	Estimate bool `json:"estimate,omitempty"` // from a random sample
}

// A Kind is the kind of the values of a column, by the rules of package tools.
type Kind string

const (
	Empty    Kind = "empty"    // all are missing
	Numbers  Kind = "numbers"  // at least nine of ten
	Times    Kind = "times"    // at least nine of ten
	Booleans Kind = "booleans" // all
	Texts    Kind = "texts"    // everything else
)

// A Column is the profile of a column. Its values are the cells of its Kind.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"` // as the database names it
	Kind Kind   `json:"kind"`

	Values int  `json:"values"`
	Nulls  *int `json:"nulls,omitempty"`  // NULL; nil with Options.OmitNulls
	Blanks int  `json:"blanks,omitempty"` // empty texts and texts of white space
	Other  int  `json:"other,omitempty"`  // of another kind, in a column of numbers or times

	// Distinct is the number of different values.
	Distinct Figure `json:"distinct"`

	// Min and Max are the smallest and the largest value, as numbers, times or
	// texts. They are nil for booleans and for texts among which there are numbers
	// of the database. Long texts are cut off.
	Min any `json:"min,omitempty"`
	Max any `json:"max,omitempty"`

	Mean      *float64   `json:"mean,omitempty"`      // of numbers
	Quantiles *Quantiles `json:"quantiles,omitempty"` // of numbers

	// Mode is the most frequent value. It is nil if each value occurs once, or if there
	// are too many different values to count each, unless the database groups them.
	Mode *Count `json:"mode,omitempty"`

	// OutliersIQR are outside of Tukey's fences, and OutliersMAD have a modified
	// z-score above 3.5. They are nil if there are fewer than
	// 8 numbers, or if all are equal.
	OutliersIQR *Outliers `json:"outliers_iqr,omitempty"`
	OutliersMAD *Outliers `json:"outliers_mad,omitempty"`

	// Top are the most frequent values, at most 10. It is nil if too many are different, as
	// for Mode. Histogram has 10 bins of numbers of the same width. If one bin would have nearly all of them, the bins are
	// at most 10 with about the same number of values. They need
	// Options.IncludeDistribution.
	Top       []Count `json:"top,omitempty"`
	Histogram []Bin   `json:"histogram,omitempty"`

	Problems []Problem `json:"problems,omitempty"`
}

// Quantiles are quantiles of numbers, interpolated like percentile_cont of SQL.
type Quantiles struct {
	P05    float64 `json:"p05"`
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	P95    float64 `json:"p95"`

	// Sample is the size of the random sample that they are estimated from. 0
	// means that they are exact.
	Sample int `json:"sample,omitempty"`
}

// A Count is a value and the number of its rows.
type Count struct {
	Value any `json:"value"`
	Rows  int `json:"rows"`
}

// Outliers are the numbers outside of a range.
type Outliers struct {
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Count    int     `json:"count"`
	Estimate bool    `json:"estimate,omitempty"` // Count is from a random sample
}

// A Bin is the numbers from From to To. The last bin includes To.
type Bin struct {
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	Count    int     `json:"count"`
	Estimate bool    `json:"estimate,omitempty"` // Count is from a random sample
}

// A Problem is a possible error in the data of a column.
type Problem struct {
	Kind    ProblemKind `json:"kind"`
	Count   int         `json:"count"`   // the number of cells
	Message string      `json:"message"` // one sentence, without values
}

// A ProblemKind is a kind of Problem.
type ProblemKind string

const (
	AllMissing        ProblemKind = "all_missing"
	Constant          ProblemKind = "constant"           // all values are equal
	MixedTypes        ProblemKind = "mixed_types"        // most values, but not all, are of one kind
	Placeholders      ProblemKind = "placeholders"       // such as N/A
	SuspiciousDates   ProblemKind = "suspicious_dates"   // before 1900 or after 2100
	SurroundingSpaces ProblemKind = "surrounding_spaces" // texts with white space around them

	MixedUnits        ProblemKind = "mixed_units"          // some numbers are about 100, 1000 or a million times the others
	MeanFarFromMedian ProblemKind = "mean_far_from_median" // a few large numbers make the mean
	OneValueMakesMean ProblemKind = "one_value_makes_mean" // one number is a fifth of the sum or more
	NegativeValues    ProblemKind = "negative_values"      // a few numbers are negative, and the others are not
	NumbersAsText     ProblemKind = "numbers_as_text"      // such as 1.234,50, 12 % and 7 €
	MissingPeriod     ProblemKind = "missing_period"       // no rows for days, in a column of times
	PeriodOutOfLine   ProblemKind = "period_out_of_line"   // a week or month is far from those before and after
)

// Read reads the table and computes its profile. The limits of Source.DB for the
// time of a statement and the size of a cell apply. Those for the size of a result
// do not.
//
// If the policy does not list the table or a column, the error is a *refusal.Error
// with candidates. An error of the database is a [*sqldb.Error]. If ctx ends, Read
// stops the statement.
func Read(ctx context.Context, s Source, o *Options) (*Profile, error) {
	opt := option.Of(o)
	if s.DB == nil || s.Policy == nil || s.Dialect == nil {
		return nil, errors.New("profile: Source needs DB, Policy and Dialect")
	}
	guard, err := secureview.New(s.Policy, s.Dialect)
	if err != nil {
		return nil, err
	}
	r := &run{source: s, guard: guard.WithRowLimit(math.MaxInt32), opt: opt}
	if err := r.find(ctx); err != nil {
		return nil, err
	}
	if by, ok := s.Dialect.(columnar); ok {
		err = r.group(ctx, by)
	} else {
		err = r.scan(ctx)
	}
	if err != nil {
		return nil, err
	}
	p := r.profile()
	return p, r.periods(ctx, p)
}

// allRows reads all rows of a statement.
var allRows = sqldb.RowsOptions{MaxRows: -1, MaxBytes: -1}
