package sqlite

import (
	"unicode/utf8"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// SQLite merges a view into the statement that reads it, and then evaluates the
// conditions of both in the order that it considers cheapest. An expression that
// fails for some values, such as abs(x) for the smallest integer, would tell by
// its error whether a row that the view hides has such a value. A statement with
// such an expression reads views behind a barrier: a subquery with LIMIT -1, which
// SQLite neither merges with the outer query nor gives its conditions. All other
// statements read the views themselves, so that indexes are used.

var barrierStyle = func() sqlast.Style {
	s := style
	s.Barrier = true
	return s
}()

// mayFail reports whether a query has an expression that may fail and that SQLite
// may evaluate for rows that the condition of a view excludes. It evaluates the
// select list, the groups and the order of the outermost block only for rows that
// fulfil all conditions.
func mayFail(q *sqlast.Query) bool {
	found, queries := false, false
	// SQLite may evaluate a subquery of an expression for hidden rows, and with it
	// everything that it computes from its own rows.
	inExpression := func(n sqlast.Node) bool {
		found = found || isFallible(n) || isLate(n)
		return !found
	}
	anywhere := func(n sqlast.Node) bool {
		if found = found || isFallible(n); isQuery(n) {
			queries = true
			sqlast.Walk(n, inExpression)
			return false
		}
		return !found
	}
	inQueries := func(n sqlast.Node) bool {
		if sub, ok := n.(*sqlast.Query); ok {
			sqlast.Walk(sub, anywhere)
			return false
		}
		return !found
	}
	s, ok := q.Body.(*sqlast.Select)
	if ok {
		if q.With != nil {
			sqlast.Walk(q.With, anywhere)
		}
		for _, it := range s.Items {
			sqlast.Walk(it.Expr, inQueries)
		}
		for _, e := range s.GroupBy {
			sqlast.Walk(e, inQueries)
		}
		for _, o := range q.OrderBy {
			sqlast.Walk(o.Expr, inQueries)
		}
		for _, w := range s.Windows {
			sqlast.Walk(w, anywhere)
		}
		sqlast.Walk(s.From, anywhere)
		sqlast.Walk(s.Where, anywhere)
		sqlast.Walk(s.Having, anywhere) // SQLite moves conditions on groups to WHERE
	} else {
		sqlast.Walk(q, anywhere)
	}
	if queries && !found { // one of them may read a query of a WITH
		sqlast.Walk(q, func(n sqlast.Node) bool {
			if w, ok := n.(*sqlast.With); ok {
				sqlast.Walk(w, inExpression)
			}
			return !found
		})
	}
	return found
}

// isQuery reports whether a node is an expression with a subquery.
func isQuery(n sqlast.Node) bool {
	switch n := n.(type) {
	case *sqlast.Subquery, *sqlast.Exists:
		return true
	case *sqlast.In:
		return n.Query != nil
	}
	return false
}

// isLate reports whether a node is a call that may fail and that SQLite makes only
// for rows that fulfil all conditions of its own block: sum fails for a sum that is
// too large, ntile(x) and the frame of a window for a negative number.
func isLate(n sqlast.Node) bool {
	c, ok := n.(*sqlast.Call)
	return ok && (c.Over != nil || late[c.Name])
}

// isFallible reports whether a node without the nodes below it may fail while the
// statement runs. An error does not need a certain value: a pattern that is too
// long fails for every row, which shows whether there is a row.
func isFallible(n sqlast.Node) bool {
	switch n := n.(type) {
	case *sqlast.Binary:
		switch n.Op {
		case sqlast.Concat, sqlast.JSONGet, sqlast.JSONText:
			return true
		}
	case *sqlast.Like:
		return n.Op == sqlast.OpRegexp || n.Op == sqlast.OpMatch || !isShort(n.Pattern) || n.Escape != nil && !isCharacter(n.Escape)
	case *sqlast.Call:
		return mayCallFail(n)
	case *sqlast.TableFunction:
		return true // of a text that is no JSON
	case *sqlast.Interval, *sqlast.Quantified, *sqlast.Array, *sqlast.ArrayQuery, *sqlast.Index, *sqlast.NamedArg,
		*sqlast.GroupingSet, *sqlast.Unit:
		return true // not in SQLite
	}
	return false
}

func mayCallFail(c *sqlast.Call) bool {
	switch c.Name {
	case "strftime":
		return len(c.Args) == 0 || !isShort(c.Args[0])
	case "trim", "ltrim", "rtrim":
		return len(c.Args) > 1 && !isShort(c.Args[1])
	}
	return !infallible[c.Name]
}

// maxShort is the maximum number of bytes of a pattern for which no function
// fails, whatever limits the connection has.
const maxShort = 1000

func isShort(e sqlast.Expr) bool {
	s, ok := e.(*sqlast.String)
	return ok && len(s.Value) <= maxShort
}

func isCharacter(e sqlast.Expr) bool {
	s, ok := e.(*sqlast.String)
	return ok && utf8.RuneCountInString(s.Value) == 1
}

// infallible are the functions that return a value for all arguments and that are
// not longer than their longest argument. Aggregate and window functions are among
// them because SQLite calls them only for rows that fulfil all conditions of their
// block: see isLate.
var infallible = sqlread.Words(`
	coalesce if ifnull iif instr length likely lower max min nullif octet_length
	substr substring typeof unicode unlikely upper

	acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln
	log log10 log2 mod pi pow power radians round sign sin sinh sqrt tan tanh trunc

	date datetime julianday time timediff unixepoch json_valid

	avg count group_concat json_group_array json_group_object jsonb_group_array
	jsonb_group_object string_agg sum total median percentile percentile_cont
	percentile_disc

	row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value
	last_value nth_value
`)

var late = sqlread.Words(`
	group_concat json_group_array json_group_object jsonb_group_array jsonb_group_object
	string_agg sum median percentile percentile_cont percentile_disc
`)
