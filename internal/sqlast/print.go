package sqlast

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/refusal"
)

// A Style describes how a dialect prints what dialects print differently. It is
// safe for concurrent use.
type Style struct {
	// AppendName appends a name, quoted.
	AppendName func(dst []byte, name string) []byte

	// AppendString appends a string literal.
	AppendString func(dst []byte, value string) []byte

	// AppendColumn appends a column without a qualifier. If it is nil, the name is
	// quoted by AppendName.
	AppendColumn func(dst []byte, c *Column) []byte

	// ArgSeparator returns the text between the arguments i-1 and i of a call, such
	// as " FROM " in EXTRACT(unit FROM x). A nil function and "" mean a comma.
	ArgSeparator func(c *Call, i int) string

	// CallPrefix returns the text before the name of a call that is executed, such as
	// the schema of the engine's own functions. If it is nil, there is none.
	CallPrefix func(c *Call) string

	// Field is the function that is printed as (X).name if its second argument is a
	// literal. Empty: none.
	Field string

	// Pattern returns what is printed for the regular expression e of a statement that
	// is executed. call is the name of the function, or empty for REGEXP. If it is nil,
	// e is printed.
	Pattern func(e Expr, call string) (Expr, error)

	Same    string // null-safe equality, such as "IS"
	NotSame string // its negation; empty: NOT (X Same Y)

	CrossJoin  string // an inner join without a condition
	BareJoinOn string // the condition of a join that has none, as after NATURAL JOIN; empty: none
	ValuesRow  string // before each row of VALUES: "" or "ROW"

	// ParenthesizedArms means that an arm of a set operation may be in parentheses.
	// Without it such an arm is printed as SELECT * FROM (arm).
	ParenthesizedArms bool

	// IntersectFirst means that INTERSECT has a higher precedence than UNION and
	// EXCEPT. Without it all three have the same, from left to right.
	IntersectFirst bool

	// ValuesTail means that ORDER BY and LIMIT may follow VALUES.
	ValuesTail bool

	// BareOffset means that OFFSET is allowed without LIMIT.
	BareOffset bool

	// SignsAlike means that all operators except arithmetic, comparisons and
	// keywords have the same precedence, so that a | b || c is (a | b) || c.
	SignsAlike bool

	// ArrowsLast means that the operators -> and ->> take as their left operand
	// everything before them, so that a AND b -> 'c' is (a AND b) -> 'c'.
	ArrowsLast bool

	// BitXor is the operator for bitwise exclusive or. Empty means "^".
	BitXor string

	// IntDiv is the operator for the quotient without its fraction. Empty means
	// "DIV".
	IntDiv string

	// ImplicitLateral means that every derived table may name the tables to its
	// left, so that LATERAL is not printed.
	ImplicitLateral bool

	// CallAs returns the expression that is executed instead of a call, or nil for
	// the call itself. Nil means that every call is executed as itself.
	CallAs func(*Call) Expr

	// Filter returns the FILTER with which a call is executed, or nil for none. The block
	// of the call makes at most so many groupings. Nil means that every call is executed
	// with its own FILTER.
	Filter func(c *Call, groupings int) Expr

	// ArrayOf returns the query that is executed for ARRAY(q). Nil means q.
	ArrayOf func(q *Query) *Query

	// Raise returns a condition that fails when it is evaluated, with an error that
	// has the text. It names row, so that no engine evaluates it beforehand.
	Raise func(text string, row Expr) Expr

	// Barrier means that a view that replaces a table is printed as a subquery that
	// ends with BarrierEnd, so that the engine applies the view's own condition before
	// it evaluates anything of the statement.
	Barrier bool

	// BarrierEnd is the end of a subquery with which an engine neither merges it with the
	// outer query nor gives it conditions, such as a limit larger than any table.
	// Subqueries for [Object.Filter] end with it too.
	BarrierEnd string

	// Untyped means that a column may have no type: it is not equal to '1' if it has the
	// number 1.
	Untyped bool

	// OwnColumns means that a function in FROM has columns with names of its own, which no
	// list can rename.
	OwnColumns bool

	// BoolNames means that an item TRUE or FALSE without an alias has the name that
	// it is written with. SQLite would read the alias FALSE wherever FALSE is
	// written, which in the ON of an outer join returns other rows.
	BoolNames bool
}

// TooMuchCollected is in the engine's error for a statement that collects more values
// than its dialect allows.
const TooMuchCollected = "too many values are collected: collect fewer rows, or distinct rows of a subquery"

// Overloaded are the functions of PostgreSQL that the extension citext has for its own
// type too. They are printed without a schema, so that the types of the arguments
// decide. Package postgresdb checks what the search path has of these names.
var Overloaded = []string{
	"max", "min", "regexp_match", "regexp_matches", "regexp_replace", "regexp_split_to_array",
	"regexp_split_to_table", "replace", "split_part", "strpos", "translate",
}

