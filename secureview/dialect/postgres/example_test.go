package postgres_test

import (
	"fmt"
	"log"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview/dialect/postgres"
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
	fmt.Println(plan.SQL(postgres.Dialect{}.Quote, joinpath.LeftJoin))
	// Output:
	// FROM "order"
	// LEFT JOIN "customer" ON "order"."customer_id" = "customer"."id"
}

func ExampleDialect_Safe() {
	var d postgres.Dialect
	fmt.Println(d.Safe("date_trunc"), d.Safe("pg_read_file"))
	// Output: true false
}

// Casts are printed in their standard form, and a second statement is refused.
func Example() {
	var d postgres.Dialect
	q, err := d.Read(`SELECT count(*)::float / 7 FROM employee e WHERE e.name ILIKE 'a%'`)
	if err != nil {
		log.Fatal(err)
	}
	printed, err := d.Append(nil, q, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(printed))

	_, err = d.Read("SELECT name FROM employee; DROP TABLE employee")
	fmt.Println(err)
	// Output:
	// SELECT CAST(count(*) AS double precision) / 7 AS "?column?" FROM "employee" AS "e" WHERE "e"."name" ILIKE 'a%'
	// there are 2 statements; write one (at byte 27)
}
