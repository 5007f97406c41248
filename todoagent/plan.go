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
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
)

// readPlan is the model's reply to plan_todos, whose prompt describes the fields.
type readPlan struct {
	Reason    string `json:"reason,omitempty" jsonschema_description:"one sentence why"`
	Retrieval string `json:"retrieval,omitempty" jsonschema:"enum=single_entity,enum=multi_entity,enum=aggregation,enum=none"`
	QueryMode string `json:"query_mode,omitempty" jsonschema:"enum=create_new,enum=edit_existing"`

	Tasks []readTask `json:"tasks"`
}

// readTask is a task of a plan that the model or the user wrote.
type readTask struct {
	Key         string   `json:"key"`
	Description string   `json:"description"`
	Tool        string   `json:"tool"`
	Arguments   string   `json:"arguments"`
	After       []string `json:"after,omitempty"`
	CanClarify  *bool    `json:"can_clarify,omitempty"`
	Parallel    bool     `json:"parallel,omitempty"`
}

const maxDescription = 500 // bytes

var todoKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// plan is the node in which the model breaks a request into tasks. A plan that
// cannot be used goes back to the model with the reason, a limited number of
// times; then the user is asked for a hint.
func (a *agent) plan(ctx context.Context, s state) (state, error) {
	// The user's reply comes in a later turn, which must find the same question.
	ctx = qed.WithNamespace(ctx, "plan/"+s.PlanID)
	facts, err := qed.Dates(ctx, s.Request)
	if err != nil {
		return s, err
	}
	days := facts.String()
	if s.Rewritten != s.Request {
		days, _, _ = strings.Cut(days, "\n")
	}
	data := planData{
		Question: s.Rewritten,
		Request:  s.Request,
		Before:   s.Before,
		Dates:    days,
		MaxTodos: maxTodos,
		Language: answertext.Tag(ctx),
		Known:    s.Known,
		Tools:    a.shown,
		Runs:     a.languages(),
	}
	for range 2 {
		l, problem, err := a.tryToPlan(ctx, &s, data)
		if err != nil {
			return s, err
		}
		if l != nil {
			s.setPlan(a.texts(ctx), l, a.opt.ApprovePlan)
			if len(l.Tasks) > 0 {
				qed.Emit(ctx, qed.Planned{Reason: l.Reason, Tasks: l.planTasks()})
			}
			return s, nil
		}
		data.Problem = prompt.Clip(problem.Error(), maxProblem)
		if s.Alone || data.Hint != "" {
			break
		}
		hint, err := qed.Interrupt[string](ctx, question.Question{Text: a.texts(ctx).HowToPlan})
		switch {
		case errors.Is(err, qed.ErrCannotInterrupt) || errors.Is(err, qed.ErrTooManyQuestions):
			s.unplanned(a.texts(ctx), data.Problem)
			return s, nil
		case err != nil:
			return s, err
		}
		data.Hint = prompt.Clip(hint, maxQuestion)
	}
	s.unplanned(a.texts(ctx), data.Problem)
	return s, nil
}

// unplanned makes the answer say that there is no plan.
func (s *state) unplanned(texts *texts, problem string) {
	s.Said, s.Reason, s.Failure = texts.NoPlan, texts.NoPlan, "no plan could be made: "+problem
}

// setPlan makes l the plan. A plan without tasks says why there is nothing to do.
func (s *state) setPlan(texts *texts, l *plan, approve bool) {
	s.Known, s.Plan = known{}, l
	if len(l.Tasks) == 0 {
		s.Plan = nil
		s.Said = cmp.Or(strings.TrimSpace(l.Reason), texts.NothingToDo)
		s.Reason = texts.NoTool
		return
	}
	l.Proposed = approve
}

