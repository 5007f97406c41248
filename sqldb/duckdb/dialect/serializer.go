package dialect

import (
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"

	_ "github.com/duckdb/duckdb-go/v2" // the driver

	"github.com/qedkit/qed/internal/sqlast"
)

// serialize returns DuckDB's tree of a text as JSON.
func serialize(text string) (out string, err error) {
	stmt, err := serializer()
	if err != nil {
		return "", fmt.Errorf("duckdb: the database that parses statements cannot be opened: %w", err)
	}
	if err := stmt.QueryRow(text).Scan(&out); err != nil {
		return "", &sqlast.Error{Code: sqlast.Syntax, Pos: -1,
			Message: "DuckDB cannot parse the statement: " + sqlast.Clip(err.Error())}
	}
	return out, nil
}

// serializer returns the statement of a database in memory that parses statements. It has one
// connection for each processor: a call of C occupies a thread, and a program must not have
// thousands of them.
var serializer = sync.OnceValues(func() (*sql.Stmt, error) {
	db, err := sql.Open("duckdb", "?threads=1&memory_limit=512MB&autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		return nil, err
	}
	// In this order: each of them forbids what precedes it.
	for _, setting := range []string{"temp_directory = ''", "enable_external_access = false", "lock_configuration = true"} {
		if _, err := db.Exec("SET GLOBAL " + setting); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	db.SetMaxOpenConns(runtime.GOMAXPROCS(0))
	db.SetMaxIdleConns(runtime.GOMAXPROCS(0))
	return db.Prepare("SELECT json_serialize_sql(?::VARCHAR, skip_null := true, skip_default := true)::VARCHAR")
})
