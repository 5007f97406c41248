// Package dialect holds what differs between SQL dialects: reading a text into
// qed's tree, printing it back, quoting, scoping and safe functions.
//
// A [Dialect] is a value from a package of its own (dialect/sqlite,
// dialect/mysql, dialect/postgres), so that nobody links a grammar that he does
// not use. Hosts only pass one on, to packages secureview and sqldb: the tree is
// internal.
package dialect

import "github.com/qedkit/qed/internal/sqlast"

// Dialect is one SQL dialect. It is safe for concurrent use.
type Dialect interface {
	// Name is the dialect's name in policies and messages: "sqlite", "mysql",
	// "postgres".
	Name() string

	// Flavor is how the dialect scopes and folds names.
	Flavor() *sqlast.Flavor

	// Read reads one SELECT-shaped statement. Whatever the text is, the answer
	// is a tree or a *sqlast.Error: size, nesting and the grammar's own faults
	// are caught inside.
	Read(text string) (*sqlast.Query, error)

	// Append prints the tree. With physical set it prints what is executed:
	// every table by its catalog object, and an error for one that has none.
	// Without it prints the tree as it was read.
	Append(dst []byte, q *sqlast.Query, physical bool) ([]byte, error)

	// Quote prints a name as an identifier of this dialect. It fits
	// joinpath.Plan.SQL.
	Quote(name string) string

	// Safe reports whether the function, in lower case, reads nothing but its
	// arguments and has no effect beside its result.
	Safe(function string) bool

	// Reread reads what was printed a second time, with another reader, and
	// answers a *sqlast.Error unless it names exactly the tables in want.
	// Where the engine itself is the second reader, Reread answers nil.
	Reread(printed string, want []TableName) error
}

// TableName names a table or view.
type TableName struct {
	Schema string `json:"schema,omitempty"`
	Name   string `json:"name"`
}

// String returns schema.name, or the name alone where there is no schema.
func (t TableName) String() string {
	if t.Schema == "" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}
