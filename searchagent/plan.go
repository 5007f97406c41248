package searchagent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/refusal"
)

// planned is the model's plan.
type planned struct {
	Steps  []plannedStep `json:"steps" jsonschema:"description=empty if no search can answer"`
	Reason string        `json:"reason" jsonschema:"description=one or two sentences: why one search is not enough\\, and so why these steps; or why there are none"`
}

type plannedStep struct {
	Key   string   `json:"key" jsonschema:"description=a short name for the step: letters\\, digits\\, - and _"`
	Task  string   `json:"task" jsonschema:"description=what to find\\, in plain words"`
	Index string   `json:"index,omitempty" jsonschema:"description=the index to search"`
	After []string `json:"after,omitempty" jsonschema:"description=the keys of the steps whose documents it needs"`
	One   bool     `json:"one,omitempty" jsonschema:"description=whether it looks for one thing\\, such as a folder by its name"`
}

// planData is the data of the prompt for planning.
type planData struct {
	Question string
	Dates    dates.Facts // today and the calendar
	MaxTasks int
	Indices  []promptIndex
	Problems []string // what is wrong with the model's last plan; empty the first time
}

// A promptIndex is an index in a prompt.
type promptIndex struct {
	Name   string
	About  string // the host's words
	Fields string // one line each, with the type and what the field can be used for
}

// describe returns an index for a prompt, with the fields nearest to the text.
func (a *agent) describe(name, text string, limit int) (promptIndex, error) {
	fields, err := a.validator.Describe(name, &esquery.DescribeOptions{Words: text, MaxFields: limit})
	if err != nil {
		return promptIndex{}, fmt.Errorf("searchagent: %w", err)
	}
	return promptIndex{Name: name, About: a.opt.About[name], Fields: fields}, nil
}

// plan has the model split the question into tasks. A plan that cannot be used goes
// back to the model once.
func (a *agent) plan(ctx context.Context, s state) (state, error) {
	if _, err := a.access(ctx); err != nil {
		return s, err // before the model is paid for a plan that cannot run
	}
	facts, err := qed.Dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data := planData{Question: s.Question, Dates: facts, MaxTasks: maxTasks}
	for _, name := range a.nearestIndices(s.Question) {
		index, err := a.describe(name, s.Question, maxPlanFields)
		if err != nil {
			return s, err
		}
		data.Indices = append(data.Indices, index)
	}
	for range 2 {
		p, err := modelcall.Reply[planned](ctx, a.model, "plan", a.prompts["plan"], &data, s.History)
		switch {
		case modelcall.Unusable(err):
			s.Reason = a.reader.texts(ctx).NoPlan
			return s, nil
		case err != nil:
			return s, err
		case len(p.Steps) == 0:
			s.Reason, s.Declined = a.cannot(ctx, p.Reason), true
			return s, nil
		}
		tasks, problems := a.tasks(p.Steps)
		if len(problems) == 0 {
			s.Tasks = tasks
			emitPlanned(ctx, p.Reason, tasks)
			return s, nil
		}
		data.Problems = problems
	}
	s.Reason = a.reader.texts(ctx).NoPlan
	return s, nil
}

// nearestIndices returns the indices that a prompt describes: all of them, or those
// that share most words with the question if there are many.
func (a *agent) nearestIndices(question string) []string {
	names := a.validator.Indices()
	if len(names) <= maxIndices {
		return names
	}
	asked := textmatch.Split(question, nil)
	shared := func(name string) (n int) {
		for _, w := range textmatch.Split(name+" "+a.opt.About[name], nil) {
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

func emitPlanned(ctx context.Context, reason string, tasks []task) {
	event := qed.Planned{Reason: prompt.Clip(prompt.OneLine(reason), maxReason)}
	for i := range tasks {
		event.Tasks = append(event.Tasks, tasks[i].planTask())
	}
	qed.Emit(ctx, event)
}

// planTask returns a task for an event or an answer.
func (t *task) planTask() qed.PlanTask {
	return qed.PlanTask{Key: t.Key, Description: t.Description, After: t.After}
}

// tasks returns the tasks of a plan, ordered so that no task needs a later one, or
// what is wrong with the plan.
func (a *agent) tasks(plan []plannedStep) (tasks []task, problems []string) {
	problem := func(format string, args ...any) {
		if len(problems) < maxProblems {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	if len(plan) > maxTasks {
		problem("there are %d steps, and at most %d are allowed", len(plan), maxTasks)
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
			problem("%s: the key is used twice", name)
		}
		if strings.TrimSpace(p.Task) == "" {
			problem("%s has no task", name)
		}
		if p.Index == "" && len(indices) == 1 {
			p.Index = indices[0]
		}
		if !slices.Contains(indices, p.Index) {
			problem("%s", refusal.Problem{
				Message:    name + ": there is no index " + prompt.Quote(prompt.Clip(p.Index, maxName)),
				Candidates: refusal.Nearest(p.Index, indices, maxCandidates),
			})
		}
		after := slices.Clone(p.After)
		slices.Sort(after)
		tasks = append(tasks, task{
			Key:         p.Key,
			Description: prompt.Clip(prompt.OneLine(p.Task), maxTask),
			Index:       p.Index,
			After:       slices.Compact(after),
			One:         p.One,
		})
	}
	for i := range tasks {
		for _, key := range tasks[i].After {
			if !slices.Contains(keys, key) {
				problem("step %s needs a step %s, which does not exist",
					prompt.Quote(prompt.Clip(keys[i], maxKey)), prompt.Quote(prompt.Clip(key, maxKey)))
			}
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if tasks = inOrder(tasks); tasks == nil {
		problem("the steps need each other in a circle")
	}
	return tasks, problems
}

// inOrder returns tasks ordered so that none needs a later one, or nil if they need
// each other in a circle.
func inOrder(tasks []task) []task {
	var ordered []task
	placed := map[string]bool{}
	for len(ordered) < len(tasks) {
		i := slices.IndexFunc(tasks, func(t task) bool {
			return !placed[t.Key] && !slices.ContainsFunc(t.After, func(key string) bool { return !placed[key] })
		})
		if i < 0 {
			return nil
		}
		placed[tasks[i].Key] = true
		ordered = append(ordered, tasks[i])
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
