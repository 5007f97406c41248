package mysql

import (
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
	"github.com/qedkit/qed/refusal"
)

// parsers has the grammar's parsers. One has 20 KB of tables, and reads one
// statement at a time: its tree is valid until the next one.
var parsers = sync.Pool{New: func() any {
	p := parser.New()
	p.SetSQLMode(mysql.ModeIgnoreSpace) // reads COUNT (x) as a call
	return p
}}

// Read parses one SELECT, TABLE, VALUES or WITH .. SELECT. For any text it returns
// a tree or a [*sqlast.Error].
func (d Dialect) Read(text string) (*sqlast.Query, error) {
	if err := sqlast.CheckText(text); err != nil {
		return nil, err
	}
	s := newSurvey(text)
	if s.err != nil {
		return nil, s.err
	}
	q, err := read(text, &s, d)
	if err != nil {
		return nil, err
	}
	return q, nil
}

// read parses a text and compares the tree with the survey.
func read(text string, s *survey, d Dialect) (q *sqlast.Query, err *sqlast.Error) {
	p := parsers.Get().(*parser.Parser)
	defer func() {
		if v := recover(); v != nil {
			q, err = nil, sqlread.ErrGrammarFails
			return
		}
		parsers.Put(p)
	}()
	p.EnableWindowFunc(s.windows)
	parsed := s.readable(text)
	statements, warnings, failure := p.ParseSQL(parsed)
	if failure != nil {
		return nil, syntaxError(text, s, failedAt(parsed, failure.Error()))
	}
	if len(warnings) > 0 {
		return nil, &sqlast.Error{Code: sqlast.Unsupported, Pos: -1,
			Message: "the grammar warns: " + sqlast.Clip(warnings[0].Error())}
	}
	if len(statements) != 1 {
		return nil, sqlread.NotOne(len(statements), -1)
	}
	switch statements[0].(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
	case *ast.UpdateStmt:
		return nil, sqlread.NotSelect("UPDATE", firstToken(text).at)
	case *ast.DeleteStmt:
		return nil, sqlread.NotSelect("DELETE", firstToken(text).at)
	default:
		return nil, sqlread.NotSelect(firstWord(text), firstToken(text).at)
	}
	r := reader{src: text, medians: s.medians, version: d.Version}
	q = r.query(statements[0], headers)
	if r.err == nil && r.withs != s.withs {
		r.fail(sqlast.Unsupported, -1, "WITH",
			"a WITH directly before a query in parentheses that has a WITH itself is not supported")
	}
	if r.err == nil && r.havings != s.havings {
		r.fail(sqlast.Syntax, -1, "HAVING", "a SELECT has two HAVING clauses")
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := refuseCrashes(q); err != nil {
		return nil, err
	}
	return q, nil
}

// readable returns a text with blanks for the words in inners, and with another window
// function of the same length for those in medians.
func (s *survey) readable(text string) string {
	for _, at := range s.inners {
		text = text[:at] + "     " + text[at+len("INNER"):]
	}
	for _, at := range s.medians {
		text = text[:at] + "STDDEV" + text[at+len("MEDIAN"):]
	}
	return text
}

// reader converts the grammar's tree into qed's tree. It keeps the first error;
// the tree is incomplete then.
type reader struct {
	src     string
	cursor  int // offset at which the search for the next table's name begins
	depth   int
	withs   int
	havings int
	medians []int  // see survey
	version string // of the dialect

	err *sqlast.Error
}

func (r *reader) fail(code refusal.Code, at sqlast.Pos, name, message string) {
	if r.err == nil {
		r.err = &sqlast.Error{Code: code, Name: sqlast.Clip(name), Pos: at, Message: message}
	}
}

func (r *reader) unsupported(at sqlast.Pos, construct string) {
	r.fail(sqlast.Unsupported, at, construct, sqlast.Clip(construct)+" is not supported")
}

// enter adds a level of nesting; leave removes it.
func (r *reader) enter(at sqlast.Pos) bool {
	if r.depth++; r.depth > sqlast.MaxDepth && r.err == nil {
		r.err = sqlread.TooDeep(at)
	}
	return r.err == nil
}

func (r *reader) leave() { r.depth-- }

// keyword returns the offset of a keyword at or after from, for an error.
func (r *reader) keyword(text string, from sqlast.Pos) sqlast.Pos {
	scan := scanner{src: r.src}
	for t := scan.next(); t.kind != endOfText; t = scan.next() {
		if t.at >= int(from) && isWord(r.src, t, text) {
			return sqlast.Pos(t.at)
		}
	}
	return from
}

// name returns a name of the statement, which must not be empty.
func (r *reader) name(n ast.CIStr, at sqlast.Pos) string {
	if n.O == "" {
		r.unsupported(at, "an empty name")
	}
	return n.O
}

// names returns a list of names, nil for an empty list.
func (r *reader) names(list []ast.CIStr, at sqlast.Pos) []string {
	return lists.Map(list, func(n ast.CIStr) string { return r.name(n, at) })
}

func (r *reader) pos(n ast.Node) sqlast.Pos { return sqlast.Pos(n.OriginTextPosition()) }
