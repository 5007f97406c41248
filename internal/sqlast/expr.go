package sqlast

// Column is a reference to a column, or to a select alias where an engine
// allows one.
type Column struct {
	Pos
	Schema, Table string // empty: not qualified. Resolve drops Schema.
	Name          string
	DoubleQuoted  bool // written "x" and unqualified: in SQLite a string where no column has the name
}

// Star is * or t.* in a select list.
type Star struct {
	Pos
	Schema, Table string // empty: every table in scope
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

// Now is CURRENT_DATE, CURRENT_TIME or CURRENT_TIMESTAMP, in whatever spelling.
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

// Is tests a value for NULL or truth: X IS [NOT] NULL, TRUE, FALSE.
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
)

// Between is X [NOT] BETWEEN Low AND High.
type Between struct {
	Pos
	X, Low, High Expr
	Not          bool
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

// Like is a pattern match: LIKE, GLOB or REGEXP.
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
	OrderBy   []Order // inside the parentheses
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

// Quantified is X op ANY (query) or X op ALL (query).
type Quantified struct {
	Pos
	Op    BinaryOp
	X     Expr
	All   bool // false: ANY
	Query *Query
}

// Row is a row value (a, b) of at least two.
type Row struct {
	Pos
	Items []Expr
}

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

func (*Column) expr()     {}
func (*Star) expr()       {}
func (*Null) expr()       {}
func (*Bool) expr()       {}
func (*Number) expr()     {}
func (*String) expr()     {}
func (*Bytes) expr()      {}
func (*Now) expr()        {}
func (*Unary) expr()      {}
func (*Binary) expr()     {}
func (*Is) expr()         {}
func (*Between) expr()    {}
func (*In) expr()         {}
func (*Like) expr()       {}
func (*Case) expr()       {}
func (*Cast) expr()       {}
func (*Collate) expr()    {}
func (*Call) expr()       {}
func (*Unit) expr()       {}
func (*Interval) expr()   {}
func (*Exists) expr()     {}
func (*Subquery) expr()   {}
func (*Quantified) expr() {}
func (*Row) expr()        {}
