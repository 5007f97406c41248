package graphql

import (
	"encoding/json"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// A Query is a query that a [Guard] has checked. It is the only thing that a
// [Client] sends. It does not change and is safe for concurrent use.
type Query struct {
	text      string
	variables json.RawMessage
	fields    []string
	cost      int
	selection ast.SelectionSet
}

// Text returns the text that is sent, printed from the tree that was checked.
func (q *Query) Text() string { return q.text }

// Variables returns the values of the variables as one JSON object, fixed
// arguments included, or nil if there are none.
func (q *Query) Variables() json.RawMessage { return slices.Clone(q.variables) }

// Selection returns the fields of the query, as the tree that was checked has them, with
// their definitions. It must not be changed.
func (q *Query) Selection() ast.SelectionSet { return q.selection }

// Fields returns the fields that the query reads, as "Type.field", sorted and
// without __typename.
func (q *Query) Fields() []string { return slices.Clone(q.fields) }

// Cost returns how many fields the response can have, as far as that is known before the
// query runs. A list without a bound counts as 25.
func (q *Query) Cost() int { return q.cost }
