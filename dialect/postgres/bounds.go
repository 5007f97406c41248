package postgres

import (
	"github.com/qedkit/qed/internal/sqlbound"
	"github.com/qedkit/qed/internal/sqlbound/shape"
)

// Bounds returns what PostgreSQL cannot bound while a statement runs.
func (Dialect) Bounds() *sqlbound.Rules { return &bounds }

var bounds = sqlbound.Rules{Shape: shape.Rules{SharedCTEs: true, PlansOrders: true, Recursion: shape.LimitOutside}}
