package sqlast

// Query is a whole SELECT-shaped statement, or one in parentheses inside
// another: common table expressions, a body, an order and a limit.
type Query struct {
	Pos
	With    *With // nil: none
	Body    Body
	OrderBy []Order
	Limit   Expr // nil: none
	Offset  Expr // nil: none
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
	GroupBy    []Expr // terms, some of which may be a [*GroupingSet]
	Rollup     bool   // GROUP BY .. WITH ROLLUP
	Having     Expr
	Windows    []*Window // the WINDOW clause; each has a Name
}

// Item is one entry of a select list. Expr is a [*Star] for * and t.*.
type Item struct {
	Expr  Expr
	Alias string // empty: none. A reader sets it to the source text of an expression that has none.
}

// Order is one entry of an ORDER BY.
type Order struct {
	Expr  Expr
	Desc  bool
	Nulls NullsOrder
}

// NullsOrder says where NULLs sort.
type NullsOrder uint8

const (
	NullsDefault NullsOrder = iota // as the engine has it
	NullsFirst
	NullsLast
)

// SetOp joins two bodies. Chains are nested in the engine's own precedence, so
// the tree says which arms belong together.
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

// Table is a name in FROM. What it stands for is settled by [Resolve]: Object
// for a table or view of the catalog, CTE for a common table expression in
// scope. With neither it is unresolved and has no physical form.
type Table struct {
	Pos
	Schema string // empty: not qualified
	Name   string
	Alias  string // empty: none. Resolve always sets it, so that every qualifier still holds.

	Object *Object
	CTE    *CTE
}

// Object is a table or view that a catalog offers for reading.
type Object struct {
	Schema  string   // as printed; every physical table is printed with it
	Name    string   // as printed: the secure view's name where the table has one
	Logical string   // the name that the policy and the model use
	Columns []string // the readable columns, in order, in the catalog's spelling
}

// Derived is a subquery in FROM.
type Derived struct {
	Pos
	Query   *Query
	Alias   string   // empty: none
	Columns []string // nil: the names of the query's own columns
	Lateral bool
}

// TableFunction is a table function in FROM. It may name the tables to its left.
type TableFunction struct {
	Pos
	Call       *Call
	Ordinality bool     // WITH ORDINALITY: one column more, which counts
	Alias      string   // empty: the function's name
	Columns    []string // names for the first columns; nil: those that the function gives
	Types      []string // of Columns, for a function that has no columns of its own; nil: none
	Own        []string // the names of the function's columns; nil: one, which goes by the alias
}

// Join combines two relations. A comma and CROSS JOIN are an inner Join without
// a condition: their precedence is in the shape of the tree.
type Join struct {
	Pos
	Kind        JoinKind
	Natural     bool // Resolve replaces it by Using
	Left, Right Relation
	On          Expr     // nil: none
	Using       []string // nil: none
}

// JoinKind says which rows a join keeps that found no partner.
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
