package toolagent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/llm"
)

// A Stop is a condition that ends the loop. Make one with [MaxSteps],
// [ToolCalled], [Budget], [Deadline] or [When].
//
// After [ToolCalled] the answer is complete. After the others, one last request
// without tools asks for an answer from what was found, and the answer is partial.
type Stop struct {
	steps  int
	tools  []string
	limits budget.Limits
	when   func(Progress) bool
	reason string
	err    error // why the condition cannot be used
}

// A Progress describes a turn after its last step.
type Progress struct {
	Steps   int              // how often the model replied
	Results []qed.ToolResult // of all calls, oldest first
	Usage   llm.Usage
}

// MaxSteps ends the loop after n steps. A step is one reply of the model and the
// calls in it.
func MaxSteps(n int) Stop {
	s := Stop{steps: n}
	if n < 1 {
		s.err = fmt.Errorf("toolagent: MaxSteps(%d): at least one step is needed", n)
	}
	return s
}

// ToolCalled ends the loop after a step in which a call of one of the tools
// succeeded. The answer is the text of that reply or, without one, the Text of the
// tool's finding ([finding.Finding]). Without both, one last request asks for it.
func ToolCalled(names ...string) Stop {
	s := Stop{tools: names}
	if len(names) == 0 {
		s.err = errors.New("toolagent: ToolCalled needs the name of a tool")
	}
	return s
}

// Budget limits what a turn may spend, within the budgets of its context. A tenth of
// each limit is for the last request: see [budget.With].
func Budget(l budget.Limits) Stop {
	s := Stop{limits: l}
	if l == (budget.Limits{}) {
		s.err = errors.New("toolagent: Budget needs a limit")
	}
	return s
}

// Deadline limits the time of a turn. A tenth of it is for the last request. A
// resumed run has the whole time again.
func Deadline(d time.Duration) Stop {
	s := Stop{limits: budget.Limits{Time: d}}
	if d <= 0 {
		s.err = fmt.Errorf("toolagent: Deadline(%v): the time must be positive", d)
	}
	return s
}

// When ends the loop after a step for which stop returns true. The reason is for the
// user, such as "The price is known." In a durable run stop must be deterministic,
// as [Options.BeforeStep].
func When(reason string, stop func(Progress) bool) Stop {
	s := Stop{reason: reason, when: stop}
	if reason == "" || stop == nil {
		s.err = errors.New("toolagent: When needs a reason and a function")
	}
	return s
}

// checkStops returns the conditions, among them a [MaxSteps], and their errors.
func checkStops(stops []Stop) ([]Stop, error) {
	var problems []error
	bounded := false
	for _, s := range stops {
		if s.err == nil && s.steps == 0 && len(s.tools) == 0 && s.limits == (budget.Limits{}) && s.when == nil {
			s.err = errors.New("toolagent: Options.Stop has a zero Stop; " +
				"make it with MaxSteps, ToolCalled, Budget, Deadline or When")
		}
		problems = append(problems, s.err)
		bounded = bounded || s.steps > 0
	}
	if !bounded {
		stops = append(slices.Clone(stops), MaxSteps(defaultMaxSteps))
	}
	return stops, errors.Join(problems...)
}

// withLimits returns a context with the budgets of the conditions.
func withLimits(ctx context.Context, stops []Stop) context.Context {
	for _, s := range stops {
		ctx = budget.With(ctx, s.limits) // without limits this returns ctx
	}
	return ctx
}

// stopped returns how the loop ends after a step, or nil if it continues. from is
// the first of the step's results, said the text of its reply.
func (r *run) stopped(from int, said figures.Result) *ending {
	for _, s := range r.opt.Stop {
		for _, made := range r.results[from:] {
			if made.Err == nil && slices.Contains(s.tools, made.Call.Name) {
				if firstText(said.Text) == "" {
					said = made.said()
				}
				return &ending{answer: trimmed(said)}
			}
		}
	}
	for _, s := range r.opt.Stop {
		switch {
		case s.steps > 0 && r.steps >= s.steps:
			return &ending{reason: r.texts(r.ctx).stepsReason(s.steps)}
		case s.when != nil && s.when(r.progress()):
			return &ending{reason: s.reason}
		}
	}
	return nil
}
