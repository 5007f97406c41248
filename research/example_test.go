package research_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing/fstest"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research"
	"github.com/qedkit/qed/research/references"
	"github.com/qedkit/qed/store"
)

// A research finds a document that only a reference leads to.
func ExampleNew() {
	ctx := context.Background()
	chunks, err := rag.Read(ctx, fstest.MapFS{
		"order.md": {Data: []byte("# Harbour Order\n\nA ship pays a berth fee. It follows Section 4 of the Fee Rules.")},
		"rules.md": {Data: []byte("# Fee Rules\n\n## Section 4\n\nThe berth fee is 120 EUR for each night.")},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	index, err := rag.NewIndex(rag.NewMemory(), nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := index.Put(ctx, chunks); err != nil {
		log.Fatal(err)
	}
	names, err := references.ReadRegistry(strings.NewReader(`{"documents": [
		{"id": "order.md", "name": "Harbour Order"},
		{"id": "rules.md", "name": "Fee Rules", "synonyms": ["FR"]}
	]}`))
	if err != nil {
		log.Fatal(err)
	}
	model := &reader{} // a model of package llm
	agent, err := research.New(model, index, &research.Options{Registry: names, TopK: 1})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := qed.Ask(ctx, agent, qed.Turn{Text: "What berth fee does a ship pay?"})
	if err != nil {
		log.Fatal(err)
	}
	report, err := research.ReportOf(answer)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	for i, c := range answer.Citations {
		fmt.Printf("[%d] %s\n", i+1, c.Location)
	}
	for _, r := range report.Tasks[0].References {
		fmt.Printf("%q leads to %s (%s)\n", r.Text, r.Resolved, r.Tier)
	}
	// Output:
	// # Report
	//
	// A ship pays a berth fee [1].
	//
	// The berth fee is 120 EUR for each night [2].
	// [1] order.md:1-3
	// [2] rules.md:1-5
	// "Section 4 of the Fee Rules" leads to rules.md (exact)
}

// The user approves the tasks before the research, which reads only the documents of
// the user's groups.
func ExampleOptions_approval() {
	ctx := context.Background()
	chunks, err := rag.Read(ctx, fstest.MapFS{
		"port.md":   {Data: []byte("# Port\n\nA ship pays a berth fee of 120 EUR for each night.")},
		"secret.md": {Data: []byte("# Secret\n\nA ship of the owner pays no berth fee.")},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for i := range chunks {
		chunks[i].Metadata = map[string]string{"readers": "all"}
		if chunks[i].Document == "secret.md" {
			chunks[i].Metadata["readers"] = "board"
		}
	}
	index, err := rag.NewIndex(rag.NewMemory(), nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := index.Put(ctx, chunks); err != nil {
		log.Fatal(err)
	}
	type groups struct{} // the key of the user's groups, which come from the login
	ctx = context.WithValue(ctx, groups{}, []string{"all"})
	model := &reader{} // a model of package llm
	agent, err := research.New(model, index, &research.Options{
		ApprovePlan: true,
		Store:       new(store.InMemory),
		Filter: func(ctx context.Context) (rag.Filter, error) {
			of, ok := ctx.Value(groups{}).([]string)
			if !ok {
				return rag.Filter{}, errors.New("the context has no user")
			}
			return rag.Filter{Metadata: map[string][]string{"readers": of}}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	turn := qed.Turn{Thread: "1", User: "ann", Text: "What berth fee does a ship pay?"}
	answer, err := qed.Ask(ctx, agent, turn)
	if err != nil {
		log.Fatal(err)
	}
	plan := answer.Questions[0]
	fmt.Println(plan.Kind, len(plan.Draft) > 0)

	turn.Text = ""
	turn.Replies = []question.Reply{{Question: plan.ID, Value: []byte(`{"decision": "approve"}`)}}
	answer, err = qed.Ask(ctx, agent, turn)
	if err != nil {
		log.Fatal(err)
	}
	report, err := research.ReportOf(answer)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range report.Sources {
		fmt.Println(s.Document)
	}
	// Output:
	// approval true
	// port.md
}
