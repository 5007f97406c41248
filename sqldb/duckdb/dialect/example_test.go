package dialect_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// A guard for statements of DuckDB.
func Example() {
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "duckdb",
		Tables:  map[string][]string{"sales": {"region", "amount"}},
	}, dialect.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{
		"SELECT region, sum(amount) AS total FROM sales GROUP BY ALL QUALIFY rank() OVER (ORDER BY total DESC) = 1",
		"SELECT * FROM 'sales.csv'",
	} {
		stmt, err := guard.Rewrite(context.Background(), text)
		if err != nil {
			fmt.Println("refused:", err)
			continue
		}
		fmt.Println(stmt.SQL())
	}
	// Output:
	// SELECT "sales"."region" AS "region", system.main.sum("sales"."amount") AS "total" FROM "main"."sales" GROUP BY 1 QUALIFY system.main.rank() OVER (ORDER BY system.main.sum("sales"."amount") DESC) = 1 LIMIT 1000
	// refused: secureview: table 'sales.csv' does not exist; did you mean: sales (line 1, column 15)
}
