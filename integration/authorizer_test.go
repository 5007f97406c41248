package integration_test

import (
	"database/sql"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// SQLite's authorizer allows every statement that the guard allows: SQLite reads
// nothing that the guard did not find. Every other table is replaced by a view, and each
// has columns that the policy does not list.
func TestSQLiteAuthorizer(t *testing.T) {
	var d sqlite.Dialect
	var read, refused, failed int
	for name, corpus := range sqliteCorpora(t) {
		path := filepath.Join(t.TempDir(), "corpus.db")
		host, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		host.SetMaxOpenConns(1)
		mustExec(t, host, "BEGIN")
		fill(t, host, corpus, rand.New(rand.NewPCG(3, uint64(len(name)))), true)
		policy := &secureview.Policy{Dialect: "sqlite", Tables: corpus.tables, Views: map[string]string{}, DoubleQuotedStrings: true}
		for i, table := range sorted(corpus.tables) {
			if i%2 == 0 {
				policy.Views[table] = "secure_" + table
				mustExec(t, host, "CREATE VIEW "+d.Quote("secure_"+table)+" AS SELECT * FROM "+d.Quote(table))
			}
		}
		mustExec(t, host, "COMMIT")
		host.Close()

		guard, err := secureview.New(policy, d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		db, err := sqlitedb.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range corpus.statements {
			stmt, err := guard.Rewrite(t.Context(), text)
			if err != nil {
				refused++
				continue
			}
			switch _, err := db.Query(t.Context(), stmt); {
			case err == nil:
				read++
			case errors.Is(err, sqldb.ErrExecution):
				failed++
				t.Logf("%s: %s: %v", name, stmt.SQL(), err)
			default:
				t.Errorf("%s: %s: %v", name, stmt.SQL(), err)
			}
		}
		db.Close()
	}
	t.Logf("%d statements read, %d refused by the guard, %d fail on the engine", read, refused, failed)
}
