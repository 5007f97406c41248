package duckdb_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// A CSV file is loaded into memory and read behind a guard.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "sales.csv")
	if err := os.WriteFile(path, []byte("day,region,amount\n2024-01-01,north,10\n2024-01-02,south,5\n2024-01-03,north,7\n"), 0o600); err != nil {
		log.Fatal(err)
	}

	db, _, err := duckdb.Load(ctx, []duckdb.File{{Path: path}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	schema, err := db.Introspect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	columns := schema.Tables[duckdb.DefaultTable].Columns
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "duckdb",
		Tables:  map[string][]string{duckdb.DefaultTable: columns},
	}, dialect.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	stmt, err := guard.Rewrite(ctx, "SELECT region, sum(amount) AS total FROM t_parsed GROUP BY ALL ORDER BY total DESC")
	if err != nil {
		log.Fatal(err)
	}
	table, err := db.Query(ctx, stmt)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(columns)
	for _, row := range table.Rows {
		fmt.Println(row...)
	}
	// Output:
	// [day region amount]
	// north 17
	// south 5
}
