package qedotel

import (
	"cmp"
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/qedkit/qed"
)

// Agent returns a with its turns recorded under a name. The names of agents should be
// few: they are an attribute of metrics. An agent within a recorded one, such as one of
// a router, is part of its turn and need not be recorded itself.
//
// Put it around [qed.Durable], so that turns that find the conversation busy are
// recorded too.
func (t *Telemetry) Agent(name string, a qed.Agent) qed.Agent {
	return &recorded{t, name, a}
}

type recorded struct {
	*Telemetry
	name  string
	agent qed.Agent
}

// Run answers a turn, and records it as the events pass by.
func (r *recorded) Run(ctx context.Context, asked qed.Turn) iter.Seq2[qed.Event, error] {
	return func(yield func(qed.Event, error) bool) {
		tt := r.begin(ctx, asked)
		defer tt.finish()
		for event, err := range r.agent.Run(tt.ctx, asked) {
			tt.read(event, err)
			if !yield(event, err) {
				return
			}
		}
	}
}

type turnKey struct{}

// A turn is the recording of one turn of an agent.
type turn struct {
	*Telemetry
	name  string
	ctx   context.Context // has the span of the turn and the turn
	start time.Time
	parts []*part // the open ones, outer ones before inner ones

	outcome string
	code    string // of a failed turn

	mu     sync.Mutex
	calls  []call // whose part is still open
	made   int    // calls of models and embedders
	closed bool
}

// A part is a span that is open: a node, a task or a tool.
type part struct {
	kind string // of the event that began it
	id   string // of the call of a tool
	path string // of what happens in it
	call string // of what happens in it
	ctx  context.Context
}

// A place is where something happened, as in [qed.Event].
type place struct{ path, call string }

func placeOf(event qed.Event) place { return place{event.Path, event.Call} }

// Kinds of the events that begin a part.
var (
	nodeStart = qed.Event{Data: qed.NodeStarted{}}.Kind()
	taskStart = qed.Event{Data: qed.TaskStarted{}}.Kind()
	toolStart = qed.Event{Data: qed.ToolStarted{}}.Kind()
)

func (p *part) span() trace.Span { return trace.SpanFromContext(p.ctx) }

// holds reports whether what happens at a path is in the part, or in one that has
// the same path at the same time.
func (p *part) holds(path string) bool {
	return path == p.path || strings.HasPrefix(path, p.path) && (p.path == "" || path[len(p.path)] == '/')
}

func (r *recorded) begin(ctx context.Context, asked qed.Turn) *turn {
	tt := &turn{Telemetry: r.Telemetry, name: r.name, start: time.Now(), outcome: "abandoned"}
	attrs := []attribute.KeyValue{semconv.GenAIOperationNameInvokeAgent, semconv.GenAIAgentName(r.name)}
	if asked.Thread != "" {
		attrs = append(attrs, semconv.GenAIConversationID(asked.Thread))
	}
	if r.content {
		attrs = append(attrs, questionText.String(asked.Text))
	}
	ctx, _ = r.tracer.Start(ctx, "invoke_agent "+r.name, trace.WithTimestamp(tt.start), trace.WithAttributes(attrs...))
	tt.ctx = context.WithValue(ctx, turnKey{}, tt)
	info := qed.Info(ctx)
	tt.parts = []*part{{path: info.Path, call: info.Call, ctx: tt.ctx}}
	return tt
}

// keep takes a call whose span is made when its part ends, or reports false if the
// turn is over.
func (tt *turn) keep(c call) bool {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	if tt.closed {
		return false
	}
	tt.made++
	tt.calls = append(tt.calls, c)
	return true
}

// at returns the innermost open part that holds a place, or the turn. It prefers those
// of the same call: calls of one tool at the same time have the same paths.
func (tt *turn) at(at place) *part {
	best := tt.parts[0]
	for _, p := range tt.parts[1:] {
		same, longer := p.call == at.call, len(p.path) >= len(best.path)
		if p.holds(at.path) && (same && best.call != at.call || same == (best.call == at.call) && longer) {
			best = p
		}
	}
	return best
}

