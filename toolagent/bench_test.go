package toolagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/toolagent"
)

// loop10 returns an agent whose turns have ten steps: nine with a call of a tool, and
// one with the answer.
func loop10(tb testing.TB, used qed.Tool) qed.Agent {
	tools := registry(tb, used)
	replies := make([]*llm.Response, 10)
	for i := range 9 {
		arguments := json.RawMessage("{}")
		if used.Input != nil {
			arguments = json.RawMessage(fmt.Sprintf(`{"city":"city %d"}`, i))
		}
		replies[i] = &llm.Response{FinishReason: llm.FinishToolCalls, Usage: llm.Usage{InputTokens: 900, OutputTokens: 20, Calls: 1}, Message: llm.Message{
			Role:      llm.RoleAssistant,
			ToolCalls: []llm.ToolCall{{ID: fmt.Sprint("call_", i), Name: used.Name, Arguments: arguments}},
		}}
	}
	replies[9] = &llm.Response{FinishReason: llm.FinishStop, Usage: llm.Usage{InputTokens: 900, OutputTokens: 20, Calls: 1},
		Message: llm.Message{Role: llm.RoleAssistant, Content: "City 3 is the warmest."}}
	model := llm.ModelFunc(func(_ context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		reply := replies[(len(req.Messages)-2)/2] // each step adds a reply and a result
		if text := reply.Message.Content; text != "" {
			stream(llm.Delta{Text: text})
		}
		return reply, nil
	})
	agent, err := toolagent.New(model, tools, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return agent
}

type place struct {
	City string `json:"city" jsonschema_description:"the name of a city"`
}

type weather struct {
	Degrees int `json:"degrees"`
}

func temperature() qed.Tool {
	t := qed.NewTool("temperature", "Returns the temperature in a city.", func(_ context.Context, in place) (weather, error) {
		return weather{len(in.City)}, nil
	})
	t.Idempotent = true
	return t
}

// nothing is a tool that does nothing, as the nodes of BenchmarkLinear10 of package
// qed.
func nothing() qed.Tool {
	return qed.Tool{Name: "nothing", Call: func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"degrees":21}`), nil
	}}
}

// Ten steps with scripted replies, and a listener that reads every event.
func BenchmarkToolLoop10(b *testing.B) { benchmarkRun(b, loop10(b, nothing())) }

// The same with a tool that checks and decodes its arguments.
func BenchmarkToolLoop10Typed(b *testing.B) { benchmarkRun(b, loop10(b, temperature())) }

func benchmarkRun(b *testing.B, agent qed.Agent) {
	b.ReportAllocs()
	for b.Loop() {
		events := 0
		for _, err := range agent.Run(context.Background(), qed.Turn{Text: "which city is the warmest?"}) {
			if err != nil {
				b.Fatal(err)
			}
			events++
		}
		if events != 20 { // two of each call, the text, and the end
			b.Fatalf("%d events, want 20", events)
		}
	}
}

// The same as BenchmarkToolLoop10 without a listener.
func BenchmarkToolLoop10Ask(b *testing.B) {
	agent := loop10(b, nothing())
	b.ReportAllocs()
	for b.Loop() {
		answer, err := qed.Ask(context.Background(), agent, qed.Turn{Text: "which city is the warmest?"})
		if err != nil || answer.Text == "" {
			b.Fatal(answer, err)
		}
	}
}
