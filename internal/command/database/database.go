// Package database opens the databases of the programs: SQLite files, and servers by
// their URL. It links no driver of a server: a program that reads servers imports
// package servers, which registers them.
//
// No error and no name of this package contains a password.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// Database is the address of a database. Nothing is open yet.
type Database struct {
	Name    string          // for a person
	Dialect dialect.Dialect // of its SQL
	Schemas []string        // those that the URL names, in MySQL databases: see Parse

	// User and Password are those of the account; empty in SQLite.
	User, Password string

	// Reader opens the database for guarded reading.
	Reader func(sqldb.Options) (*sqldb.DB, error)

	// Connect opens the server without a guard and without connecting. It is nil in
	// SQLite.
	Connect func() *sql.DB
}

// Pool opens the server without a guard, after checking that it can be reached.
// The error is one line and contains no password.
func (d *Database) Pool(ctx context.Context) (*sql.DB, error) {
	if d.Connect == nil {
		return nil, errors.New("SQLite has no server: use a mysql:// or postgres:// URL")
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
	return d.Connect(), nil
}

// Parse reads the path of an SQLite file, or a URL:
//
//	mysql://user:password@host:3306/database?schema=crm,billing&tls=true
//	postgres://user:password@host:5432/database?schema=sales,crm&sslmode=require
//
// Apart from schema, the parameters are those of the drivers,
// github.com/go-sql-driver/mysql and github.com/jackc/pgx. In PostgreSQL, schema lists the
// schemas to read; the default is the first one of the account's search path that exists.
// In MySQL, it lists databases to read next to that of the path. The tables of the first
// schema have bare names, those of the others are named schema.table. The schemas of a
// policy win over all of them.
func Parse(dsn string) (*Database, error) {
	scheme, _, isURL := strings.Cut(dsn, "://")
	if !isURL && driverForm.MatchString(dsn) { // its error as a path would show the password
		return nil, errors.New("the database is given in the form of a driver, not as a URL: write mysql://user:password@host/database or postgres://user:password@host/database")
	}
	if !isURL || scheme == "file" {
		return &Database{
			Name:    "Your database",
			Dialect: sqlite.Dialect{},
			Reader: func(opt sqldb.Options) (*sqldb.DB, error) {
				return sqlitedb.Open(dsn, &sqlitedb.Options{Options: opt})
			},
		}, nil
	}
	read, ok := schemes[strings.ToLower(scheme)]
	if !ok {
		return nil, fmt.Errorf("%s:// is not supported: use mysql://, postgres:// or the path of an SQLite file", scheme)
	}
	u, err := url.Parse(dsn)
	// The parser's error quotes the URL. An unescaped character of a password ends
	// the password early, and its rest becomes part of a name that is shown.
	if err != nil || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		return nil, fmt.Errorf("the database is not a URL such as %s://user:password@host/database; in a password, escape @ / ? # %% as %%40 %%2F %%3F %%23 %%25", scheme)
	}
	return read(u)
}

// driverForm matches what programs and drivers read next to URLs, with a password.
var driverForm = regexp.MustCompile(`@(tcp|unix)\(|(?i)(^|[\s;:])(host|server|password|pwd|dbname|user|uid)\s*=|^[^/\s:]+:[^/\s@]*@|^(mysql|psql)\s`)

// Schemas removes the parameter schema from the parameters of a URL, and returns its names.
func Schemas(parameters url.Values) ([]string, error) {
	list, ok := parameters["schema"]
	if !ok {
		return nil, nil
	}
	delete(parameters, "schema")
	names := strings.Split(strings.Join(list, ","), ",")
	for i, name := range names {
		if names[i] = strings.TrimSpace(name); names[i] == "" {
			return nil, errors.New("the URL's parameter schema has an empty name: write ?schema=sales,crm")
		}
	}
	return names, nil
}

// schemes has the servers by the scheme of their URLs.
var schemes = map[string]func(*url.URL) (*Database, error){}

// Register makes a server known to [Parse]. It is called when the program starts.
func Register(scheme string, parse func(*url.URL) (*Database, error)) { schemes[scheme] = parse }
