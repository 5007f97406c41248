package main

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
)

// Tenants runs the statement in the body of a request for one of the tenants, which
// read their own view of the orders. tenant returns the tenant of a request from its
// verified token.
func Tenants(db *sqldb.DB, views map[string]string, tenant func(*http.Request) string) (http.Handler, error) {
	guards := map[string]*secureview.Guard{}
	for name, view := range views {
		guard, err := secureview.New(&secureview.Policy{
			Dialect: "sqlite",
			Tables:  map[string][]string{"orders": {"id", "total"}},
			Views:   map[string]string{"orders": view},
		}, sqlite.Dialect{})
		if err != nil {
			return nil, err
		}
		guards[name] = guard
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guard := guards[tenant(r)]
		if guard == nil {
			http.Error(w, "unknown tenant", http.StatusForbidden)
			return
		}
		var body struct{ SQL string }
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		rows, err := db.QueryText(r.Context(), guard, body.SQL)
		if refused, ok := errors.AsType[*refusal.Error](err); ok {
			http.Error(w, refused.Error(), http.StatusUnprocessableEntity)
			return
		}
		if err != nil {
			http.Error(w, "the query failed", http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(rows) // the client has left
	}), nil
}
