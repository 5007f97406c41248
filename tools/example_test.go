package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/tools"
)

func ExampleNewSummary() {
	model := llmtest.New(llmtest.Rule{Name: "llm_summary", Replies: []llmtest.Reply{{Text: "Two shipments are late."}}}) // llm/openai has real ones
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
