package postgres_test

import (
	"fmt"

	"github.com/qedkit/qed/dialect/postgres"
)

func ExampleDialect() {
	var d postgres.Dialect
	q, err := d.Read(`SELECT team.name, count(*)::float / 7 FROM employee e, team WHERE e.team = team.id AND e.name ILIKE 'a%' GROUP BY 1`)
	if err != nil {
		fmt.Println(err)
		return
	}
	printed, err := d.Append(nil, q, false)
	fmt.Println(string(printed), err)

	_, err = d.Read("SELECT name FROM employee; DROP TABLE employee")
	fmt.Println(err)
	// Output:
	// SELECT "team"."name", CAST(count(*) AS double precision) / 7 AS "?column?" FROM "employee" AS "e" JOIN "team" ON TRUE WHERE "e"."team" = "team"."id" AND "e"."name" ILIKE 'a%' GROUP BY 1 <nil>
	// there are 2 statements; write one (at byte 27)
}
