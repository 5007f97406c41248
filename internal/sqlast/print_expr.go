package sqlast

import (
	"cmp"
	"encoding/hex"
	"strconv"
)

func (p *printer) exprs(list []Expr) { separated(p, list, p.expr) }

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Column:
		p.column(e)
	case *Star:
		if !e.Row {
			p.fail(Misplaced, e.Pos, "*", "* is only allowed in a select list")
		}
		p.star(e)
	case *Null:
		p.text("NULL")
	case *Bool:
		p.text(boolText(e))
	case *Number:
		p.text(e.Text)
	case *String:
		p.dst = p.AppendString(p.dst, e.Value)
	case *Bytes:
		p.text("X'")
		p.dst = hex.AppendEncode(p.dst, e.Value)
		p.text("'")
	case *Now:
		p.now(e)
	case *Unary:
		p.unary(e)
	case *Binary:
		p.binary(e)
	case *Is:
		p.is(e)
	case *Between:
		p.between(e)
	case *In:
		p.in(e)
	case *Like:
		p.like(e)
	case *Case:
		p.caseOf(e)
	case *Cast:
		if e.Literal != "" {
			p.text(e.Literal)
			p.text(" ")
			p.expr(e.X)
			return
		}
		if e.Try {
			p.text("TRY_")
		}
		p.text("CAST")
		p.open()
		p.expr(e.X)
		p.text(" AS ")
		p.text(e.Type)
		p.close()
	case *Collate:
		p.operand(e.X, rankPrimary)
		p.text(" COLLATE ")
		p.text(e.Name)
	case *Call:
		p.call(e)
	case *Unit:
		p.text(e.Name)
	case *Interval:
		p.text("INTERVAL ")
		p.operand(e.X, rankPrimary)
		p.text(" ")
		p.text(e.Unit)
	case *Exists:
		p.text("EXISTS ")
		p.subquery(e.Query)
	case *Subquery:
		p.subquery(e.Query)
	case *Quantified:
		p.quantified(e)
	case *Row:
		if e.Explicit {
			p.text("ROW")
		}
		p.list(e.Items)
	case *Array:
		p.array(e)
	case *ArrayQuery:
		q := e.Query
		if p.physical && p.ArrayOf != nil {
			q = p.ArrayOf(q)
		}
		p.text("ARRAY")
		p.subquery(q)
	case *Index:
		p.index(e)
	case *NamedArg:
		p.name(e.Name)
		p.text(" => ")
		p.expr(e.X)
	case *Lambda:
		p.lambda(e)
	case *Param:
		p.name(e.Name)
	case *GroupingSet:
		p.text(groupingKinds[e.Kind])
		p.list(e.Items)
	default:
		p.broken(-1, "an expression of %T", e)
	}
}

func (p *printer) subquery(q *Query) {
	p.open()
	p.query(q)
	p.close()
}

// list prints expressions in parentheses.
func (p *printer) list(items []Expr) {
	p.open()
	p.exprs(items)
	p.close()
}

var groupingKinds = [...]string{
	GroupingEmpty: "", GroupingRollup: "ROLLUP ", GroupingCube: "CUBE ", GroupingSets: "GROUPING SETS ",
}

func (p *printer) lambda(l *Lambda) {
	p.text("LAMBDA ")
	separated(p, l.Params, p.name)
	p.text(": ")
	p.operand(l.X, rankPrimary)
}

// array prints ARRAY[..]. Brackets count as parentheses.
func (p *printer) array(a *Array) {
	p.text("ARRAY")
	p.openWith('[')
	p.exprs(a.Items)
	p.closeWith(']')
}

func (p *printer) index(e *Index) {
	if _, ok := e.X.(*Column); ok {
		p.expr(e.X)
	} else {
		p.list([]Expr{e.X})
	}
	for _, s := range e.Subscripts {
		p.openWith('[')
		if s.Low != nil {
			p.operand(s.Low, rankPrimary)
		}
		if s.Slice {
			p.text(":")
		}
		if s.High != nil {
			p.operand(s.High, rankPrimary)
		}
		p.closeWith(']')
	}
}

