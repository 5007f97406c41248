package research

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/question"
)

// planData is the data of the prompt that plans the tasks.
type planData struct {
	Question, Language, Context string
	Analysis                    *Analysis
	Queries                     []string
	MaxTasks                    int
	Dates                       dates.Facts
}

// plannedTasks is the model's reply to that prompt.
type plannedTasks struct {
	Tasks []plannedTask `json:"tasks" jsonschema:"minItems=1"`
}

type plannedTask struct {
	Description string `json:"description"`
	Query       string `json:"query"`
	After       []int  `json:"after,omitempty" jsonschema_description:"numbers of earlier tasks, from 1"`
}

// taskTool is the tool of all tasks in the list.
const taskTool = "research"

// arguments are the arguments of a task in the list.
type arguments struct {
	Query string `json:"query"`
}

// newTask returns a task of the list. Its description and query are not blank.
func newTask(key, description, query string, after []string) qed.Todo {
	raw, _ := json.Marshal(arguments{query}) // a string has a JSON form
	return qed.Todo{
		Key: key, Description: description, Tool: taskTool, Arguments: raw, After: after,
		Parallel: true, Status: qed.TodoPending,
	}
}

// plan is the node that lets the model plan the tasks. If its reply cannot be used,
// there is one task for each research query.
func (a *agent) plan(ctx context.Context, s state) (state, error) {
	s.Clarification.Ended = cmp.Or(s.Clarification.Ended, EndQueriesGiven)
	facts, err := qed.Dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data := planData{
		Question: s.Question, Language: s.language(), Context: s.Context, Analysis: s.Analysis,
		Queries: s.Queries, MaxTasks: a.opt.MaxTasks, Dates: facts,
	}
	reply, err := modelcall.Reply[plannedTasks](ctx, a.model, "plan_tasks", planPrompt, data, nil)
	if err != nil && !modelcall.Unusable(err) {
		return s, err
	}
	if err != nil {
		for _, q := range s.Queries {
			reply.Tasks = append(reply.Tasks, plannedTask{Description: q, Query: q})
		}
	}
	s.Plan = qed.TodoList{
		ID: qed.Info(ctx).NewID(), Original: s.Question, Rewritten: s.Question, Proposed: a.opt.ApprovePlan,
	}
	keys := make([]string, len(reply.Tasks)) // of the tasks that are used
	for i, t := range reply.Tasks {
		var after []string
		for _, n := range t.After {
			if n >= 1 && n <= i && keys[n-1] != "" && !slices.Contains(after, keys[n-1]) {
				after = append(after, keys[n-1])
			}
		}
		keys[i] = s.add(t.Description, t.Query, after, a.opt.MaxTasks)
	}
	if len(s.Plan.Tasks) == 0 {
		s.Rejected = a.texts(ctx, &s).NoPlan
		return s, nil
	}
	s.point()
	qed.Emit(ctx, s.planned())
	return s, nil
}

// add adds a task to the plan and returns its key. It returns an empty key if the plan
// has the most tasks, or one with the same query.
func (s *state) add(description, query string, after []string, most int) string {
	description, query = tidy(description, maxQuery), tidy(query, maxQuery)
	query = cmp.Or(query, description)
	description = cmp.Or(description, query)
	same := func(t qed.Todo) bool { return strings.EqualFold(queryOf(&t), query) }
	if query == "" || len(s.Plan.Tasks) >= most || slices.ContainsFunc(s.Plan.Tasks, same) {
		return ""
	}
	key := ""
	for n := len(s.Plan.Tasks) + 1; key == "" || s.task(key) != nil; n++ {
		key = fmt.Sprint("task_", n)
	}
	s.Plan.Tasks = append(s.Plan.Tasks, newTask(key, description, query, after))
	return key
}

// queryOf returns the query of a task.
func queryOf(t *qed.Todo) string {
	var args arguments
	if json.Unmarshal(t.Arguments, &args) != nil || strings.TrimSpace(args.Query) == "" {
		return tidy(t.Description, maxQuery)
	}
	return tidy(args.Query, maxQuery)
}

// task returns the task with a key, or nil.
func (s *state) task(key string) *qed.Todo {
	for i := range s.Plan.Tasks {
		if s.Plan.Tasks[i].Key == key {
			return &s.Plan.Tasks[i]
		}
	}
	return nil
}

