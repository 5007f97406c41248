package database

import (
	"context"
	"maps"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// Session answers the same session to every statement: the key, and each
// setting that the views of the policy read, with its value or NULL. It is nil
// where there is nothing to tell.
//
// A policy that does not say how its views are made (or none) has, in MySQL, the
// settings of a field-service company: @aesKey, and the ids that a caller is
// confined to, which are NULL.
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
