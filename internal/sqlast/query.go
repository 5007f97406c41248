package sqlast

import "github.com/qedkit/qed/internal/rowfilter"

// Query is a whole query, or one in parentheses inside another: common table
// expressions, a body, an order and a limit.
type Query struct {
	Pos
	With    *With // nil: none
	Body    Body
	OrderBy []Order
	Limit   Expr // nil: none
	Ties    bool // FETCH FIRST Limit ROWS WITH TIES: also the rows that sort like the last one
	Offset  Expr // nil: none

	// Simple is set by [Resolve] for a short query, with its subqueries, that makes
	// no value longer than those it reads, searches no text except for a short
	// literal, and has no expression that can fail for a row that a view hides: see
	// simple.go.
	Simple bool
}

// With is a WITH clause.
type With struct {
	Pos
	Recursive bool
	CTEs      []*CTE
}

// CTE is one common table expression.
type CTE struct {
	Pos
	Name    string
	Columns []string // nil: the names of the query's own columns
	Query   *Query
}

// Select is one SELECT block.
type Select struct {
	Pos
	Distinct   bool
	DistinctOn []Expr // DISTINCT ON (..); nil: none
	Items      []Item
	From       Relation // nil: no FROM
	Where      Expr
	GroupBy    []Expr // terms, some of which may be a [*GroupingSet]; a [*Star] is GROUP BY ALL
	Rollup     bool   // GROUP BY .. WITH ROLLUP
	Groupings  int    // how many groupings GROUP BY makes, if several; package shape counts them
	Having     Expr
	Qualify    Expr      // QUALIFY: a condition on window functions; nil: none
	Windows    []*Window // the WINDOW clause; each has a Name
}

// Item is one entry of a select list. Expr is a [*Star] for * and t.*.
type Item struct {
	Expr  Expr
	Alias string // empty: none. If the item has none, a reader sets it to the name that the engine gives the column.

	// Unnamed is set by a reader that sets Alias to a name which a column could have.
	Unnamed bool
}

// Order is one entry of an ORDER BY. Expr is a [*Star] for ORDER BY ALL.
type Order struct {
	Expr  Expr
	Desc  bool
	Nulls NullsOrder
}

// NullsOrder is the position of NULLs in an [Order].
type NullsOrder uint8

const (
	NullsDefault NullsOrder = iota // the default of the engine
	NullsFirst
	NullsLast
)

// SetOp combines two bodies. Chains are nested by the engine's own precedence.
type SetOp struct {
	Pos
	Kind        SetKind
	All         bool
	Left, Right Body
}

// SetKind is UNION, INTERSECT or EXCEPT.
type SetKind uint8

const (
	Union SetKind = iota
	Intersect
	Except
)

// Values is VALUES (..), (..) as a body.
type Values struct {
	Pos
	Rows [][]Expr
}

func (*Query) body()  {}
func (*Select) body() {}
func (*SetOp) body()  {}
func (*Values) body() {}

// Table is a name in FROM. [Resolve] binds it: to Object, a table or view of the
// catalog, or to CTE, a common table expression in scope. A Table with neither is
// unresolved and has no physical form.
type Table struct {
	Pos
	Schema string // empty: not qualified
	Name   string
	Alias  string // empty: none. Resolve always sets it, so that every qualifier stays valid.

	Printed string // the alias that is executed; empty: Alias

	Object *Object
	Reads  []bool // the columns of Object that the statement names, by their index
	CTE    *CTE

	// CTEColumns are the columns of CTE. Bounded is set for a recursive one that may be endless: a
	// statement that reads more than [MaxRecursion] of its rows fails.
	CTEColumns []string
	Bounded    bool
}

// Object is a table or view of a [Catalog].
type Object struct {
	Schema  string   // as it is printed with every physical table
	Name    string   // as it is printed: the secure view, or the table if it has none
	Logical string   // the name that the policy and the model use
	Columns []string // the readable columns, in the order and spelling of the catalog

	// Filter is the condition of the rows that are read; nil: all rows. The table is then
	// printed as a subquery with its name, in which the condition stands.
	Filter *rowfilter.Filter
}

// Derived is a subquery in FROM.
type Derived struct {
	Pos
	Query   *Query
	Alias   string   // empty: none
	Columns []string // nil: the names of the query's own columns
	Lateral bool
	Printed string // the alias that is executed; empty: Alias
}

// TableFunction is a table function in FROM, or several whose rows stand side by side.
// It may name the tables to its left.
type TableFunction struct {
	Pos
	Calls      []*Call  // several: ROWS FROM (..)
	Ordinality bool     // WITH ORDINALITY: a further column with the number of the row
	Alias      string   // empty: the name of the first function
	Printed    string   // the alias that is executed; empty: Alias
	Columns    []string // names of the first columns; nil: the functions' own
	Types      []string // types of Columns, for a function without columns of its own; nil: none
	Own        []string // the names of the functions' columns; nil: one column, named like the alias
}

// Join combines two relations. A comma and CROSS JOIN are an inner Join without a
// condition: the shape of the tree expresses their precedence.
type Join struct {
	Pos
	Kind        JoinKind
	Natural     bool // Resolve replaces it by On
	AsOf        bool // ASOF JOIN: the nearest row of Right by the inequality of its condition
	Left, Right Relation
	On          Expr     // nil: none
	Using       []string // nil: none
}

// JoinKind is the side, or both sides, whose rows a join keeps without a match.
type JoinKind uint8

const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
)

func (*Table) relation()         {}
func (*Derived) relation()       {}
func (*TableFunction) relation() {}
func (*Join) relation()          {}
