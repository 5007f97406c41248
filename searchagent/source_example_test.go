package searchagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/searchagent"
)

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
	engine := &engine{answers: []answer{{contains: `"Miami"`, docs: []doc{{"1", `{"vessel":"Aurora","portName":"Miami"}`}}}}}
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
	// index shipments, portName is Miami
	// [[Miami Aurora]]
}
