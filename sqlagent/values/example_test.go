package values_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/resolve"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent/values"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// open returns a database with orders, and a guard that allows to read it.
func open(name string) (*sql.DB, *sqldb.DB, *secureview.Guard) {
	host, err := sql.Open("sqlite", name)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := host.Exec(`
		CREATE TABLE orders(id INTEGER PRIMARY KEY, customer TEXT, city TEXT, status TEXT, email TEXT);
		INSERT INTO orders(customer, city, status, email) VALUES
			('Acme', 'München', 'Active', 'a@acme.test'), ('Globex Corporation', 'New York', 'On hold', 'b@globex.test')`); err != nil {
		log.Fatal(err)
	}
	db, err := sqlitedb.Open(name, nil)
	if err != nil {
		log.Fatal(err)
	}
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "sqlite", Tables: map[string][]string{"orders": {"id", "customer", "city", "status", "email"}},
	}, sqlite.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	return host, db, guard
}

// A dictionary is read once, kept in a file, and read again when it is old.
func Example() {
	ctx := context.Background()
	host, db, guard := open("file:/ExampleReader?vfs=memdb")
	defer host.Close()
	defer db.Close()
	schema, err := db.Introspect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	reader, err := values.NewReader(db, guard, schema, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("left out:", reader.LeftOut())
	dictionary, err := reader.Read(ctx, nil, 0)
	if err != nil {
		log.Fatal(err)
	}
	matches, err := dictionary.Search(ctx, values.Query{Text: "actve orders in muenchen"})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range matches {
		fmt.Printf("%s means %s.%s = %q (%s)\n", m.Said, m.Table, m.Column, m.Value, m.How)
	}

	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "values.json")
	if err := dictionary.Save(path); err != nil {
		log.Fatal(err)
	}
	saved, err := values.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	refreshed, err := reader.Read(ctx, saved, 24*time.Hour) // reads nothing: no column is a day old
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(refreshed.Columns()), "columns")
	// Output:
	// left out: [orders.email (personal)]
	// muenchen means orders.city = "München" (exact)
	// actve means orders.status = "Active" (similar)
	// 3 columns
}

// A catalog looks up the customers in the database.
func ExampleNewTableFinder() {
	ctx := context.Background()
	host, db, guard := open("file:/ExampleNewTableFinder?vfs=memdb")
	defer host.Close()
	defer db.Close()
	finder, err := values.NewTableFinder(db, guard, values.Lookup{
		Kind: "customer", Table: "orders", Name: "customer", Attributes: []string{"city"},
	})
	if err != nil {
		log.Fatal(err)
	}
	catalog, err := resolve.NewCatalog(nil, &resolve.CatalogOptions{Finder: finder})
	if err != nil {
		log.Fatal(err)
	}
	found, err := catalog.Resolve(ctx, "globex corp", "customer")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Status, found.Candidates[0].Value.Name)
	// Output: resolved Globex Corporation
}
