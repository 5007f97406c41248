package integration_test

import (
	"database/sql"
	"fmt"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// openMariaDB creates and opens an empty database. sqlMode is set on every
// connection unless it is empty.
func openMariaDB(t *testing.T, name, sqlMode string) *sql.DB {
	t.Helper()
	config := integration.MariaDB(t)
	if sqlMode != "" {
		config.Params = map[string]string{"sql_mode": "'" + sqlMode + "'"}
	}
	return openSchema(t, config, name)
}

// openSchema creates a schema, and connects to it. It sets the DBName of config.
func openSchema(t *testing.T, config *driver.Config, name string) *sql.DB {
	t.Helper()
	admin := connect(t, config)
	mustExec(t, admin, "CREATE DATABASE "+mysql.Dialect{}.Quote(name)+" CHARACTER SET utf8mb4")
	t.Cleanup(func() { admin.Exec("DROP DATABASE " + mysql.Dialect{}.Quote(name)) })
	config.DBName = name
	return connect(t, config)
}

func connect(t testing.TB, config *driver.Config) *sql.DB {
	t.Helper()
	connector, err := driver.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

// sameAnswer compares the result of an original with that of the printed text.
func sameAnswer(db *sql.DB, text, printed string, want result) error {
	original := func() (result, error) { return run(db, text) }
	reprinted := func() (result, error) { return run(db, printed) }
	if err := agree(want, original, reprinted); err != nil {
		return fmt.Errorf("%s\nprinted as %s: %w", text, printed, err)
	}
	return nil
}
