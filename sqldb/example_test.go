package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// library fills a database in memory and opens it. The database exists until
// done is called.
func library(name string, opt *sqldb.Options) (db *sqldb.DB, done func()) {
	uri := "file:/" + name + "?vfs=memdb"
	writer, err := sql.Open("sqlite", uri)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := writer.Exec(`
		CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
		CREATE TABLE book(id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT);
		INSERT INTO author VALUES (1, 'Ann'), (2, 'Bob');
		INSERT INTO book VALUES (1, 1, 'Joins'), (2, 1, 'Keys'), (3, 2, 'Views')`); err != nil {
		log.Fatal(err)
	}
	db, err = sqlitedb.Open(uri, &sqlitedb.Options{Options: *opt})
	if err != nil {
		log.Fatal(err)
	}
	return db, func() { db.Close(); writer.Close() }
}

// policy lists what statements may read.
var policy = &secureview.Policy{
	Dialect: "sqlite",
	Tables:  map[string][]string{"author": {"id", "name"}, "book": {"authorId", "title"}},
}

func Example() {
	ctx := context.Background()
	db, done := library("Example", &sqldb.Options{})
	defer done()
	if err := db.Check(ctx, policy); err != nil {
		log.Fatal(err)
	}

	schema, err := db.Introspect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range schema.Relationships {
		fmt.Println(r.FromTable, r.FromColumn, "->", r.ToTable, r.ToColumn, r.Cardinality)
	}

	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	stmt, err := guard.Rewrite(ctx, "SELECT name, count(*) AS books FROM author JOIN book ON authorId = author.id GROUP BY name ORDER BY name")
	if err != nil {
		log.Fatal(err)
	}
	table, err := db.Query(ctx, stmt)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(table.Columns[0].Name, table.Columns[1].Name)
	for _, row := range table.Rows {
		fmt.Println(row...)
	}
	// Output:
	// book authorId -> author id N:1
	// name books
	// Ann 2
	// Bob 1
}

// A result is cut at the limits of the options.
func ExampleDB_Query_limits() {
	ctx := context.Background()
	db, done := library("Limits", &sqldb.Options{MaxRows: 2})
	defer done()
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	stmt, err := guard.Rewrite(ctx, "SELECT title FROM book ORDER BY title")
	if err != nil {
		log.Fatal(err)
	}
	table, err := db.Query(ctx, stmt)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(table.Rows), "rows, truncated:", table.Truncated)

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = db.Query(canceled, stmt)
	fmt.Println(errors.Is(err, sqldb.ErrCanceled))
	// Output:
	// 2 rows, truncated: true
	// true
}

// An export writes row after row. Its memory does not depend on their number.
func ExampleDB_Rows() {
	ctx := context.Background()
	db, done := library("Export", &sqldb.Options{})
	defer done()
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	stmt, err := guard.Rewrite(ctx, "SELECT authorId, title FROM book ORDER BY title")
	if err != nil {
		log.Fatal(err)
	}
	rows := db.Rows(ctx, stmt, sqldb.RowsOptions{
		MaxRows:  1_000_000,
		MaxBytes: -1, // no limit
		Columns:  func(columns []qed.Column) { fmt.Println(columns[0].Name, columns[1].Name) },
	})
	for row, err := range rows {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row...)
	}
	// Output:
	// authorId title
	// 1 Joins
	// 1 Keys
	// 2 Views
}
