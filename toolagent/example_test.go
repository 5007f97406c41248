package toolagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

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

// The loop ends when the host has what it needs. The model then answers from what was
// found.
func ExampleWhen() {
	tools := qed.NewRegistry(nil, thermometer())
	known := toolagent.When("a temperature is known", func(p toolagent.Progress) bool {
		return len(p.Results) > 0 && strings.Contains(string(p.Results[len(p.Results)-1].Output), "degrees")
	})
	agent, err := toolagent.New(scripted("Rome", "It has 4 °C in Rome."), tools, &toolagent.Options{
		Stop: []toolagent.Stop{known, toolagent.MaxSteps(5)},
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := qed.Ask(context.Background(), agent, qed.Turn{Text: "How warm is it in Rome?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	fmt.Println(answer.PartialReason)
	// Output:
	// It has 4 °C in Rome.
	// a temperature is known
}

// The hook chooses a model and tools for each step: here a small model for all steps
// after the first.
func ExampleOptions_beforeStep() {
	tools := qed.NewRegistry(nil, thermometer())
	large, small := scripted("Rome", ""), llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "It has 4 °C in Rome."}}})
	agent, err := toolagent.New(large, tools, &toolagent.Options{
		BeforeStep: func(_ context.Context, step *toolagent.StepRequest) error {
			if step.Steps > 0 {
				step.Model = small
			}
			fmt.Println("step", step.Steps+1, step.Tools)
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
	// step 1 [temperature]
	// step 2 [temperature]
	// It has 4 °C in Rome.
}
