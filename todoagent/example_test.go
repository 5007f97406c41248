package todoagent_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// A plan of two tasks. The first asks the user, and runs again with the reply.
func Example() {
	type term struct {
		Term string `json:"term"`
	}
	type port struct {
		Port string `json:"port"`
	}
	resolve := qed.NewTool("entity_resolution", "finds the port that is meant", func(ctx context.Context, in term) (port, error) {
		name, err := qed.Interrupt[string](ctx, question.Question{
			Text: "Which " + in.Term + "?", Choices: []question.Choice{{Text: "Port of Miami"}, {Text: "Miami Container Terminal"}},
		})
		return port{name}, err
	})
	resolve.Interrupts, resolve.Idempotent = true, true
	count := qed.NewTool("count_shipments", "counts the shipments to a port", func(_ context.Context, in port) (finding.Finding, error) {
		return finding.Finding{Text: "142 shipments to " + in.Port + "."}, nil
	})
	tools := qed.NewRegistry(nil, resolve, count)
	model := llmtest.New( // a real one: package llm/openai
		llmtest.Rule{Name: "reiterate_intention", Replies: []llmtest.Reply{{JSON: map[string]any{"question": "How many shipments go to Miami?"}}}},
		llmtest.Rule{Name: "plan_todos", Replies: []llmtest.Reply{{JSON: map[string]any{"tasks": []map[string]any{
			{"key": "resolve_entities", "description": "Find the port", "tool": "entity_resolution", "arguments": `{"term": "Miami"}`},
			{"key": "count", "description": "Count its shipments", "tool": "count_shipments", "arguments": `{"port": {"$result": "resolve_entities/port"}}`},
		}}}}},
	)
	st := &store.InMemory{}
	agent, err := todoagent.New(model, tools, &todoagent.Options{Store: st})
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	for _, text := range []string{"Shipments to Miami?", "2"} {
		answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t", User: "ann", Text: text})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Text)
	}
	entries, err := todoagent.Entries(ctx, store.ForUser(st, "", "ann"), "t", 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range entries {
		fmt.Println(e.TurnID, e.TodoKey, e.Status)
	}
	// Output:
	// Which Miami?
	// 1. Port of Miami
	// 2. Miami Container Terminal
	// 142 shipments to Miami Container Terminal.
	// 1 resolve_entities clarification_needed
	// 2 resolve_entities complete
	// 3 count complete
}
