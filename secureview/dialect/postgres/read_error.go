package postgres

import (
	"errors"
	"strings"

	"github.com/wasilibs/go-pgquery/parser"

	"github.com/qedkit/qed/internal/sqlast"
)

// failure converts an error of the grammar. It names foreign syntax that the
// grammar reads as an operator.
func failure(text string, err error) *sqlast.Error {
	var own *sqlast.Error
	if errors.As(err, &own) {
		return own
	}
	var at *parser.Error
	if !errors.As(err, &at) {
		return errGrammarFails
	}
	pos := offset(text, at.Cursorpos)
	if strings.HasPrefix(at.Message, "memory exhausted") {
		return &sqlast.Error{Code: sqlast.TooDeep, Pos: pos, Message: "the statement nests too deeply for the grammar"}
	}
	if t, ok := foreign(text); ok {
		name := text[t.at:t.end]
		if name[0] == '`' {
			return &sqlast.Error{Code: sqlast.Syntax, Name: "`", Pos: sqlast.Pos(t.at),
				Message: "names are quoted with double quotes, not with backticks"}
		}
		return parameter(name, sqlast.Pos(t.at))
	}
	return &sqlast.Error{Code: sqlast.Syntax, Pos: pos, Message: sqlast.Clip(at.Message)}
}

// offset converts the grammar's position, a character counted from 1, into a byte
// offset. 0 means no position.
func offset(text string, character int) sqlast.Pos {
	if character <= 0 {
		return -1
	}
	for i := range text {
		if character--; character == 0 {
			return sqlast.Pos(i)
		}
	}
	return sqlast.Pos(len(text))
}

func parameter(name string, at sqlast.Pos) *sqlast.Error {
	name = sqlast.Clip(name)
	return &sqlast.Error{Code: sqlast.Parameter, Name: name, Pos: at,
		Message: "the parameter " + name + " has no value; write the value itself"}
}

// firstToken returns the first token after opening parentheses and semicolons.
func firstToken(text string) token {
	scan := scanner{src: text}
	t := scan.next()
	for t.kind == mark && (text[t.at] == '(' || text[t.at] == ';') {
		t = scan.next()
	}
	return t
}

// foreign returns the first token that is a parameter (? or :name) or a quote (a
// backtick) of other libraries and databases. The grammar reads most of them as
// operators.
func foreign(text string) (token, bool) {
	scan := scanner{src: text}
	var last token
	for t := scan.next(); t.kind != endOfText; t = scan.next() {
		switch {
		case t.kind == sign && (text[t.at:t.end] == "?" || text[t.at] == '`'):
			return t, true
		case t.kind == word && last.kind == mark && text[last.at:t.at] == ":":
			return token{mark, last.at, t.end}, true
		}
		last = t
	}
	return token{}, false
}
