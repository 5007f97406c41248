package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/tools"
)

// lateShips are the hours that ships were late, on days of January.
func lateShips() *qed.Table {
	t := &qed.Table{Columns: []qed.Column{{Name: "eta"}, {Name: "carrier"}, {Name: "hours"}}}
	for i, hours := range []any{2, 3, 2.5, 4, 3.5, 5, 4.5, 48, 5.5, "7", 6.5, nil} {
		carrier := "Alpha"
		if i%2 == 1 {
			carrier = "Beta"
		}
		if err := t.Append(fmt.Sprintf("2025-01-%02d", i+1), carrier, hours); err != nil {
			panic(err)
		}
	}
	return t
}

func ExampleNewPatterns() {
	arguments, err := json.Marshal(map[string]any{"rows": finding.RowsRef{Count: 12, Sample: *lateShips()}, "value": "hours"})
	if err != nil {
		panic(err)
	}
	out, err := tools.NewPatterns().Call(context.Background(), arguments)
	if err != nil {
		panic(err)
	}
	var result struct {
		Trend struct {
			Direction string
			N         int
		}
	}
	if err := json.Unmarshal(out, &result); err != nil {
		panic(err)
	}
	fmt.Println(result.Trend.Direction, result.Trend.N)
	// Output: rising 11
}

func ExampleNewAnalysis() {
	registry := qed.NewRegistry(nil)
	if err := registry.Add(tools.NewAnalysis(), tools.NewPatterns()); err != nil {
		panic(err)
	}
	for _, tool := range registry.Specs() {
		fmt.Println(tool.Name)
	}
	// Output:
	// pattern_recognition
	// stats_analysis
}
