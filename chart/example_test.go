package chart_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
)

func arrivals() *qed.Table {
	t := &qed.Table{Columns: []qed.Column{{Name: "port"}, {Name: "delay"}}}
	for _, row := range [][]any{{"Miami", 4}, {"Oslo", 2}, {"Miami", 1}} {
		if err := t.Append(row...); err != nil {
			log.Fatal(err)
		}
	}
	return t
}

func Example() {
	spec, err := chart.New(context.Background(), arrivals(), &chart.Options{X: "port", Y: "delay", Aggregate: chart.Mean})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(spec.Kind, "-", spec.Title)
	fmt.Println(spec.Artifact().MediaType)
	// Output:
	// bar - Mean of delay by port
	// application/vnd.vegalite.v6+json
}
