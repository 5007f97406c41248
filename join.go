package qed

import "strings"

// A Join is a pair of tables that a query combines, as the query that ran has it and
// not as it was planned. A query that uses a table twice has a Join for each use.
//
// If Left and Right have columns, these are equal in pairs. If they have none, the
// tables are combined by Condition, or each row of one with each row of the other.
type Join struct {
	Left  JoinSide `json:"left"`
	Right JoinSide `json:"right"`

	// Kind is what happens to rows without a match: "inner" leaves out those of both
	// sides, "left", "right" and "full" keep those of the sides they name. "semi" and
	// "anti" select rows of Left that have a match in a subquery, or have none, and
	// "subquery" computes a value for each row of Left.
	Kind string `json:"kind"`

	Condition bool `json:"condition,omitempty"` // a condition that is no equality of columns

	// Relationship says whether a known relationship is the reason for the join. It
	// is empty if that was not checked, as for columns that the query computes. A
	// known relationship has the following properties.
	Relationship JoinRelationship `json:"relationship,omitempty"`
	Role         string           `json:"role,omitempty"`
	Confidence   float64          `json:"confidence,omitempty"`  // from 0 to 1
	Cardinality  string           `json:"cardinality,omitempty"` // from Left to Right, such as "N:1"; empty: not known
}

// A JoinSide is a table of a [Join].
type JoinSide struct {
	Table   string   `json:"table,omitempty"` // empty: the columns are computed by the query
	Alias   string   `json:"alias,omitempty"` // if the table alone does not say what is meant
	Columns []string `json:"columns,omitempty"`
}

// A JoinRelationship is the result of a comparison of a [Join] with the relationships
// of the database.
type JoinRelationship string

const (
	JoinKnown   JoinRelationship = "known"   // it is a relationship
	JoinImplied JoinRelationship = "implied" // it follows from several relationships
	JoinUnknown JoinRelationship = "unknown" // there is none with these columns
)

// String returns the join as a condition, such as "orders.customer_id = customer.id".
func (j Join) String() string {
	var pairs []string
	for i := range min(len(j.Left.Columns), len(j.Right.Columns)) {
		pairs = append(pairs, j.Left.String()+"."+j.Left.Columns[i]+" = "+j.Right.String()+"."+j.Right.Columns[i])
	}
	switch {
	case len(pairs) > 0:
		return strings.Join(pairs, " AND ")
	case j.Condition:
		return j.Left.String() + ", " + j.Right.String() + " by another condition"
	}
	return j.Left.String() + ", " + j.Right.String() + " without a condition"
}

// String returns the name of the table with its alias.
func (s JoinSide) String() string { return strings.TrimSpace(s.Table + " " + s.Alias) }
