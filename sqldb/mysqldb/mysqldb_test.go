package mysqldb_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/mysqldb"
)

// Open connects to nothing, and no error contains the password.
func TestOpen(t *testing.T) {
	db, err := mysqldb.Open("agent:hunter2@tcp(127.0.0.1:1)/shop", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Check(t.Context(), nil); !errors.Is(err, sqldb.ErrUnavailable) || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
	for name, open := range map[string]func() (*sqldb.DB, error){
		"no slash":      func() (*sqldb.DB, error) { return mysqldb.Open("agent:hunter2@tcp(127.0.0.1:1)", nil) },
		"compression":   func() (*sqldb.DB, error) { return mysqldb.Open("agent:hunter2@/shop?compress=true", nil) },
		"unknown TLS":   func() (*sqldb.DB, error) { return mysqldb.Open("agent:hunter2@/shop?tls=x", nil) },
		"a nil replica": func() (*sqldb.DB, error) { return mysqldb.Open("/shop", options(nil)) },
	} {
		var e *sqldb.Error
		if _, err := open(); !errors.Is(err, sqldb.ErrArgument) || !errors.As(err, &e) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func options(replicas ...*sql.DB) *mysqldb.Options {
	return &mysqldb.Options{Options: sqldb.Options{Replicas: replicas}}
}
