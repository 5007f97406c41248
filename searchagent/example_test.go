package searchagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

// A shelf is an engine for the examples: it returns the documents for the first text that a
// body contains. A program has a client of esquery/esclient.
type shelf []struct {
	contains  string
	documents []esquery.Hit
}

func (f shelf) Search(ctx context.Context, s *esquery.Search) (*esquery.Result, error) {
	result := &esquery.Result{Total: esquery.Total{Exact: true}}
	for _, a := range f {
		if strings.Contains(string(s.Body()), a.contains) {
			result.Hits, result.Total.Value = a.documents, int64(len(a.documents))
			break
		}
	}
	return result, ctx.Err()
}

func (f shelf) Count(ctx context.Context, s *esquery.Search) (int64, error) {
	result, err := f.Search(ctx, s)
	return result.Total.Value, err
}

func (f shelf) Pages(ctx context.Context, s *esquery.Search, _ *esquery.PageOptions) iter.Seq2[*esquery.Result, error] {
	return func(yield func(*esquery.Result, error) bool) { yield(f.Search(ctx, s)) }
}

// file returns a document.
func file(id, source string) esquery.Hit {
	return esquery.Hit{Index: "files", ID: id, Source: json.RawMessage(source)}
}

// The documents of a folder that is given by its name, in two tasks. Each user sees the
// documents of their own company. The model is scripted and the engine is a fake; with a
// provider of llm/openai and a client of esquery/esclient nothing else changes.
func Example() {
	model := llmtest.New(
		llmtest.Rule{Name: "classify", Replies: []llmtest.Reply{{JSON: map[string]any{"intent": "search", "confidence": "high", "reasoning": "It asks for documents."}}}},
		llmtest.Rule{Name: "plan", Replies: []llmtest.Reply{{JSON: map[string]any{
			"reason": "Documents hold the id of their folder, not its name.",
			"steps": []map[string]any{
				{"key": "folder", "task": "find the folder named Tax", "index": "files", "one": true},
				{"key": "documents", "task": "find the documents in it", "index": "files", "after": []string{"folder"}},
			},
		}}}},
		llmtest.Rule{Name: "generate", Replies: []llmtest.Reply{
			{JSON: map[string]any{"body": `{"query":{"term":{"name.keyword":"Tax"}}}`}},
			{JSON: map[string]any{"body": `{"query":{"term":{"parentId":"abc-123"}}}`, "show": []string{"name"}}},
		}},
		llmtest.Rule{Name: "answer", Replies: []llmtest.Reply{{Text: "There are two: W2.pdf and Receipt.pdf."}}},
	)
	engine := shelf{
		{`"Tax"`, []esquery.Hit{file("abc-123", `{"name":"Tax"}`)}},
		{`"abc-123"`, []esquery.Hit{file("1", `{"name":"W2.pdf"}`), file("2", `{"name":"Receipt.pdf"}`)}},
	}

	mapping, err := esquery.ParseMapping([]byte(`{"properties":{
		"name":{"type":"text","fields":{"keyword":{"type":"keyword"}}}, "parentId":{"type":"keyword"}, "company":{"type":"keyword"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	validator, err := esquery.NewValidator(map[string]*esquery.Mapping{"files": mapping}, nil)
	if err != nil {
		log.Fatal(err)
	}
	agent, err := searchagent.New(model, engine, validator, &searchagent.Options{
		About: map[string]string{"files": "folders and documents; parentId is the _id of the folder"},
		Filter: func(_ context.Context, turn qed.Turn) (json.RawMessage, error) {
			return json.Marshal(map[string]any{"term": map[string]string{"company": turn.Tenant}})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := qed.Ask(context.Background(), agent, qed.Turn{Tenant: "acme", Text: "List the documents in the Tax folder"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	for _, q := range answer.Queries {
		fmt.Println(q.Task, q.Written, q.Rows)
	}
	// Output:
	// There are two: W2.pdf and Receipt.pdf.
	// folder {"query":{"term":{"name.keyword":"Tax"}}} 1
	// documents {"query":{"term":{"parentId":"abc-123"}}} 2
}

// Two folders have the same name. With a Store the user is asked which one is meant, and
// the reply resumes the turn.
func ExampleNew_question() {
	model := llmtest.New(
		llmtest.Rule{Name: "plan", Replies: []llmtest.Reply{{JSON: map[string]any{
			"reason": "Documents hold the id of their folder, not its name.",
			"steps": []map[string]any{
				{"key": "folder", "task": "find the folder named Tax", "index": "files", "one": true},
				{"key": "documents", "task": "find the documents in it", "index": "files", "after": []string{"folder"}},
			},
		}}}},
		llmtest.Rule{Name: "generate", Replies: []llmtest.Reply{
			{JSON: map[string]any{"body": `{"query":{"term":{"name":"Tax"}}}`}},
			{JSON: map[string]any{"body": `{"query":{"term":{"parentId":"f-2"}}}`}},
		}},
		llmtest.Rule{Name: "answer", Replies: []llmtest.Reply{{Text: "There is one: Receipt.pdf."}}},
	)
	engine := shelf{
		{`"Tax"`, []esquery.Hit{file("f-1", `{"name":"Tax","path":"/Sales/Tax"}`), file("f-2", `{"name":"Tax","path":"/Finance/Tax"}`)}},
		{`"f-2"`, []esquery.Hit{file("1", `{"name":"Receipt.pdf"}`)}},
	}
	mapping, err := esquery.ParseMapping([]byte(`{"properties":{
		"name":{"type":"keyword"}, "path":{"type":"keyword"}, "parentId":{"type":"keyword"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	validator, err := esquery.NewValidator(map[string]*esquery.Mapping{"files": mapping}, nil)
	if err != nil {
		log.Fatal(err)
	}
	agent, err := searchagent.New(model, engine, validator, &searchagent.Options{
		SkipClassification: true,
		Store:              &store.InMemory{},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, said := range []string{"What is in the Tax folder?", "2"} {
		answer, err := qed.Ask(context.Background(), agent, qed.Turn{Thread: "t", Text: said})
		if err != nil {
			log.Fatal(err)
		}
		for _, question := range answer.Questions {
			for _, option := range question.Choices {
				fmt.Println(option.ID, option.Text)
			}
		}
		if len(answer.Questions) == 0 {
			fmt.Println(answer.Text)
		}
	}
	// Output:
	// 1 Tax, /Sales/Tax
	// 2 Tax, /Finance/Tax
	// There is one: Receipt.pdf.
}

// Messages that do not ask for a search go to other agents. The router decides that, so the
// search agent does not have to.
func ExampleNew_router() {
	model := llmtest.New(
		llmtest.Rule{Name: "route", Replies: []llmtest.Reply{{JSON: map[string]any{"route": "move", "reason": "It asks to move a file."}}}},
	)
	mapping, err := esquery.ParseMapping([]byte(`{"properties":{"name":{"type":"keyword"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	validator, err := esquery.NewValidator(map[string]*esquery.Mapping{"files": mapping}, nil)
	if err != nil {
		log.Fatal(err)
	}
	search, err := searchagent.New(model, shelf{}, validator, &searchagent.Options{SkipClassification: true})
	if err != nil {
		log.Fatal(err)
	}
	move := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: "Moved."}, nil
	})
	agent, err := router.New(model, []router.Route{
		{Name: "search", Description: "finding, listing and counting files and folders", Agent: search},
		{Name: "move", Description: "moving files to another folder", Agent: move},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := qed.Ask(context.Background(), agent, qed.Turn{Text: "Move W2.pdf to Archive"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	// Output: Moved.
}

// A query with a misspelt field is fixed before it runs. The filter, which depends
// on the caller, is added when it runs, and is not part of the written query.
func ExampleNewSource() {
	mapping, err := esquery.ParseMapping([]byte(`{"properties":{"vessel":{"type":"keyword"}, "portName":{"type":"keyword"}, "company":{"type":"keyword"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	validator, err := esquery.NewValidator(map[string]*esquery.Mapping{"shipments": mapping}, nil)
	if err != nil {
		log.Fatal(err)
	}
	engine := shelf{{`"Miami"`, []esquery.Hit{file("1", `{"vessel":"Aurora","portName":"Miami"}`)}}}
	shipments, err := searchagent.NewSource("shipments", engine, validator, &searchagent.SourceOptions{
		About: "one document a shipment",
		Filter: func(context.Context) (json.RawMessage, error) {
			return json.RawMessage(`{"term":{"company":"acme"}}`), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	q, err := shipments.Check(context.Background(), json.RawMessage(`{"query":{"term":{"port_name":"Miami"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	found, err := shipments.Run(context.Background(), q)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(q))
	fmt.Println(found.HowToRetrieve)
	fmt.Println(found.Table.Rows)
	// Output:
	// {"query":{"term":{"portName":"Miami"}}}
	// index shipments with {"query":{"term":{"portName":"Miami"}}}
	// [[Miami Aurora]]
}
