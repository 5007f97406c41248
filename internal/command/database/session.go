package database

import (
	"context"
	"maps"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// Session returns a SessionFunc that sets the same settings for every statement: the
// key, and each setting that the views and filters of the policy read, with its value or NULL. of
// returns values that replace them, for the context of a statement; it may be nil. Session
// returns nil if there is nothing to set: in SQLite, if there are no filters.
//
// In MySQL, a policy without Setup gets the settings of the field-service company:
// @aesKey, and NULL for the ids that a caller is restricted to.
func Session(
	dialect string, p *secureview.Policy, key string, of func(context.Context) (map[string]any, error),
) sqldb.SessionFunc {
	settings := map[string]any{}
	if p != nil {
		for _, name := range p.Settings() {
			settings[name] = nil
		}
	}
	switch {
	case dialect == "sqlite" && (p == nil || p.Setup != nil || len(settings) == 0):
		return nil
	case p != nil && p.Setup != nil:
		if p.Setup.Key != nil && key != "" {
			settings[p.Setup.Key.Setting] = key
		}
	case dialect == "mysql" && key != "":
		maps.Copy(settings, map[string]any{"aesKey": key, "customerIds": nil, "workOrderIds": nil, "serviceLocationIds": nil})
	}
	if len(settings) == 0 && of == nil {
		return nil
	}
	return func(ctx context.Context) (*sqldb.Session, error) {
		all := maps.Clone(settings)
		if of != nil {
			values, err := of(ctx)
			if err != nil {
				return nil, err
			}
			maps.Copy(all, values)
		}
		return &sqldb.Session{Settings: all}, nil
	}
}
