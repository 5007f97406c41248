package qedotel_test

import (
	"context"
	"fmt"
	"log"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/qedotel"
)

// The model is scripted, and the spans are kept in memory. A real program sets an
// exporter once with otel.SetTracerProvider and otel.SetMeterProvider, and calls
// New(nil).
func Example() {
	spans := tracetest.NewInMemoryExporter()
	telemetry, err := qedotel.New(&qedotel.Options{Traces: trace.NewTracerProvider(trace.WithSyncer(spans))})
	if err != nil {
		log.Fatal(err)
	}
	model := llm.Wrap(llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "Hello!"}}}),
		telemetry.Model(qedotel.Client{Provider: "openai", Model: "gpt-5.5"}))
	agent := telemetry.Agent("greeter", qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		text, err := llm.GenerateText(ctx, model, "Greet the user: "+turn.Text)
		return qed.Answer{Text: text}, err
	}))

	if _, err := qed.Ask(context.Background(), agent, qed.Turn{Text: "I am Ann"}); err != nil {
		log.Fatal(err)
	}
	for _, span := range spans.GetSpans() {
		fmt.Println(span.Name)
	}
	// Output:
	// chat gpt-5.5
	// invoke_agent greeter
}
