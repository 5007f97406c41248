package searchagent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// planned is what the model answers when it plans.
type planned struct {
	Steps  []plannedStep `json:"steps" jsonschema:"description=empty where no search can answer"`
	Reason string        `json:"reason" jsonschema:"description=one or two sentences: what one search could not use\\, and so why these steps; or why there are none"`
}

type plannedStep struct {
	Key   string   `json:"key" jsonschema:"description=a short name for the step: letters\\, digits\\, - and _"`
	Task  string   `json:"task" jsonschema:"description=what to find\\, in plain words"`
	Index string   `json:"index,omitempty" jsonschema:"description=the index to search"`
	After []string `json:"after,omitempty" jsonschema:"description=the keys of the steps whose documents it needs"`
	One   bool     `json:"one,omitempty" jsonschema:"description=whether it looks for one thing\\, such as a folder by its name"`
}

// PlanData is what the prompt for planning is given.
type PlanData struct {
	Question string
	Today    string // such as "Sunday, 2026-11-22"
	MaxSteps int
	Indices  []PromptIndex
	Problems []string // what is wrong with the plan that the model gave before; empty the first time
}

// PromptIndex is an index in a prompt.
type PromptIndex struct {
	Name   string
	About  string // the host's words
	Fields string // a line each, with its type and what it can be used for
}

// describe describes an index for a prompt: of its fields those nearest to the text.
func (a *agent) describe(name, text string, limit int) (PromptIndex, error) {
	d, err := a.validator.Describe(name, &esquery.DescribeOptions{Words: text, MaxFields: limit})
	if err != nil {
		return PromptIndex{}, fmt.Errorf("searchagent: %w", err)
	}
	return PromptIndex{Name: name, About: a.opt.About[name], Fields: d.String()}, nil
}

// plan has the model say in which steps the question is to be answered. A plan that
// cannot be carried out goes back to it once.
func (a *agent) plan(ctx context.Context, s state) (state, error) {
	if _, err := a.access(ctx); err != nil {
		return s, err // before a plan is paid for that cannot be carried out
	}
	data := PlanData{Question: s.Question, Today: today(ctx), MaxSteps: a.opt.MaxSteps}
	for _, name := range a.nearestIndices(s.Question) {
		index, err := a.describe(name, s.Question, a.opt.MaxFieldsInPlan)
		if err != nil {
			return s, err
		}
		data.Indices = append(data.Indices, index)
	}
	for range 2 {
		req, err := a.model.Request("plan", a.opt.Prompts.Plan, data, s.History)
		if err != nil {
			return s, err
		}
		p, err := asking.Object[planned](ctx, a.model, &s.Usage, req)
		switch {
		case asking.Unusable(err):
			s.Reason = "the model made no plan"
			return s, nil
		case err != nil:
			return s, err
		case len(p.Steps) == 0:
			s.Reason, s.Declined = a.cannot(p.Reason), true
			return s, nil
		}
		steps, problems := a.take(p.Steps)
		if len(problems) == 0 {
			s.Steps = steps
			announce(ctx, p.Reason, steps)
			return s, nil
		}
		data.Problems = problems
	}
	s.Reason = "the model made no plan that can be carried out (" + strings.Join(data.Problems, "; ") + ")"
	return s, nil
}

// nearestIndices returns the indices that a prompt describes: all of them, unless
// there are many; then those that have most of the question's words first.
func (a *agent) nearestIndices(question string) []string {
	names := a.validator.Indices()
	if len(names) <= maxIndices {
		return names
	}
	asked := words(question)
	shared := func(name string) (n int) {
		for _, w := range words(name + " " + a.opt.About[name]) {
			if slices.Contains(asked, w) {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(names, func(a, b string) int { return shared(b) - shared(a) })
	return names[:maxIndices]
}

const maxIndices = 30

func announce(ctx context.Context, reason string, steps []step) {
	event := qed.Planned{Reason: prompt.Clip(oneLine(reason), maxReason)}
	for _, st := range steps {
		event.Tasks = append(event.Tasks, qed.PlanTask{Key: st.Key, Description: st.Task, After: st.After})
	}
	qed.Emit(ctx, event)
}

// take makes steps of what the model planned, in an order in which none needs a later
// one, or says what is wrong with it.
func (a *agent) take(plan []plannedStep) (steps []step, problems []string) {
	problem := func(format string, args ...any) {
		if len(problems) < maxProblems {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	if len(plan) > a.opt.MaxSteps {
		problem("there are %d steps, and at most %d are allowed", len(plan), a.opt.MaxSteps)
		return nil, problems
	}
	indices := a.validator.Indices()
	keys := make([]string, len(plan))
	for i, p := range plan {
		keys[i] = p.Key
		name := "step " + prompt.Quote(prompt.Clip(p.Key, maxKey))
		switch {
		case !isKey(p.Key):
			problem("%s: a key is 1 to %d letters, digits, - and _", name, maxKey)
		case slices.Contains(keys[:i], p.Key):
			problem("%s: there are two of that key", name)
		}
		if strings.TrimSpace(p.Task) == "" {
			problem("%s has no task", name)
		}
		if p.Index == "" && len(indices) == 1 {
			p.Index = indices[0]
		}
		if !slices.Contains(indices, p.Index) {
			problem("%s: there is no index %s%s", name, prompt.Quote(prompt.Clip(p.Index, maxName)),
				meant(refusal.Nearest(p.Index, indices, maxCandidates)))
		}
		after := slices.Clone(p.After)
		slices.Sort(after)
		steps = append(steps, step{
			Key: p.Key, Task: prompt.Clip(oneLine(p.Task), maxTask), Index: p.Index, After: slices.Compact(after), One: p.One,
		})
	}
	for i := range steps {
		for _, key := range steps[i].After {
			if !slices.Contains(keys, key) {
				problem("step %s needs a step %s that there is not", prompt.Quote(prompt.Clip(keys[i], maxKey)), prompt.Quote(prompt.Clip(key, maxKey)))
			}
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if steps = inOrder(steps); steps == nil {
		problem("the steps need each other in a circle")
	}
	return steps, problems
}

func meant(candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(candidates, ", ") + "?)"
}

// inOrder returns steps so that none needs a later one, otherwise as they were; nil
// where they need each other in a circle.
func inOrder(steps []step) []step {
	var ordered []step
	placed := map[string]bool{}
	for len(ordered) < len(steps) {
		i := slices.IndexFunc(steps, func(st step) bool {
			return !placed[st.Key] && !slices.ContainsFunc(st.After, func(key string) bool { return !placed[key] })
		})
		if i < 0 {
			return nil
		}
		placed[steps[i].Key] = true
		ordered = append(ordered, steps[i])
	}
	return ordered
}

func isKey(s string) bool {
	return 0 < len(s) && len(s) <= maxKey && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
}

const (
	maxKey        = 40
	maxTask       = 500
	maxName       = 100
	maxProblems   = 10
	maxCandidates = 3
)

// words are the lower-case words of a text.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r < 0x80 && !('a' <= r && r <= 'z' || '0' <= r && r <= '9')
	})
}

func today(ctx context.Context) string { return qed.Now(ctx).Format("Monday, 2006-01-02") }
