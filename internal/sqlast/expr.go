package sqlast

import "strings"

// Column is a reference to a column, or to a select alias where an engine allows
// one.
type Column struct {
	Pos
	Schema, Table string // empty: not qualified. Resolve removes Schema.
	Name          string
	DoubleQuoted  bool // written "x" and unqualified: SQLite reads it as a string if no column has the name

	// Of is the relation of FROM that has the column, and Index the number of the column
	// there. Resolve sets them, except for a select alias.
	Of    Relation
	Index int

	// Path is a name of several parts in an engine where they may be a schema, a
	// table, a column and fields of a structure. Resolve replaces it by the other
	// fields, and the fields of a structure by calls of struct_extract.
	Path []string
}

// Star is * or t.* in a select list, or the row of t as an argument of a call.
type Star struct {
	Pos
	Schema, Table string   // empty: every table in scope
	Row           bool     // a single value: the whole row
	Of            Relation // the relation of the row; Resolve sets it

	Exclude []string // columns that are left out
	Replace []Item   // columns, by their alias, that have another value
}

// Null is NULL.
type Null struct{ Pos }

// Bool is TRUE or FALSE.
type Bool struct {
	Pos
	Value bool
}

// Number is a numeric literal without its sign, as it was written.
type Number struct {
	Pos
	Text string
}

// IsWhole reports whether the literal consists of digits only.
func (n *Number) IsWhole() bool { return n.Text != "" && strings.Trim(n.Text, "0123456789") == "" }

// String is a string literal. Value has no escapes.
type String struct {
	Pos
	Value string
}

// Bytes is a binary literal such as X'41'.
type Bytes struct {
	Pos
	Value []byte
}

// Now is CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP, LOCALTIME or
// LOCALTIMESTAMP, in any notation.
type Now struct {
	Pos
	Kind      NowKind
	Precision int // digits of the fraction of a second; 0: none
}

// NowKind is the part of the current time that a [Now] returns.
type NowKind uint8

const (
	CurrentDate NowKind = iota
	CurrentTime
	CurrentTimestamp
	LocalTime
	LocalTimestamp
)

// Unary is a prefix operator.
type Unary struct {
	Pos
	Op UnaryOp
	X  Expr
}

// Binary is an infix operator of two values.
type Binary struct {
	Pos
	Op   BinaryOp
	X, Y Expr
}

// Is tests a value for NULL or truth: X IS [NOT] NULL, TRUE, FALSE, UNKNOWN.
// Null-safe comparison of two values is a [Binary].
type Is struct {
	Pos
	X    Expr
	Not  bool
	Test IsTest
}

// IsTest is the test of an [Is].
type IsTest uint8

const (
	IsNull IsTest = iota
	IsTrue
	IsFalse
	IsUnknown // IsNull for truth values
)

// Between is X [NOT] BETWEEN Low AND High.
type Between struct {
	Pos
	X, Low, High Expr
	Not          bool
	Symmetric    bool // BETWEEN SYMMETRIC: the bounds in either order
}

// In is X [NOT] IN (list) or X [NOT] IN (query). Query is nil for a list. The list
// may be empty in engines that allow that.
type In struct {
	Pos
	X     Expr
	Not   bool
	List  []Expr
	Query *Query
}

// Like is a pattern match, LIKE, GLOB, REGEXP, ILIKE or SIMILAR TO, or X MEMBER OF (Pattern),
// whose Pattern is a JSON array, or X MATCH Pattern of a full-text table of SQLite.
type Like struct {
	Pos
	Op         LikeOp
	X, Pattern Expr
	Escape     Expr // nil: none
	Not        bool
}

// LikeOp is the pattern language of a [Like].
type LikeOp uint8

const (
	OpLike LikeOp = iota
	OpGlob
	OpRegexp
	OpILike
	OpSimilar
	OpMember
	OpMatch
)

// Case is CASE [Operand] WHEN .. THEN .. ELSE .. END.
type Case struct {
	Pos
	Operand Expr // nil: a searched case
	Whens   []When
	Else    Expr // nil: none
}

// When is one arm of a [Case].
type When struct{ Cond, Result Expr }

// Cast is CAST(X AS Type). Type is one of the dialect's list of types, in its
// canonical spelling, and is printed without quotes.
type Cast struct {
	Pos
	X    Expr
	Type string
	Try  bool // TRY_CAST: NULL instead of an error

	// Literal is the keyword of a literal such as DATE '2024-01-31', whose text is X.
	// Empty: a cast.
	Literal string
}

// Collate is X COLLATE Name. Name is one of the dialect's list of collations.
type Collate struct {
	Pos
	X    Expr
	Name string
}

// Call is a call of a scalar, aggregate or window function. A special form such as
// EXTRACT(unit FROM x) is a call with a [Unit] among its arguments.
type Call struct {
	Pos
	Name      string // in the dialect's canonical spelling: lower case
	Args      []Expr
	Star      bool // count(*)
	Distinct  bool
	OrderBy   []Order // inside the parentheses, or inside those of WITHIN GROUP
	Within    bool    // OrderBy belongs to WITHIN GROUP (ORDER BY ..)
	Separator Expr    // GROUP_CONCAT(.. SEPARATOR s); nil: none
	Filter    Expr    // FILTER (WHERE ..); nil: none
	Over      *Window // nil: not a window function

	IgnoreNulls bool // IGNORE NULLS of a window function, inside the parentheses

	// Unsafe says why only a policy can allow the call, although the function is safe with
	// other arguments. Empty: it is safe.
	Unsafe string
}

