package joingraph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/llm/llmtest"
)

// A schema without foreign keys gets its joins from the names of its columns.
func Example() {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"employee": {Columns: []string{"id", "name", "managerId"}, PrimaryKey: []string{"id"}},
		"workTime": {Columns: []string{"id", "employeeId", "hours"}, PrimaryKey: []string{"id"}},
	}}
	found, err := joingraph.Infer(context.Background(), schema, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range found.Relationships {
		fmt.Printf("%v (%s): %s\n", e, e.Cardinality, e.Evidence[0])
	}

	schema.Relationships = append(schema.Relationships, found.Relationships...)
	graph, err := joinpath.New(schema, nil)
	if err != nil {
		log.Fatal(err)
	}
	path, err := graph.ShortestPath("workTime", "employee")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(path.Steps()[0].Relationship)
	// Output:
	// employee.managerId -> employee.id (N:1): employee.managerId is the role of a person, and employee has persons
	// workTime.employeeId -> employee.id (N:1): workTime.employeeId is named after the table employee
	// workTime.employeeId -> employee.id
}

// The models of an application declare a join that the database does not, and a person
// corrects the name of its role. Combine says where each relationship comes from.
func ExampleCombine() {
	between := func(role string) []joinpath.Relationship {
		return []joinpath.Relationship{{FromTable: "orders", FromColumn: "billing_id", ToTable: "address", ToColumn: "id", Role: role}}
	}
	database := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"address": {Columns: []string{"id", "city"}, PrimaryKey: []string{"id"}},
		"orders":  {Columns: []string{"id", "billing_id"}, PrimaryKey: []string{"id"}},
	}}
	schema, problems, err := joingraph.Combine(database,
		joingraph.Source{Name: "models.json", Schema: &joinpath.Schema{Relationships: between("")}},
		joingraph.Source{Name: "corrections.json", Schema: &joinpath.Schema{Relationships: between("billing address")}, Manual: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range schema.Relationships {
		fmt.Println(r, r.Type, r.Role, r.Provenance)
	}
	fmt.Println(len(problems), "problems")
	// Output:
	// orders.billing_id -> address.id manual billing address [models.json corrections.json]
	// 0 problems
}

// A model judges the joins that nobody declared. One that it drops has no confidence,
// and package joinpath does not use it.
func ExampleValidate() {
	schema := &joinpath.Schema{
		Tables: map[string]joinpath.Table{
			"employee": {Columns: []string{"id", "name"}, PrimaryKey: []string{"id"}},
			"machine":  {Columns: []string{"id", "employee_id", "code"}, PrimaryKey: []string{"id"}},
		},
		Relationships: []joinpath.Relationship{
			{FromTable: "machine", FromColumn: "employee_id", ToTable: "employee", ToColumn: "id", Type: joinpath.Inferred, Confidence: 0.9},
			{FromTable: "machine", FromColumn: "code", ToTable: "employee", ToColumn: "id", Type: joinpath.Inferred, Confidence: 0.6},
		},
	}
	model := llmtest.New(llmtest.Rule{Contains: []string{`2. "machine.code" = "employee.id"`}, Replies: []llmtest.Reply{{JSON: map[string]any{
		"verdicts": []map[string]any{
			{"id": 1, "confidence": 0.95, "reason": "the employee who runs the machine", "role": "operator"},
			{"id": 2, "confidence": 0, "reason": "a code is no employee"},
		},
	}}}})
	verdicts, problems, err := joingraph.Validate(context.Background(), model, schema, nil)
	if err != nil || len(problems) > 0 {
		log.Fatal(err, problems)
	}
	for _, v := range verdicts {
		fmt.Println(v.Join, v.Confidence, v.Reason)
	}
	for _, r := range joingraph.Apply(schema, verdicts).Relationships {
		fmt.Println(r, r.Confidence, r.Role)
	}
	// Output:
	// machine.employee_id -> employee.id 0.95 the employee who runs the machine
	// machine.code -> employee.id 0 a code is no employee
	// machine.employee_id -> employee.id 0.95 operator
	// machine.code -> employee.id 0
}
