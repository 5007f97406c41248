package mysql

import (
	"fmt"
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// parsers holds the grammar's parsers: one keeps 20 KB of tables and belongs to
// one statement at a time, until its tree is no longer looked at.
var parsers = sync.Pool{New: func() any {
	p := parser.New()
	p.SetSQLMode(mysql.ModeIgnoreSpace) // COUNT (x) is a call on no server, but everybody means one
	return p
}}

// pooled is the largest statement after which a parser is kept: its stack grows
// with the statement and never shrinks.
const pooled = 8 << 10

// Read reads one SELECT, TABLE, VALUES or WITH .. SELECT. Whatever the text is,
// the answer is a tree or a [*sqlast.Error].
func (Dialect) Read(text string) (*sqlast.Query, error) {
	if err := sqlast.CheckText(text, &lexis); err != nil {
		return nil, err
	}
	s := look(text)
	if s.err != nil {
		return nil, s.err
	}
	q, err := read(text, &s, true)
	if err != nil && err.Code == sqlast.Syntax {
		// MariaDB has the words of window functions as names: rank, groups, lead.
		if q, again := read(text, &s, false); again == nil {
			return q, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

func read(text string, s *survey, windows bool) (q *sqlast.Query, err *sqlast.Error) {
	p := parsers.Get().(*parser.Parser)
	defer func() {
		if v := recover(); v != nil {
			q, err = nil, &sqlast.Error{Code: sqlast.Syntax, Pos: -1, Message: "the grammar fails on this statement"}
			return
		}
		if len(text) <= pooled {
			parsers.Put(p)
		}
	}()
	p.EnableWindowFunc(windows)
	statements, warnings, failure := p.ParseSQL(text)
	if failure != nil {
		return nil, syntaxError(text, s, failure)
	}
	if len(warnings) > 0 {
		return nil, &sqlast.Error{Code: sqlast.Unsupported, Pos: -1, Message: "the grammar warns: " + sqlast.Clip(warnings[0].Error())}
	}
	if len(statements) != 1 {
		return nil, &sqlast.Error{Code: sqlast.MultipleQueries, Pos: -1,
			Message: fmt.Sprintf("there are %d statements; write one", len(statements))}
	}
	switch statements[0].(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
	case *ast.UpdateStmt:
		return nil, notSelect(text, "UPDATE")
	case *ast.DeleteStmt:
		return nil, notSelect(text, "DELETE")
	default:
		return nil, notSelect(text, firstWord(text))
	}
	r := reader{src: text}
	q = r.query(statements[0], headers)
	if r.err == nil && r.withs != s.withs {
		r.fail(sqlast.Unsupported, -1, "WITH", "a WITH directly before a query in parentheses that has a WITH itself is not supported")
	}
	if r.err == nil && r.havings != s.havings {
		r.fail(sqlast.Syntax, -1, "HAVING", "a SELECT has two HAVING clauses")
	}
	if r.err != nil {
		return nil, r.err
	}
	return q, nil
}

// reader turns the grammar's tree into qed's. The first error stays; what is
// built after it is thrown away.
type reader struct {
	src     string
	cursor  int // where the search for the next table's name begins
	depth   int
	withs   int
	havings int
	err     *sqlast.Error
}

func (r *reader) fail(code refusal.Code, at sqlast.Pos, name, message string) {
	if r.err == nil {
		r.err = &sqlast.Error{Code: code, Name: sqlast.Clip(name), Pos: at, Message: message}
	}
}

func (r *reader) unsupported(at sqlast.Pos, construct string) {
	r.fail(sqlast.Unsupported, at, construct, sqlast.Clip(construct)+" is not supported")
}

// enter counts a level of the tree; leave undoes it.
func (r *reader) enter(at sqlast.Pos) bool {
	if r.depth++; r.depth > sqlast.MaxDepth {
		r.fail(sqlast.TooDeep, at, "", fmt.Sprintf("the statement nests deeper than %d levels", sqlast.MaxDepth))
		return false
	}
	return r.err == nil
}

func (r *reader) leave() { r.depth-- }

// keyword finds the first of a keyword at or after an offset, for an error.
func (r *reader) keyword(text string, from sqlast.Pos) sqlast.Pos {
	scan := scanner{src: r.src}
	for t := scan.next(); t.kind != endOfText; t = scan.next() {
		if t.at >= int(from) && isWord(r.src, t, text) {
			return sqlast.Pos(t.at)
		}
	}
	return from
}

// name takes a name that the statement gives or uses.
func (r *reader) name(n ast.CIStr, at sqlast.Pos) string {
	if n.O == "" {
		r.unsupported(at, "an empty name")
	}
	return n.O
}

// names takes a list of names; it keeps nil for nothing.
func (r *reader) names(list []ast.CIStr, at sqlast.Pos) []string {
	return mapped(list, func(n ast.CIStr) string { return r.name(n, at) })
}

func mapped[T, U any](list []T, f func(T) U) []U {
	if len(list) == 0 {
		return nil
	}
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

func pos(n ast.Node) sqlast.Pos { return sqlast.Pos(n.OriginTextPosition()) }