// tryToPlan asks the model for a plan until one can be used. If none can, problem
// says what is wrong with the last.
func (a *agent) tryToPlan(ctx context.Context, s *state, data planData) (l *plan, problem, err error) {
	for try := 0; try <= maxReplans; try++ {
		req, err := a.model.Request("plan_todos", a.prompts["plan_todos"], &data, nil)
		if err != nil {
			return nil, nil, err
		}
		reply, err := modelcall.Choose[readPlan](ctx, a.model, req, map[string]llm.Choice{"tasks.tool": {Texts: a.names}})
		switch {
		case modelcall.Unusable(err):
			problem = errors.New("the reply was not a plan")
			data.Problem = problem.Error() + ": write few tasks, with short texts"
			continue
		case err != nil:
			return nil, nil, err
		}
		l = &plan{
			ID: s.PlanID, Original: s.Request, Rewritten: s.Rewritten, Reason: prompt.Clip(reply.Reason, maxReason),
			Retrieval: reply.Retrieval, QueryMode: cmp.Or(reply.QueryMode, "create_new"),
		}
		problem = a.accept(l, reply.Tasks)
		if problem == nil && try < maxReplans {
			problem = a.checkSource(l) // a preference: the last try may run it anyway
		}
		if problem == nil {
			return l, nil, nil
		}
		data.Problem = prompt.Clip(problem.Error(), maxProblem)
	}
	return nil, problem, nil
}

// accept adds the tasks to l, or returns what is wrong with them.
func (a *agent) accept(l *plan, tasks []readTask) error {
	if len(tasks) > maxTodos {
		return fmt.Errorf("the plan has %d tasks: at most %d are allowed", len(tasks), maxTodos)
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

// acceptTask adds a task to l, even if something is wrong with it: later tasks may
// refer to it.
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
		return fmt.Errorf("task %q: a key is 1 to 64 lower-case letters, digits and underscores and begins with a letter",
			prompt.Clip(t.Key, 100))
	case slices.Contains(before, t.Key):
		return fmt.Errorf("task %s: another task has the same key", t.Key)
	case added.Description == "":
		return fmt.Errorf("task %s has no description", t.Key)
	}
	tool, ok := a.planTools[t.Tool]
	if !ok {
		_, err := a.tools.Lookup(t.Tool) // the error names similar tools
		return fmt.Errorf("task %s: %w", t.Key, err)
	}
	arguments, err := tool.check(json.RawMessage(t.Arguments))
	if err != nil {
		return fmt.Errorf("task %s: the arguments do not fit the schema of %s: %w", t.Key, t.Tool, err)
	}
	added.Arguments = arguments
	added.CanInterrupt = tool.Interrupts && (t.CanClarify == nil || *t.CanClarify)
	for _, key := range t.After {
		if !slices.Contains(before, key) {
			return fmt.Errorf("task %s: it comes after %q, which is not a task before it", t.Key, prompt.Clip(key, 100))
		}
	}
	if err := a.checkReferences(l, t.Key, arguments); err != nil {
		return err
	}
	added.After = after(t.After, arguments)
	return nil
}

// after returns the keys of the tasks that come before a task: the given keys, and
// the tasks whose results its arguments refer to.
func after(given []string, arguments json.RawMessage) []string {
	var keys []string
	keys = lists.Add(keys, append(slices.Clone(given), references(arguments)...)...)
	return keys
}

// Values of TodoList.Retrieval and TodoList.DataSource.
const (
	singleEntity = "single_entity"
	hybrid       = "hybrid"
	noSource     = "none"
)

// source returns the language of the queries that the tasks of a plan run.
func (a *agent) source(l *plan) string {
	source := noSource
	for i := range l.Tasks {
		switch language := a.tool(l.Tasks[i].Tool).Language; {
		case language == "" || language == source:
		case source == noSource:
			source = language
		default:
			return hybrid
		}
	}
	return source
}

// checkSource returns an error if a plan queries the wrong source: a single entity
// comes from GraphQL, several entities and aggregations from Elasticsearch. SQL is
// right for all of them.
func (a *agent) checkSource(l *plan) error {
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
	return fmt.Errorf("the data for %s comes from %s: use a tool that runs such queries", l.Retrieval, preferred)
}
