package sqlbound

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

func (c *checker) expr(e sqlast.Expr) size {
	if c.nodes++; c.nodes > maxNodes {
		c.fail(e.At(), "", "the statement nests too many recursive queries")
	}
	if e == nil || c.err != nil {
		return size{}
	}
	v := c.value(e)
	v.work = add(v.work, nodeWork)
	return v
}

func (c *checker) value(e sqlast.Expr) size {
	switch e := e.(type) {
	case *sqlast.Column:
		return c.column(e)
	case *sqlast.Star:
		return sum(c.sizes[e.Of])
	case *sqlast.Number:
		return size{text: c.literal(e.Text)}
	case *sqlast.String:
		return size{text: c.literal(e.Value)}
	case *sqlast.Bytes:
		return size{text: int64(len(e.Value))}
	case *sqlast.Unary:
		return c.unary(e)
	case *sqlast.Binary:
		return c.binary(e)
	case *sqlast.Like:
		return c.like(e)
	case *sqlast.Case:
		return c.caseOf(e)
	case *sqlast.Cast:
		return c.cast(e)
	case *sqlast.Collate:
		return c.expr(e.X)
	case *sqlast.Param:
		return c.element
	case *sqlast.NamedArg:
		return c.expr(e.X)
	case *sqlast.Call:
		return c.call(e)
	case *sqlast.Is:
		return truth(c.expr(e.X))
	case *sqlast.Between:
		return truth(c.expr(e.X), c.expr(e.Low), c.expr(e.High))
	case *sqlast.In:
		return c.in(e)
	case *sqlast.Interval:
		return truth(c.expr(e.X))
	case *sqlast.Exists:
		c.query(e.Query)
	case *sqlast.Subquery:
		return sum(c.query(e.Query))
	case *sqlast.ArrayQuery:
		return c.collect(e.Pos, "ARRAY", sum(c.query(e.Query)))
	case *sqlast.Quantified:
		return c.quantified(e)
	case *sqlast.Row:
		return c.sumOf(e.Items)
	case *sqlast.Array:
		v := c.sumOf(e.Items)
		v.text = add(v.text, 8*int64(len(e.Items)))
		return v
	case *sqlast.Index:
		return c.index(e)
	case *sqlast.GroupingSet:
		return c.sumOf(e.Items)
	}
	return number // NULL, a truth value, the time, a keyword
}

// truth returns the size of a number, with the work of comparing others.
func truth(list ...size) size {
	v := number
	for _, x := range list {
		v.work = add(v.work, add(x.work, x.bytes()))
	}
	return v
}

func sum(list []size) (v size) {
	for _, x := range list {
		v = v.plus(x)
	}
	return v
}

func (c *checker) sumOf(list []sqlast.Expr) (v size) {
	for _, e := range list {
		v = v.plus(c.expr(e))
	}
	return v
}

// literal returns the bytes of a literal as a text, or as the digits of the numbers
// in it if those are more: PostgreSQL prints 1e100000 with all its zeros.
func (c *checker) literal(text string) int64 {
	n := int64(len(text))
	if !c.rules.Exponents {
		return n
	}
	for {
		i := strings.IndexAny(text, "eE")
		if i < 0 {
			return n
		}
		text = strings.TrimPrefix(text[i+1:], "+")
		exponent := int64(0)
		for i := 0; i < len(text) && ascii.IsDigit(text[i]) && exponent < maxDigits; i++ {
			exponent = 10*exponent + int64(text[i]-'0')
		}
		if exponent > 100 {
			n = add(n, min(exponent, maxDigits))
		}
	}
}

// maxDigits is the largest number of digits of a number in PostgreSQL, before and
// after its point.
const maxDigits = 131072 + 16383

func (c *checker) unary(e *sqlast.Unary) size {
	x := c.expr(e.X)
	if e.Op == sqlast.Not || !c.rules.Exponents {
		return truth(x)
	}
	return x
}

func (c *checker) binary(e *sqlast.Binary) size {
	x, y := c.expr(e.X), c.expr(e.Y)
	if isMatch(e.Op) {
		return c.search(e.Pos, "a match", y, x, 1)
	}
	switch e.Op {
	case sqlast.Concat:
		return c.bounded(e.Pos, "||", x.plus(y))
	case sqlast.JSONGet, sqlast.JSONText, sqlast.PathGet, sqlast.PathText, sqlast.PathDelete:
		v := x
		v.work = add(truth(x, y).work, times(linearWork, x.bytes()))
		return v
	case sqlast.Add, sqlast.Sub, sqlast.Mul, sqlast.Div, sqlast.IntDiv, sqlast.Mod, sqlast.Power,
		sqlast.BitOr, sqlast.BitAnd, sqlast.BitXor, sqlast.ShiftLeft, sqlast.ShiftRight:
		return c.arithmetic(e, x, y)
	case sqlast.Overlaps, sqlast.Distance: // of two text searches, they are a longer one
		v := x.plus(y)
		v.work = c.either(e.Pos, "a comparison of sets", x, y, 1).work
		return c.bounded(e.Pos, "a text search", v)
	case sqlast.Contains, sqlast.ContainedBy, sqlast.HasAnyKey, sqlast.HasAllKeys, sqlast.TextMatch:
		return c.either(e.Pos, "a comparison of sets", x, y, 1)
	}
	return truth(x, y)
}