// point sets the current task to the first that is pending.
func (s *state) point() {
	s.Plan.Current = ""
	for _, t := range s.Plan.Tasks {
		if t.Status == qed.TodoPending {
			s.Plan.Current = t.Key
			return
		}
	}
}

// planned returns the event of the list.
func (s *state) planned() qed.Planned { return qed.Planned{Tasks: s.planTasks()} }

func (s *state) planTasks() []qed.PlanTask {
	var all []qed.PlanTask
	for _, t := range s.Plan.Tasks {
		all = append(all, qed.PlanTask{
			Key: t.Key, Description: t.Description, After: t.After, Tool: t.Tool, Status: t.Status,
		})
	}
	return all
}

// afterPlanning returns the node after the plan was made or approved.
func (a *agent) afterPlanning(s state) string {
	switch {
	case s.Rejected != "":
		return "attribute_sources"
	case s.Plan.Proposed:
		return "approve_plan"
	}
	return "execute_tasks"
}

// approve is the node that asks the user whether the tasks may run. The user can
// approve, edit or reject them.
func (a *agent) approve(ctx context.Context, s state) (state, error) {
	texts, problem := a.texts(ctx, &s), ""
	for {
		draft, err := json.Marshal(s.Plan)
		if err != nil {
			return s, err
		}
		q := question.Question{Text: s.proposal(texts, problem), Draft: draft}
		reply, err := qed.Interrupt[question.Approval[json.RawMessage]](ctx, q)
		if err != nil {
			return s, err
		}
		switch reply.Decision {
		case question.Reject:
			s.Rejected = texts.Rejected
			if reply.Reason != "" {
				s.Rejected = usertext.Fill(texts.Because, "text", s.Rejected, "reason", tidy(reply.Reason, maxNote))
			}
			return s, nil
		case question.Edit:
			tasks, err := a.edited(reply.Value)
			if err != nil {
				problem = prompt.Clip(err.Error(), maxNote)
				continue
			}
			s.Plan.Tasks = tasks
			s.point()
		}
		s.Plan.Proposed = false
		qed.Emit(ctx, s.planned())
		return s, nil
	}
}

// proposal returns the question whether the tasks may run.
func (s *state) proposal(texts *texts, problem string) string {
	var b strings.Builder
	if problem != "" {
		b.WriteString(usertext.Fill(texts.Unusable, "problem", problem) + "\n")
	}
	b.WriteString(texts.Plan + "\n")
	for i, t := range s.Plan.Tasks {
		fmt.Fprintf(&b, "%d. %s\n", i+1, t.Description)
	}
	b.WriteString(texts.Approve)
	return b.String()
}

var taskKey = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// edited returns the tasks of an edited list, or what is wrong with it.
func (a *agent) edited(value json.RawMessage) ([]qed.Todo, error) {
	var list qed.TodoList
	if err := list.DecodeStrict(value); err != nil {
		return nil, err
	}
	if n := len(list.Tasks); n == 0 || n > a.opt.MaxTasks {
		return nil, fmt.Errorf("it has %d tasks: between 1 and %d are allowed", n, a.opt.MaxTasks)
	}
	var tasks []qed.Todo
	var keys []string
	for _, t := range list.Tasks {
		description, query := tidy(t.Description, maxQuery), queryOf(&t)
		var args arguments
		switch {
		case !taskKey.MatchString(t.Key):
			return nil, fmt.Errorf("the key %q has other characters than a-z, 0-9 and _", prompt.Clip(t.Key, 64))
		case description == "":
			return nil, fmt.Errorf("task %s has no description", t.Key)
		case t.Tool != "" && t.Tool != taskTool:
			return nil, fmt.Errorf("task %s has the tool %q: the only tool is %q", t.Key, prompt.Clip(t.Tool, 64), taskTool)
		case len(t.Arguments) > 0 && json.Unmarshal(t.Arguments, &args) != nil:
			return nil, fmt.Errorf(`the arguments of task %s are not {"query": "..."}`, t.Key)
		}
		for _, key := range t.After {
			if !slices.Contains(keys, key) {
				return nil, fmt.Errorf("task %s is after %q, which is no earlier task", t.Key, prompt.Clip(key, 64))
			}
		}
		keys = append(keys, t.Key)
		tasks = append(tasks, newTask(t.Key, description, query, t.After))
	}
	return tasks, nil
}

// problem adds a text about what failed, once.
func (s *state) problem(text string) {
	s.Problems = lists.Add(s.Problems, text)
}
