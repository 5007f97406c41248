package todoagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
)

// execute is the node that does the current task of the plan, and those that may
// run at the same time. If they succeed, the pointer moves on.
func (a *agent) execute(ctx context.Context, s state) (state, error) {
	keys := s.Plan.batch(a.concurrent)
	s.Interrupted = false
	s.Tried = append(s.Tried, keys...)
	key := func(key string) string { return key }
	outcomes, err := qed.Each(ctx, keys, key, func(ctx context.Context, key string) (outcome, error) {
		return a.do(ctx, &s, *s.Plan.task(key))
	})
	if err != nil {
		return s, err
	}
	for i := range outcomes {
		s.record(ctx, &outcomes[i])
	}
	s.Plan.settle(keys)
	return s, nil
}

// concurrent reports whether the tool of a task may be called while others are: it
// may be repeated, or is an agent, which sees to that for its own calls.
func (a *agent) concurrent(t *qed.Todo) bool { return !a.tool(t.Tool).AtMostOnce() }

// An outcome is the result of running a task.
type outcome struct {
	Todo    qed.Todo
	Finding finding.Finding
	Output  json.RawMessage
}

// do runs a task. An error that the user or another plan can fix becomes the
// outcome's problem; do returns an error only if it ends the turn.
func (a *agent) do(ctx context.Context, s *state, t qed.Todo) (outcome, error) {
	t.Attempt = max(t.Attempt, 1)
	if t.Began.IsZero() {
		t.Began = qed.TurnTime(ctx)
	}
	task := qed.Task{
		Key:          t.Key,
		Description:  t.Description,
		Namespace:    s.Plan.namespace(&t),
		Began:        t.Began,
		Intermediate: s.Plan.used(t.Key),
	}
	if !t.CanInterrupt && a.tool(t.Tool).Interrupts {
		task.CannotInterrupt = "the plan does not allow task " + t.Key + " to ask"
	}
	o := outcome{Todo: t}
	ended, err := qed.RunTask(ctx, task, func(ctx context.Context) (int, error) {
		err := a.call(ctx, s, &o)
		if errors.Is(err, qed.ErrUnresolved) && ctx.Err() == nil {
			err = fmt.Errorf("%s was called in a turn that was stopped, %s", t.Tool, outcomeUnknown)
		}
		if err != nil || o.Finding.Rows == nil {
			return 0, err
		}
		return o.Finding.Rows.Count, nil
	})
	switch {
	case err != nil:
		return o, err
	case ended.Questions != nil:
		o.Todo.Status, o.Todo.Problem = qed.TodoInterrupted, prompt.Clip(lines(ended.Questions), maxProblem)
	case ended.Err != nil:
		o.Todo.Status, o.Todo.Problem = qed.TodoFailed, prompt.Clip(ended.Err.Error(), maxProblem)
	default:
		o.Todo.Status, o.Todo.Problem = qed.TodoComplete, ""
	}
	return o, nil
}

// outcomeUnknown ends the problem of a task whose at-most-once call was begun and
// may have taken effect.
const outcomeUnknown = "and its outcome is not known"

// lines returns the texts of questions, each on a line.
func lines(questions []question.Question) string {
	return strings.Join(lists.Map(questions, func(q question.Question) string { return q.String() }), "\n")
}

// call calls a task's tool with the results that its arguments refer to, and keeps
// the output.
func (a *agent) call(ctx context.Context, s *state, o *outcome) error {
	t := &o.Todo
	arguments, err := resolve(t.Arguments, func(key string) (json.RawMessage, error) { return s.Plan.result(ctx, key) })
	if err != nil {
		return err
	}
	results, err := a.tools.Do(ctx, llm.ToolCall{ID: t.Key, Name: t.Tool, Arguments: withRows(arguments)})
	if err != nil {
		return err
	}
	if err := results[0].Err; err != nil {
		return err
	}
	o.Output = results[0].Output
	o.Finding = finding.Parse(o.Output)
	// Only the retrieval tool may return metadata of another call.
	if m := o.Finding.Metadata; m != nil && t.Tool != retrieveTool {
		m.Request, m.Tool, m.Arguments = s.Rewritten, t.Tool, results[0].Call.Arguments
		m.Rows, m.Proof, m.TurnID = o.Finding.Rows, o.Finding.Proof(), 0
	}
	t.Result, err = saveResult(ctx, o.Output)
	return err
}

