package joingraph

// Measured has the counts of a database for one edge. The rows of the referring
// side are a sample.
type Measured struct {
	// Rows is the number of rows of the sample, and NotNull of those with a value.
	Rows    int64 `json:"rows"`
	NotNull int64 `json:"not_null"`
	// Distinct is the number of different values of the sample.
	Distinct int64 `json:"distinct"`
	// Matched is the number of different values that exist on the other side, and
	// MatchedRows the number of rows that have them.
	Matched     int64 `json:"matched"`
	MatchedRows int64 `json:"matched_rows"`
	// KeyRows, KeyNotNull and KeyDistinct are the same counts of the other side.
	KeyRows     int64 `json:"key_rows"`
	KeyNotNull  int64 `json:"key_not_null"`
	KeyDistinct int64 `json:"key_distinct"`
	// Chance reports that the values would match by chance: both sides are numbers
	// without large gaps.
	Chance bool `json:"chance,omitempty"`
	// Reach is, for numbers, the range of the matched values as a share of the
	// range of the key. 0 means unknown.
	Reach float64 `json:"reach,omitempty"`
	// Alike is the share of the other numeric keys of the schema whose range the
	// values fill as well. It is used only if Chance is true.
	Alike float64 `json:"alike,omitempty"`
	// Partial reports that a table has more rows than were read.
	Partial bool `json:"partial,omitempty"`
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func (m *Measured) childUnique() bool {
	return m != nil && m.NotNull > 1 && m.Distinct == m.NotNull && !m.Partial
}

func (m *Measured) parentUnique() bool {
	return m != nil && m.KeyRows > 1 && m.KeyNotNull == m.KeyRows && m.KeyDistinct == m.KeyRows
}

func (m *Measured) parentRepeats() bool { return m != nil && m.KeyDistinct < m.KeyNotNull }

// A Problem is a measurement that failed.
type Problem struct {
	// Table and Columns are what was measured. Both are empty if Infer stopped
	// before it had measured everything; Message then says how much is missing.
	Table   string   `json:"table,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Message string   `json:"message"`

	// Err is the error of the database, for errors.Is. It may be nil.
	Err error `json:"-"`
}
