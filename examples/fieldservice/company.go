package fieldservice

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Today is the last day of the data. Only plans (due dates, booked visits, time off) have
// later dates. A question about "now" means this day.
const Today = "2026-03-31"

// ErrNotEmpty is returned by [Create] and [CreateIn] for a database with any object in it.
var ErrNotEmpty = errors.New("fieldservice: the database is not empty; name a new one")

//go:embed schema.sql
var schema string

// Create writes the company's tables, rows and views to the SQLite database at path, in
// one transaction. It creates the file if it does not exist. It returns [ErrNotEmpty] for
// a database that is not empty, and does not change it.
func Create(ctx context.Context, path string) error {
	name := url.URL{Path: filepath.ToSlash(path)}
	db, err := sql.Open("sqlite", "file:"+name.EscapedPath()+"?_pragma=foreign_keys(1)")
	if err != nil {
		return fmt.Errorf("fieldservice: opening the database: %w", err)
	}
	defer db.Close()
	return CreateIn(ctx, db, "sqlite")
}

// CreateIn writes the company to the current database and schema of db, with the same
// rows on every engine. The dialect is "sqlite", "mysql" for MySQL and MariaDB, or
// "postgres". It returns [ErrNotEmpty] for a schema that is not empty. Names keep their
// case. After an error nothing is left behind.
func CreateIn(ctx context.Context, db *sql.DB, dialect string) error {
	e, ok := engines[dialect]
	if !ok {
		return fmt.Errorf("fieldservice: the dialect %q is not one of sqlite, mysql, postgres", dialect)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("fieldservice: connecting: %w", err)
	}
	defer conn.Close()
	var objects int
	if err := conn.QueryRowContext(ctx, e.count).Scan(&objects); err != nil {
		return fmt.Errorf("fieldservice: reading the database: %w", err)
	}
	if objects > 0 {
		return ErrNotEmpty
	}
	tables := e.translate(schema)
	if !e.ddlCommits {
		return inTx(ctx, conn, func(tx *sql.Tx) error {
			if err := execute(ctx, tx, tables); err != nil {
				return err
			}
			return writeRows(ctx, tx, e)
		})
	}
	if err = execute(ctx, conn, tables); err == nil {
		err = inTx(ctx, conn, func(tx *sql.Tx) error { return writeRows(ctx, tx, e) })
	}
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return errors.Join(err, execute(ctx, db, e.dropAll(schema)))
	}
	return nil
}

func inTx(ctx context.Context, conn *sql.Conn, do func(*sql.Tx) error) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("fieldservice: beginning: %w", err)
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("fieldservice: committing: %w", err)
	}
	return nil
}

type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func execute(ctx context.Context, on executor, statements []string) error {
	for _, text := range statements {
		if _, err := on.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("fieldservice: the schema: %w", err)
		}
	}
	return nil
}
