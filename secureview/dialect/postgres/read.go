package postgres

import (
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
	"github.com/qedkit/qed/refusal"
)

// Read parses one SELECT, VALUES, TABLE or WITH .. SELECT. For any text it returns
// a tree or a [*sqlast.Error]. The first call in a program takes about a second.
func (Dialect) Read(text string) (*sqlast.Query, error) {
	if err := sqlast.CheckText(text); err != nil {
		return nil, err
	}
	if err := checkDepth(text); err != nil {
		return nil, err
	}
	t := sqlread.FirstToken(text)
	if name := strings.ToUpper(text[t.At:t.End]); t.Kind == sqlread.Word && !queryWords[name] {
		return nil, sqlread.NotSelect(name, t.At)
	}
	tree, err := parse(withoutComments(text))
	if err != nil {
		return nil, failure(text, err)
	}
	q, failed := read(text, tree)
	if failed != nil {
		return nil, failed
	}
	return q, nil
}

// queryWords are the words that a query can begin with.
var queryWords = map[string]bool{"SELECT": true, "VALUES": true, "TABLE": true, "WITH": true}

// read converts the grammar's tree into qed's tree.
func read(text string, tree message) (q *sqlast.Query, err *sqlast.Error) {
	defer func() {
		if recover() != nil {
			q, err = nil, errGrammarFails
		}
	}()
	statements := tree.list(2)
	switch len(statements) {
	case 1:
	case 0:
		return nil, sqlread.NotOne(0, -1)
	default:
		second := sqlread.Scanner{Src: text, At: statements[1].number(2)}
		return nil, sqlread.NotOne(len(statements), sqlast.Pos(second.Next().At))
	}
	r := reader{src: text}
	q = r.subselect(statements[0].child(1), named)
	if r.err != nil {
		return nil, r.err
	}
	return q, nil
}

// reader converts one tree. It keeps the first error; the tree is incomplete then.
type reader struct {
	src   string
	at    sqlast.Pos // offset of the last node that has one
	depth int
	err   *sqlast.Error
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
func (r *reader) enter() bool {
	if r.depth++; r.depth > sqlast.MaxDepth && r.err == nil {
		r.err = sqlread.TooDeep(r.at)
	}
	return r.err == nil
}

func (r *reader) leave() { r.depth-- }

// pos returns the offset in a field of a node, or that of the last node that has
// one.
func (r *reader) pos(m message, field int) sqlast.Pos {
	if at := m.number(field); at >= 0 {
		r.at = sqlast.Pos(at)
	}
	return r.at
}

// check refuses a message with a field that is not known.
func (r *reader) check(m message, known fields, construct string) {
	if !m.only(known) {
		r.unsupported(r.at, construct)
	}
}

// keyword returns the offset of a keyword at or after from, for an error.
func (r *reader) keyword(name string, from sqlast.Pos) sqlast.Pos {
	scan := sqlread.Scanner{Src: r.src}
	for t := scan.Next(); t.Kind != sqlread.EndOfText; t = scan.Next() {
		if t.At >= int(from) && t.Kind == sqlread.Word && strings.EqualFold(r.src[t.At:t.End], name) {
			return sqlast.Pos(t.At)
		}
	}
	return from
}

// strings returns the values of the String nodes in a field, nil if it is empty.
func (r *reader) strings(m message, number int) []string {
	var out []string
	for len(m) > 0 {
		if f := m.next(); f.number == number {
			if out == nil {
				out = make([]string, 0, 2)
			}
			out = append(out, r.string(f.data))
		}
	}
	return out
}

func (r *reader) string(n message) string {
	kind, s := n.node()
	if kind != kindString {
		r.unsupported(r.at, "this name")
	}
	return s.text(1)
}