// open begins the span of a part.
func (tt *turn) open(event qed.Event, path, id, name string, attrs ...attribute.KeyValue) {
	ctx, _ := tt.tracer.Start(tt.at(placeOf(event)).ctx, name,
		trace.WithTimestamp(event.Time), trace.WithAttributes(attrs...))
	tt.parts = append(tt.parts, &part{kind: event.Kind(), id: id, path: path, call: cmp.Or(id, event.Call), ctx: ctx})
}

// close ends the span of a part that an event of the kind began.
func (tt *turn) close(event qed.Event, kind, path, id string, failed bool, attrs ...attribute.KeyValue) {
	for i := len(tt.parts) - 1; i > 0; i-- {
		if p := tt.parts[i]; p.kind == kind && p.path == path && p.id == id && p.call == cmp.Or(id, event.Call) {
			tt.flush(p, event.Time)
			p.span().SetAttributes(attrs...)
			if failed {
				p.span().SetStatus(codes.Error, "")
				p.span().SetAttributes(semconv.ErrorTypeOther)
			}
			p.span().End(trace.WithTimestamp(event.Time))
			tt.parts = append(tt.parts[:i], tt.parts[i+1:]...)
			return
		}
	}
}

// flush makes the spans of the calls that were made in a part until its end. Events
// are read late, so a later part may have the same path and calls of its own.
func (tt *turn) flush(p *part, end time.Time) {
	tt.mu.Lock()
	var ready []call
	kept := tt.calls[:0]
	for _, c := range tt.calls {
		if p.holds(c.path) && (p == tt.parts[0] || p.call == c.call) && !c.end.After(end) {
			ready = append(ready, c)
		} else {
			kept = append(kept, c)
		}
	}
	tt.calls = kept
	tt.mu.Unlock()
	for _, c := range ready {
		c.span(tt.at(c.place).ctx, tt.tracer)
	}
}

// note adds an event to the span of the part that it happened in.
func (tt *turn) note(event qed.Event, attrs ...attribute.KeyValue) {
	tt.at(placeOf(event)).span().AddEvent("qed."+event.Kind(),
		trace.WithTimestamp(event.Time), trace.WithAttributes(attrs...))
}

// child makes the span of something that took some milliseconds and is over.
func (tt *turn) child(event qed.Event, name string, millis int64, attrs ...attribute.KeyValue) {
	_, span := tt.tracer.Start(tt.at(placeOf(event)).ctx, name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(event.Time.Add(-time.Duration(millis)*time.Millisecond)), trace.WithAttributes(attrs...))
	span.End(trace.WithTimestamp(event.Time))
}

// text returns an attribute with a text if texts are recorded.
func (tt *turn) text(key attribute.Key, text string) []attribute.KeyValue {
	if !tt.content || text == "" {
		return nil
	}
	return []attribute.KeyValue{key.String(text)}
}

