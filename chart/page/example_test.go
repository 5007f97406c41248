package page_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/page"
)

func Example() {
	rows := &qed.Table{Columns: []qed.Column{{Name: "port"}, {Name: "delay"}}}
	for _, row := range [][]any{{"Miami", 4}, {"Oslo", 2}} {
		if err := rows.Append(row...); err != nil {
			log.Fatal(err)
		}
	}
	delays, err := chart.New(context.Background(), rows, &chart.Options{Kind: chart.Bar})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	err = page.Write(context.Background(), &file, page.Page{
		Title:    "Delays",
		Markdown: "# Delays\n\nMiami is late.\n\n![](chart:delays)\n",
		Charts:   []page.Chart{{ID: "delays", Spec: delays, Query: "SELECT port, delay FROM ports"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(file.String(), "<p>Miami is late.</p>"), strings.Contains(file.String(), "<figure"))
	// Output: true true
}
