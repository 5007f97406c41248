package duckdb

import (
	"context"
	"database/sql"

	"github.com/qedkit/qed/sqldb"
)

// ConvertValue is the conversion of the engine.
func ConvertValue(columnType string, value any) any {
	return (*engine)(nil).ConvertValue(columnType, value)
}

// WithTexts returns the query that the engine runs for a query.
func WithTexts(db *sql.DB, query string) (string, error) {
	conn, err := db.Conn(context.Background())
	if err != nil {
		return "", err
	}
	defer conn.Close()
	return withTexts(context.Background(), conn, query)
}

// Classify returns the error of the engine for one of DuckDB.
var Classify = classify

// Admit admits a query that declares what it reads.
func Admit(path, query string, objects ...sqldb.Object) error {
	return withConn(path, func(e *engine, conn *sql.Conn) error {
		_, err := e.Admit(context.Background(), conn, &sqldb.Query{SQL: query, Objects: objects, Session: &sqldb.Session{}})
		return err
	})
}

// ExecLocked executes a statement without a guard on a database as Open opens it.
func ExecLocked(path, query string) error {
	return withConn(path, func(_ *engine, conn *sql.Conn) error {
		_, err := conn.ExecContext(context.Background(), query)
		return err
	})
}

func withConn(path string, do func(*engine, *sql.Conn) error) error {
	c, err := newConnector(path, &Options{MemoryLimit: 1 << 28, MaxTempBytes: 1 << 28, Threads: 1})
	if err != nil {
		return err
	}
	pool := sql.OpenDB(c)
	defer pool.Close()
	e := &engine{}
	ctx := context.Background()
	if err := prepare(ctx, pool, e, func(*sql.Conn) error { return nil }); err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return do(e, conn)
}
