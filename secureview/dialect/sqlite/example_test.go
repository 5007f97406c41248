package sqlite_test

import (
	"fmt"
	"log"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A join plan as SQL of the dialect.
func ExampleDialect_Quote() {
	g, err := joinpath.New(&joinpath.Schema{
		Tables: map[string]joinpath.Table{
			"order":    {Columns: []string{"id", "customer_id"}},
			"customer": {Columns: []string{"id", "name"}},
		},
		Relationships: []joinpath.Relationship{
			{FromTable: "order", FromColumn: "customer_id", ToTable: "customer", ToColumn: "id", Confidence: 1},
		},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := g.ShortestPath("order", "customer")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.SQL(sqlite.Dialect{}.Quote, joinpath.LeftJoin))
	// Output:
	// FROM "order"
	// LEFT JOIN "customer" ON "order"."customer_id" = "customer"."id"
}

func ExampleDialect_Safe() {
	var d sqlite.Dialect
	fmt.Println(d.Safe("strftime"), d.Safe("load_extension"))
	// Output: true false
}

// Names are quoted so that SQLite cannot read them as strings, and a PRAGMA is
// refused.
func Example() {
	var d sqlite.Dialect
	q, err := d.Read(`SELECT name, count(*) FROM employee GROUP BY name`)
	if err != nil {
		log.Fatal(err)
	}
	printed, err := d.Append(nil, q, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(printed))

	_, err = d.Read("PRAGMA table_info(employee)")
	fmt.Println(err)
	// Output:
	// SELECT `name`, count(*) AS "count(*)" FROM "employee" GROUP BY `name`
	// PRAGMA is not allowed: write a SELECT (at byte 0)
}