func (p *printer) column(c *Column) {
	if p.physical && (c.DoubleQuoted || c.Schema != "" || c.Path != nil) {
		p.broken(c.Pos, "the unresolved column '%s'", c.Name)
	}
	for _, part := range c.Path[:max(0, len(c.Path)-1)] {
		p.name(part)
		p.text(".")
	}
	if c.Table == "" && p.AppendColumn != nil {
		p.dst = p.AppendColumn(p.dst, c)
		return
	}
	p.qualifier(c.Schema, p.printedTable(c.Table, c.Of))
	p.name(c.Name)
}

// printedTable returns how the table with an alias is printed.
func (p *printer) printedTable(alias string, of Relation) string {
	if p.physical && alias != "" {
		_, printed := aliasesOf(of)
		return cmp.Or(*printed, alias)
	}
	return alias
}

var nowKinds = [...]string{
	CurrentDate:      "CURRENT_DATE",
	CurrentTime:      "CURRENT_TIME",
	CurrentTimestamp: "CURRENT_TIMESTAMP",
	LocalTime:        "LOCALTIME",
	LocalTimestamp:   "LOCALTIMESTAMP",
}

func (p *printer) now(n *Now) {
	p.text(nowKinds[n.Kind])
	if n.Precision > 0 {
		p.open()
		p.dst = strconv.AppendInt(p.dst, int64(n.Precision), 10)
		p.close()
	}
}

var unaryOps = [...]string{Not: "NOT ", Minus: "-", Plus: "+", BitNot: "~"}

func (p *printer) unary(u *Unary) {
	p.text(unaryOps[u.Op])
	p.operand(u.X, rankPrimary) // no "--x", which is a comment; no NOT a = b, which modes read differently
}

func (p *printer) binary(b *Binary) {
	op := operators[b.Op]
	switch b.Op {
	case Same:
		p.infix(b, p.Same)
		return
	case NotSame:
		p.notSame(b)
		return
	}
	left, right := op.rank+1, op.rank+1
	switch op.rank {
	case rankOr, rankAnd:
		left, right = rankNot, rankNot
	case rankConcat:
		left, right = rankPrimary, rankPrimary
	}
	if b.Op == BitXor || b.Op == Power {
		left, right = rankPrimary, rankPrimary
	}
	if op.rank == rankBit && p.SignsAlike {
		left, right = rankAdd, rankAdd
	}
	if x, ok := b.X.(*Binary); ok && chains(x.Op, b.Op) {
		left = op.rank
	}
	p.operand(b.X, left)
	p.operator(b.Op)
	p.operand(b.Y, right)
}

func (p *printer) operator(op BinaryOp) {
	sign := ""
	switch op {
	case BitXor:
		sign = p.BitXor
	case IntDiv:
		sign = p.IntDiv
	}
	if sign == "" {
		p.text(operators[op].text)
		return
	}
	p.text(" ")
	p.text(sign)
	p.text(" ")
}

// chains reports whether the left operand of op needs no parentheses: all engines
// read x + y + z from left to right. Comparisons always need them.
func chains(left, op BinaryOp) bool {
	switch operators[op].rank {
	case rankTest:
		return false
	case rankAdd, rankMul:
		return operators[left].rank == operators[op].rank
	}
	return left == op
}

// infix prints a comparison.
func (p *printer) infix(b *Binary, op string) {
	p.operand(b.X, rankBit)
	p.text(" ")
	p.text(op)
	p.text(" ")
	p.operand(b.Y, rankBit)
}

func (p *printer) notSame(b *Binary) {
	if p.NotSame != "" {
		p.infix(b, p.NotSame)
		return
	}
	p.text("NOT ")
	p.open()
	p.infix(b, p.Same)
	p.close()
}

