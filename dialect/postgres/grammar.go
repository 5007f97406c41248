package postgres

import (
	"sync"

	"github.com/wasilibs/go-pgquery/parser"

	"github.com/qedkit/qed/internal/sqlast"
)

// grammar is PostgreSQL's own, compiled to WebAssembly. Package parser makes an
// instance of it for every caller at a time and keeps them all; each takes a second
// to make and some memory to keep, so statements take turns at one.
//
// Its stack grows to what the deepest statement needed, and is copied for every
// statement: one at the bounds of CheckText and checkDepth makes those after it up to
// ten times as slow, and no statement makes it more.
var grammar struct {
	sync.Mutex
	stopped bool
}

// parse answers the grammar's tree of a text, as a ParseResult. An instance that was
// stopped in the middle of a statement has put back neither its stack nor its
// memory: it would misread the next, and package parser has no way to drop it. So
// then no statement is read any more. CheckText and checkDepth keep texts away that
// are known to stop it.
func parse(text string) (tree message, err error) {
	grammar.Lock()
	defer grammar.Unlock()
	if grammar.stopped {
		return nil, errGrammarStopped
	}
	defer func() {
		if recover() != nil {
			grammar.stopped = true
			tree, err = nil, errGrammarFails
		}
	}()
	return parser.ParseToProtobuf(text)
}

var (
	errGrammarFails = &sqlast.Error{Code: sqlast.Syntax, Pos: -1, Message: "the grammar fails on this statement"}

	errGrammarStopped = &sqlast.Error{Code: sqlast.Unsupported, Pos: -1,
		Message: "the grammar failed on an earlier statement and reads no more: start the program again"}
)
