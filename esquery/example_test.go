package esquery_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/qedkit/qed/esquery"
)

// orders is the mapping of the examples, as the server returns it.
var orders = []byte(`{"orders": {"mappings": {"properties": {
	"tenant":  {"type": "keyword"},
	"title":   {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
	"status":  {"type": "keyword"},
	"created": {"type": "date"},
	"card":    {"type": "keyword"}
}}}}`)

func Example() {
	mapping, err := esquery.ParseMapping(orders)
	if err != nil {
		log.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"orders": mapping}, nil)
	if err != nil {
		log.Fatal(err)
	}

	// Elasticsearch answers this with status 200 and no hits.
	report := v.Check("orders", []byte(`{"query": {"term": {"title": "Blue shoes"}}}`))
	for _, p := range report.Problems {
		fmt.Println(report.Verdict, p.Code, p.Path, p.Candidates)
	}
	_, err = report.Search()
	fmt.Println(errors.Is(err, esquery.ErrFieldType))
	// Output:
	// refused field_type /query/term/title [title.keyword match]
	// true
}

func ExampleValidator_Check() {
	mapping, err := esquery.ParseMapping(orders)
	if err != nil {
		log.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"orders": mapping}, &esquery.Options{
		Sensitive: []string{"card"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, body := range []string{
		`{"size": 1}`,
		`{"size": 1, "_source": ["title", "card"]}`,
		`{"aggs": {"by": {"terms": {"field": "Status"}}}}`,
		`{"aggs": {"by": {"date_histogram": {"field": "created", "interval": "day"}}}}`,
	} {
		report := v.Check("orders", []byte(body))
		fmt.Println(report.Verdict)
		for _, p := range report.Problems {
			fmt.Println("   ", p.Code, p.Path, p.Candidates)
		}
		if body := report.Body(); body != nil {
			fmt.Printf("    %s\n", body)
		}
	}
	// Output:
	// ok
	//     {"size":1,"_source":{"excludes":["card","card.*"]}}
	// refused
	//     unknown_field /_source/1 []
	// fixed
	//     unknown_field /aggs/by/terms/field []
	//     {"aggs":{"by":{"terms":{"field":"status"}}},"_source":{"excludes":["card","card.*"]}}
	// refused
	//     unknown_key /aggs/by/date_histogram/interval [fixed_interval calendar_interval]
}

func ExampleValidator_Filtered() {
	mapping, err := esquery.ParseMapping(orders)
	if err != nil {
		log.Fatal(err)
	}
	all, err := esquery.NewValidator(map[string]*esquery.Mapping{"orders": mapping}, nil)
	if err != nil {
		log.Fatal(err)
	}
	// The filter depends on the caller.
	v, err := all.Filtered(json.RawMessage(`{"term": {"tenant": "acme"}}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", v.Check("orders", []byte(`{"query": {"match": {"title": "shoes"}}}`)).Body())
	fmt.Println(v.Check("orders", []byte(`{"aggs": {"everybody": {"global": {}}}}`)).Problems[0].Code)
	// Output:
	// {"query":{"bool":{"must":[{"match":{"title":"shoes"}}],"filter":[{"term":{"tenant":"acme"}}]}}}
	// filter_bypass
}

func ExampleSearch_Probes() {
	mapping, err := esquery.ParseMapping(orders)
	if err != nil {
		log.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"orders": mapping}, nil)
	if err != nil {
		log.Fatal(err)
	}
	search, err := v.Check("orders", []byte(`{"query": {"bool": {"filter": [
		{"term": {"status": "shipped"}}, {"range": {"created": {"gte": "2031-01-01"}}}
	]}}}`)).Search()
	if err != nil {
		log.Fatal(err)
	}
	// The search found nothing: which clause excludes the hits of the others?
	for _, p := range search.Probes() {
		fmt.Printf("%s: %s\n", p.Path, p.Without.Query())
	}
	// Output:
	// /query/bool/filter/0: {"query":{"bool":{"filter":[{"range":{"created":{"gte":"2031-01-01"}}}]}}}
	// /query/bool/filter/1: {"query":{"bool":{"filter":[{"term":{"status":"shipped"}}]}}}
}
