package qed_test

import (
	"fmt"

	"github.com/qedkit/qed"
)

func ExampleJoin() {
	orders := qed.JoinSide{Table: "orders", Columns: []string{"customer_id"}}
	customer := qed.JoinSide{Table: "customer", Columns: []string{"id"}}
	fmt.Println(qed.Join{Left: orders, Right: customer, Kind: "inner"})

	employee := qed.JoinSide{Table: "employee", Alias: "e", Columns: []string{"company", "manager"}}
	manager := qed.JoinSide{Table: "employee", Alias: "m", Columns: []string{"company", "number"}}
	fmt.Println(qed.Join{Left: employee, Right: manager, Kind: "left"})

	orders.Columns, customer.Columns = nil, nil
	fmt.Println(qed.Join{Left: orders, Right: customer, Kind: "inner", Condition: true})
	fmt.Println(qed.Join{Left: orders, Right: customer, Kind: "inner"})
	// Output:
	// orders.customer_id = customer.id
	// employee e.company = employee m.company AND employee e.manager = employee m.number
	// orders, customer by another condition
	// orders, customer without a condition
}