// arithmetic returns the size of a number, or of what else an engine computes with
// these operators: PostgreSQL's numbers of many digits, and JSON without some keys.
func (c *checker) arithmetic(e *sqlast.Binary, x, y size) size {
	v := truth(x, y)
	if !c.rules.Exponents {
		return v
	}
	switch e.Op {
	case sqlast.Mul, sqlast.Div, sqlast.IntDiv, sqlast.Mod, sqlast.Sub:
		if x.bytes() > small && y.bytes() > small {
			v.work = add(v.work, times(x.bytes(), y.bytes())/digitsPerStep)
		}
		x = x.plus(y)
	case sqlast.Power:
		x = c.power(e.Y, x)
	default:
		x = x.or(y)
	}
	v.text, v.data = x.text, x.data
	return c.bounded(e.Pos, "arithmetic", v)
}

func (c *checker) like(e *sqlast.Like) size {
	x, pattern := c.expr(e.X), c.expr(e.Pattern)
	if e.Op == sqlast.OpMember {
		v := truth(x, pattern)
		v.work = add(v.work, times(linearWork, pattern.bytes()))
		return v
	}
	v := c.search(e.Pos, likeNames[e.Op], pattern, x, 1)
	if e.Op == sqlast.OpRegexp {
		steps, _ := c.matching(e.Pattern)
		v.work = add(v.work, steps)
	}
	if e.Escape != nil {
		v.work = add(v.work, c.expr(e.Escape).work)
	}
	return v
}

var likeNames = [...]string{
	sqlast.OpLike: "LIKE", sqlast.OpGlob: "GLOB", sqlast.OpRegexp: "REGEXP", sqlast.OpILike: "ILIKE",
	sqlast.OpSimilar: "SIMILAR TO", sqlast.OpMatch: "MATCH",
}

func (c *checker) caseOf(e *sqlast.Case) size {
	var v, operand size
	if e.Operand != nil {
		operand = c.expr(e.Operand)
		v.work = operand.work
	}
	for _, w := range e.Whens {
		v.work = add(v.work, truth(c.expr(w.Cond), size{text: operand.bytes()}).work)
		v = v.or(c.expr(w.Result))
	}
	if e.Else != nil {
		v = v.or(c.expr(e.Else))
	}
	return v
}

// cast applies the rule of a type. The first word of a type has a number in
// parentheses after it if it has a length, and an array ends with [].
func (c *checker) cast(e *sqlast.Cast) size {
	x := c.expr(e.X)
	word, length, _ := strings.Cut(e.Type, "(")
	word, _, _ = strings.Cut(word, " ")
	if strings.HasSuffix(e.Type, "[]") {
		word = "[]"
	}
	f, ok := c.rules.Types[strings.ToLower(word)]
	if !ok {
		f = Function{kind: kindSum, n: 16}
	}
	length, _, _ = strings.Cut(length, ")")
	n := digits(length)
	return c.bounded(e.Pos, "CAST", c.sized(f, x, n))
}

// sized returns what a cast makes of x. n is the length of the type, or -1.
func (c *checker) sized(f Function, x size, n int64) size {
	v := x
	v.work = add(x.work, times(linearWork, x.bytes()))
	if f.kind == kindSquare {
		v.work = add(v.work, squared(x))
	}
	switch f.kind {
	case kindSmall:
		v.text, v.data = number.text, number.data
	case kindFill:
		v = v.cut(max(n, 0))
		v.text = max(n, 0) - v.data
	default:
		v = v.times(int64(f.n))
		if n >= 0 {
			v = v.cut(times(bytesPerCharacter, n))
		}
	}
	return v
}

const bytesPerCharacter = 4

func (c *checker) in(e *sqlast.In) size {
	x := c.expr(e.X)
	v := truth(x)
	for _, item := range e.List {
		v.work = add(v.work, truth(c.expr(item), size{text: x.bytes()}).work)
	}
	if e.Query != nil {
		c.query(e.Query)
	}
	return v
}

func (c *checker) quantified(e *sqlast.Quantified) size {
	x := c.expr(e.X)
	v := truth(x)
	compare := func(y size) {
		v.work = add(v.work, add(y.work, truth(x, y).work))
		if isMatch(e.Op) {
			v.work = add(v.work, c.search(e.Pos, "a match", y, x, 1).work)
		}
	}
	switch array, ok := e.Array.(*sqlast.Array); {
	case e.Query != nil:
		compare(sum(c.query(e.Query)))
	case ok:
		for _, item := range array.Items {
			compare(c.expr(item))
		}
	default:
		compare(c.expr(e.Array))
	}
	return v
}

// isMatch reports whether an operator searches its right operand, a pattern, in its
// left one.
func isMatch(op sqlast.BinaryOp) bool {
	switch op {
	case sqlast.Match, sqlast.MatchFold, sqlast.NotMatch, sqlast.NotMatchFold,
		sqlast.LikeSign, sqlast.LikeFold, sqlast.NotLikeSign, sqlast.NotLikeFold, sqlast.PathExists:
		return true
	}
	return false
}

func (c *checker) index(e *sqlast.Index) size {
	v := c.expr(e.X)
	for _, sub := range e.Subscripts {
		if sub.Low != nil {
			v.work = add(v.work, c.expr(sub.Low).work)
		}
		if sub.High != nil {
			v.work = add(v.work, c.expr(sub.High).work)
		}
	}
	if !slices.ContainsFunc(e.Subscripts, func(sub sqlast.Subscript) bool { return sub.Slice }) {
		v.data = min(v.data, maxElement) // one of the values that an aggregate collected
	}
	return v
}

// bounded returns v, and fails if it is too long.
func (c *checker) bounded(at sqlast.Pos, name string, v size) size {
	if v.isLong() {
		c.fail(at, name, "the value of %s could be too long, and no limit stops what is done with it: it may have %d bytes of the "+
			"statement, and %d times as many as the stored values that it is made of. Use fewer or shorter texts, or cut them first, "+
			"for example with substr(x, 1, 1000)", name, maxText, maxData/stored)
	}
	return v
}
