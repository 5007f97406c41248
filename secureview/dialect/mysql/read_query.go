package mysql

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	grammar "github.com/pingcap/tidb/pkg/parser/mysql"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

// naming is the use of the names of a query's columns.
type naming uint8

const (
	unnamed naming = iota // not used: a subquery used as a value
	headers               // used by the caller or by the outer query
)

func (r *reader) query(n ast.Node, nm naming) *sqlast.Query {
	at := sqlast.Pos(r.cursor)
	if !r.enter(at) {
		return nil
	}
	defer r.leave()
	q := &sqlast.Query{Pos: at}
	switch n := n.(type) {
	case *ast.SelectStmt:
		q.With = r.with(n.With)
		q.Body = r.body(n, nm)
		r.tail(q, n.OrderBy, n.Limit)
		r.refuseSideEffects(n)
	case *ast.SetOprStmt:
		q.With = r.with(n.With)
		q.Body = r.setOps(n.SelectList.Selects, nm)
		r.tail(q, n.OrderBy, n.Limit)
	default:
		r.unsupported(at, "this kind of query")
	}
	return q
}

func (r *reader) with(w *ast.WithClause) *sqlast.With {
	if w == nil {
		return nil
	}
	r.withs++
	return &sqlast.With{Pos: sqlast.Pos(r.cursor), Recursive: w.IsRecursive, CTEs: lists.Map(w.CTEs, r.cte)}
}

func (r *reader) cte(c *ast.CommonTableExpression) *sqlast.CTE {
	at := r.find(c.Name.O)
	return &sqlast.CTE{
		Pos:     at,
		Name:    r.name(c.Name, at),
		Columns: r.names(c.ColNameList, at),
		Query:   r.query(c.Query.Query, headers),
	}
}

func (r *reader) tail(q *sqlast.Query, order *ast.OrderByClause, limit *ast.Limit) {
	if order != nil {
		q.OrderBy = r.orderBy(order.Items)
	}
	if limit != nil {
		q.Limit = r.expr(limit.Count)
		if limit.Offset != nil {
			q.Offset = r.expr(limit.Offset)
		}
	}
}

// refuseSideEffects refuses what a SELECT does in addition to returning rows.
func (r *reader) refuseSideEffects(s *ast.SelectStmt) {
	at := sqlast.Pos(r.cursor)
	if s.SelectIntoOpt != nil {
		r.fail(sqlast.Into, r.keyword("INTO", 0), "INTO", "SELECT .. INTO is not allowed")
	}
	if s.LockInfo != nil {
		keyword := "FOR"
		if r.keyword("FOR", at) == at {
			keyword = "LOCK"
		}
		r.fail(sqlast.Locking, r.keyword(keyword, at), keyword, "locking clauses are not allowed: a SELECT here only reads, so leave it out")
	}
}

func (r *reader) body(s *ast.SelectStmt, nm naming) sqlast.Body {
	if s.Kind == ast.SelectStmtKindValues {
		return &sqlast.Values{Pos: sqlast.Pos(r.cursor), Rows: lists.Map(s.Lists, func(row *ast.RowExpr) []sqlast.Expr {
			return r.exprs(row.Values)
		})}
	}
	out := &sqlast.Select{
		Pos:      sqlast.Pos(s.Fields.Fields[0].Offset),
		Distinct: s.Distinct,
		Items:    make([]sqlast.Item, len(s.Fields.Fields)),
	}
	r.modifiers(s)
	for i, f := range s.Fields.Fields {
		out.Items[i] = r.item(f, nm)
	}
	if s.From != nil {
		out.From = r.relation(s.From.TableRefs)
	}
	out.Where = r.condition(s.Where)
	if s.GroupBy != nil {
		out.GroupBy = r.groupBy(s.GroupBy.Items)
		out.Rollup = s.GroupBy.Rollup
	}
	if s.Having != nil {
		r.havings++
		out.Having = r.condition(s.Having.Expr)
	}
	for i := range s.WindowSpecs {
		out.Windows = append(out.Windows, r.window(&s.WindowSpecs[i]))
	}
	return out
}

