package mysqldb_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	_ "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/dialect/mysql"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/mysqldb"
)

type caller struct{ key, tenant string }

// callerOf is who asks, as the host's own middleware put it into the context.
func callerOf(context.Context) caller { return caller{"the key of the day", "acme"} }

// A pool of the host's own, read as an account that may read the secure views
// alone. Each question has the session of its caller.
func ExampleNew() {
	ctx := context.Background()
	pool, err := sql.Open("mysql", "agent:password@tcp(db.internal:3306)/company")
	if err != nil {
		log.Fatal(err)
	}
	pool.SetMaxOpenConns(10)
	db, err := mysqldb.New(&sqldb.Options{
		Session: func(ctx context.Context) (*sqldb.Session, error) {
			c := callerOf(ctx)
			return &sqldb.Session{Settings: map[string]any{"aesKey": c.key, "tenant": c.tenant}}, nil
		},
	}, pool)
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
