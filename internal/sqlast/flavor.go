package sqlast

// A Flavor describes how a dialect scopes names. What is not listed here is the same in
// every dialect: names are compared without the case of ASCII letters, and a name that
// could mean two things is refused.
type Flavor struct {
	CTESelfAlways       bool // a CTE sees itself even without RECURSIVE (SQLite, which refuses it as circular)
	AliasInWhere        bool // a select alias may be used in WHERE (SQLite, DuckDB)
	AliasInItems        bool // the select list may use aliases of items before (DuckDB)
	OutputNames         bool // the name of an item, which may have no alias, must be a whole term (PostgreSQL)
	AliasUnderCollate   bool // in ORDER BY x COLLATE y, x may be an alias or a position (SQLite)
	OnSeesAll           bool // ON may name tables to its right in the same parentheses (SQLite)
	DoubleQuotedStrings bool // "x" is a string if no column has the name (SQLite)
	DerivedSeesOuter    bool // a derived table may use columns of an enclosing query
	CTESeesOuter        bool // a common table expression may use columns of an enclosing query (PostgreSQL)
	ShortLists          bool // a list of columns may name only the first ones (PostgreSQL, DuckDB)
	GroupsAsWritten     bool // grouping sets have a group for each spelling of a term (DuckDB)
	RowByAlias          bool // the name of a table is its row, if no column has the name (PostgreSQL)
	SearchTables        bool // a full-text table has a hidden column with its own name (SQLite)
	RowID               bool // rowid, oid and _rowid_ name a hidden column
	ServersVary         bool // what MySQL and MariaDB read differently is refused
	RepeatsNumbered     bool // of columns with one name x, the second is called x:1 (SQLite)
	RepeatsUnnamed      bool // several columns may have one name if no expression uses it
	UsingInPlace        bool // in *, a column of USING does not come first but keeps its position (SQLite)
	UsingKeepsSides     bool // in *, the left table of a RIGHT JOIN .. USING comes first (PostgreSQL)
	ValuesFromOne       bool // the columns of VALUES are column1, column2 (SQLite); elsewhere column_0, column_1

	// MaxName is the number of bytes of a name that the engine keeps. 0 means that
	// it never shortens names.
	MaxName int

	// NamedCalls are the functions that a name without parentheses calls if it is no
	// column, by the name in lower case: current_date.
	NamedCalls map[string]string
}