// modifiers refuses the words between SELECT and its list, except DISTINCT, ALL
// and SQL_CACHE, which has no effect.
func (r *reader) modifiers(s *ast.SelectStmt) {
	o := s.SelectStmtOpts
	if o == nil {
		return
	}
	for _, m := range []struct {
		given bool
		name  string
	}{
		{o.CalcFoundRows, "SQL_CALC_FOUND_ROWS"}, {o.StraightJoin, "STRAIGHT_JOIN"}, {o.SQLBigResult, "SQL_BIG_RESULT"},
		{o.SQLSmallResult, "SQL_SMALL_RESULT"}, {o.SQLBufferResult, "SQL_BUFFER_RESULT"}, {!o.SQLCache, "SQL_NO_CACHE"},
		{o.Priority != grammar.NoPriority, "HIGH_PRIORITY"},
	} {
		if m.given {
			r.fail(sqlast.Hint, r.keyword(m.name, 0), m.name, m.name+" is not allowed: leave it out")
		}
	}
}

func (r *reader) item(f *ast.SelectField, nm naming) sqlast.Item {
	from, to := f.Offset, f.Offset+len(f.OriginalText())
	r.cursor = max(r.cursor, from)
	at := sqlast.Pos(from)
	if w := f.WildCard; w != nil {
		return sqlast.Item{Expr: &sqlast.Star{Pos: at, Schema: w.Schema.O, Table: w.Table.O}}
	}
	it := sqlast.Item{Expr: r.expr(f.Expr), Alias: strings.TrimLeftFunc(f.AsName.O, dropped)}
	if it.Alias == "" && f.AsName.O != "" {
		r.unsupported(at, "an alias of blanks")
	}
	if it.Alias == "" && nm == headers {
		it.Alias = ownName(r.src[from:to], it.Expr)
	}
	r.cursor = max(r.cursor, to)
	return it
}

// dropped reports whether servers remove a character at the start of an alias.
func dropped(c rune) bool { return c <= ' ' || c == 0x7f }

// ownName returns the name that a server gives to an entry of a select list with
// this text and without an alias: the name of a column, the value of a string, the
// digits of a number, a constant in upper case, or else the text, cut at the longest
// alias. A + before a value is ignored.
func ownName(text string, e sqlast.Expr) string {
	if _, plain := e.(*sqlast.Column); plain {
		return ""
	}
	for {
		sign, ok := e.(*sqlast.Unary)
		if !ok || sign.Op != sqlast.Plus {
			break
		}
		e = sign.X
	}
	text = withoutTrailingComment(text)
	switch e := e.(type) {
	case *sqlast.Column:
		return e.Name
	case *sqlast.String:
		text = e.Value
	case *sqlast.Number:
		if isDecimal(e.Text) { // not 0x41 or b'1'
			text = e.Text
		}
	case *sqlast.Null:
		return "NULL"
	case *sqlast.Bool:
		if e.Value {
			return "TRUE"
		}
		return "FALSE"
	}
	if strings.IndexByte(text, 0) >= 0 { // a name cannot have a NUL
		return ""
	}
	return strings.TrimSpace(clipName(strings.Map(inName, text)))
}

// inName returns the character that servers write into a name for c: names have
// characters of Unicode's first plane only.
func inName(c rune) rune {
	if c > 0xffff {
		return '?'
	}
	return c
}

func isDecimal(number string) bool {
	return strings.IndexByte(number, '\'') < 0 && !strings.HasPrefix(number, "0x")
}

// clipName shortens a name to the 256 characters that servers allow for an alias.
func clipName(s string) string {
	const most = 256
	if len(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i]
		}
	}
	return s
}

// withoutTrailingComment removes a comment that the grammar leaves after a list
// entry.
func withoutTrailingComment(text string) string {
	inText := func(mark string) bool { return strings.Contains(text, mark) }
	if !slices.ContainsFunc([]string{"/*", "*/", "--", "#"}, inText) {
		return text
	}
	scan := scanner{src: text}
	end := 0
	for t := scan.next(); t.kind != endOfText; t = scan.next() {
		end = t.end
	}
	return text[:end]
}

func (r *reader) orderBy(list []*ast.ByItem) []sqlast.Order {
	return lists.Map(list, func(b *ast.ByItem) sqlast.Order {
		return sqlast.Order{Expr: r.expr(b.Expr), Desc: b.Desc}
	})
}

// groupBy reads the entries of a GROUP BY or PARTITION BY. A direction there is an
// obsolete form of ORDER BY.
func (r *reader) groupBy(list []*ast.ByItem) []sqlast.Expr {
	return lists.Map(list, func(b *ast.ByItem) sqlast.Expr {
		e := r.expr(b.Expr)
		if !b.NullOrder && e != nil {
			r.unsupported(e.At(), "GROUP BY .. ASC or DESC")
		}
		return e
	})
}
