package sqlite

import (
	"errors"
	"strings"

	"github.com/sqlc-dev/meyer/ast"
	"github.com/sqlc-dev/meyer/parser"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
	"github.com/qedkit/qed/refusal"
)

// Read parses one SELECT, VALUES or WITH .. SELECT. For any text it returns a tree
// or a [*sqlast.Error].
func (Dialect) Read(text string) (q *sqlast.Query, err error) {
	if err := sqlast.CheckText(text); err != nil {
		return nil, err
	}
	if at := tooDeep(text); at >= 0 {
		return nil, sqlast.NestsTooDeep(at)
	}
	defer func() {
		if p := recover(); p != nil {
			q, err = nil, sqlread.ErrGrammarFails
		}
	}()
	statements, err := parser.ParseString(text)
	if err != nil {
		return nil, syntaxError(text, err)
	}
	switch len(statements) {
	case 1:
	case 0:
		return nil, sqlread.NotOne(0, -1)
	default:
		return nil, sqlread.NotOne(len(statements), sqlast.Pos(statements[1].Pos()))
	}
	s, ok := statements[0].(*ast.SelectStmt)
	if !ok {
		return nil, sqlread.NotSelect(statementName(text, statements[0]), statements[0].Pos())
	}
	r := reader{src: text}
	q = r.query(s, headers)
	if r.err != nil {
		return nil, r.err
	}
	return q, nil
}

// tooDeep returns the offset of the first parenthesis that is nested too deep, or -1.
func tooDeep(text string) int {
	depth := 0
	for i := nextToken(text, 0); i < len(text); i = nextToken(text, i) {
		switch c := text[i]; c {
		case '(':
			if depth++; depth > sqlast.MaxNesting {
				return i
			}
		case ')':
			depth = max(depth-1, 0)
		case '[':
			i = past(text, i+1, "]") - 1
		case '\'', '"', '`': // a doubled quote ends one token and begins the next
			i = past(text, i+1, text[i:i+1]) - 1
		}
		i++
	}
	return -1
}

func syntaxError(text string, err error) *sqlast.Error {
	var at *parser.Error
	if !errors.As(err, &at) {
		return &sqlast.Error{Code: sqlast.Syntax, Pos: -1, Message: sqlast.Clip(err.Error())}
	}
	if at.Message == "Recursion limit" {
		return sqlread.TooDeep(sqlast.Pos(at.Offset))
	}
	start := nextToken(text, 0)
	switch word := firstWord(text[start:]); word {
	case "SELECT", "VALUES", "WITH", "":
	default:
		return sqlread.NotSelect(word, start)
	}
	return &sqlast.Error{Code: sqlast.Syntax, Pos: sqlast.Pos(at.Offset), Message: sqlast.Clip(at.Message)}
}

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

// reader converts the grammar's tree into qed's tree. It keeps the first error; the
// tree is incomplete then.
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

func hasPrefix(s string, i int, prefix string) bool { return strings.HasPrefix(s[i:], prefix) }

// past returns the offset after the next end, or the length of the text.
func past(s string, i int, end string) int {
	if n := strings.Index(s[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(s)
}