// CompositeField is the name of a [Call] that stands for the field (x).y of a column in
// PostgreSQL. No statement can call it itself, because it is no plain word.
const CompositeField = "(x).y"

// Unit is a keyword as an argument: the unit of EXTRACT and TIMESTAMPDIFF, LEADING
// in TRIM, a character set in CONVERT. Name is one of the dialect's lists.
type Unit struct {
	Pos
	Name string
}

// Interval is INTERVAL X unit.
type Interval struct {
	Pos
	X    Expr
	Unit string
}

// Exists is EXISTS (query). NOT EXISTS is an Exists inside a [Unary].
type Exists struct {
	Pos
	Query *Query
}

// Subquery is a query used as a value.
type Subquery struct {
	Pos
	Query *Query
}

// Quantified is X op ANY (query) or X op ALL (query), or the same with an array
// instead of the query.
type Quantified struct {
	Pos
	Op    BinaryOp
	X     Expr
	All   bool // false: ANY
	Query *Query
	Array Expr // nil if Query is set
}

// Row is a row value (a, b) of at least two items, or ROW (..) of any number.
type Row struct {
	Pos
	Items    []Expr
	Explicit bool // written ROW (..)
}

// Array is ARRAY[..]. In an array of arrays the items are Arrays.
type Array struct {
	Pos
	Items []Expr
}

// ArrayQuery is ARRAY(query).
type ArrayQuery struct {
	Pos
	Query *Query
}

// Index is X[..], with one [Subscript] for each dimension.
type Index struct {
	Pos
	X          Expr
	Subscripts []Subscript
}

// Subscript is [High], or [Low:High] if Slice is set; then either may be nil.
type Subscript struct {
	Slice     bool
	Low, High Expr
}

// NamedArg is the argument name => X of a call.
type NamedArg struct {
	Pos
	Name string
	X    Expr
}

// Lambda is the function LAMBDA Params: X as an argument of a call.
type Lambda struct {
	Pos
	Params []string
	X      Expr
}

// Param is a parameter of an enclosing [Lambda]. Resolve makes it of a [Column].
type Param struct {
	Pos
	Name string
}

// GroupingSet is a term of GROUP BY that means several groupings. An item may be a
// [*Row], which is several columns together, or another GroupingSet.
type GroupingSet struct {
	Pos
	Kind  GroupingKind
	Items []Expr
}

// GroupingKind is the kind of a [GroupingSet].
type GroupingKind uint8

const (
	GroupingEmpty GroupingKind = iota // (): all rows in one group
	GroupingRollup
	GroupingCube
	GroupingSets
)

// Window is a window of a WINDOW clause, which Name declares, or of an OVER clause,
// which refers to a declared window (Bare and Name) or may extend one (Base).
type Window struct {
	Pos
	Name        string // WINDOW Name AS (..), or OVER Name
	Bare        bool   // OVER Name: all other fields are empty
	Base        string // OVER (Base ..): the window that is extended
	PartitionBy []Expr
	OrderBy     []Order
	Frame       *Frame // nil: the default
}

// Frame is the frame of a window.
type Frame struct {
	Pos
	Unit       FrameUnit
	Start, End Bound // in the short form, which has no End, End is CURRENT ROW
	Exclude    FrameExclude
}

// Bound is one end of a [Frame].
type Bound struct {
	Kind BoundKind
	X    Expr // for Preceding and Following
}

// FrameUnit is ROWS, RANGE or GROUPS.
type FrameUnit uint8

const (
	Rows FrameUnit = iota
	Range
	Groups
)

// BoundKind is the kind of a [Bound].
type BoundKind uint8

const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// FrameExclude is the EXCLUDE clause of a frame.
type FrameExclude uint8

const (
	ExcludeNoOthers FrameExclude = iota // the default
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

func (*Column) expr()      {}
func (*Star) expr()        {}
func (*Null) expr()        {}
func (*Bool) expr()        {}
func (*Number) expr()      {}
func (*String) expr()      {}
func (*Bytes) expr()       {}
func (*Now) expr()         {}
func (*Unary) expr()       {}
func (*Binary) expr()      {}
func (*Is) expr()          {}
func (*Between) expr()     {}
func (*In) expr()          {}
func (*Like) expr()        {}
func (*Case) expr()        {}
func (*Cast) expr()        {}
func (*Collate) expr()     {}
func (*Call) expr()        {}
func (*Unit) expr()        {}
func (*Interval) expr()    {}
func (*Exists) expr()      {}
func (*Subquery) expr()    {}
func (*Quantified) expr()  {}
func (*Row) expr()         {}
func (*Array) expr()       {}
func (*ArrayQuery) expr()  {}
func (*Index) expr()       {}
func (*NamedArg) expr()    {}
func (*Lambda) expr()      {}
func (*Param) expr()       {}
func (*GroupingSet) expr() {}
