package sqlast

// A Flavor describes how a dialect scopes and compares names.
type Flavor struct {
	CTEForward          bool // in every WITH, a CTE sees later CTEs (SQLite)
	CTESelfAlways       bool // a CTE sees itself even without RECURSIVE (SQLite, which refuses it as circular)
	AliasInWhere        bool // a select alias may be used in WHERE (SQLite)
	OnSeesAll           bool // ON may name tables to its right in the same parentheses (SQLite)
	DoubleQuotedStrings bool // "x" is a string if no column has the name (SQLite)
	DerivedSeesOuter    bool // a derived table may use columns of an enclosing query
	CTEInLastArm        bool // a recursive CTE sees itself in the right arm of its UNION only (DuckDB)
	CTESeesOuter        bool // a common table expression may use columns of an enclosing query (PostgreSQL)
	RowByAlias          bool // the name of a table is its row, if no column has the name (PostgreSQL)
	RowBeforeAlias      bool // a name means the row of a table rather than a select alias (DuckDB)
	RowID               bool // rowid, oid and _rowid_ name a hidden column
	AliasUnderCollate   bool // in ORDER BY x COLLATE y, x may be an alias or a position (SQLite)
	AliasHidesCollate   bool // a COLLATE of a select alias has no effect on a text computed from the alias (SQLite)
	HavingTakesColumn   bool // HAVING prefers a column to a select alias with the same name (SQLite)
	HavingSkipsTables   bool // HAVING looks up a name in the select list, in GROUP BY and in the enclosing queries (MySQL)
	ServersVary         bool // what MySQL and MariaDB read differently is refused
	QueriesByPosition   bool // a term that repeats an item and has a query without FROM is printed as its position
	GroupsByPosition    bool // a term of ORDER BY may be, but not contain, the expression of a group or DISTINCT (MySQL)
	NamesRepeat         bool // a name that several columns have means the first (SQLite), and is no error
	AmbiguousMeansItem  bool // in ORDER BY, GROUP BY and HAVING it means the only item that has it (MySQL)
	ExpressionFirst     bool // if several items have the alias, it means the first that is no column (MySQL)
	RepeatsUnnamed      bool // several columns may have one name if no expression uses it (PostgreSQL)
	UsingInPlace        bool // in *, a column of USING does not come first but keeps its position (SQLite)
	UsingKeepsSides     bool // in *, the left table of a RIGHT JOIN .. USING comes first (PostgreSQL)
	ForwardIfRecursive  bool // in a WITH RECURSIVE, a CTE sees later CTEs (PostgreSQL)
	AliasAlone          bool // a select alias must be a whole term of ORDER BY or GROUP BY (PostgreSQL)
	OrderByOutput       bool // ORDER BY looks up a name in the output columns first (PostgreSQL)
	ExactFirst          bool // a name in the same case comes before names that differ in case (PostgreSQL)
	ShortLists          bool // a list of columns may name only the first ones (PostgreSQL)
	AliasInItems        bool // the select list may use aliases of items before (DuckDB)
	GroupsAsWritten     bool // GROUP BY compares terms as they are written, and HAVING finds columns in each (DuckDB)
	ValuesFromOne       bool // the columns of VALUES are column1, column2 (SQLite); elsewhere column_0, column_1

	// MaxName is the number of bytes of a name that the engine keeps. 0 means that
	// it never shortens names.
	MaxName int

	// NamedCalls are the functions that a name without parentheses calls if it is no
	// column, by the name in lower case: current_date.
	NamedCalls map[string]string

	// Fold reports whether two names are the same. It ignores the case of ASCII
	// letters only: with Unicode case folding, a CTE could hide a table from the
	// guard that the engine then reads.
	Fold func(a, b string) bool
}
