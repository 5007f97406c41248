package sqlast

import "strings"

// UnaryOp is a prefix operator.
type UnaryOp uint8

const (
	Not UnaryOp = iota
	Minus
	Plus
	BitNot
)

// IsNegative reports whether an expression is a whole number below 0.
func IsNegative(e Expr) bool {
	u, ok := e.(*Unary)
	if !ok || u.Op != Minus {
		return false
	}
	n, ok := u.X.(*Number)
	return ok && n.IsWhole() && strings.Trim(n.Text, "0") != ""
}

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
	LikeSign     // ~~, the operator of LIKE
	LikeFold     // ~~*
	NotLikeSign  // !~~
	NotLikeFold  // !~~*
	Distance     // <->, the distance of two values, or one lexeme after another
	Cosine       // <=> of pgvector
	InnerProduct // <#> of pgvector
	Taxicab      // <+> of pgvector
)

// A rank is the precedence of an expression, as far as the engines agree. An
// operand needs no parentheses if it ranks above its operator. Where the engines
// differ, such as between COLLATE, || and the sign, only a primary needs none.
type rank uint8

const (
	rankOr rank = iota + 1
	rankAnd
	rankNot
	rankTest // comparisons, IN, LIKE, BETWEEN, IS
	rankBit
	rankConcat
	rankAdd
	rankMul
	rankPrefix
	rankPrimary
)

type operator struct {
	text string
	rank rank
}

var operators = [...]operator{
	Or:         {" OR ", rankOr},
	Xor:        {" XOR ", rankOr},
	And:        {" AND ", rankAnd},
	Eq:         {" = ", rankTest},
	Ne:         {" <> ", rankTest},
	Lt:         {" < ", rankTest},
	Le:         {" <= ", rankTest},
	Gt:         {" > ", rankTest},
	Ge:         {" >= ", rankTest},
	Same:       {"", rankTest},
	NotSame:    {"", rankTest},
	BitOr:      {" | ", rankBit},
	BitAnd:     {" & ", rankBit},
	BitXor:     {" ^ ", rankBit},
	ShiftLeft:  {" << ", rankBit},
	ShiftRight: {" >> ", rankBit},
	Add:        {" + ", rankAdd},
	Sub:        {" - ", rankAdd},
	Mul:        {" * ", rankMul},
	Div:        {" / ", rankMul},
	IntDiv:     {" DIV ", rankMul},
	Mod:        {" % ", rankMul},
	Concat:     {" || ", rankConcat},
	JSONGet:    {" -> ", rankConcat},
	JSONText:   {" ->> ", rankConcat},

	Power:        {" ^ ", rankPrefix},
	PathGet:      {" #> ", rankConcat},
	PathText:     {" #>> ", rankConcat},
	PathDelete:   {" #- ", rankConcat},
	Contains:     {" @> ", rankConcat},
	ContainedBy:  {" <@ ", rankConcat},
	HasKey:       {" ? ", rankConcat},
	HasAnyKey:    {" ?| ", rankConcat},
	HasAllKeys:   {" ?& ", rankConcat},
	PathExists:   {" @? ", rankConcat},
	TextMatch:    {" @@ ", rankConcat},
	Overlaps:     {" && ", rankConcat},
	Adjacent:     {" -|- ", rankConcat},
	NotRightOf:   {" &< ", rankConcat},
	NotLeftOf:    {" &> ", rankConcat},
	StartsWith:   {" ^@ ", rankConcat},
	Match:        {" ~ ", rankConcat},
	MatchFold:    {" ~* ", rankConcat},
	NotMatch:     {" !~ ", rankConcat},
	NotMatchFold: {" !~* ", rankConcat},
	LikeSign:     {" ~~ ", rankConcat},
	LikeFold:     {" ~~* ", rankConcat},
	NotLikeSign:  {" !~~ ", rankConcat},
	NotLikeFold:  {" !~~* ", rankConcat},
	Distance:     {" <-> ", rankConcat},
	Cosine:       {" <=> ", rankConcat},
	InnerProduct: {" <#> ", rankConcat},
	Taxicab:      {" <+> ", rankConcat},
}

func (p *printer) rankOf(e Expr) rank {
	switch e := e.(type) {
	case *Binary:
		switch {
		case e.Op == NotSame && p.NotSame == "":
			return rankNot
		case (e.Op == JSONGet || e.Op == JSONText) && p.ArrowsLast:
			return 0
		}
		return operators[e.Op].rank
	case *Unary:
		switch {
		case e.Op == Not:
			return rankNot
		case e.Op == BitNot && p.SignsAlike:
			return rankBit
		}
		return rankPrefix
	case *Collate:
		return rankPrefix
	case *Is, *Between, *In, *Like, *Quantified:
		return rankTest
	}
	return rankPrimary
}

// operand prints e, in parentheses unless its rank is at least least.
func (p *printer) operand(e Expr, least rank) {
	if p.rankOf(e) >= least {
		p.expr(e)
		return
	}
	p.open()
	p.expr(e)
	p.close()
}
