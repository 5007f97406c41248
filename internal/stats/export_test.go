package stats

import "github.com/qedkit/qed"

// The tests compare what the tools compute with SciPy, without the limits of a tool's result.

// Correlate correlates two columns of numbers over the rows that have both. The
// errors.Is targets are ErrUnknownField, ErrAmbiguousColumn and ErrFieldType.
func Correlate(t *qed.Table, a, b string) (*Correlation, error) {
	x, err := numbered(t, a)
	if err != nil {
		return nil, err
	}
	y, err := numbered(t, b)
	if err != nil {
		return nil, err
	}
	return correlate(x, y), nil
}

// A Seasonality lists the cycles of the calendar that were tested.
type Seasonality struct {
	Time      string    `json:"time"`            // name of the column
	Value     string    `json:"value,omitempty"` // name of the column; empty if rows are counted
	Aggregate Aggregate `json:"aggregate"`

	// Cycles are the hours of the day, the days of the week, the months and the
	// quarters of the year, in this order, found or not.
	Cycles []Cycle `json:"cycles"`
}

// FindSeasonality tests which cycles a column of values follows along a column of
// times. If value is empty, rows are counted. opt.Period is not used, because each
// cycle has its own. The errors are those of [NewSeries].
func FindSeasonality(t *qed.Table, timeColumn, value string, opt *SeriesOptions) (*Seasonality, error) {
	d, err := readDated(t, timeColumn, value, opt)
	if err != nil {
		return nil, err
	}
	return &Seasonality{Time: d.time, Value: d.value, Aggregate: d.opt.Aggregate, Cycles: d.seasonality()}, nil
}

// CompareGroups compares the numbers of the column value between the groups that
// the column by makes. The errors.Is targets are ErrUnknownField,
// ErrAmbiguousColumn and ErrFieldType.
func CompareGroups(t *qed.Table, value, by string) (*Comparison, error) {
	v, err := numbered(t, value)
	if err != nil {
		return nil, err
	}
	place, err := find(t, by)
	if err != nil {
		return nil, err
	}
	return compare(t, v, place), nil
}

// NewSeries makes a series of a column of times and a column of values. If value
// is empty, rows are counted. The errors.Is targets are ErrUnknownField,
// ErrAmbiguousColumn, ErrFieldType, ErrMissingColumn for an aggregate without a
// column of values, and ErrTooLarge for more than 1,500 points.
func NewSeries(t *qed.Table, timeColumn, value string, opt *SeriesOptions) (*Series, error) {
	d, err := readDated(t, timeColumn, value, opt)
	if err != nil {
		return nil, err
	}
	return d.choose()
}

func readDated(t *qed.Table, timeColumn, value string, opt *SeriesOptions) (*dated, error) {
	times, err := timed(t, timeColumn)
	if err != nil {
		return nil, err
	}
	if value == "" {
		return newDated(times, nil, opt)
	}
	values, err := numbered(t, value)
	if err != nil {
		return nil, err
	}
	return newDated(times, values, opt)
}

// Describe summarises the columns with the names, or all columns of t if there
// are no names. The errors.Is targets are ErrUnknownField and ErrAmbiguousColumn.
func Describe(t *qed.Table, columns ...string) ([]Summary, error) {
	if t == nil {
		return nil, errNoTable
	}
	indexes, err := findAll(t, columns)
	if err != nil {
		return nil, err
	}
	var all []Summary
	for _, i := range indexes {
		c, err := read(t, i, "")
		if err != nil {
			return nil, err
		}
		all = append(all, c.summary())
	}
	return all, nil
}

// FindOutliers returns the outliers of a column of numbers. The errors.Is targets
// are ErrUnknownField, ErrAmbiguousColumn and ErrFieldType.
func FindOutliers(t *qed.Table, name string) (*Outliers, error) {
	c, err := numbered(t, name)
	if err != nil {
		return nil, err
	}
	return c.outliers(), nil
}
