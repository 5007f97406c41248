package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/tools"
)

func Example() {
	model := llmtest.New(llmtest.Rule{Name: "llm_summary", Replies: []llmtest.Reply{{Text: "Two shipments are late."}}}) // a real one: package llm/openai
	registry := qed.NewRegistry(nil)
	if err := registry.Add(tools.NewSummary(model, nil)); err != nil {
		fmt.Println(err)
		return
	}
	results, err := registry.Do(context.Background(), llm.ToolCall{
		Name:      "llm_summary",
		Arguments: json.RawMessage(`{"request": "Which shipments are late?", "findings": {"late": 2}}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(results[0].Output))
	// Output: {"text":"Two shipments are late."}
}

// The model's first insight names a number that is not in the data. It is asked
// once more, and the corrected insight is used.
func ExampleNewInsights() {
	insight := func(text, value string) llmtest.Reply {
		return llmtest.Reply{JSON: map[string]any{"insights": []map[string]any{
			{"text": text, "figures": []map[string]any{{"label": "mean delay in hours", "value": value}}},
		}}}
	}
	model := llmtest.New(llmtest.Rule{Name: "generate_insights", Replies: []llmtest.Reply{
		insight("Ships are 35 hours late on average.", "35"),
		insight("Ships are 20.4 hours late on average.", "20.4"),
	}})
	registry := qed.NewRegistry(nil)
	if err := registry.Add(tools.NewInsights(model, nil)); err != nil {
		fmt.Println(err)
		return
	}
	results, err := registry.Do(context.Background(), llm.ToolCall{
		Name:      "generate_insights",
		Arguments: json.RawMessage(`{"request": "How late are ships?", "findings": {"mean": 20.38}}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var result struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(results[0].Output, &result); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	// Output: - Ships are 20.4 hours late on average.
}

// An agent that answers questions about crews is a tool of another agent.
func ExampleFromAgent() {
	crews := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { // a real one: package sqlagent
		return qed.Answer{Text: "12 crews are active."}, nil
	})
	registry := qed.NewRegistry(nil)
	if err := registry.Add(tools.FromAgent("crews", "Answers questions about crews.", crews)); err != nil {
		fmt.Println(err)
		return
	}
	results, err := registry.Do(context.Background(), llm.ToolCall{
		Name:      "crews",
		Arguments: json.RawMessage(`{"question": "How many crews are active?"}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(finding.Parse(results[0].Output).Text)
	// Output: 12 crews are active.
}
