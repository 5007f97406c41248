package secureview_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/qedkit/qed/dialect/mysql"
	"github.com/qedkit/qed/dialect/sqlite"
	"github.com/qedkit/qed/secureview"
)

func ExampleGuard_Rewrite() {
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

func ExampleError() {
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
	var refused *secureview.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Code == secureview.ErrUnknownColumn, refused.Candidates)
		fmt.Println(refused.Message)
	}

	_, err = guard.Rewrite(context.Background(), "SELECT id FROM secure_crew")
	fmt.Println(errors.Is(err, secureview.ErrUnknownView), err)
	// Output:
	// true [employeeCrew.isLead]
	// column 'isLead' does not exist in table 'crew'; found in: employeeCrew; columns of crew: id, workOrderId
	// true secureview: secure view 'secure_crew' does not exist: write 'crew' (line 1, column 16)
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

func ExampleSQL() {
	script, err := secureview.SQL(&secureview.Policy{
		Dialect: "postgres",
		Schema:  "app",
		Tables: map[string][]string{
			"employee": {"id", "name", "ssn"},
			"dept":     {"id", "name"},
		},
		Views: map[string]string{"employee": "secure_employee"},
		Setup: &secureview.Setup{
			Account: "agent",
			Key:     &secureview.Key{Setting: "app.key"},
			Tables: map[string]secureview.SecureTable{
				"employee": {
					Encrypted: map[string]string{"ssn": "text"},
					Filters:   []secureview.Filter{{Column: "tenant_id", Setting: "app.tenant"}},
				},
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	// script is the whole of it, for a file; these are two parts.
	for _, statement := range script {
		if strings.Contains(statement, "CREATE OR REPLACE VIEW") || strings.Contains(statement, "GRANT SELECT") {
			fmt.Println(statement)
		}
	}
	// Output:
	// -- The secure views. What they know of a session, they read from its settings.
	// CREATE OR REPLACE VIEW "app"."secure_employee" WITH (security_barrier = true) AS
	// SELECT "id",
	//   "name",
	//   "public".pgp_sym_decrypt("ssn", NULLIF(pg_catalog.current_setting('app.key', true), '')) AS "ssn"
	// FROM "app"."employee"
	// WHERE CAST("tenant_id" AS pg_catalog.text) = (SELECT NULLIF(pg_catalog.current_setting('app.tenant', true), ''))
	// GRANT SELECT ("id", "name") ON TABLE "app"."dept" TO "agent"
	// GRANT SELECT ON TABLE "app"."secure_employee" TO "agent"
}
