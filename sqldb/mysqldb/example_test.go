package mysqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/mysqldb"
)

type user struct{ key, tenant string }

// userOf returns the user of a request, which the program has put into the
// context.
func userOf(context.Context) user { return user{"the key of the day", "acme"} }

// Each statement runs with the session of its user. The secure views filter by
// @tenant and decrypt with @aesKey.
func Example() {
	ctx := context.Background()
	db, err := mysqldb.Open("agent:password@tcp(db.internal:3306)/company", &mysqldb.Options{Options: sqldb.Options{
		Session: func(ctx context.Context) (*sqldb.Session, error) {
			u := userOf(ctx)
			return &sqldb.Session{Settings: map[string]any{"aesKey": u.key, "tenant": u.tenant}}, nil
		},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	policy := &secureview.Policy{
		Schema: "company",
		Tables: map[string][]string{"employee": {"id", "name"}, "workTime": {"employeeId", "hours"}},
		Views:  map[string]string{"employee": "secure_employee"},
	}
	if err := db.Check(ctx, policy); err != nil { // the account may do too much, or too little
		log.Fatal(err)
	}
	guard, err := secureview.New(policy, mysql.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	stmt, err := guard.Rewrite(ctx, `SELECT name, sum(hours) FROM employee JOIN workTime ON employeeId = employee.id GROUP BY name`)
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
}

// Statements are spread over two replicas of a server.
func ExampleNew() {
	var pools []*sql.DB
	for _, host := range []string{"replica1", "replica2"} {
		pool, err := sql.Open("mysql", "agent:password@tcp("+host+":3306)/company")
		if err != nil {
			log.Fatal(err)
		}
		pools = append(pools, pool)
	}
	db, err := mysqldb.New(pools[0], &mysqldb.Options{Options: sqldb.Options{
		MaxOpenConns: 10,
		Replicas:     pools[1:],
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	fmt.Println(db.Dialect())

	_, err = mysqldb.Open("db.internal:3306", nil)
	fmt.Println(errors.Is(err, sqldb.ErrArgument))
	// Output:
	// mysql
	// true
}
