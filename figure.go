package qed

// A Figure is a value in the text of an [Answer] that code looked up in the rows
// of the answer's queries, or computed from them. Package figures makes it.
type Figure struct {
	Text      string `json:"text"`      // as it stands in the answer, such as "1,234.5"
	Offset    int    `json:"offset"`    // of Text in the Text of the answer, in bytes
	Reference string `json:"reference"` // the cell or the computation, such as "r1.hours - r2.hours"

	// Sources are the cells that it was made of.
	Sources []FigureSource `json:"sources"`
}

// A FigureSource is a cell of the rows of a query, or a whole column.
type FigureSource struct {
	Query  int    `json:"query"`            // the index in the Queries of the answer; -1 if no query returned the rows
	Row    int    `json:"row,omitempty"`    // from 1; 0 means all rows
	Column string `json:"column,omitempty"` // empty: the rows themselves are counted
}
