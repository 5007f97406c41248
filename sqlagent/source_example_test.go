package sqlagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
)

// A statement is checked and run on the tables that its author knows. The statement that
// runs is another one, on the secure view. The database is a fake; with one of
// sqldb/sqlitedb nothing else changes.
func ExampleNewSource() {
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "sqlite",
		Tables:  map[string][]string{"secure_employee": {"id", "firstName"}},
		Views:   map[string]string{"employee": "secure_employee"},
	}, sqlite.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{"employee": {Columns: []string{"id", "firstName", "ssn"}}}}
	db := &database{answers: []answer{{contains: "employee", rows: [][]any{{"Ann"}}}}}
	personnel, err := sqlagent.NewSource("personnel", db, guard, schema, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := personnel.Check(context.Background(), json.RawMessage(`"SELECT name FROM employee"`)); err != nil {
		fmt.Println(err)
	}
	found, err := personnel.Run(context.Background(), json.RawMessage(`"SELECT firstName FROM employee"`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Table.Rows)
	fmt.Println(found.Query.Executed)
	fmt.Println(found.HowToRetrieve)
	// Output:
	// sqlagent: column 'name' does not exist in table 'employee'; columns of employee: id, firstName (did you mean employee.firstName?) (line 1, column 8)
	// [[Ann]]
	// SELECT "employee"."firstName" AS "firstName" FROM "main"."secure_employee" AS "employee" LIMIT 1000
	// database personnel, table employee, by SELECT firstName FROM employee
}
