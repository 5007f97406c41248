package postgres

import "github.com/qedkit/qed/internal/sqlbound"

// Bounds returns what PostgreSQL cannot bound while a statement runs.
func (Dialect) Bounds() *sqlbound.Rules { return &bounds }

var bounds = sqlbound.Rules{}
