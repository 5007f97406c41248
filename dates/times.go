package dates

// Times are the times that a query reads: see [Facts.Compare].
type Times struct {
	// Bounds are the values that conditions leave of fields or columns with dates or
	// moments. There is one entry for each range of each condition. A Bound is not
	// Exact if what it leaves depends on what the column holds: a text column that is
	// compared with <= '2026-03-31' may have times of that day.
	Bounds []Bound

	// Complete reports that Bounds has all conditions on times.
	Complete bool

	// Looks reports that the query may look at times at all. It is false only if
	// nothing in it is a date or a function of dates, and no condition, group or order
	// has a column of a type or with a name of times.
	Looks bool
}