func (tt *turn) read(event qed.Event, err error) {
	agent := semconv.GenAIAgentName(tt.name)
	switch d := event.Data.(type) {
	case qed.NodeStarted:
		tt.open(event, event.Path, "", "node "+lastName(event.Path), nodeAttempt.Int(d.Attempt))
	case qed.NodeFinished:
		tt.close(event, nodeStart, event.Path, "", d.Error != "")
	case qed.TaskStarted:
		tt.open(event, event.Path, "", "task", taskKey.String(clip(d.Key)))
	case qed.TaskFinished:
		tt.close(event, taskStart, event.Path, "", d.Error != "", taskRows.Int(d.Rows), taskCached.Bool(d.Cached))
	case qed.ToolStarted:
		name := tt.toolName(d.Tool, d.Unknown)
		attrs := append(tt.text(semconv.GenAIToolCallArgumentsKey, string(d.Arguments)),
			semconv.GenAIOperationNameExecuteTool, name, semconv.GenAIToolCallID(clip(d.ID)))
		tt.open(event, join(event.Path, d.Tool), d.ID, "execute_tool "+name.Value.AsString(), attrs...)
	case qed.ToolFinished:
		tt.close(event, toolStart, join(event.Path, d.Tool), d.ID, d.Error != "")
		attrs := []attribute.KeyValue{agent, tt.toolName(d.Tool, d.Unknown)}
		if d.Error != "" {
			attrs = append(attrs, semconv.ErrorTypeOther)
		}
		tt.tools.Record(tt.ctx, float64(d.Millis)/1000, metric.WithAttributes(attrs...))
	case qed.QueryExecuted:
		tt.child(event, "query", d.Millis,
			append(tt.text(semconv.DBQueryTextKey, d.Query), semconv.DBResponseReturnedRows(d.Rows))...)
		tt.executions.Record(tt.ctx, float64(d.Millis)/1000, metric.WithAttributes(agent))
	case qed.Retrieved:
		tt.child(event, "retrieval", d.Millis, append(tt.text(semconv.GenAIRetrievalQueryTextKey, d.Query),
			semconv.GenAIOperationNameRetrieval, retrievedCount.Int(len(d.Citations)))...)
	case qed.QueryRefused:
		code := tt.few(problemCode, d.Code)
		tt.note(event, append(tt.text(semconv.DBQueryTextKey, d.Query), code)...)
		tt.refused.Add(tt.ctx, 1, metric.WithAttributes(agent, code))
	case qed.QueryWritten:
		if d.Attempt > 1 {
			tt.note(event, nodeAttempt.Int(d.Attempt))
			tt.corrected.Add(tt.ctx, 1, metric.WithAttributes(agent))
		}
	case qed.RouteDecision:
		tt.note(event, routeTaken.String(clip(d.Route)))
	case qed.Warning:
		code := tt.few(problemCode, d.Code)
		tt.note(event, code)
		tt.warnings.Add(tt.ctx, 1, metric.WithAttributes(agent, code))
	case qed.Interrupted:
		tt.note(event, questionID.String(d.Question.ID))
	case qed.Completed:
		tt.outcome = outcomeOf(d.Answer)
	case qed.Failed:
		tt.outcome, tt.code = "failed", d.Code
		if tt.code == "" {
			tt.code = errorType(err)
		}
	}
}

// outcomeOf returns how a turn with the answer ended.
func outcomeOf(a qed.Answer) string {
	switch {
	case len(a.Questions) > 0:
		return "interrupted"
	case a.Partial:
		return "partial"
	}
	return "completed"
}

// finish ends the spans that are open, the one of the turn last.
func (tt *turn) finish() {
	tt.mu.Lock()
	tt.closed = true
	made := tt.made
	tt.mu.Unlock()
	end := time.Now()
	for i := len(tt.parts) - 1; i >= 0; i-- {
		tt.flush(tt.parts[i], end)
		if i > 0 {
			tt.parts[i].span().End(trace.WithTimestamp(end))
			tt.parts = tt.parts[:i]
		}
	}

	attrs := []attribute.KeyValue{semconv.GenAIAgentName(tt.name), agentOutcome.String(tt.outcome)}
	if tt.code != "" {
		attrs = append(attrs, tt.few(semconv.ErrorTypeKey, tt.code))
	}
	tt.turns.Record(tt.ctx, end.Sub(tt.start).Seconds(), metric.WithAttributes(attrs...))
	tt.modelCalls.Record(tt.ctx, int64(made), metric.WithAttributes(attrs[:1]...))
	span := trace.SpanFromContext(tt.ctx)
	span.SetAttributes(attrs[1:]...)
	if tt.outcome == "failed" {
		span.SetStatus(codes.Error, clip(tt.code))
	}
	span.End(trace.WithTimestamp(end))
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// join returns the path of a part named name.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}
