package integration_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/claims"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm"
)

// exploredRows is a SELECT without FROM for 400 orders, of which those of the north are larger
// by 10, on seven days. A FROM that has a number i from 0 to 399 must follow it.
const exploredRows = `SELECT CASE i % 2 WHEN 0 THEN 'north' ELSE 'south' END AS region,
	CASE i % 2 WHEN 0 THEN 60 ELSE 50 END + i % 7 AS amount,
	CAST(CASE i % 7 WHEN 0 THEN '2024-01-10' WHEN 1 THEN '2024-02-10' WHEN 2 THEN '2024-03-10' WHEN 3 THEN '2024-04-10'
		WHEN 4 THEN '2024-05-10' WHEN 5 THEN '2024-06-10' ELSE '2024-07-10' END AS DATE) AS day`

const (
	byRegion = "SELECT region, avg(amount) AS mean FROM t_parsed GROUP BY region ORDER BY region"
	byNone   = "SELECT amount FROM t_parsed WHERE region = 'Nort'"
)

// explore calls each tool of an analyst of d once, and checks the results.
func explore(t *testing.T, d analyst.Data) {
	t.Helper()
	calls := []llm.ToolCall{
		exploreCall("executeSQLQuery", map[string]any{"query": byRegion, "reason": "compare"}),
		exploreCall("executeSQLQuery", map[string]any{"query": byNone, "reason": "find"}),
		exploreCall("executeSQLQuery", map[string]any{"query": "SELECT amont FROM t_parsed", "reason": "a wrong name"}),
		exploreCall("profileData", map[string]any{"includeDistribution": true}),
		exploreCall("validateAnalysis", map[string]any{
			"finding": "Orders of the north are larger.", "relatedQuery": byRegion,
			"claim": claims.Claim{
				Kind: claims.Means, Metric: "amount",
				By: "region", Groups: []string{"north", "south"}, Comparison: claims.More,
			},
		}),
		exploreCall("createVisualization", map[string]any{"chartType": "bar", "title": "Means", "sqlQuery": byRegion, "spec": map[string]any{
			"mark": "bar", "encoding": map[string]any{
				"x": map[string]string{"field": "region", "type": "nominal"},
				"y": map[string]string{"field": "mean", "type": "quantitative"},
			},
		}}),
	}
	results := map[string]string{} // by the id of the call
	model := llm.ModelFunc(func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
		answer := llm.Message{Role: llm.RoleAssistant, ToolCalls: calls}
		for _, m := range req.Messages {
			if m.Role == llm.RoleTool {
				results[m.ToolCallID] = m.Content
				answer = llm.Message{Role: llm.RoleAssistant, Content: "The north has larger orders.\n- It is significant."}
			}
		}
		return &llm.Response{Message: answer, FinishReason: llm.FinishStop}, nil
	})
	for i := range calls {
		calls[i].ID = string(rune('a' + i))
	}
	a, err := analyst.New(model, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	answer, err := qed.Ask(t.Context(), a, qed.Turn{Thread: "1", Text: "Where are the orders larger?"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := analyst.ExplorationOf(answer)
	if err != nil {
		t.Fatal(err)
	}
	for id, wants := range map[string][]string{
		"a": {`"success":true`, "north", "south"},
		"b": {`"success":true`, `"nearest":["north"`},
		"c": {`"success":false`, "amount"},
		"d": {`"success":true`, `"rows":400`, `"distinct":{"value":2}`, `"kind":"times"`},
		"e": {`"verdict":"proved"`, `"rows":400`},
		"f": {`"success":true`},
	} {
		for _, want := range wants {
			if !strings.Contains(results[id], want) {
				t.Errorf("%s: no %s in %s", calls[id[0]-'a'].Name, want, results[id])
			}
		}
	}
	if len(found.ExecutedQueries) != 2 || len(found.Charts) != 1 || len(found.Checks) != 1 || found.Checks[0].Verdict != dates.Proved {
		t.Errorf("found %d queries, %d charts, %d checks", len(found.ExecutedQueries), len(found.Charts), len(found.Checks))
	}
}

func exploreCall(name string, arguments any) llm.ToolCall {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return llm.ToolCall{Name: name, Arguments: raw}
}