var isTests = [...]string{IsNull: "NULL", IsTrue: "TRUE", IsFalse: "FALSE", IsUnknown: "UNKNOWN"}

func (p *printer) is(e *Is) {
	p.operand(e.X, rankBit)
	if e.Not {
		p.text(" IS NOT ")
	} else {
		p.text(" IS ")
	}
	p.text(isTests[e.Test])
}

func (p *printer) not(not bool) {
	if not {
		p.text(" NOT")
	}
}

func (p *printer) between(b *Between) {
	p.operand(b.X, rankBit)
	p.not(b.Not)
	p.text(" BETWEEN ")
	if b.Symmetric {
		p.text("SYMMETRIC ")
	}
	if bareCollate(b.Low) {
		p.operand(b.Low, rankPrimary)
	} else {
		p.operand(b.Low, rankBit)
	}
	p.text(" AND ")
	p.operand(b.High, rankBit)
}

// bareCollate reports whether a COLLATE without parentheses may be printed in an
// operand. PostgreSQL does not read one before the AND of a BETWEEN.
func bareCollate(e Expr) bool {
	switch e := e.(type) {
	case *Collate:
		return true
	case *Unary:
		return bareCollate(e.X)
	case *Binary:
		return bareCollate(e.X) || bareCollate(e.Y)
	}
	return false
}

func (p *printer) in(e *In) {
	p.operand(e.X, rankBit)
	p.not(e.Not)
	p.text(" IN ")
	if e.Query != nil {
		p.subquery(e.Query)
		return
	}
	p.list(e.List)
}

var likeOps = [...]string{
	OpLike: "LIKE", OpGlob: "GLOB", OpRegexp: "REGEXP", OpILike: "ILIKE", OpSimilar: "SIMILAR TO",
	OpMember: "MEMBER OF", OpMatch: "MATCH",
}

// String returns the operator as it is written.
func (op LikeOp) String() string { return likeOps[op] }

func (p *printer) like(l *Like) {
	p.operand(l.X, rankBit)
	p.not(l.Not)
	p.text(" " + l.Op.String() + " ")
	switch l.Op {
	case OpRegexp:
		p.operand(p.pattern(l.Pattern, ""), rankPrimary)
	case OpMember:
		p.open()
		p.operand(l.Pattern, rankPrimary)
		p.close()
	default:
		p.operand(l.Pattern, rankPrimary)
	}
	if l.Escape != nil {
		p.text(" ESCAPE ")
		p.operand(l.Escape, rankPrimary)
	}
}

// pattern returns what is printed for a regular expression.
func (p *printer) pattern(e Expr, call string) Expr {
	if !p.physical || p.Pattern == nil {
		return e
	}
	changed, err := p.Pattern(e, call)
	if err != nil {
		if p.err == nil {
			p.err = err
		}
		return e
	}
	return changed
}

func (p *printer) quantified(q *Quantified) {
	if operators[q.Op].rank == rankTest {
		p.operand(q.X, rankBit)
	} else {
		p.operand(q.X, rankPrimary)
	}
	p.operator(q.Op)
	if q.All {
		p.text("ALL ")
	} else {
		p.text("ANY ")
	}
	if q.Query != nil {
		p.subquery(q.Query)
		return
	}
	p.open()
	p.expr(q.Array)
	p.close()
}

func (p *printer) caseOf(c *Case) {
	p.text("CASE")
	if c.Operand != nil {
		p.text(" ")
		p.expr(c.Operand)
	}
	for i := range c.Whens {
		p.text(" WHEN ")
		p.expr(c.Whens[i].Cond)
		p.text(" THEN ")
		p.expr(c.Whens[i].Result)
	}
	if c.Else != nil {
		p.text(" ELSE ")
		p.expr(c.Else)
	}
	p.text(" END")
}

func boolText(b *Bool) string {
	if b.Value {
		return "TRUE"
	}
	return "FALSE"
}
