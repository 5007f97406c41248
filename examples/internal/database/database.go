// Package database opens the databases that the examples are pointed at: SQLite
// files, and MySQL, MariaDB and PostgreSQL servers by their URL.
//
// No error and no name of this package holds a password.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// Database is a database that a user named. Nothing is opened yet.
type Database struct {
	Name    string          // for a person
	Dialect dialect.Dialect // of its statements
	Schema  string          // where a policy's tables are: "main", MySQL's database, PostgreSQL's schema

	// User and Password are the account's; empty in SQLite.
	User, Password string

	reader func(sqldb.Options) (*sqldb.DB, error)
	pool   func() *sql.DB // nil in SQLite
}

// Reader opens the database for guarded reading.
func (d *Database) Reader(opt sqldb.Options) (*sqldb.DB, error) { return d.reader(opt) }

// Pool opens the server for whatever the account may do. Where it cannot be
// reached, the error is that of a reader: one line, without what is secret.
func (d *Database) Pool(ctx context.Context) (*sql.DB, error) {
	if d.pool == nil {
		return nil, errors.New("there is no server in SQLite: name one by a URL of mysql:// or postgres://")
	}
	reader, err := d.Reader(sqldb.Options{})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	err = reader.Check(ctx, nil)
	if err != nil && !errors.Is(err, sqldb.ErrAccount) && !errors.Is(err, sqldb.ErrEmpty) {
		return nil, err
	}
	return d.pool(), nil
}

// connections bounds the statements that run on a server at the same time.
const connections = 5

func limited(pool *sql.DB) *sql.DB {
	pool.SetMaxOpenConns(connections)
	return pool
}

// Parse reads the path of an SQLite file, or a URL:
//
//	mysql://user:password@host:3306/database?tls=true
//	postgres://user:password@host:5432/database?schema=public&sslmode=require
//
// The parameters are those of the drivers, github.com/go-sql-driver/mysql and
// github.com/jackc/pgx, but for schema.
func Parse(dsn string) (*Database, error) {
	scheme, _, isURL := strings.Cut(dsn, "://")
	if !isURL || scheme == "file" {
		return &Database{
			Name:    "Your database",
			Dialect: sqlite.Dialect{},
			Schema:  "main",
			reader: func(opt sqldb.Options) (*sqldb.DB, error) {
				return sqlitedb.Open(dsn, &sqlitedb.Options{Options: opt})
			},
		}, nil
	}
	read, ok := schemes[strings.ToLower(scheme)]
	if !ok {
		return nil, fmt.Errorf("a database is the path of an SQLite file, mysql://.. or postgres://..; %s:// is none of them", scheme)
	}
	u, err := url.Parse(dsn)
	// What the parser says of a URL quotes it. A character that belongs into a
	// password ends it early, and then the rest stands where a name is shown.
	if err != nil || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		return nil, fmt.Errorf("the database is no URL such as %s://user:password@host/database; in a password, write @ / ? # %% as %%40 %%2F %%3F %%23 %%25", scheme)
	}
	return read(u)
}

var schemes = map[string]func(*url.URL) (*Database, error){
	"mysql":      parseMySQL,
	"mariadb":    parseMySQL,
	"postgres":   parsePostgres,
	"postgresql": parsePostgres,
}

// at is how a database of a server is shown to a person.
func at(server, name, address, user string) string {
	if user == "" {
		return fmt.Sprintf("%s: %s at %s", server, name, address)
	}
	return fmt.Sprintf("%s: %s at %s, as %s", server, name, address, user)
}
