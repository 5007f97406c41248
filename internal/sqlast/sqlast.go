// Package sqlast is qed's own tree of a query: what every SQL dialect reads
// into and prints from, and what scopes, rewriting and validation work on.
//
// The tree is the allow-list. A construct that has no node here cannot be
// printed, so it cannot be executed: a reader that meets one answers an [Error]
// with the construct's name and place. Comments, hints and everything else that
// only some servers interpret die when a text becomes a tree.
//
// A tree belongs to one goroutine at a time. [Resolve] changes it in place.
package sqlast

// Pos is a byte offset into the text that was read. Nodes made by a rewrite
// carry the offset of what they replace.
type Pos int32

// Node is any node of the tree.
type Node interface{ At() Pos }

// At returns the node's own position, so that embedding a Pos makes a Node.
func (p Pos) At() Pos { return p }

// Expr is a value: a column, a literal, an operator, a call, a subquery.
type Expr interface {
	Node
	expr()
}

// Relation is what can stand in FROM: [*Table], [*Derived], [*TableFunction] or
// [*Join].
type Relation interface {
	Node
	relation()
}

// Body is what a [Query] computes before its ORDER BY and LIMIT: [*Select],
// [*SetOp], [*Values], or a [*Query] of its own where an arm was written in
// parentheses with a WITH, ORDER BY or LIMIT inside.
type Body interface {
	Node
	body()
}
