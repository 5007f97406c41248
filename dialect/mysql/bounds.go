package mysql

import "github.com/qedkit/qed/internal/sqlbound"

// Bounds returns what MySQL and MariaDB cannot bound while a statement runs.
func (Dialect) Bounds() *sqlbound.Rules { return &bounds }

var bounds = sqlbound.Rules{}
