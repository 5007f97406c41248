package sqlast

// rank is how tight an expression binds, as far as the engines agree. An operand
// stands bare where it ranks above its operator; where engines differ, such as
// between COLLATE, || and the sign, only a primary does.
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
}

func (p *printer) rankOf(e Expr) rank {
	switch e := e.(type) {
	case *Binary:
		if e.Op == NotSame && p.NotSame == "" {
			return rankNot
		}
		return operators[e.Op].rank
	case *Unary:
		if e.Op == Not {
			return rankNot
		}
		return rankPrefix
	case *Collate:
		return rankPrefix
	case *Is, *Between, *In, *Like, *Quantified:
		return rankTest
	}
	return rankPrimary
}

// operand prints e, in parentheses unless it binds at least as tight as least.
func (p *printer) operand(e Expr, least rank) {
	if p.rankOf(e) >= least {
		p.expr(e)
		return
	}
	p.open()
	p.expr(e)
	p.close()
}
