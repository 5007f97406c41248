// Package sqlbound refuses statements whose time or memory no limit of an engine
// bounds. It estimates the cost from the tree of a statement alone.
package sqlbound

import (
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlbound/shape"
)

// Rules describe what is costly in a dialect.
type Rules struct {
	Shape shape.Rules // of common table expressions
}

// Check returns a [*sqlast.Error] for the first construct of a resolved query that
// could cost more than the rules allow.
func Check(q *sqlast.Query, resolved *sqlast.Resolution, r *Rules) error {
	return shape.Check(q, resolved, &r.Shape)
}
