package sqlproof_test

import (
	"context"
	"fmt"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlproof"
)

// A sum over a join that repeats its rows is found before the statement runs.
func Example() {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"orders": {Columns: []string{"id", "total"}, PrimaryKey: []string{"id"}},
		"items":  {Columns: []string{"id", "order_id", "quantity"}, PrimaryKey: []string{"id"}},
	}}
	if err := schema.AddForeignKey("items", []string{"order_id"}, "orders", []string{"id"}); err != nil {
		fmt.Println(err)
		return
	}
	guard, err := secureview.New(&secureview.Policy{Schema: "main", Tables: map[string][]string{
		"orders": schema.Tables["orders"].Columns,
		"items":  schema.Tables["items"].Columns,
	}}, sqlite.Dialect{})
	if err != nil {
		fmt.Println(err)
		return
	}
	statement, err := guard.Rewrite(context.Background(), `
		SELECT SUM(o.total), SUM(i.quantity) FROM orders o JOIN items i ON i.order_id = o.id`)
	if err != nil {
		fmt.Println(err)
		return
	}
	report := sqlproof.New(schema).Check(statement)
	for _, a := range report.Aggregates {
		fmt.Println(a.Text, a.Verdict)
	}
	for _, f := range report.Findings {
		fmt.Println(f.Severity, f.Code)
		fmt.Println(f.Message)
		fmt.Println(f.Fix)
	}
	// Output:
	// SUM(o.total) contradicted
	// SUM(i.quantity) proved
	// error fan_out
	// SUM(o.total): a row of orders is there once for each row of items, so its value is taken several times
	// aggregate orders before joining items, or test for rows of items with EXISTS instead of joining
}

// A join whose columns belong to no relationship is named with the one that the schema has.
func ExampleProver_Check() {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"customers": {Columns: []string{"id", "name"}, PrimaryKey: []string{"id"}},
		"orders":    {Columns: []string{"id", "customer_id"}, PrimaryKey: []string{"id"}},
	}}
	if err := schema.AddForeignKey("orders", []string{"customer_id"}, "customers", []string{"id"}); err != nil {
		fmt.Println(err)
		return
	}
	guard, err := secureview.New(&secureview.Policy{Schema: "main", Tables: map[string][]string{
		"customers": schema.Tables["customers"].Columns,
		"orders":    schema.Tables["orders"].Columns,
	}}, sqlite.Dialect{})
	if err != nil {
		fmt.Println(err)
		return
	}
	statement, err := guard.Rewrite(context.Background(), "SELECT c.name FROM customers c JOIN orders o ON o.id = c.id")
	if err != nil {
		fmt.Println(err)
		return
	}
	report := sqlproof.New(schema).Check(statement)
	fmt.Println(report.OK(), report.Joins[0].Verdict)
	fmt.Println(report.Findings[0].Message)
	fmt.Println(report.Findings[0].Fix)
	// Output:
	// false contradicted
	// customers.id = orders.id compares columns of no known relationship
	// the relationship of these tables is customers.id = orders.customer_id
}
