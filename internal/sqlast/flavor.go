package sqlast

// Flavor is how a dialect scopes and compares names.
type Flavor struct {
	CTEForward          bool // in any WITH, a CTE sees later siblings (SQLite)
	CTESelfAlways       bool // a CTE sees itself also without RECURSIVE (SQLite: refused as circular)
	AliasInWhere        bool // a select alias may be used in WHERE (SQLite)
	OnSeesAll           bool // ON may name tables to its right that stand in the same parentheses (SQLite)
	DoubleQuotedStrings bool // a "x" that is no column is a string (SQLite)
	DerivedSeesOuter    bool // a derived table may use columns of an enclosing query
	RowID               bool // rowid, oid and _rowid_ name a hidden column
	AliasUnderCollate   bool // ORDER BY x COLLATE y takes x for an alias or a position (SQLite)
	HavingTakesColumn   bool // HAVING takes a column before a select alias of its name (SQLite)
	NamesRepeat         bool // of several columns of one name the first is meant (SQLite); elsewhere that is an error
	UsingInPlace        bool // in *, a column of USING stays where its left table has it (SQLite); elsewhere it comes first
	ValuesFromOne       bool // the columns of VALUES are column1, column2 (SQLite); elsewhere column_0, column_1

	// Fold reports whether two names are the same. It folds ASCII only: with
	// Unicode folding a CTE could hide a base table that the engine then reads.
	Fold func(a, b string) bool
}
