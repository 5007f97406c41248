package research_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"regexp"
	"strings"
	"testing/fstest"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research"
	"github.com/qedkit/qed/research/references"
	"github.com/qedkit/qed/store"
)

// A librarian is a model for the examples: it keeps what passages say, follows every
// reference, and reports the findings with their keys. A program has a model of
// llm/openai or llm/anthropic.
func librarian() llm.Model {
	type object = map[string]any
	key := regexp.MustCompile(`(?m)^\[(c[0-9][a-z2-7]{4})\] .*\n"(.*)"$`)
	reply := func(name, prompt string) any {
		switch name {
		case "analyze_question":
			return object{"key_concepts": []string{"berth fee"}, "entities": []string{}, "scope": "all of it", "language": "en",
				"clarification_needed": false, "queries": []string{"What berth fee does a ship pay?"}}
		case "plan_tasks":
			return object{"tasks": []object{{"description": "find the fee", "query": "What berth fee does a ship pay?"}}}
		case "condense_passage":
			for _, said := range []string{"A ship pays a berth fee", "The berth fee is 120 EUR for each night"} {
				if strings.Contains(prompt, said) {
					return object{"relevant": said, "score": 0.9, "references": []object{}}
				}
			}
			return object{"relevant": "", "score": 0, "references": []object{}}
		case "gate_references":
			return object{"decisions": []object{{"reference": 0, "follow": true, "reason": "it has the amount"}}}
		case "assess_task":
			return object{"done": true}
		case "write_report":
			report := "# Report\n"
			for _, found := range key.FindAllStringSubmatch(prompt, -1) {
				report += "\n" + found[2] + " [" + found[1] + "].\n"
			}
			return report
		}
		return object{"factual_accuracy": 90, "semantic_validity": 90, "structural_integrity": 80, "query_relevance": 90}
	}
	return llm.ModelFunc(func(_ context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		said := reply(req.Name, req.Messages[0].Content)
		text, ok := said.(string)
		if !ok {
			encoded, err := json.Marshal(said)
			if err != nil {
				return nil, err
			}
			text = string(encoded)
		}
		if stream != nil {
			stream(llm.Delta{Text: text})
		}
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: text}, Usage: llm.Usage{Calls: 1}}, nil
	})
}

// A research finds a document that only a reference leads to.
func Example() {
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
	agent, err := research.New(librarian(), index, &research.Options{Registry: names, TopK: 1})
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
	//
	// ## How this was researched
	//
	// 1. find the fee (one round of search)
	//    - Searched for: “What berth fee does a ship pay?”.
	//    - Read: order.md, rules.md.
	//
	// - Cited: order.md, rules.md.
	// - Statements compared with the passages that they cite: 2. Without a source: 0. With a number, a date or a quotation that their source does not have: 0.
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
	agent, err := research.New(librarian(), index, &research.Options{
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
