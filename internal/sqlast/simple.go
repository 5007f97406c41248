package sqlast

import "regexp"

// Most statements only compare, add and count. What bounds the cost of expressions
// has nothing to find in them, and does not need to walk their trees.

const (
	maxSimpleNodes = 200 // expressions and their parts
	maxSimpleStars = 1000
	maxSimpleText  = 200 // bytes of a literal
)

// simple reports whether the resolved query is simple.
func (r *resolver) simple() bool {
	return r.resolution.Plain && !r.complex && !(r.sums && r.queries) &&
		r.nodes <= maxSimpleNodes && r.weight <= maxSimpleNodes && r.stars <= maxSimpleStars
}

// isSimple reports whether a query with the expression may be simple, as far as the
// expression without its parts decides that.
func isSimple(e Expr) bool {
	switch e := e.(type) {
	case *Column:
		return len(e.Name) <= maxSimpleText // it may be a string in double quotes
	case *Star, *Null, *Now, *Bool, *Unary, *Is, *Between, *In, *Case, *Exists, *Subquery:
		return true
	case *Number:
		return isShortLiteral(e.Text)
	case *String:
		return isShortLiteral(e.Value)
	case *Binary:
		return e.Op < Concat
	case *Like:
		pattern, ok := e.Pattern.(*String)
		return ok && len(pattern.Value) <= maxSimpleText && (e.Op == OpLike || e.Op == OpGlob) && e.Escape == nil
	case *Call:
		switch e.Name {
		case "count", "sum", "avg", "min", "max":
			return len(e.Args) <= 1 && len(e.OrderBy) == 0 && e.Filter == nil && e.Over == nil
		}
	}
	return false
}

// isShortLiteral reports whether a literal is short, and so are the digits of a number
// that it may be: 1e100000 has 100,001.
func isShortLiteral(text string) bool {
	return len(text) <= maxSimpleText && !exponent.MatchString(text)
}

var exponent = regexp.MustCompile(`[eE][0-9+]`)

// isSum reports whether e calls sum, which fails in SQLite for a sum that is too
// large. In a subquery of a condition that can depend on rows that a view hides.
func isSum(e Expr) bool {
	c, ok := e.(*Call)
	return ok && c.Name == "sum"
}

// isSubquery reports whether e has a subquery of its own.
func isSubquery(e Expr) bool {
	switch e := e.(type) {
	case *Subquery, *Exists:
		return true
	case *In:
		return e.Query != nil
	}
	return false
}
