package sqlite

import (
	"github.com/qedkit/qed/internal/sqlbound"
	"github.com/qedkit/qed/internal/sqlbound/shape"
)

// Bounds returns what SQLite cannot bound while a statement runs.
func (Dialect) Bounds() *sqlbound.Rules { return &bounds }

var bounds = sqlbound.Rules{Shape: shape.Rules{Recursion: shape.LimitInside}}
