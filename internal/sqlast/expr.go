package sqlast

// Column is a reference to a column, or to a select alias where an engine
// allows one.
type Column struct {
	Pos
	Schema, Table string // empty: not qualified. Resolve drops Schema.
	Name          string
	DoubleQuoted  bool // written "x" and unqualified: in SQLite a string where no column has the name
}

// Star is * or t.* in a select list, or the row of t as an argument of a call.
type Star struct {
	Pos
	Schema, Table string // empty: every table in scope
	Row           bool   // one value: the row as a whole
}

// Null is NULL.
type Null struct{ Pos }

// Bool is TRUE or FALSE.
type Bool struct {
	Pos
	Value bool
}

// Number is a numeric literal without its sign, in its source spelling.
type Number struct {
	Pos
	Text string
}

// String is a character literal, unescaped.
type String struct {
	Pos
	Value string
}

// Bytes is a binary literal such as X'41'.
type Bytes struct {
	Pos
	Value []byte
}

// Now is CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP or one of the latter two
// without a time zone, in whatever spelling.
type Now struct {
	Pos
	Kind      NowKind
	Precision int // digits of a second; 0: none
}

// NowKind is which part of the current time is asked for.
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

// IsTest is what [Is] asks.
type IsTest uint8

const (
	IsNull IsTest = iota
	IsTrue
	IsFalse
	IsUnknown // as IsNull, of a truth value only
)

// Between is X [NOT] BETWEEN Low AND High.
type Between struct {
	Pos
	X, Low, High Expr
	Not          bool
	Symmetric    bool // BETWEEN SYMMETRIC: the bounds in either order
}

// In is X [NOT] IN (list) or IN (query); Query is nil for a list, which may be
// empty where the engine allows it.
type In struct {
	Pos
	X     Expr
	Not   bool
	List  []Expr
	Query *Query
}

// Like is a pattern match: LIKE, GLOB, REGEXP, ILIKE or SIMILAR TO.
type Like struct {
	Pos
	Op         LikeOp
	X, Pattern Expr
	Escape     Expr // nil: none
	Not        bool
}

// LikeOp is which pattern language a [Like] uses.
type LikeOp uint8

const (
	OpLike LikeOp = iota
	OpGlob
	OpRegexp
	OpILike
	OpSimilar
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

// Cast is CAST(X AS Type). Type is in the dialect's canonical spelling, taken
// from that dialect's list: it is printed as it is.
type Cast struct {
	Pos
	X    Expr
	Type string
}

// Collate is X COLLATE Name. Name is taken from the dialect's list.
type Collate struct {
	Pos
	X    Expr
	Name string
}

// Call is a function call: scalar, aggregate or window function. Special forms
// such as EXTRACT(unit FROM x) are calls with a [Unit] among their arguments.
type Call struct {
	Pos
	Name      string // in the dialect's canonical spelling: lower case
	Args      []Expr
	Star      bool // count(*)
	Distinct  bool
	OrderBy   []Order // inside the parentheses, or those of WITHIN GROUP
	Within    bool    // OrderBy is that of WITHIN GROUP (ORDER BY ..)
	Separator Expr    // GROUP_CONCAT(.. SEPARATOR s); nil: none
	Filter    Expr    // FILTER (WHERE ..); nil: none
	Over      *Window // nil: not a window function
}

// Unit is a keyword argument: the unit of EXTRACT and TIMESTAMPDIFF, LEADING in
// TRIM, a character set in CONVERT. Name is taken from the dialect's lists.
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

// Exists is EXISTS (query). NOT EXISTS is a [Unary] around it.
type Exists struct {
	Pos
	Query *Query
}

// Subquery is a query used as a value.
type Subquery struct {
	Pos
	Query *Query
}

// Quantified is X op ANY (query) or X op ALL (query), or the same with the
// elements of an array.
type Quantified struct {
	Pos
	Op    BinaryOp
	X     Expr
	All   bool // false: ANY
	Query *Query
	Array Expr // where Query is nil
}

// Row is a row value (a, b) of at least two, or ROW (..) of any number.
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

// Index is X[..], with one subscript for each dimension.
type Index struct {
	Pos
	X          Expr
	Subscripts []Subscript
}

// Subscript is [High], or [Low:High] where Slice is set and either may be nil.
type Subscript struct {
	Slice     bool
	Low, High Expr
}

// NamedArg is an argument name => X of a call.
type NamedArg struct {
	Pos
	Name string
	X    Expr
}

// GroupingSet is a term of GROUP BY that stands for several groupings. An item
// may be a [*Row], for several columns together, or another GroupingSet.
type GroupingSet struct {
	Pos
	Kind  GroupingKind
	Items []Expr
}

// GroupingKind is which groupings a [GroupingSet] stands for.
type GroupingKind uint8

const (
	GroupingEmpty GroupingKind = iota // (): all rows together
	GroupingRollup
	GroupingCube
	GroupingSets
)

// Window is a window: of a WINDOW clause, where Name is its own, or of an OVER,
// where Name alone refers to one (Bare) or Base extends one.
type Window struct {
	Pos
	Name        string // WINDOW Name AS (..), or OVER Name
	Bare        bool   // OVER Name, with nothing of its own
	Base        string // OVER (Base ..): the window that is extended
	PartitionBy []Expr
	OrderBy     []Order
	Frame       *Frame // nil: the default
}

// Frame is the frame of a window.
type Frame struct {
	Pos
	Unit       FrameUnit
	Start, End Bound // End is set also where the short form has none: CURRENT ROW
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

// BoundKind says where a frame begins or ends.
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
func (*GroupingSet) expr() {}
