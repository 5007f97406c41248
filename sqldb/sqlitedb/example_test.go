package sqlitedb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// A database in memory, filled by the program and read behind a guard.
func Example() {
	ctx := context.Background()
	const name = "file:/ExampleOpen?vfs=memdb"
	host, err := sql.Open("sqlite", name)
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	if _, err := host.Exec(`
		CREATE TABLE employee(id INTEGER PRIMARY KEY, name TEXT, ssn TEXT);
		CREATE TABLE workTime(id INTEGER PRIMARY KEY, employeeId INTEGER REFERENCES employee, hours REAL);
		CREATE VIEW secure_employee AS SELECT id, name FROM employee;
		INSERT INTO employee VALUES (1, 'Ann', '111-11'), (2, 'Bob', '222-22');
		INSERT INTO workTime VALUES (1, 1, 7.5), (2, 1, 8), (3, 2, 6)`); err != nil {
		log.Fatal(err)
	}

	db, err := sqlitedb.Open(name, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	policy := &secureview.Policy{
		Dialect: "sqlite",
		Tables:  map[string][]string{"secure_employee": {"id", "name"}, "workTime": {"employeeId", "hours"}},
		Views:   map[string]string{"employee": "secure_employee"},
	}
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
	stmt, err := guard.Rewrite(ctx, `SELECT name, sum(hours) FROM employee JOIN workTime ON employeeId = employee.id GROUP BY name ORDER BY name`)
	if err != nil {
		log.Fatal(err)
	}
	table, err := db.Query(ctx, stmt)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range table.Rows {
		fmt.Println(row...)
	}

	_, err = sqlitedb.Open("missing.db", nil)
	fmt.Println(errors.Is(err, sqldb.ErrMissing), err)
	// Output:
	// workTime employeeId -> employee id N:1
	// Ann 15.5
	// Bob 6
	// true sqldb: missing: there is no file missing.db: check the path; Open creates no file
}
