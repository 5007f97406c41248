package toolagent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/llm"
)

// A StepRequest is the request of a step, which [Options.BeforeStep] may change. The
// changes are for this step only.
type StepRequest struct {
	Progress // what was done before this step

	// Model is asked in this step. Nil means the agent's model.
	Model llm.Model

	// Tools are the names of the tools that are offered. Calls of others are
	// refused. Some providers do not accept earlier calls in a request without
	// tools.
	Tools []string

	// Messages are sent. The first one is the system message. A message with calls
	// must be followed by all of their results.
	Messages []llm.Message
}

// A prepared has the request of a step.
type prepared struct {
	req     *llm.Request
	model   *modelcall.Model
	offered []string // names of tools; nil means all
}

// prepare returns the request of the next step.
func (r *run) prepare(ctx context.Context) (prepared, error) {
	p := prepared{req: r.model.Send("step", r.messages...), model: r.model}
	p.req.Tools = r.specs
	if r.opt.BeforeStep == nil {
		return p, nil
	}
	progress := r.progress()
	progress.Steps-- // this step is not done
	step := &StepRequest{Progress: progress, Tools: r.tools.Names(), Messages: slices.Clone(r.messages)}
	if err := r.opt.BeforeStep(ctx, step); err != nil {
		return p, fmt.Errorf("toolagent: BeforeStep: %w", err)
	}
	for _, name := range step.Tools {
		if _, err := r.tools.Lookup(name); err != nil {
			return p, fmt.Errorf("toolagent: BeforeStep: %w", err)
		}
	}
	p.offered = append([]string{}, step.Tools...)
	p.req.Messages, p.req.Tools = step.Messages, nil
	for _, spec := range r.specs {
		if p.offers(spec.Name) {
			p.req.Tools = append(p.req.Tools, spec)
		}
	}
	if step.Model != nil {
		var err error
		if p.model, err = r.asked(step.Model); err != nil {
			return p, err
		}
	}
	return p, nil
}

// offers reports whether the tool with the name may be called.
func (p *prepared) offers(name string) bool {
	return p.offered == nil || slices.Contains(p.offered, name)
}

// malformed returns what is wrong with the form of the calls, or "". Models of this
// module return an error instead.
func malformed(calls []llm.ToolCall) string {
	for _, call := range calls {
		if len(call.Arguments) > 0 && !json.Valid(call.Arguments) {
			return "the arguments of " + call.Name + " are not JSON"
		}
	}
	return ""
}

// repairText returns the message for a reply that cannot be used.
func repairText(problem string) string {
	return "Your last reply cannot be used: " + problem + ".\nNone of its calls was made. Reply again, with the " +
		"corrected calls or with the answer. Keep the reply short if it was too long."
}
