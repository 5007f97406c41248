package todoagent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// readPlan is a plan as the model writes it.
type readPlan struct {
	Reason    string `json:"reason,omitempty" jsonschema_description:"one sentence why these tasks; where there are none, why not, for the user"`
	Retrieval string `json:"retrieval,omitempty" jsonschema:"enum=single_entity,enum=multi_entity,enum=aggregation,enum=none"`
	// DataSource has the model decide before it writes the tasks. What they run says what it is.
	DataSource string     `json:"data_source,omitempty" jsonschema_description:"decided before the tasks: the language of the queries that the tasks run: elasticsearch, graphql, sql, hybrid (more than one) or none"`
	QueryMode  string     `json:"query_mode,omitempty" jsonschema:"enum=create_new,enum=edit_existing"`
	Tasks      []readTask `json:"tasks"`
}

type readTask struct {
	Key         string   `json:"key" jsonschema_description:"names the task: lower-case letters, digits and underscores"`
	Description string   `json:"description"`
	Tool        string   `json:"tool"`
	Arguments   string   `json:"arguments" jsonschema_description:"the JSON object of the tool's arguments"`
	After       []string `json:"after,omitempty" jsonschema_description:"the keys of the tasks that must come before it"`
	CanClarify  *bool    `json:"can_clarify,omitempty" jsonschema_description:"whether it may ask the user"`
	Parallel    bool     `json:"parallel,omitempty"`
}

const maxDescription = 500 // bytes

var todoKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// plan is the node that has the model break a request into tasks. A plan that cannot be used goes back to it with the reason, a limited number of
// times; then the user is asked.
func (a *agent) plan(ctx context.Context, s state) (state, error) {
	// The user's answer comes in a later turn, which must find here what was tried before.
	ctx = qed.WithNamespace(ctx, "plan/"+s.Ground)
	data := PlanData{
		Question: s.Rewritten,
		Request:  s.Request,
		Before:   s.Before,
		Zone:     zoneName(qed.Now(ctx).In(a.opt.TimeZone)),
		MaxTodos: a.opt.MaxTodos,
		Known:    s.Known,
		Tools:    a.shownTools(),
		Runs:     a.languages(),
	}
	for range 2 {
		l, problem, err := a.tryToPlan(ctx, &s, data)
		if err != nil {
			return s, err
		}
		if l != nil {
			s.adopt(l, a.opt.ApprovePlan)
			if len(l.Tasks) > 0 {
				qed.Emit(ctx, qed.Planned{Reason: l.Reason, Tasks: l.steps()})
			}
			return s, nil
		}
		data.Problem = prompt.Clip(problem.Error(), maxProblem)
		if s.Alone || data.Hint != "" {
			break
		}
		hint, err := qed.Interrupt[string](ctx, qed.Question{Text: "I could not make a plan for this: " + data.Problem + "\nHow should I go about it?"})
		switch {
		case errors.Is(err, qed.ErrCannotInterrupt) || errors.Is(err, qed.ErrTooManyQuestions):
			s.unplanned(data.Problem)
			return s, nil
		case err != nil:
			return s, err
		}
		data.Hint = prompt.Clip(hint, maxQuestion)
	}
	s.unplanned(data.Problem)
	return s, nil
}

// unplanned tells the user that there is no plan.
func (s *state) unplanned(problem string) {
	s.Said = "I could not make a plan for this: " + problem
	s.Reason = "no plan could be made: " + problem
}

// adopt makes l the plan at hand. One without tasks says why there is nothing to do.
func (s *state) adopt(l *plan, approve bool) {
	s.Known, s.Plan = Known{}, (*plan)(l)
	if len(l.Tasks) == 0 {
		s.Plan = nil
		s.Said = cmp.Or(l.Reason, "There is nothing that I could do about this.")
		s.Reason = "no task of the tools would answer this"
		return
	}
	l.Proposed = approve
}

// tryToPlan asks the model for a plan until it has one that can be used. Where it has none, problem says what is wrong with the last.
func (a *agent) tryToPlan(ctx context.Context, s *state, data PlanData) (l *plan, problem, err error) {
	for try := 0; try <= a.opt.MaxReplans; try++ {
		req, err := a.model.Request("plan_todos", a.prompts.Plan, data, nil)
		if err != nil {
			return nil, nil, err
		}
		said, err := asking.Object[readPlan](ctx, a.model, new(llm.Usage), req)
		switch {
		case asking.Unusable(err):
			problem = errors.New("the model did not write one")
			continue
		case err != nil:
			return nil, nil, err
		}
		l = &plan{
			ID: s.Ground, Original: s.Request, Rewritten: s.Rewritten, Reason: prompt.Clip(said.Reason, maxReason),
			Retrieval: said.Retrieval, QueryMode: cmp.Or(said.QueryMode, "create_new"),
		}
		problem = a.accept(l, said.Tasks)
		if problem == nil && try < a.opt.MaxReplans {
			problem = a.misplaced(l) // a matter of taste in the end: what was refused twice may run
		}
		if problem == nil {
			return l, nil, nil
		}
		data.Problem = prompt.Clip(problem.Error(), maxProblem)
	}
	return nil, problem, nil
}

