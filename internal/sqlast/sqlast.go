// Package sqlast is qed's tree of a query. Every SQL dialect reads statements into
// it and prints statements from it. Name resolution, rewriting and validation work
// on it.
//
// The tree is the allow-list. A construct without a node cannot be printed, so it
// cannot be executed: a reader that finds one returns an [Error] with the name and
// position of the construct. Comments, hints and everything that only some servers
// interpret are lost when a text becomes a tree.
//
// A tree must not be used by several goroutines at a time. [Resolve] changes it in
// place.
package sqlast

// A Language reads and prints the statements of one SQL dialect. Package dialect
// embeds it in the interface of a dialect.
type Language interface {
	// Flavor returns how the dialect scopes and compares names.
	Flavor() *Flavor

	// Read parses one query: SELECT, VALUES or a WITH before one of them. For any
	// text it returns a tree or an [*Error]: size and nesting are bounded, and
	// panics of the grammar are recovered.
	Read(text string) (*Query, error)

	// Append appends the printed tree to dst. If physical is set, it prints what is
	// executed: every table by its catalog object, and an [*Error] for a table that
	// has none. Otherwise it prints the tree as it was read.
	Append(dst []byte, q *Query, physical bool) ([]byte, error)
}

// Pos is a byte offset into the text that was read. A node that a rewrite created
// has the offset of the node that it replaces.
type Pos int32

// Node is any node of the tree.
type Node interface{ At() Pos }

// At returns the position itself, so that a type that embeds a Pos is a Node.
func (p Pos) At() Pos { return p }

// Expr is a value: a column, a literal, an operator, a call or a subquery.
type Expr interface {
	Node
	expr()
}

// Relation is an operand of FROM: [*Table], [*Derived], [*TableFunction] or
// [*Join].
type Relation interface {
	Node
	relation()
}

// Body is what a [Query] computes before its ORDER BY and LIMIT: a [*Select], a
// [*SetOp], a [*Values], or a [*Query] if an arm of a set operation was written in
// parentheses with a WITH, ORDER BY or LIMIT of its own.
type Body interface {
	Node
	body()
}
