package sqlast

// Flavor is how a dialect scopes and compares names.
type Flavor struct {
	CTEForward          bool // in any WITH, a CTE sees later siblings (SQLite)
	CTESelfAlways       bool // a CTE sees itself also without RECURSIVE (SQLite: refused as circular)
	AliasInWhere        bool // a select alias may be used in WHERE (SQLite)
	OnSeesAll           bool // ON may name tables to its right that stand in the same parentheses (SQLite)
	DoubleQuotedStrings bool // a "x" that is no column is a string (SQLite)
	DerivedSeesOuter    bool // a derived table may use columns of an enclosing query
	CTESeesOuter        bool // a common table expression may use columns of an enclosing query (PostgreSQL)
	RowByAlias          bool // the name of a table alone is its row, where no column has it (PostgreSQL)
	RowID               bool // rowid, oid and _rowid_ name a hidden column
	AliasUnderCollate   bool // ORDER BY x COLLATE y takes x for an alias or a position (SQLite)
	HavingTakesColumn   bool // HAVING takes a column before a select alias of its name (SQLite)
	NamesRepeat         bool // of several columns of one name the first is meant (SQLite); elsewhere that is an error
	RepeatsUnnamed      bool // several columns may have one name as long as nobody names them (PostgreSQL)
	UsingInPlace        bool // in *, a column of USING stays where its left table has it (SQLite); elsewhere it comes first
	UsingKeepsSides     bool // in *, also a RIGHT JOIN .. USING shows its left table first (PostgreSQL)
	ForwardIfRecursive  bool // in a WITH RECURSIVE, a CTE sees later siblings (PostgreSQL)
	AliasAlone          bool // a select alias is nothing but a whole term of ORDER BY or GROUP BY (PostgreSQL)
	OrderByOutput       bool // a bare name in ORDER BY means the output column of that name first, an alias or not (PostgreSQL)
	ShortLists          bool // a list of columns may name the first ones alone (PostgreSQL)
	ValuesFromOne       bool // the columns of VALUES are column1, column2 (SQLite); elsewhere column_0, column_1

	// MaxName is how many bytes of a name the engine keeps; 0: all of any that is
	// printed.
	MaxName int

	// Fold reports whether two names are the same. It folds ASCII only: with
	// Unicode folding a CTE could hide a base table that the engine then reads.
	Fold func(a, b string) bool
}