// AppendQuoted appends s between two quotes, with the quotes in it doubled.
func AppendQuoted(dst []byte, s string, quote byte) []byte {
	dst = append(dst, quote)
	for {
		i := strings.IndexByte(s, quote)
		if i < 0 {
			return append(append(dst, s...), quote)
		}
		dst = append(append(dst, s[:i+1]...), quote)
		s = s[i+1:]
	}
}

// AppendMatch appends the condition that a printed column has one of these values and,
// because comparisons convert types and ignore case, that its text has. The column alone
// can use an index. before and after make a text of the column.
func (s *Style) AppendMatch(dst []byte, column string, values []string, before, after string) []byte {
	literals := []string{}
	for _, v := range values {
		literals = append(literals, string(s.AppendString(nil, v)))
		if s.Untyped && isCanonical(v) {
			literals = append(literals, v)
		}
	}
	list := " IN (" + cmp.Or(strings.Join(literals, ", "), "NULL") + ")"
	return append(dst, "("+column+list+" AND "+before+column+after+list+")"...)
}

// isCanonical reports whether a text is a whole number as engines write it.
func isCanonical(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}

// Append appends a tree as one line of SQL. If physical is set it prints what is
// executed: every table by its object, and an [*Error] for anything that [Resolve]
// should have replaced. Otherwise it prints the tree as it was read.
//
// Names are always quoted. Parentheses are printed wherever the precedence of
// operators differs between engines or is not obvious to a person.
func (s *Style) Append(dst []byte, q *Query, physical bool) ([]byte, error) {
	p := printer{Style: s, dst: dst, physical: physical}
	p.query(q)
	if p.err != nil {
		return dst, p.err
	}
	return p.dst, nil
}

// A printer appends to dst. It keeps the first error.
type printer struct {
	*Style
	dst      []byte
	physical bool
	depth    int // parentheses that are open
	err      error

	groupings int // the most of the blocks that contain what is printed
}

func (p *printer) text(s string) { p.dst = append(p.dst, s...) }

// open prints a parenthesis. A text without parentheses may need many when it is
// printed, such as a = b = c. A statement that needs more than can be read again is
// an error.
func (p *printer) open() { p.openWith('(') }

func (p *printer) close() { p.closeWith(')') }

func (p *printer) openWith(bracket byte) {
	if p.depth++; p.depth > MaxNesting {
		p.fail(TooDeep, -1, "", "the statement needs more than %d parentheses inside one another", MaxNesting)
	}
	p.dst = append(p.dst, bracket)
}

func (p *printer) closeWith(bracket byte) {
	p.depth--
	p.dst = append(p.dst, bracket)
}

func (p *printer) name(s string) { p.dst = p.AppendName(p.dst, s) }

func (p *printer) names(list []string) {
	p.open()
	separated(p, list, p.name)
	p.close()
}

// separated prints a list with commas.
func separated[T any](p *printer, list []T, each func(T)) {
	for i, x := range list {
		if i > 0 {
			p.text(", ")
		}
		each(x)
	}
}

// broken refuses a tree that is not resolved, or that no reader makes.
func (p *printer) broken(at Pos, format string, args ...any) {
	p.fail(Unsupported, at, "", "the tree cannot be printed: it has "+format, args...)
}

func (p *printer) fail(code refusal.Code, at Pos, name, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{Code: code, Name: name, Pos: at, Message: fmt.Sprintf(format, args...)}
	}
}

func (p *printer) query(q *Query) {
	around := p.groupings
	defer func() { p.groupings = around }()
	if q.With != nil {
		p.with(q.With)
	}
	tail := q.OrderBy != nil || q.Limit != nil
	if tail && !p.ValuesTail && endsInValues(q.Body) {
		p.wrapped(q.Body)
	} else {
		p.body(q.Body)
	}
	p.orderBy(" ORDER BY ", q.OrderBy)
	switch {
	case q.Ties:
		p.text(" FETCH FIRST ")
		p.operand(q.Limit, rankPrimary)
		p.text(" ROWS WITH TIES")
	case q.Limit != nil:
		p.text(" LIMIT ")
		p.expr(q.Limit)
	}
	if q.Offset != nil {
		if q.Limit == nil && !p.BareOffset {
			p.broken(q.Offset.At(), "an OFFSET without LIMIT")
		}
		p.text(" OFFSET ")
		p.expr(q.Offset)
	}
}

// endsInValues reports whether the printed body ends in VALUES.
func endsInValues(b Body) bool {
	switch b := b.(type) {
	case *SetOp:
		return endsInValues(b.Right)
	case *Values:
		return true
	}
	return false
}