// accept makes the tasks those of l, or says what is wrong with them.
func (a *agent) accept(l *plan, tasks []readTask) error {
	if len(tasks) > a.opt.MaxTodos {
		return fmt.Errorf("the plan has %d tasks, and at most %d are allowed", len(tasks), a.opt.MaxTodos)
	}
	var problems []error
	for _, t := range tasks {
		if err := a.acceptTask(l, t); err != nil {
			problems = append(problems, err)
		}
	}
	l.advance()
	l.DataSource = a.source(l)
	return errors.Join(problems...)
}

// acceptTask adds a task to l, also where something is wrong with it, as later ones may name it.
func (a *agent) acceptTask(l *plan, t readTask) error {
	todo := qed.Todo{
		Key: t.Key, Description: prompt.Clip(strings.TrimSpace(t.Description), maxDescription), Tool: t.Tool,
		Parallel: t.Parallel, Status: qed.TodoPending,
	}
	before := l.keys()
	l.Tasks = append(l.Tasks, todo)
	added := &l.Tasks[len(l.Tasks)-1]
	switch {
	case !todoKey.MatchString(t.Key):
		return fmt.Errorf("task %q: a key is 1 to 64 lower-case letters, digits and underscores, and begins with a letter", prompt.Clip(t.Key, 100))
	case slices.Contains(before, t.Key):
		return fmt.Errorf("task %s: there is another one of that key", t.Key)
	case added.Description == "":
		return fmt.Errorf("task %s has no description", t.Key)
	}
	tool, ok := a.plans[t.Tool]
	if !ok {
		return fmt.Errorf("task %s: %w", t.Key, unknownTool(a.tools, t.Tool))
	}
	arguments, err := tool.check(json.RawMessage(t.Arguments))
	if err != nil {
		return fmt.Errorf("task %s: the arguments are not what %s takes: %w", t.Key, t.Tool, err)
	}
	added.Arguments = arguments
	added.CanInterrupt = tool.Interrupts && (t.CanClarify == nil || *t.CanClarify)
	for _, key := range t.After {
		if !slices.Contains(before, key) {
			return fmt.Errorf("task %s: it comes after %q, which is no task before it", t.Key, prompt.Clip(key, 100))
		}
	}
	if err := a.fits(l, t.Key, arguments); err != nil {
		return err
	}
	added.After = after(t.After, arguments)
	return nil
}

// after returns the keys of the tasks that come before one: those it was said of, and those whose results it needs.
func after(said []string, arguments json.RawMessage) []string {
	var keys []string
	for _, key := range append(slices.Clone(said), references(arguments)...) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// What a plan may say of where its data is.
const (
	singleEntity = "single_entity"
	hybrid       = "hybrid"
	noSource     = "none"
)

// source is the language of the queries that the tasks of a plan run, whatever the model called it.
func (a *agent) source(l *plan) string {
	source := noSource
	for i := range l.Tasks {
		switch language := a.planned(l.Tasks[i].Tool).Language; {
		case language == "" || language == source:
		case source == noSource:
			source = language
		default:
			return hybrid
		}
	}
	return source
}

// misplaced says why a plan asks the wrong place: a single entity is a GraphQL service's, several or figures of many a search engine's; where
// there is SQL it does for both.
func (a *agent) misplaced(l *plan) error {
	preferred := "elasticsearch"
	if l.Retrieval == singleEntity {
		preferred = "graphql"
	}
	switch {
	case l.Retrieval == "" || l.Retrieval == noSource || !a.languages()[preferred]:
		return nil
	case l.DataSource == noSource || l.DataSource == hybrid || l.DataSource == "sql" || l.DataSource == preferred:
		return nil
	}
	return fmt.Errorf("the data of a request for %s comes from %s, by a tool that runs such queries; the plan has none", l.Retrieval, preferred)
}

// unknownTool returns the error for a tool that does not exist.
func unknownTool(r *qed.Registry, name string) error {
	_, err := r.Lookup(name)
	return err
}
