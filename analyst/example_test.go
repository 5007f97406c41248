package analyst_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// The model is scripted. In a real program it comes from a provider such as
// llm/openai.
func Example() {
	ctx := context.Background()
	file := "region,amount\nnorth,60\nsouth,50\nnorth,70\nsouth,52\n"
	data, err := dataset.Load(ctx, strings.NewReader(file), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer data.Close()
	const means = "SELECT region, avg(amount) AS mean FROM t_parsed GROUP BY region ORDER BY region"
	model := llmtest.New(
		llmtest.Rule{Name: "report", Contains: []string{means}, Replies: []llmtest.Reply{{Text: "# Orders\n\nThe north has {q1.r1.mean} on average."}}},
		llmtest.Rule{Name: "step", Contains: []string{`"success":true`}, Replies: []llmtest.Reply{
			{Text: "Orders of the north are larger.\n- Their mean is {t1.r1.mean}, that of the south {t1.r2.mean}."}}},
		llmtest.Rule{Name: "step", Replies: []llmtest.Reply{{ToolCalls: []llm.ToolCall{{
			ID: "1", Name: "executeSQLQuery", Arguments: json.RawMessage(`{"query":"` + means + `","reason":"compare"}`),
		}}}}},
	)

	a, err := analyst.New(model, analyst.Data{DB: data.DB, Policy: data.Policy, Dialect: sqlite.Dialect{}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	answer, err := qed.Ask(ctx, a, qed.Turn{Thread: "1", Text: "Where are orders larger?"})
	if err != nil {
		log.Fatal(err)
	}
	found, err := analyst.ExplorationOf(answer)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Summary)
	fmt.Println(found.Insights[0])

	report, err := a.Report(ctx, found) // only if the user asks for one
	if err != nil {
		log.Fatal(err)
	}
	text, sections, _ := strings.Cut(report.Markdown, "\n\n## ") // what the model wrote, and what code did
	fmt.Println(text)
	for line := range strings.Lines(sections) {
		if strings.HasPrefix(line, "- The table") || strings.HasPrefix(line, "1. ") {
			fmt.Print(line)
		}
	}
	// Output:
	// Orders of the north are larger.
	// Their mean is 65, that of the south 51.
	// # Orders
	//
	// The north has 65 on average.
	// - The table t_parsed has 4 rows and 2 columns.
	// 1. compare (2 rows)
}
