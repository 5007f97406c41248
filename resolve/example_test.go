package resolve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/resolve"
	"github.com/qedkit/qed/store"
)

var places = []resolve.Entity{
	{Kind: "port", Name: "Port of Miami", ID: "USMIA"},
	{Kind: "terminal", Name: "Miami Container Terminal", ID: "MCT"},
	{Kind: "port", Name: "Port of Shanghai", ID: "CNSHA"},
}

func Example() {
	catalog, err := resolve.NewCatalog(places, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, term := range []string{"shanghia port", "Miami", "Copenhagen"} {
		res, err := catalog.Resolve(context.Background(), term, "")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(term, "is", res.Status)
		for _, c := range res.Candidates {
			fmt.Printf("  %s, by %s, %.2f\n", c.Value.Name, c.Match, c.Score)
		}
	}
	// Output:
	// shanghia port is resolved
	//   Port of Shanghai, by fuzzy, 0.90
	// Miami is ambiguous
	//   Port of Miami, by words, 0.87
	//   Miami Container Terminal, by words, 0.78
	// Copenhagen is unresolved
}

func ExampleFieldCatalog_Resolve() {
	catalog, err := resolve.NewFieldCatalog([]resolve.Field{
		{Source: "shipments", Name: "arrivalDate", Type: "date"},
		{Source: "shipments", Name: "delay_hours", Type: "float"},
		{Source: "shipments", Name: "port.name", Type: "keyword"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, term := range []string{"date of arrival", "delay", "port"} {
		res, err := catalog.Resolve(context.Background(), term, "shipments")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(term, res.Status, res.Candidates[0].Value.Name)
	}
	// Output:
	// date of arrival resolved arrivalDate
	// delay resolved delay_hours
	// port resolved port.name
}

// An agent calls a tool that asks the user. With a model in place of nil, the user
// is not asked if the request says which entity is meant.
func ExampleNewEntityTool() {
	catalog, err := resolve.NewCatalog(places, nil)
	if err != nil {
		log.Fatal(err)
	}
	tool, err := resolve.NewEntityTool(nil, catalog, nil)
	if err != nil {
		log.Fatal(err)
	}
	tools := qed.NewRegistry(nil)
	if err := tools.Add(tool); err != nil {
		log.Fatal(err)
	}
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		results, err := tools.Do(ctx, llm.ToolCall{Name: "entity_resolution", Arguments: json.RawMessage(`{"terms": [{"text": "Miami"}]}`)})
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: string(results[0].Output)}, results[0].Err
	}), new(store.InMemory), nil)

	for _, text := range []string{"shipments that arrived in Miami", "Port of Miami"} {
		answer, err := qed.Ask(context.Background(), agent, qed.Turn{Thread: "42", Text: text})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Text)
	}
	// Output:
	// Which Miami: Port of Miami or Miami Container Terminal?
	// 1. Port of Miami
	// 2. Miami Container Terminal
	// {"text":"Resolved Miami to Port of Miami","unresolved":[],"entities":[{"kind":"port","name":"Port of Miami","id":"USMIA","said":"Miami"}]}
}

func ExampleNewFieldTool() {
	catalog, err := resolve.NewFieldCatalog([]resolve.Field{
		{Source: "shipments", Name: "arrival_date", Type: "date"},
		{Source: "shipments", Name: "delay_hours", Type: "float"},
	})
	if err != nil {
		log.Fatal(err)
	}
	tool, err := resolve.NewFieldTool(nil, catalog, nil)
	if err != nil {
		log.Fatal(err)
	}
	out, err := tool.Call(context.Background(), json.RawMessage(`{"terms": ["arrival date", "price"]}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(out))
	// Output:
	// {"text":"Resolved arrival date to arrival_date. Not found: price","unresolved":[{"text":"price","nearest":[]}],"fields":[{"term":"arrival date","field":"arrival_date","source":"shipments","type":"date"}]}
}
