package qedotel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"

	"github.com/qedkit/qed/llm"
)

// Attributes of this package. Those of the conventions are in package semconv.
const (
	agentOutcome   = attribute.Key("qed.outcome")
	problemCode    = attribute.Key("qed.code")
	nodeAttempt    = attribute.Key("qed.attempt")
	taskRows       = attribute.Key("qed.rows")
	taskCached     = attribute.Key("qed.cached")
	routeTaken     = attribute.Key("qed.route")
	requestName    = attribute.Key("qed.request") // llm.Request.Name
	retrievedCount = attribute.Key("qed.passages")
	questionID     = attribute.Key("qed.question")
	questionText   = attribute.Key("qed.text")
	taskKey        = attribute.Key("qed.task")
	callCost       = attribute.Key("qed.cost")
)

// Boundaries that the conventions recommend, and those of times in a database.
var (
	tokenBounds = metric.WithExplicitBucketBoundaries(
		1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304)
	secondBounds = metric.WithExplicitBucketBoundaries(
		.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
	queryBounds   = metric.WithExplicitBucketBoundaries(.001, .005, .01, .05, .1, .5, 1, 5, 10, 30)
	turnBounds    = metric.WithExplicitBucketBoundaries(.1, .5, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640, 1800, 3600)
	callsInATurns = metric.WithExplicitBucketBoundaries(0, 1, 2, 4, 8, 16, 32, 64, 128)
)

func (t *Telemetry) instruments(m metric.Meter) error {
	var errs []error
	keep := func(err error) { errs = append(errs, err) }
	seconds := func(name, description string, bounds metric.HistogramOption) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), bounds)
		keep(err)
		return h
	}
	count := func(name, unit, description string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
		keep(err)
		return c
	}
	operation := genaiconv.ClientOperationDuration{}
	t.operations = seconds(operation.Name(), operation.Description(), secondBounds)
	t.turns = seconds("qed.turn.duration", "Duration of a turn of an agent.", turnBounds)
	t.tools = seconds("qed.tool.duration", "Duration of a call of a tool.", secondBounds)
	t.executions = seconds("qed.query.duration", "Duration of an executed query.", queryBounds)
	t.estimated = count("qed.tokens.estimated", "{token}", "Tokens of requests, as estimated before the call.")
	t.refused = count("qed.queries.refused", "{query}", "Queries that were refused.")
	t.corrected = count("qed.queries.corrected", "{query}", "Queries that were written again.")
	t.warnings = count("qed.warnings", "{warning}", "Problems that did not fail a turn.")
	var err error
	t.tokens, err = m.Int64Histogram(genaiconv.ClientTokenUsage{}.Name(), metric.WithUnit("{token}"),
		metric.WithDescription(genaiconv.ClientTokenUsage{}.Description()), tokenBounds)
	keep(err)
	t.modelCalls, err = m.Int64Histogram("qed.turn.model_calls", metric.WithUnit("{call}"),
		metric.WithDescription("Calls of models in a turn."), callsInATurns)
	keep(err)
	t.cost, err = m.Float64Counter("qed.cost",
		metric.WithDescription("Cost of calls of models, in the currency of the prices."))
	keep(err)
	return errors.Join(errs...)
}

// measure records what a call of a model or an embedder used.
func (t *Telemetry) measure(ctx context.Context, c call) {
	attrs := metric.WithAttributes(c.measured()...)
	t.operations.Record(ctx, c.end.Sub(c.start).Seconds(), attrs)
	if c.estimated > 0 {
		t.estimated.Add(ctx, int64(c.estimated), attrs)
	}
	if c.usage.Cost > 0 {
		t.cost.Add(ctx, c.usage.Cost, attrs)
	}
	for _, of := range []struct {
		kind  attribute.KeyValue
		count int
	}{{semconv.GenAITokenTypeInput, c.usage.InputTokens}, {semconv.GenAITokenTypeOutput, c.usage.OutputTokens}} {
		if of.count > 0 {
			t.tokens.Record(ctx, int64(of.count), attrs, metric.WithAttributes(of.kind))
		}
	}
}

func usageAttributes(u llm.Usage) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		semconv.GenAIUsageInputTokens(u.InputTokens), semconv.GenAIUsageOutputTokens(u.OutputTokens),
	}
	if u.CachedTokens > 0 {
		attrs = append(attrs, semconv.GenAIUsageCacheReadInputTokens(u.CachedTokens))
	}
	if u.CacheWriteTokens > 0 {
		attrs = append(attrs, semconv.GenAIUsageCacheCreationInputTokens(u.CacheWriteTokens))
	}
	if u.ReasoningTokens > 0 {
		attrs = append(attrs, semconv.GenAIUsageReasoningOutputTokens(u.ReasoningTokens))
	}
	return attrs
}
