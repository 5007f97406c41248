package joingraph

// measured has the counts of a database for one edge. The rows of the referring side are a
// sample.
type measured struct {
	rows, notNull, distinct          int64 // of the sample: rows, rows with a value, different values
	matched, matchedRows             int64 // different values that exist on the other side, and rows that have them
	keyRows, keyNotNull, keyDistinct int64 // the same counts of the other side

	chance  bool    // the values would match by chance: both sides are numbers without large gaps
	reach   float64 // the range of the matched numbers as a share of the range of the key; 0: unknown
	partial bool    // a table has more rows than were read
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func (m *measured) childUnique() bool {
	return m != nil && m.notNull > 1 && m.distinct == m.notNull && !m.partial
}

func (m *measured) parentUnique() bool {
	return m != nil && m.keyRows > 1 && m.keyNotNull == m.keyRows && m.keyDistinct == m.keyRows
}

func (m *measured) parentRepeats() bool { return m != nil && m.keyDistinct < m.keyNotNull }

// A Problem is a measurement that failed.
type Problem struct {
	// Table is what was measured. It is empty if Infer stopped before it had measured
	// everything; Message then says how much is missing.
	Table   string
	Message string

	// Err is the error of the database, for errors.Is. It may be nil.
	Err error
}
