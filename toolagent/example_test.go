package toolagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/toolagent"
)

// scripted returns a model that asks for the temperature in a city, and answers.
func scripted(city, answer string) llm.Model {
	arguments, err := json.Marshal(map[string]string{"city": city})
	if err != nil {
		log.Fatal(err)
	}
	call := llm.ToolCall{ID: "1", Name: "temperature", Arguments: arguments}
	return llmtest.New(
		llmtest.Rule{Name: "step", Replies: []llmtest.Reply{{ToolCalls: []llm.ToolCall{call}}, {Text: answer}}},
		llmtest.Rule{Name: "wrap_up", Replies: []llmtest.Reply{{Text: answer}}},
	)
}

// thermometer returns a tool, which is a Go function.
func thermometer() qed.Tool {
	type place struct {
		City string `json:"city"`
	}
	type weather struct {
		Degrees int `json:"degrees"`
	}
	tool := qed.NewTool("temperature", "Returns the temperature in a city, in degrees Celsius.",
		func(ctx context.Context, in place) (weather, error) { return weather{4}, nil })
	tool.Idempotent = true // it only reads
	return tool
}

// A tool is a function. Its arguments are described by the struct that it takes.
func Example() {
	type place struct {
		City string `json:"city"`
	}
	temperature := qed.NewTool("temperature", "Returns the temperature in a city, in degrees Celsius.",
		func(ctx context.Context, in place) (float64, error) { return 21.5, nil })
	temperature.Idempotent = true // it only reads

	model := scripted("Rome", "It has 21.5 °C in Rome.") // in a program, one of llm/openai or llm/anthropic
	agent, err := toolagent.New(model, qed.NewRegistry(nil, temperature), nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := qed.Ask(context.Background(), agent, qed.Turn{Text: "How warm is it in Rome?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	// Output: It has 21.5 °C in Rome.
}

// The host sees the steps.
func ExampleOptions_beforeStep() {
	agent, err := toolagent.New(scripted("Rome", "It has 4 °C in Rome."), qed.NewRegistry(nil, thermometer()), &toolagent.Options{
		MaxSteps: 5,
		BeforeStep: func(_ context.Context, p *toolagent.StepRequest) error {
			fmt.Println("step", p.Steps+1, "after", len(p.Results), "calls")
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := qed.Ask(context.Background(), agent, qed.Turn{Text: "How warm is it in Rome?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	// Output:
	// step 1 after 0 calls
	// step 2 after 1 calls
	// It has 4 °C in Rome.
}
