package dialect_test

import (
	"fmt"

	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func Example() {
	for _, d := range []dialect.Dialect{mysql.Dialect{}, postgres.Dialect{}, sqlite.Dialect{}} {
		fmt.Println(d.Name(), d.Quote("order"), d.Safe("coalesce"), d.Safe("pg_sleep"))
	}
	// Output:
	// mysql `order` true false
	// postgres "order" true false
	// sqlite "order" true false
}

func ExampleTableName() {
	fmt.Println(dialect.TableName{Schema: "crm", Name: "customer"})
	fmt.Println(dialect.TableName{Name: "customer"})
	// Output:
	// crm.customer
	// customer
}
