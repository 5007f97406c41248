package database

import (
	"context"
	"maps"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// Session returns a SessionFunc that sets the same settings for every statement:
// the key, and each setting that the views of the policy read, with its value or
// NULL. It returns nil if there is nothing to set.
//
// In MySQL, a policy without Setup gets the settings of the field-service company:
// @aesKey, and NULL for the ids that a caller is restricted to.
func Session(dialect string, p *secureview.Policy, key string, values map[string]any) sqldb.SessionFunc {
	settings := map[string]any{}
	switch {
	case dialect == "sqlite":
		return nil
	case p != nil && p.Setup != nil:
		for _, table := range p.Setup.Tables {
			for _, filter := range table.Filters {
				settings[filter.Setting] = nil
			}
		}
		if p.Setup.Key != nil {
			settings[p.Setup.Key.Setting] = nil
			if key != "" {
				settings[p.Setup.Key.Setting] = key
			}
		}
	case dialect == "mysql" && key != "":
		settings = map[string]any{"aesKey": key, "customerIds": nil, "workOrderIds": nil, "serviceLocationIds": nil}
	}
	maps.Copy(settings, values)
	if len(settings) == 0 {
		return nil
	}
	return func(context.Context) (*sqldb.Session, error) {
		return &sqldb.Session{Settings: maps.Clone(settings)}, nil
	}
}
