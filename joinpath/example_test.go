package joinpath_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
)

// service returns the schema of a small field-service company.
func service() *joinpath.Schema {
	s, err := joinpath.Read(strings.NewReader(`{
	  "version": 1,
	  "tables": {
	    "customer":  {"columns": ["id", "name"], "unique_columns": ["id"]},
	    "address":   {"columns": ["id", "street"], "unique_columns": ["id"]},
	    "employee":  {"columns": ["id", "name", "managerId"], "unique_columns": ["id"]},
	    "workOrder": {"columns": ["id", "customerId", "siteId", "billingId", "price"], "unique_columns": ["id"]},
	    "workTime":  {"columns": ["id", "employeeId", "workOrderId", "hours"], "unique_columns": ["id"]}
	  },
	  "relationships": [
	    {"from_table": "workTime", "from_column": "employeeId", "to_table": "employee", "to_column": "id",
	     "type": "foreign_key", "confidence": 1, "cardinality": "N:1"},
	    {"from_table": "workTime", "from_column": "workOrderId", "to_table": "workOrder", "to_column": "id",
	     "type": "foreign_key", "confidence": 1, "cardinality": "N:1"},
	    {"from_table": "workOrder", "from_column": "customerId", "to_table": "customer", "to_column": "id",
	     "type": "inferred", "confidence": 0.9, "cardinality": "N:1"},
	    {"from_table": "workOrder", "from_column": "siteId", "to_table": "address", "to_column": "id",
	     "type": "foreign_key", "confidence": 1, "cardinality": "N:1"},
	    {"from_table": "workOrder", "from_column": "billingId", "to_table": "address", "to_column": "id",
	     "type": "foreign_key", "confidence": 1, "cardinality": "N:1"},
	    {"from_table": "employee", "from_column": "managerId", "to_table": "employee", "to_column": "id",
	     "type": "foreign_key", "confidence": 1, "cardinality": "N:1"}
	  ]
	}`))
	if err != nil {
		log.Fatal(err)
	}
	return s
}

func serviceGraph() *joinpath.Graph {
	g, err := joinpath.New(service(), nil)
	if err != nil {
		log.Fatal(err)
	}
	return g
}

func ExampleRead() {
	_, err := joinpath.Read(strings.NewReader(`{
	  "version": 1,
	  "tables": {"crew": {"columns": ["id", "name"]}},
	  "relationships": [
	    {"from_table": "crew", "from_column": "lead", "to_table": "employe", "to_column": "id", "confidence": 1.5}
	  ]
	}`))
	var refused *refusal.Error
	if errors.As(err, &refused) {
		for _, p := range refused.Problems {
			fmt.Println(p)
		}
	}
	// Output:
	// /relationships/0: crew.lead -> employe.id: confidence 1.5 is not between 0 and 1
	// /relationships/0: crew.lead -> employe.id: no column "lead" in table "crew"
	// /relationships/0: crew.lead -> employe.id: no table "employe"
}

func ExampleSchema_AddForeignKey() {
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"customer": {Columns: []string{"id", "name"}, PrimaryKey: []string{"id"}},
		"invoice":  {Columns: []string{"id", "customer_id"}, PrimaryKey: []string{"id"}},
	}}
	if err := s.AddForeignKey("invoice", []string{"CUSTOMER_ID"}, "customer", []string{"ID"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Relationships[0], s.Relationships[0].Cardinality)
	// Output: invoice.customer_id -> customer.id N:1
}

func Example() {
	plan, err := serviceGraph().ShortestPath("employee", "customer")
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range plan.Steps() {
		fmt.Printf("%-9s %s fans out: %v\n", step.Right, step.Cardinality, step.FansOut)
	}
	fmt.Println(plan.SQL(nil, joinpath.InnerJoin))
	// Output:
	// workTime  1:N fans out: true
	// workOrder N:1 fans out: false
	// customer  N:1 fans out: false
	// FROM "employee"
	// JOIN "workTime" ON "employee"."id" = "workTime"."employeeId"
	// JOIN "workOrder" ON "workTime"."workOrderId" = "workOrder"."id"
	// JOIN "customer" ON "workOrder"."customerId" = "customer"."id"
}

// Two plans with the same cost: the schema does not determine whether the
// question is about the address of the site or of the bill.
func ExampleGraph_Connect() {
	got, err := serviceGraph().Connect(context.Background(), "employee", "customer", "address")
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range got.Plans {
		fmt.Println(p.Tables())
		fmt.Println(p.Steps()[2])
	}
	// Output:
	// [employee workTime workOrder address customer]
	// workOrder.billingId = address.id
	// [employee workTime workOrder address customer]
	// workOrder.siteId = address.id
}

func ExampleGraph_DOT() {
	g, err := joinpath.New(&joinpath.Schema{
		Tables: map[string]joinpath.Table{
			"crew":         {Columns: []string{"id"}, UniqueColumns: []string{"id"}},
			"employeeCrew": {Columns: []string{"crewId"}},
		},
		Relationships: []joinpath.Relationship{
			{FromTable: "employeeCrew", FromColumn: "crewId", ToTable: "crew", ToColumn: "id", Confidence: 1},
		},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := g.DOT(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// strict digraph {
	// 	"crew" [  weight=0 ];
	// 	"employeeCrew" -> "crew" [ label="crewId = id (N:1)",  weight=1 ];
	// 	"employeeCrew" [  weight=0 ];
	// }
}
