// Package qedotel records what agents do with OpenTelemetry: traces and metrics
// that follow the semantic conventions for generative AI.
//
//	telemetry, err := qedotel.New(nil)
//	...
//	model = llm.Wrap(model, llm.Retry(nil), telemetry.Model(qedotel.Client{Provider: "openai", Model: name}))
//	agent = telemetry.Agent("sales", agent)
//
// It depends on the API of OpenTelemetry only. The program chooses an SDK and
// exporters, and sets them with otel.SetTracerProvider and otel.SetMeterProvider,
// or in [Options].
//
// # Traces
//
// A turn is a span "invoke_agent". Within it are spans for the nodes of graphs, the
// branches, the tasks of plans, the calls of tools ("execute_tool"), models ("chat")
// and embedders ("embeddings"), the executed queries ("query") and the searches in
// documents ("retrieval"). Refused queries, routes, warnings and questions to the
// user are events of the span that they happened in.
//
// The spans are made from the events of the agent ([qed.Event]) and from the calls of
// the models, when those are over. So they have the right times and parents, but a
// client library that the model uses cannot add spans of its own below "chat": they
// are below "invoke_agent".
//
// What a resumed turn reads from its log is not done again and has no span.
//
// # Metrics
//
//	gen_ai.client.token.usage         tokens that a provider reported
//	gen_ai.client.operation.duration  seconds of a call of a model or an embedder
//	qed.tokens.estimated              tokens of requests, as estimated before the call
//	qed.cost                          cost of calls, in the currency of llm.Prices
//	qed.turn.duration                 seconds of a turn, by qed.outcome
//	qed.turn.model_calls              calls of models in a turn
//	qed.tool.duration                 seconds of a call of a tool
//	qed.query.duration                seconds of an executed query
//	qed.queries.refused               refused queries, by qed.code
//	qed.queries.corrected             queries that were written again
//	qed.warnings                      warnings, by qed.code
//
// The outcome of a turn is completed, partial, interrupted (a question to the user),
// failed, or abandoned (the reader of the events left). Failures have error.type.
// Package [analysthttp] records what follows an exploration as turns of agents of its
// own: "report" and "end".
//
// Texts that others choose do not make metrics without end: the calls of tools that a
// model invents have one name, "_OTHER", and so has what exceeds 200 different names of
// tools, codes or types of errors.
//
// The file dashboard.json in the folder of this package is a dashboard for Grafana
// over these metrics.
//
// # Privacy
//
// Questions, queries, arguments and results are recorded only with
// [Options.Content], and rows never. Errors are recorded by their type.
//
// [analysthttp]: https://pkg.go.dev/github.com/qedkit/qed/analyst/analysthttp
package qedotel

import (
	"cmp"
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/qedkit/qed/llm"
)

const scopeName = "github.com/qedkit/qed/qedotel"

// Options configure [New]. The zero value and nil use the providers of the process.
type Options struct {
	Traces  trace.TracerProvider // nil means otel.GetTracerProvider()
	Metrics metric.MeterProvider // nil means otel.GetMeterProvider()

	// Content records the texts of questions, queries, and arguments of tools on
	// spans. They have what users wrote and values of the data.
	Content bool
}

// A Telemetry records agents and models. It is safe for concurrent use.
type Telemetry struct {
	tracer  trace.Tracer
	content bool

	tokens, modelCalls                   metric.Int64Histogram
	estimated                            metric.Int64Counter
	operations, turns, tools, executions metric.Float64Histogram
	cost                                 metric.Float64Counter
	refused, corrected, warnings         metric.Int64Counter

	labels labels
}

// New returns a Telemetry, or the error of the meter provider.
func New(opt *Options) (*Telemetry, error) {
	opt = cmp.Or(opt, &Options{})
	traces, metrics := opt.Traces, opt.Metrics
	traces = cmp.Or(traces, otel.GetTracerProvider())
	metrics = cmp.Or(metrics, otel.GetMeterProvider())
	t := &Telemetry{tracer: traces.Tracer(scopeName), content: opt.Content}
	return t, t.instruments(metrics.Meter(scopeName))
}

// A Client names the model of a provider in traces and metrics. Empty fields are
// left out.
type Client struct {
	Provider string // such as "openai", "anthropic" or "gcp.gemini": the attribute gen_ai.provider.name
	Model    string // that requests ask for
}

// Model records the calls of a model. Inside of [llm.Retry] each attempt is a call
// of its own. For costs it needs [llm.Prices] inside of it.
func (t *Telemetry) Model(c Client) llm.Middleware {
	return llm.Trace(func(ctx context.Context, call llm.Call) { t.chat(ctx, c, call) })
}

// Embedder returns e with its calls recorded.
func (t *Telemetry) Embedder(e llm.Embedder, c Client) llm.Embedder {
	return llm.TraceEmbedder(e, func(ctx context.Context, call llm.EmbedCall) { t.embeddings(ctx, c, call) })
}
