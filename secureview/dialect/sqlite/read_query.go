package sqlite

import (
	"github.com/sqlc-dev/meyer/ast"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// naming is the use of the names of a query's columns.
type naming uint8

const (
	unnamed naming = iota // not used: a subquery used as a value
	headers               // headers of the result
	columns               // columns of the outer query
)

func (r *reader) query(s *ast.SelectStmt, n naming) *sqlast.Query {
	q := &sqlast.Query{Pos: pos(s)}
	if s.With != nil {
		q.With = &sqlast.With{Pos: pos(s.With), Recursive: s.With.Recursive, CTEs: lists.Map(s.With.CTEs, r.cte)}
	}
	if len(s.Cores) > sqlast.MaxDepth {
		r.err = sqlread.TooDeep(sqlast.Pos(s.Cores[sqlast.MaxDepth].Pos()))
		return nil
	}
	last := len(s.Cores) - 1
	for i, core := range s.Cores {
		var body sqlast.Body
		switch core := core.(type) {
		case *ast.SelectQuery:
			body = r.selectBlock(core, n)
			if i == last {
				r.tail(q, core)
			} else if core.OrderBy != nil || core.Limit != nil {
				op := s.Ops[i]
				r.fail(sqlast.Syntax, op.Start, op.Op, "ORDER BY and LIMIT belong after the last SELECT of a "+op.Op)
			}
		case *ast.ValuesClause:
			body = &sqlast.Values{Pos: pos(core), Rows: lists.Map(core.Rows, r.exprs)}
		}
		if i == 0 {
			q.Body = body
			n = unnamed // the first arm names the columns
			continue
		}
		op := &s.Ops[i-1]
		q.Body = &sqlast.SetOp{Pos: pos(op), Kind: setKind(op.Op), All: op.All, Left: q.Body, Right: body}
	}
	return q
}

func setKind(op string) sqlast.SetKind {
	switch op {
	case "INTERSECT":
		return sqlast.Intersect
	case "EXCEPT":
		return sqlast.Except
	}
	return sqlast.Union
}

func (r *reader) cte(c *ast.CTE) *sqlast.CTE {
	return &sqlast.CTE{
		Pos:     pos(c),
		Name:    r.name(c.Name),
		Columns: lists.Map(c.Columns, r.name),
		Query:   r.query(c.Select, columns),
	}
}

func (r *reader) tail(q *sqlast.Query, s *ast.SelectQuery) {
	q.OrderBy = r.orderBy(s.OrderBy)
	if s.Limit != nil {
		q.Limit = r.expr(s.Limit.Count)
		if s.Limit.Offset != nil {
			q.Offset = r.expr(s.Limit.Offset)
		}
	}
}

func (r *reader) selectBlock(s *ast.SelectQuery, n naming) *sqlast.Select {
	out := &sqlast.Select{
		Pos:      pos(s),
		Distinct: s.Distinct == ast.DistinctDistinct,
		Items:    make([]sqlast.Item, len(s.Columns)),
		Where:    r.optional(s.Where),
		GroupBy:  r.exprs(s.GroupBy),
		Having:   r.optional(s.Having),
		Windows:  lists.Map(s.Windows, r.window),
	}
	if s.From != nil {
		out.From = r.from(s.From)
	}
	for i, c := range s.Columns {
		out.Items[i] = r.item(c, n)
	}
	return out
}

func (r *reader) item(c *ast.ResultColumn, n naming) sqlast.Item {
	if star, ok := c.Expr.(*ast.Star); ok {
		out := &sqlast.Star{Pos: pos(star)}
		if star.Table != nil {
			out.Table = r.name(star.Table)
		}
		return sqlast.Item{Expr: out}
	}
	it := sqlast.Item{Expr: r.expr(c.Expr)}
	if c.Alias != nil {
		it.Alias = r.name(c.Alias)
	} else {
		it.Alias = r.ownName(c, it.Expr, n)
		_, collated := it.Expr.(*sqlast.Collate)
		it.Unnamed = collated && n == columns
	}
	return it
}

// ownName returns the name that SQLite gives to an entry of a select list without
// an alias: the name of a column, or else the source text up to the next token.
// For an outer query, a column with a collation keeps its name.
func (r *reader) ownName(c *ast.ResultColumn, e sqlast.Expr, n naming) string {
	if _, plain := e.(*sqlast.Column); plain && !isBoolean(c.Expr) || n == unnamed {
		return ""
	}
	if n == columns {
		for {
			collate, ok := e.(*sqlast.Collate)
			if !ok {
				break
			}
			e = collate.X
		}
		if column, ok := e.(*sqlast.Column); ok && !isBoolean(c.Expr) {
			return column.Name
		}
	}
	end := nextToken(r.src, c.End())
	for ascii.IsSpace(r.src[end-1]) {
		end--
	}
	return r.src[c.Pos():end]
}

// isBoolean reports whether an expression is true or false, unless a table has a
// column with that name.
func isBoolean(e ast.Expr) bool {
	for {
		paren, ok := e.(*ast.ParenExpr)
		if !ok {
			break
		}
		e = paren.X
	}
	id, ok := e.(*ast.Ident)
	return ok && id.Quote == ast.QuoteNone && (ascii.EqualFold(id.Name, "true") || ascii.EqualFold(id.Name, "false"))
}

// nextToken returns the offset of the first token at or after i, past white
// space and comments.
func nextToken(src string, i int) int {
	for i < len(src) {
		switch {
		case ascii.IsSpace(src[i]):
			i++
		case hasPrefix(src, i, "\ufeff"):
			i += len("\ufeff")
		case hasPrefix(src, i, "--"):
			i = past(src, i+2, "\n")
		case hasPrefix(src, i, "/*"):
			i = past(src, i+2, "*/")
		default:
			return i
		}
	}
	return i
}

// name returns a name, which must not be empty: an empty one would not be printed.
func (r *reader) name(id *ast.Ident) string {
	if id.Name == "" {
		r.unsupported(id.Pos(), "an empty name")
	}
	return id.Name
}

func (r *reader) orderBy(list []*ast.OrderingTerm) []sqlast.Order {
	return lists.Map(list, func(t *ast.OrderingTerm) sqlast.Order {
		return sqlast.Order{Expr: r.expr(t.Expr), Desc: t.Order == ast.SortDesc, Nulls: nullsOrders[t.Nulls]}
	})
}

var nullsOrders = [...]sqlast.NullsOrder{
	ast.NullsDefault: sqlast.NullsDefault,
	ast.NullsFirst:   sqlast.NullsFirst,
	ast.NullsLast:    sqlast.NullsLast,
}
