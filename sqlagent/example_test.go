package sqlagent_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
)

// The model writes a column that the table does not have, and corrects itself.
// The model is scripted and the database is a fake; with a provider of
// llm/openai and a database of sqldb/sqlitedb nothing else changes.
func ExampleNew() {
	model := llmtest.New(
		llmtest.Rule{Name: "select_tables", Replies: []llmtest.Reply{{JSON: map[string]any{"tables": []string{"employee"}}}}},
		llmtest.Rule{Name: "generate", Replies: []llmtest.Reply{{JSON: map[string]any{"sql": "SELECT e.name FROM employee e"}}}},
		llmtest.Rule{Name: "correct", Replies: []llmtest.Reply{{JSON: map[string]any{"sql": "SELECT e.firstName FROM employee e"}}}},
		llmtest.Rule{Name: "answer", Replies: []llmtest.Reply{{Text: "Ann works here."}}},
	)
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "sqlite",
		Tables:  map[string][]string{"secure_employee": {"id", "firstName"}},
		Views:   map[string]string{"employee": "secure_employee"},
	}, sqlite.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{"employee": {Columns: []string{"id", "firstName", "ssn"}}}}
	db := &database{answers: []answer{{contains: "employee", rows: [][]any{{"Ann"}}}}}

	agent, err := sqlagent.New(model, db, guard, schema, nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := qed.Ask(context.Background(), agent, qed.Turn{Text: "Who works here?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	for _, q := range answer.Queries {
		fmt.Println("given up:", q.Corrections[0].Query)
		fmt.Println("executed:", q.Executed)
	}
	// Output:
	// Ann works here.
	// given up: SELECT e.name FROM employee e
	// executed: SELECT "e"."firstName" AS "firstName" FROM "main"."secure_employee" AS "e" LIMIT 1000
}
