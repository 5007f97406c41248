package secureview_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func Example() {
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "sqlite",
		Tables: map[string][]string{
			"secure_employee": {"id", "name"},
			"workTime":        {"employeeId", "hours"},
		},
		Views: map[string]string{"employee": "secure_employee"},
	}, sqlite.Dialect{})
	if err != nil {
		log.Fatal(err)
	}

	stmt, err := guard.Rewrite(context.Background(),
		"SELECT employee.name FROM employee JOIN workTime w ON w.employeeId = employee.id WHERE w.hours > 20")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stmt.SQL())
	fmt.Println(stmt.Tables(), stmt.Views(), stmt.Columns(), stmt.Limit())
	// Output:
	// SELECT "employee"."name" AS "name" FROM "main"."secure_employee" AS "employee" JOIN "main"."workTime" AS "w" ON "w"."employeeId" = "employee"."id" WHERE "w"."hours" > 20 LIMIT 1000
	// [main.employee main.workTime] [main.secure_employee] [name] 1000
}

func ExampleGuard_Rewrite_refused() {
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "mysql",
		Schema:  "app",
		Tables: map[string][]string{
			"crew":         {"id", "workOrderId"},
			"employeeCrew": {"crewId", "employeeId", "isLead"},
		},
	}, mysql.Dialect{})
	if err != nil {
		log.Fatal(err)
	}

	_, err = guard.Rewrite(context.Background(), "SELECT crew.isLead FROM crew")
	var refused *refusal.Error
	if errors.As(err, &refused) {
		problem := refused.Problems[0]
		fmt.Println(problem.Code, problem.Candidates)
		fmt.Println(problem.Message)
	}

	_, err = guard.Rewrite(context.Background(), "SELECT id FROM secure_crew")
	fmt.Println(errors.Is(err, secureview.ErrUnknownView), err)
	// Output:
	// unknown_column [employeeCrew.isLead]
	// column 'isLead' does not exist in table 'crew'; found in: employeeCrew; columns of crew: id, workOrderId
	// true secureview: secure view 'secure_crew' does not exist: write 'crew' (did you mean crew, employeeCrew?) (line 1, column 16)
}

func ExampleReadPolicy() {
	policy, err := secureview.ReadPolicy(strings.NewReader(`{
		"dialect": "mysql",
		"schema": "app",
		"tables": {"secure_employee": ["id", "name"], "dept": ["id"]},
		"views": {"employee": "secure_employee"}
	}`))
	if err != nil {
		log.Fatal(err)
	}
	guard, err := secureview.New(policy, mysql.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	for _, table := range guard.Tables() {
		fmt.Printf("%s %q %q\n", table.Name, table.Columns, table.View)
	}
	// Output:
	// dept ["id"] ""
	// employee ["id" "name"] "secure_employee"
}

func ExampleStatement_Times() {
	guard, err := secureview.New(&secureview.Policy{
		Schema: "main",
		Tables: map[string][]string{"invoice": {"id", "issued", "paid"}},
	}, sqlite.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	types := func(_ dialect.TableName, column string) string {
		return map[string]string{"issued": "DATE", "paid": "DATETIME"}[column]
	}
	for _, column := range []string{"issued", "paid"} {
		stmt, err := guard.Rewrite(context.Background(),
			"SELECT COUNT(*) FROM invoice WHERE "+column+" BETWEEN '2026-03-01' AND '2026-03-31'")
		if err != nil {
			log.Fatal(err)
		}
		for _, b := range stmt.Times(types).Bounds {
			fmt.Println(column, "from", b.From, "to before", b.Before)
		}
	}
	// Output:
	// issued from 2026-03-01 to before 2026-04-01
	// paid from 2026-03-01 to before 2026-03-31
}

func ExamplePolicy_filters() {
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "mysql",
		Schema:  "shop",
		Tables:  map[string][]string{"orders": {"id", "total"}},
		Filters: map[string]string{"orders": "customer_id IN (:customers)"},
	}, mysql.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	stmt, err := guard.Rewrite(context.Background(), "SELECT sum(total) AS total FROM orders")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stmt.SQL())

	// sqldb.DB.Query does this with the settings of its session.
	_, _, err = stmt.Bind(map[string]any{"customers": nil})
	fmt.Println(err)
	// Output:
	// SELECT sum(`orders`.`total`) AS `total` FROM (SELECT `orders`.`total` FROM `shop`.`orders` WHERE (`orders`.`customer_id` IN (:customers)) LIMIT 18446744073709551615) AS `orders` LIMIT 1000
	// secureview: the setting customers, by which rows are filtered, has no value in the session
}
