package sqlite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sqlc-dev/meyer/ast"
	"github.com/sqlc-dev/meyer/parser"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

var lexis = sqlast.Lexis{Quotes: "'\"`", Brackets: true}

// Read reads one SELECT, VALUES or WITH .. SELECT. Whatever the text is, the
// answer is a tree or a [*sqlast.Error].
func (Dialect) Read(text string) (q *sqlast.Query, err error) {
	if err := sqlast.CheckText(text, &lexis); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			q, err = nil, &sqlast.Error{Code: sqlast.Syntax, Pos: -1, Message: "the grammar fails on this statement"}
		}
	}()
	statements, err := parser.ParseString(text)
	if err != nil {
		return nil, syntaxError(text, err)
	}
	switch len(statements) {
	case 1:
	case 0:
		return nil, &sqlast.Error{Code: sqlast.MultipleQueries, Pos: -1, Message: "there is no statement"}
	default:
		return nil, &sqlast.Error{Code: sqlast.MultipleQueries, Pos: sqlast.Pos(statements[1].Pos()),
			Message: fmt.Sprintf("there are %d statements; write one", len(statements))}
	}
	s, ok := statements[0].(*ast.SelectStmt)
	if !ok {
		return nil, notSelect(statementName(text, statements[0]), statements[0].Pos())
	}
	r := reader{src: text}
	q = r.query(s, headers)
	if r.err != nil {
		return nil, r.err
	}
	return q, nil
}

func syntaxError(text string, err error) *sqlast.Error {
	var at *parser.Error
	if !errors.As(err, &at) {
		return &sqlast.Error{Code: sqlast.Syntax, Pos: -1, Message: sqlast.Clip(err.Error())}
	}
	if at.Message == "Recursion limit" {
		return tooDeep(at.Offset)
	}
	start := nextToken(text, 0)
	switch word := firstWord(text[start:]); word {
	case "SELECT", "VALUES", "WITH", "":
	default:
		return notSelect(word, start)
	}
	return &sqlast.Error{Code: sqlast.Syntax, Pos: sqlast.Pos(at.Offset), Message: sqlast.Clip(at.Message)}
}

func notSelect(name string, pos int) *sqlast.Error {
	return &sqlast.Error{Code: sqlast.NotSelect, Name: name, Pos: sqlast.Pos(pos),
		Message: fmt.Sprintf("%s is not allowed: write a SELECT", name)}
}

func tooDeep(pos int) *sqlast.Error {
	return &sqlast.Error{Code: sqlast.TooDeep, Pos: sqlast.Pos(pos),
		Message: fmt.Sprintf("the statement nests deeper than %d levels", sqlast.MaxDepth)}
}

// statementName is the keyword that tells what kind a statement is of.
func statementName(text string, s ast.Stmt) string {
	switch s.(type) {
	case *ast.InsertStmt:
		return "INSERT"
	case *ast.UpdateStmt:
		return "UPDATE"
	case *ast.DeleteStmt:
		return "DELETE"
	}
	return firstWord(text[s.Pos():])
}

func firstWord(text string) string {
	n := 0
	for n < len(text) && 'a' <= ascii.LowerByte(text[n]) && ascii.LowerByte(text[n]) <= 'z' {
		n++
	}
	return sqlast.Clip(strings.ToUpper(text[:n]))
}

// reader turns meyer's tree into qed's. The first error stays; what is built
// after it is thrown away.
type reader struct {
	src   string
	depth int
	err   *sqlast.Error
}

func (r *reader) fail(code refusal.Code, at int, name, message string) {
	if r.err == nil {
		r.err = &sqlast.Error{Code: code, Name: sqlast.Clip(name), Pos: sqlast.Pos(at), Message: message}
	}
}

func (r *reader) unsupported(at int, construct string) {
	r.fail(sqlast.Unsupported, at, construct, sqlast.Clip(construct)+" is not supported")
}

func pos(n ast.Node) sqlast.Pos { return sqlast.Pos(n.Pos()) }

// mapped applies f to each element; it keeps nil for nothing.
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

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func hasPrefix(s string, i int, prefix string) bool { return strings.HasPrefix(s[i:], prefix) }

// past returns the offset after the next end, or the end of the text.
func past(s string, i int, end string) int {
	if n := strings.Index(s[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(s)
}
