package postgresdb_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"time"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// tenant is the context key of a request's tenant.
type tenant struct{}

// Every user sees the rows of their tenant.
func Example() {
	ctx := context.Background()
	dsn := "postgres://agent@db.internal/company?default_query_exec_mode=exec"
	db, err := postgresdb.Open(dsn, &postgresdb.Options{Options: sqldb.Options{
		Session: func(ctx context.Context) (*sqldb.Session, error) {
			return &sqldb.Session{Settings: map[string]any{"app.tenant": ctx.Value(tenant{})}}, nil
		},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	policy := &secureview.Policy{
		Dialect: "postgres",
		Schema:  "public",
		Tables:  map[string][]string{"secure_employee": {"id", "name"}},
		Views:   map[string]string{"employee": "secure_employee"},
	}
	if err := db.Check(ctx, policy); err != nil {
		log.Fatal(err) // the account may do too little, or too much
	}
	guard, err := secureview.New(policy, postgres.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	statement, err := guard.Rewrite(ctx, "SELECT name FROM employee ORDER BY name LIMIT 10")
	if err != nil {
		log.Fatal(err)
	}
	table, err := db.Query(context.WithValue(ctx, tenant{}, "acme"), statement)
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
		pool, err := sql.Open("pgx", "host="+host+" dbname=company user=agent default_query_exec_mode=exec")
		if err != nil {
			log.Fatal(err)
		}
		pool.SetMaxOpenConns(15)
		pool.SetMaxIdleConns(5)
		pool.SetConnMaxLifetime(time.Hour)
		pools = append(pools, pool)
	}
	db, err := postgresdb.New(pools[0], &postgresdb.Options{Options: sqldb.Options{Replicas: pools[1:]}})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
}
