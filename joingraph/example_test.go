package joingraph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed/joingraph"
	"github.com/qedkit/qed/joinpath"
)

// A schema without foreign keys gets its joins from the names of its columns.
func ExampleInfer() {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"employee": {Columns: []string{"id", "name", "managerId"}, PrimaryKey: []string{"id"}},
		"workTime": {Columns: []string{"id", "employeeId", "hours"}, PrimaryKey: []string{"id"}},
	}}
	found, err := joingraph.Infer(context.Background(), schema, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range found.Edges {
		fmt.Printf("%v (%s): %s\n", e.Relationship, e.Cardinality, e.Grounds.Names)
	}

	schema.Relationships = append(schema.Relationships, found.Relationships()...)
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
