package postgres

import (
	"sync"

	"github.com/wasilibs/go-pgquery/parser"

	"github.com/qedkit/qed/internal/sqlread"
)

// grammar guards PostgreSQL's own grammar, compiled to WebAssembly. Package parser
// would make one instance for each concurrent caller and keep it. Each instance
// takes a second to make and some memory, so statements take turns at one.
//
// Its stack grows to the size that the deepest statement needs, and is copied for
// every statement. After a statement at the limits of CheckText and checkDepth,
// reading takes up to ten times as long.
var grammar sync.Mutex

// parse returns the grammar's tree of a text, as a ParseResult.
//
// An instance that panicked has not restored its stack and memory, so it would
// misread the next statement. It is dropped, and the next statement waits until
// there is a new one.
func parse(text string) (tree message, err error) {
	grammar.Lock()
	defer grammar.Unlock()
	defer func() {
		if recover() != nil {
			dropInstances()
			tree, err = nil, errGrammarFails
		}
	}()
	return parser.ParseToProtobuf(text)
}

var errGrammarFails = sqlread.ErrGrammarFails
