package postgres

import (
	"errors"
	"strings"

	"github.com/wasilibs/go-pgquery/parser"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// failure converts an error of the grammar. It names foreign syntax that the
// grammar reads as an operator.
func failure(text string, err error) *sqlast.Error {
	if own, ok := errors.AsType[*sqlast.Error](err); ok {
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
		name := text[t.At:t.End]
		if name[0] == '`' {
			return &sqlast.Error{Code: sqlast.Syntax, Name: "`", Pos: sqlast.Pos(t.At),
				Message: "names are quoted with double quotes, not with backticks"}
		}
		return parameter(name, sqlast.Pos(t.At))
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

// foreign returns the first token that is a parameter (? or :name) or a quote (a
// backtick) of other libraries and databases. The grammar reads most of them as
// operators.
func foreign(text string) (sqlread.Token, bool) {
	scan := sqlread.Scanner{Src: text}
	var last sqlread.Token
	for t := scan.Next(); t.Kind != sqlread.EndOfText; t = scan.Next() {
		switch {
		case t.Kind == sqlread.Sign && (text[t.At:t.End] == "?" || text[t.At] == '`'):
			return t, true
		case t.Kind == sqlread.Word && last.Kind == sqlread.Mark && text[last.At:t.At] == ":":
			return sqlread.Token{Kind: sqlread.Mark, At: last.At, End: t.End}, true
		}
		last = t
	}
	return sqlread.Token{}, false
}