func (p *printer) with(w *With) {
	p.text("WITH ")
	if w.Recursive {
		p.text("RECURSIVE ")
	}
	separated(p, w.CTEs, func(c *CTE) {
		p.name(c.Name)
		if c.Columns != nil {
			p.text(" ")
			p.names(c.Columns)
		}
		p.text(" AS ")
		p.open()
		p.query(c.Query)
		p.close()
	})
	p.text(" ")
}

func (p *printer) body(b Body) {
	switch b := b.(type) {
	case *Select:
		p.selectBlock(b)
	case *SetOp:
		p.setOp(b)
	case *Values:
		p.values(b)
	case *Query:
		p.wrapped(b)
	default:
		p.broken(-1, "a body of %T", b)
	}
}

// wrapped prints a body so that clauses after it do not apply to its parts.
func (p *printer) wrapped(b Body) {
	if !p.ParenthesizedArms {
		p.text("SELECT * FROM ")
	}
	p.open()
	if q, ok := b.(*Query); ok {
		p.query(q)
	} else {
		p.body(b)
	}
	p.close()
}

var setKinds = [...]string{Union: " UNION ", Intersect: " INTERSECT ", Except: " EXCEPT "}

func (p *printer) setOp(s *SetOp) {
	rank := p.setRank(s)
	p.arm(s.Left, p.setRank(s.Left) < rank)
	p.text(setKinds[s.Kind])
	if s.All {
		p.text("ALL ")
	}
	p.arm(s.Right, p.setRank(s.Right) <= rank)
}

func (p *printer) arm(b Body, wrap bool) {
	if wrap {
		p.wrapped(b)
	} else {
		p.body(b)
	}
}

// setRank returns the precedence of a body as an arm of a set operation.
func (p *printer) setRank(b Body) int {
	s, ok := b.(*SetOp)
	switch {
	case !ok:
		return 3
	case p.IntersectFirst && s.Kind == Intersect:
		return 2
	}
	return 1
}

func (p *printer) values(v *Values) {
	p.text("VALUES ")
	separated(p, v.Rows, func(row []Expr) {
		p.text(p.ValuesRow)
		p.list(row)
	})
}

func (p *printer) selectBlock(s *Select) {
	p.groupings = max(p.groupings, s.Groupings)
	p.text("SELECT ")
	if s.Distinct {
		p.text("DISTINCT ")
	}
	if s.DistinctOn != nil {
		p.text("DISTINCT ON ")
		p.list(s.DistinctOn)
		p.text(" ")
	}
	separated(p, s.Items, p.item)
	if s.From != nil {
		p.text(" FROM ")
		p.relation(s.From)
	}
	if s.Where != nil {
		p.text(" WHERE ")
		p.expr(s.Where)
	}
	if s.GroupBy != nil {
		p.text(" GROUP BY ")
		separated(p, s.GroupBy, p.term)
		if s.Rollup {
			p.text(" WITH ROLLUP")
		}
	}
	if s.Having != nil {
		p.text(" HAVING ")
		p.expr(s.Having)
	}
	if len(s.Windows) > 0 {
		p.text(" WINDOW ")
		separated(p, s.Windows, func(w *Window) {
			p.name(w.Name)
			p.text(" AS ")
			p.window(w)
		})
	}
	if s.Qualify != nil {
		p.text(" QUALIFY ")
		p.expr(s.Qualify)
	}
}

func (p *printer) item(it Item) {
	if star, ok := it.Expr.(*Star); ok {
		p.star(star)
		return
	}
	if b, ok := it.Expr.(*Bool); ok && p.BoolNames && ascii.EqualFold(it.Alias, boolText(b)) {
		p.text(it.Alias)
		return
	}
	p.expr(it.Expr)
	if it.Alias != "" {
		p.text(" AS ")
		p.name(it.Alias)
	}
}

// term prints a term of GROUP BY or ORDER BY, where a star is ALL.
func (p *printer) term(e Expr) {
	if _, all := e.(*Star); all && !p.physical {
		p.text("ALL")
		return
	}
	p.expr(e)
}

func (p *printer) qualifier(schema, table string) {
	if schema != "" {
		p.name(schema)
		p.text(".")
	}
	if table != "" {
		p.name(table)
		p.text(".")
	}
}

func (p *printer) orderBy(keyword string, list []Order) {
	if len(list) > 0 {
		p.text(keyword)
	}
	separated(p, list, func(o Order) {
		p.term(o.Expr)
		if o.Desc {
			p.text(" DESC")
		}
		switch o.Nulls {
		case NullsFirst:
			p.text(" NULLS FIRST")
		case NullsLast:
			p.text(" NULLS LAST")
		}
	})
}
