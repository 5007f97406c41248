package qedotel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/qedkit/qed/llm"
)

// A call is a finished call of a model or an embedder.
type call struct {
	client    Client
	operation attribute.KeyValue
	place     // where it was made
	start     time.Time
	end       time.Time
	err       error
	usage     llm.Usage
	estimated int                  // tokens of the request
	more      []attribute.KeyValue // of the span alone
}

func (t *Telemetry) chat(ctx context.Context, client Client, done llm.Call) {
	c := call{client: client, operation: semconv.GenAIOperationNameChat, place: placeIn(ctx),
		start: done.Start, end: done.Start.Add(done.Duration), err: done.Err}
	if done.Request.Name != "" {
		c.more = append(c.more, requestName.String(done.Request.Name))
	}
	c.estimated = llm.EstimateTokens(done.Request)
	resp := done.Response
	if failed, ok := errors.AsType[*llm.Error](done.Err); ok && resp == nil {
		resp = failed.Partial
	}
	if resp != nil {
		c.usage = resp.Usage
		c.more = append(c.more, usageAttributes(c.usage)...)
		if c.usage.Cost > 0 {
			c.more = append(c.more, callCost.Float64(c.usage.Cost))
		}
		c.more = append(c.more, semconv.GenAIResponseFinishReasons(clip(string(resp.FinishReason))))
		if resp.Model != "" {
			c.more = append(c.more, semconv.GenAIResponseModel(clip(resp.Model)))
		}
	}
	if done.TimeToFirstToken > 0 {
		c.more = append(c.more, semconv.GenAIResponseTimeToFirstChunk(done.TimeToFirstToken.Seconds()))
	}
	t.finished(ctx, c)
}

func (t *Telemetry) embeddings(ctx context.Context, client Client, done llm.EmbedCall) {
	c := call{client: client, operation: semconv.GenAIOperationNameEmbeddings, place: placeIn(ctx),
		start: done.Start, end: done.Start.Add(done.Duration), err: done.Err}
	for _, text := range done.Texts {
		c.estimated += llm.EstimateTextTokens(text)
	}
	t.finished(ctx, c)
}

// finished measures a call, and makes its span: at once outside of a recorded turn,
// and otherwise when the part of the turn that made it is over.
func (t *Telemetry) finished(ctx context.Context, c call) {
	t.measure(ctx, c)
	if tt, ok := ctx.Value(turnKey{}).(*turn); !ok || !tt.keep(c) {
		c.span(ctx, t.tracer)
	}
}

// measured returns the attributes of c in metrics.
func (c *call) measured() []attribute.KeyValue {
	attrs := append(make([]attribute.KeyValue, 0, 5), c.operation)
	if c.client.Provider != "" {
		attrs = append(attrs, semconv.GenAIProviderNameKey.String(c.client.Provider))
	}
	if c.client.Model != "" {
		attrs = append(attrs, semconv.GenAIRequestModel(c.client.Model))
	}
	if c.err != nil {
		attrs = append(attrs, semconv.ErrorTypeKey.String(errorType(c.err)))
	}
	return attrs
}

func (c *call) span(ctx context.Context, tracer trace.Tracer) {
	name := c.operation.Value.AsString()
	if c.client.Model != "" {
		name += " " + c.client.Model
	}
	_, span := tracer.Start(ctx, name, trace.WithTimestamp(c.start), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(c.measured()...), trace.WithAttributes(c.more...))
	if c.err != nil {
		span.SetStatus(codes.Error, errorType(c.err))
	}
	span.End(trace.WithTimestamp(c.end))
}

// errorType returns the kind of an error, without its text.
func errorType(err error) string {
	if failed, ok := errors.AsType[*llm.Error](err); ok {
		return string(failed.Kind)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return fmt.Sprintf("%T", err)
}
