package mysql_test

import (
	"fmt"
	"log"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview/dialect/mysql"
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
	fmt.Println(plan.SQL(mysql.Dialect{}.Quote, joinpath.LeftJoin))
	// Output:
	// FROM `order`
	// LEFT JOIN `customer` ON `order`.`customer_id` = `customer`.`id`
}

func ExampleDialect_Safe() {
	var d mysql.Dialect
	fmt.Println(d.Safe("date_format"), d.Safe("load_file"))
	// Output: true false
}

// Executable comments are read as code, and a query that writes a file is refused.
func Example() {
	var d mysql.Dialect
	q, err := d.Read(`SELECT name FROM employee e, team /*! , salary */ WHERE e.team = team.id && e.name LIKE "A%"`)
	if err != nil {
		log.Fatal(err)
	}
	printed, err := d.Append(nil, q, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(printed))

	_, err = d.Read("SELECT name FROM employee INTO OUTFILE '/tmp/names'")
	fmt.Println(err)
	// Output:
	// SELECT `name` FROM `employee` AS `e` JOIN `team` ON TRUE JOIN `salary` ON TRUE WHERE `e`.`team` = `team`.`id` AND `e`.`name` LIKE 'A%'
	// SELECT .. INTO is not allowed (at byte 26)
}
