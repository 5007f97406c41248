package mysql_test

import (
	"fmt"

	"github.com/qedkit/qed/dialect/mysql"
)

func ExampleDialect() {
	var d mysql.Dialect
	q, err := d.Read(`SELECT count(*) FROM employee e, team /*! , salary */ WHERE e.team = team.id && e.name LIKE "A%"`)
	if err != nil {
		fmt.Println(err)
		return
	}
	printed, err := d.Append(nil, q, false)
	fmt.Println(string(printed), err)

	_, err = d.Read("SELECT name FROM employee INTO OUTFILE '/tmp/names'")
	fmt.Println(err)
	// Output:
	// SELECT count(*) AS `count(*)` FROM `employee` AS `e` JOIN `team` ON TRUE JOIN `salary` ON TRUE WHERE `e`.`team` = `team`.`id` AND `e`.`name` LIKE 'A%' <nil>
	// SELECT .. INTO is not allowed (at byte 26)
}
