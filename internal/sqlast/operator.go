package sqlast

// UnaryOp is a prefix operator.
type UnaryOp uint8

const (
	Not UnaryOp = iota
	Minus
	Plus
	BitNot
)

// BinaryOp is an infix operator.
type BinaryOp uint8

const (
	Or BinaryOp = iota
	Xor
	And
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Same    // null-safe equality: MySQL's <=>, SQLite's IS
	NotSame // its negation: SQLite's IS NOT
	BitOr
	BitAnd
	BitXor
	ShiftLeft
	ShiftRight
	Add
	Sub
	Mul
	Div    // the engine's /
	IntDiv // MySQL's DIV
	Mod
	Concat   // ||
	JSONGet  // ->
	JSONText // ->>

	Power        // PostgreSQL's ^
	PathGet      // #>
	PathText     // #>>
	PathDelete   // #-
	Contains     // @>
	ContainedBy  // <@
	HasKey       // ?
	HasAnyKey    // ?|
	HasAllKeys   // ?&
	PathExists   // @?
	TextMatch    // @@
	Overlaps     // &&
	Adjacent     // -|-
	NotRightOf   // &<
	NotLeftOf    // &>
	StartsWith   // ^@
	Match        // ~
	MatchFold    // ~*
	NotMatch     // !~
	NotMatchFold // !~*
	LikeSign     // ~~, which is LIKE
	LikeFold     // ~~*
	NotLikeSign  // !~~
	NotLikeFold  // !~~*
)
