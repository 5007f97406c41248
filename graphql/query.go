package graphql

import (
	"encoding/json"
	"slices"
)

// Query is a query that a [Guard] has checked: the only thing that a [Client]
// runs. It does not change, and is safe for concurrent use.
type Query struct {
	text      string
	variables json.RawMessage
	fields    []string
	depth     int
	cost      int
}

// Text returns what is sent: printed from the tree that was checked.
func (q *Query) Text() string { return q.text }

// Variables returns the values of the variables, those that code fixed among
// them, as one JSON object; nil: there are none.
func (q *Query) Variables() json.RawMessage { return slices.Clone(q.variables) }

// Fields returns what is read, as "Type.field", sorted, without __typename.
func (q *Query) Fields() []string { return slices.Clone(q.fields) }

// Depth returns how deep the fields are in each other.
func (q *Query) Depth() int { return q.depth }

// Cost returns what [Options.MaxCost] bounds.
func (q *Query) Cost() int { return q.cost }