// withRows replaces a whole finding by its rows where the member rows has one.
func withRows(arguments json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(arguments, &all) != nil {
		return arguments
	}
	var result struct {
		Rows json.RawMessage `json:"rows"`
	}
	if json.Unmarshal(all["rows"], &result) != nil || len(result.Rows) == 0 || result.Rows[0] != '{' {
		return arguments
	}
	all["rows"] = result.Rows
	if text, err := json.Marshal(all); err == nil {
		arguments = text
	}
	return arguments
}

// result returns the output of an earlier task.
func (l *plan) result(ctx context.Context, key string) (json.RawMessage, error) {
	t := l.task(key)
	switch {
	case t == nil:
		return nil, l.unknown(key)
	case t.Status != qed.TodoComplete:
		return nil, fmt.Errorf("the result of task %s is needed, and the task is not complete", key)
	case t.Result.Handle == "":
		return t.Result.JSON, nil
	}
	return qed.Load[json.RawMessage](ctx, t.Result.Handle)
}

const inlineResult = 2 << 10 // bytes of a result in the state

// saveResult returns a result for the state. A large one is saved separately.
func saveResult(ctx context.Context, output json.RawMessage) (qed.TodoResult, error) {
	if len(output) > inlineResult {
		handle, err := qed.Save(ctx, output)
		if err != nil && !errors.Is(err, qed.ErrTooLarge) {
			return qed.TodoResult{}, err
		}
		if handle != "" {
			return qed.TodoResult{Handle: handle}, nil
		}
	}
	return qed.TodoResult{JSON: output}, nil
}

// record adds the outcome of a task to the plan and to what is to be remembered.
func (s *state) record(ctx context.Context, o *outcome) {
	t := s.Plan.task(o.Todo.Key)
	before := *t
	*t = o.Todo
	s.Interrupted = s.Interrupted || t.Status == qed.TodoInterrupted
	repeated := before.Status == qed.TodoInterrupted && t.Status == qed.TodoInterrupted && before.Problem == t.Problem
	if !repeated { // else the reply was to another task
		s.note(ctx, o)
	}
	if t.Status != qed.TodoComplete {
		return
	}
	s.Entities = append(s.Entities, o.Finding.Entities...)
	delete(s.Ran, t.Key)
	if o.Finding.Metadata == nil {
		return
	}
	if s.Ran == nil {
		s.Ran = map[string]finding.QueryMetadata{}
	}
	s.Ran[t.Key] = *o.Finding.Metadata
}

// note adds the memory entry of an outcome.
func (s *state) note(ctx context.Context, o *outcome) {
	s.Entries++
	t := &o.Todo
	e := Entry{
		TurnID:          s.Entries,
		UserTurn:        s.Turn,
		Time:            qed.TurnTime(ctx),
		TodoKey:         t.Key,
		TodoDescription: t.Description,
		Status:          t.Status,
		UserInput:       s.Text,
		AgentAction:     t.Problem,
		ToolsCalled:     []string{t.Tool},
		QueriesExecuted: []qed.Query{},
	}
	if t.Status == qed.TodoInterrupted {
		e.ClarificationAsked = &t.Problem
	}
	if t.Status == qed.TodoComplete {
		e.AgentAction = o.action()
		if o.Finding.Queries != nil {
			e.QueriesExecuted = o.Finding.Queries
		}
		if m := o.Finding.Metadata; m != nil {
			e.QueryMetadata = m
			if m.TurnID == 0 { // else the memory has it already
				m.TurnID = s.Entries
				s.Metadata = append(s.Metadata, *m)
			}
		}
	}
	e.AgentAction = prompt.Clip(e.AgentAction, maxAction)
	s.NewEntries = append(s.NewEntries, e)
}

// action says in words what a task did.
func (o *outcome) action() string {
	switch f := &o.Finding; {
	case f.Text != "":
		return f.Text
	case f.Metadata != nil && f.Metadata.Summary != "":
		return f.Metadata.Summary
	case f.Rows != nil:
		return f.Rows.String()
	}
	return fmt.Sprintf("%s returned %s", o.Todo.Tool, prompt.Clip(strings.TrimSpace(string(o.Output)), maxKnownText))
}
