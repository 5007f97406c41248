package analyst

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"time"

	"github.com/qedkit/qed"
)

// Metrics are what the turns of an [Analyst] did since it was made.
type Metrics struct {
	Started   int `json:"started"`
	Completed int `json:"completed"`
	Partial   int `json:"partial"` // of Completed, those that a limit ended
	Failed    int `json:"failed"`

	Steps map[int]int `json:"steps"` // how many turns had a number of steps
	// The calls of a turn are counted at its end: those of [Metadata] if it has an
	// exploration.
	ToolCalls  map[string]int `json:"toolCalls"`
	ToolErrors map[string]int `json:"toolErrors"` // calls that failed, by tool

	Tokens   int           `json:"tokens"`
	Cost     float64       `json:"cost"` // see [Metadata]
	Duration time.Duration `json:"duration"`
}

// Metrics returns the metrics so far.
func (a *Analyst) Metrics() Metrics {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.metrics
	m.Steps, m.ToolCalls, m.ToolErrors = maps.Clone(m.Steps), maps.Clone(m.ToolCalls), maps.Clone(m.ToolErrors)
	return m
}

// stepKind is the kind of the event before a step.
const stepKind = "step_start"

type stepStarted struct {
	Step   int `json:"step"`
	Of     int `json:"of"`
	Tokens int `json:"tokens"`
}

// An observer logs and counts the events of a turn.
type observer struct {
	*Analyst
	thread string
	began  time.Time
	at     stepStarted

	calls, errors map[string]int
}

func (a *Analyst) observe(turn qed.Turn) *observer {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.metrics.Started++
	return &observer{
		Analyst: a, thread: turn.Thread, began: time.Now(), calls: map[string]int{}, errors: map[string]int{},
	}
}

func (o *observer) see(ctx context.Context, e qed.Event) {
	switch d := e.Data.(type) {
	case qed.CustomEvent:
		if d.Kind == stepKind && json.Unmarshal(d.JSON, &o.at) == nil {
			o.log(ctx, stepKind)
		}
	case qed.ToolStarted:
		o.log(ctx, "tool_call", slog.String("tool", d.Tool))
	case qed.ToolFinished:
		failed := d.Error
		if failed != "" && d.Result == "" { // a text that may have data
			failed = "call"
		}
		o.calls[d.Tool]++
		if failed != "" {
			o.errors[d.Tool]++
		}
		o.log(ctx, "tool_result", append(errorKind(failed),
			slog.String("tool", d.Tool), slog.Int64("duration_ms", d.Millis))...)
	case qed.Completed:
		u := d.Answer.Usage
		o.at.Tokens = u.InputTokens + u.OutputTokens
		if found, err := ExplorationOf(d.Answer); err == nil {
			o.calls, o.errors = found.Metadata.ToolCalls, found.Metadata.Errors
		}
		o.count(func(m *Metrics) {
			m.Completed++
			if d.Answer.Partial {
				m.Partial++
			}
			m.Tokens += o.at.Tokens
			m.Cost += u.Cost
		})
		o.ended(ctx, "completion", slog.Float64("cost", u.Cost), slog.Bool("partial", d.Answer.Partial))
	case qed.Failed:
		o.count(func(m *Metrics) { m.Failed++; m.Tokens += o.at.Tokens })
		o.ended(ctx, "error", errorKind(cmp.Or(d.Code, "other"))...)
	}
}

func (o *observer) count(add func(*Metrics)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	add(&o.metrics)
}

func (o *observer) ended(ctx context.Context, event string, attrs ...slog.Attr) {
	took := time.Since(o.began)
	o.count(func(m *Metrics) {
		m.Steps[o.at.Step]++
		m.Duration += took
		for tool, n := range o.calls {
			m.ToolCalls[tool] += n
		}
		for tool, n := range o.errors {
			m.ToolErrors[tool] += n
		}
	})
	o.log(ctx, event, append(attrs, slog.Int64("duration_ms", took.Milliseconds()))...)
}

func (o *observer) log(ctx context.Context, event string, attrs ...slog.Attr) {
	attrs = append([]slog.Attr{
		slog.String("session", o.thread), slog.Int("step", o.at.Step), slog.Int("tokens", o.at.Tokens),
	}, attrs...)
	o.opt.Logger.LogAttrs(ctx, slog.LevelInfo, event, attrs...)
}

func errorKind(kind string) []slog.Attr {
	if kind == "" {
		return nil
	}
	return []slog.Attr{slog.String("error", kind)}
}
