package research

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/rag"
)

// A TaskEnd is why a task ended.
type TaskEnd string

const (
	TaskDone        TaskEnd = "done"        // the model says that the findings answer it
	TaskIterations  TaskEnd = "iterations"  // see [Options.MaxIterations]
	TaskConvergence TaskEnd = "convergence" // see [Options.MaxSameDocument]
	TaskTokens      TaskEnd = "tokens"      // see [Options.TaskTokens]
	TaskBudget      TaskEnd = "budget"      // the budget of the run is used up
	TaskNoQuery     TaskEnd = "no_query"    // the model has no other query
	TaskFailed      TaskEnd = "failed"      // the search of the task failed
)

// A Progress is the data of the event "research_progress", which is emitted after
// each passage that a task read.
type Progress struct {
	Task       string `json:"task"` // the key
	Iteration  int    `json:"iteration"`
	Depth      int    `json:"depth"`       // of the passage: how many references led to it
	Documents  int    `json:"documents"`   // that the task read
	Findings   int    `json:"findings"`    // of the task
	TokensLeft int    `json:"tokens_left"` // of the task

	// Passage is what was read, and Finding what it says about the task. Finding is
	// empty if the passage is not among the findings. A more relevant one can still
	// replace it: see [Options.MinPassages].
	Passage qed.Citation `json:"passage"`
	Finding string       `json:"finding,omitempty"`
}

const progressKind = "research_progress"

// An outcome is what a task found.
type outcome struct {
	report   TaskReport
	findings []finding
	further  []furtherTask // that the task proposes
	problems []string
}

// execute is the node that runs all tasks that need no other task first, at the same
// time.
func (a *agent) execute(ctx context.Context, s state) (state, error) {
	if err := a.checkRights(ctx, &s); err != nil {
		return s, err
	}
	batch := s.ready()
	key := func(t qed.Todo) string { return t.Key }
	outcomes, err := qed.Each(ctx, batch, key, func(ctx context.Context, t qed.Todo) (outcome, error) {
		return a.runTask(ctx, &s, t)
	})
	if err != nil {
		return s, err
	}
	for i, o := range outcomes {
		t := s.task(batch[i].Key)
		t.Status, t.Attempt, t.Began = qed.TodoComplete, 1, qed.TurnTime(ctx)
		switch o.report.Ended {
		case TaskFailed:
			t.Status, t.Problem = qed.TodoFailed, o.report.Errors[0]
		case TaskBudget:
			t.Status = qed.TodoSkipped
		}
		s.Tasks = append(s.Tasks, o.report)
		s.Findings = append(s.Findings, o.findings...)
		for _, p := range o.problems {
			s.problem(p)
		}
	}
	for _, o := range outcomes {
		for _, f := range o.further {
			s.add(f.Description, f.Query, nil, a.opt.MaxTasks)
		}
	}
	s.point()
	qed.Emit(ctx, s.planned())
	return s, nil
}

// ready returns the pending tasks whose earlier tasks have ended.
func (s *state) ready() (batch []qed.Todo) {
	for _, t := range s.Plan.Tasks {
		waits := func(key string) bool { return s.task(key).Status == qed.TodoPending }
		if t.Status == qed.TodoPending && !slices.ContainsFunc(t.After, waits) {
			batch = append(batch, t)
		}
	}
	return batch
}

// afterTasks returns the node after a batch of tasks.
func afterTasks(s state) string {
	if s.Plan.Current != "" {
		return "execute_tasks"
	}
	return "synthesize"
}

// runTask runs a task within its budget. Errors that end the turn are returned;
// others are in the outcome.
func (a *agent) runTask(ctx context.Context, s *state, t qed.Todo) (outcome, error) {
	r := &taskRun{
		agent: a, s: s, todo: t, texts: a.texts(ctx, s),
		seenReferences: map[string]bool{}, seenChunks: map[string]bool{}, stale: map[string]int{},
	}
	r.out.report = TaskReport{Key: t.Key, Description: t.Description}
	task := qed.Task{Key: t.Key, Description: t.Description}
	ended, err := qed.RunTask(ctx, task, func(outer context.Context) (int, error) {
		// The whole budget is for the task: it writes no final answer.
		ctx := budget.ForFinalAnswer(budget.With(outer, budget.Limits{Tokens: a.opt.TaskTokens}))
		err := r.run(ctx)
		if spent(err) {
			r.out.report.Ended = TaskTokens
			if budget.Exceeded(outer, err) {
				r.out.report.Ended = TaskBudget
			}
			err = nil
		}
		if err == nil && r.out.report.Ended == TaskFailed {
			err = errors.New(r.out.report.Errors[0])
		}
		return len(r.out.findings), err
	})
	if err != nil {
		return r.out, err
	}
	if ended.Err != nil && r.out.report.Ended != TaskFailed {
		return r.out, ended.Err
	}
	r.out.report.Tokens = ended.Usage.InputTokens + ended.Usage.OutputTokens
	r.close()
	return r.out, nil
}

// close completes the report of a task that ended.
func (r *taskRun) close() {
	report := &r.out.report
	report.Findings = len(r.out.findings)
	switch report.Ended {
	case TaskFailed:
		r.problem(usertext.Fill(r.texts.TaskFailed, "task", r.todo.Description))
	case TaskTokens:
		r.problem(usertext.Fill(r.texts.TaskLimit, "task", r.todo.Description))
	}
}

func (r *taskRun) problem(text string) {
	r.out.problems = lists.Add(r.out.problems, text)
}

// failed adds what failed: for the user, and the error for the developer.
func (r *taskRun) failed(text, err string) {
	r.problem(text)
	r.out.report.Errors = append(r.out.report.Errors, prompt.Clip(err, maxNote))
}

// progress emits how far a task is after a passage. found has the findings that are not
// kept yet, in the order of their passages.
func (r *taskRun) progress(ctx context.Context, depth int, passage rag.Chunk, found []finding) {
	left, _ := budget.Remaining(ctx)
	p := Progress{
		Task: r.todo.Key, Iteration: r.out.report.Iterations, Depth: depth,
		Documents: len(r.out.report.Documents), Findings: len(r.out.findings) + len(found), TokensLeft: max(0, left.Tokens),
		Passage: passage.Citation(),
	}
	if n := len(found); n > 0 && id(found[n-1].Chunk) == id(passage) {
		p.Finding = found[n-1].Text
	}
	raw, _ := json.Marshal(p) // texts and numbers have a JSON form
	qed.Emit(ctx, qed.CustomEvent{Kind: progressKind, JSON: raw})
}

// best returns findings with the most relevant first.
func best(all []finding) []finding {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Compare(b.Score, a.Score) })
	return all
}
