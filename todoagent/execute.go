package todoagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// execute is the node that does the current task of the plan, and those that may run beside it. The pointer moves on where it
// succeeded.
func (a *agent) execute(ctx context.Context, s state) (state, error) {
	keys := s.plan().batch(a.harmless)
	s.Asks = false
	key := func(key string) string { return key }
	outcomes, err := qed.Each(ctx, keys, key, func(ctx context.Context, key string) (outcome, error) {
		return a.do(ctx, &s, *s.plan().task(key))
	})
	if err != nil {
		return s, err
	}
	for _, o := range outcomes {
		s.Asks = s.Asks || o.Todo.Status == qed.TodoInterrupted
		before := *s.plan().task(o.Todo.Key)
		*s.plan().task(o.Todo.Key) = o.Todo
		if before.Status != qed.TodoInterrupted || o.Todo.Status != qed.TodoInterrupted || before.Problem != o.Todo.Problem { // else the answer was to another task
			s.note(ctx, &o)
		}
		if o.Todo.Status == qed.TodoComplete {
			s.came(&o)
		}
	}
	s.plan().settle(keys)
	return s, nil
}

// came keeps what of a task's finding is to be remembered beyond its thread. The rest is in its result.
func (s *state) came(o *outcome) {
	s.Entities = append(s.Entities, o.Finding.Entities...)
	delete(s.Ran, o.Todo.Key)
	if o.Finding.Metadata == nil {
		return
	}
	if s.Ran == nil {
		s.Ran = map[string]qed.QueryMetadata{}
	}
	s.Ran[o.Todo.Key] = *o.Finding.Metadata
}

// noThread is why nobody can be asked in a turn of which nothing is kept.
const noThread = "the agent needs a Store, and the turn a Thread"

// settle moves the pointer after tasks ran: to one that asks, else to one that failed, else on.
func (l *plan) settle(ran []string) {
	for _, status := range []qed.TodoStatus{qed.TodoInterrupted, qed.TodoFailed} {
		for _, key := range ran {
			if l.task(key).Status == status {
				l.Current = key
				return
			}
		}
	}
	l.advance()
}

// A todoOutcome is what became of a task.
type outcome struct {
	Todo    qed.Todo
	Finding qed.Finding
	Output  json.RawMessage
}

// note adds what is to be remembered of it.
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
		ToolsCalled:     []string{t.Tool},
		QueriesExecuted: []qed.Query{},
	}
	switch t.Status {
	case qed.TodoComplete:
		e.AgentAction = o.action()
		if o.Finding.Queries != nil {
			e.QueriesExecuted = o.Finding.Queries
		}
		if m := o.Finding.Metadata; m != nil {
			if e.QueryMetadata = m; m.TurnID == 0 { // else it was found in the memory
				m.TurnID = s.Entries
				s.Metadata = append(s.Metadata, *m)
			}
		}
	case qed.TodoInterrupted:
		e.ClarificationAsked = &t.Problem
		fallthrough
	default:
		e.AgentAction = t.Problem
	}
	e.AgentAction = prompt.Clip(e.AgentAction, maxAction)
	s.Noted = append(s.Noted, e)
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

// do does a task. What the user or another plan can mend is the outcome's problem; its own error ends the turn.
func (a *agent) do(ctx context.Context, s *state, t qed.Todo) (outcome, error) {
	t.Attempt = max(t.Attempt, 1)
	if t.Began.IsZero() {
		t.Began = qed.TurnTime(ctx)
	}
	task := qed.Task{
		Key:          t.Key,
		Description:  t.Description,
		Namespace:    s.Plan.namespace(&t), // at the same attempt, a later turn finds here what was done, asked and answered
		Began:        t.Began,
		Intermediate: s.plan().used(t.Key),
	}
	if !t.CanInterrupt && a.planned(t.Tool).Interrupts {
		task.NoInterrupt = "the plan does not let task " + t.Key + " ask"
	}
	o := outcome{Todo: t}
	err := qed.RunTask(ctx, task, func(ctx context.Context) (int, error) {
		err := a.call(ctx, s, &o)
		if errors.Is(err, qed.ErrUnresolved) && !qed.EndsTurn(ctx, err) {
			err = fmt.Errorf("%s was begun in a turn that was stopped, and its outcome is not known", t.Tool)
		}
		if err != nil || o.Finding.Rows == nil {
			return 0, err
		}
		return o.Finding.Rows.Count, nil
	})
	interruption, interrupted := errors.AsType[*qed.Interruption](err)
	switch {
	case interrupted:
		o.Todo.Status, o.Todo.Problem = qed.TodoInterrupted, prompt.Clip(interruption.Error(), maxProblem)
	case err != nil && qed.EndsTurn(ctx, err):
		return o, err
	case err != nil:
		o.Todo.Status, o.Todo.Problem = qed.TodoFailed, prompt.Clip(err.Error(), maxProblem)
	default:
		o.Todo.Status, o.Todo.Problem = qed.TodoComplete, ""
	}
	return o, nil
}

// call calls a task's tool, with the results of earlier tasks where its arguments name them, and keeps what it returns.
func (a *agent) call(ctx context.Context, s *state, o *outcome) error {
	t := &o.Todo
	arguments, err := filled(t.Arguments, func(key string) (json.RawMessage, error) { return s.plan().result(ctx, key) })
	if err != nil {
		return err
	}
	arguments = withRows(arguments)
	results, err := a.tools.Do(ctx, llm.ToolCall{ID: t.Key, Name: t.Tool, Arguments: arguments})
	if err != nil {
		return err
	}
	if err := results[0].Err; err != nil {
		return err
	}
	o.Output = results[0].Output
	o.Finding = qed.ParseFinding(o.Output)
	if m := o.Finding.Metadata; m != nil && t.Tool != retrieveTool { // what was found in the memory says what ran it; nobody else may
		m.Request, m.Tool, m.Arguments, m.Rows, m.TurnID = s.Rewritten, t.Tool, results[0].Call.Arguments, o.Finding.Rows, 0
		m.Proof = o.Finding.Proof()
	}
	t.Result, err = keepResult(ctx, o.Output)
	return err
}

// withRows puts the rows of a finding in its place, where it stands for rows as a whole.
func withRows(arguments json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(arguments, &all) != nil {
		return arguments
	}
	var finding struct {
		Rows json.RawMessage `json:"rows"`
	}
	if json.Unmarshal(all["rows"], &finding) != nil || len(finding.Rows) == 0 || finding.Rows[0] != '{' {
		return arguments
	}
	all["rows"] = finding.Rows
	if text, err := json.Marshal(all); err == nil {
		arguments = text
	}
	return arguments
}

// result returns what an earlier task found.
func (l *plan) result(ctx context.Context, key string) (json.RawMessage, error) {
	t := l.task(key)
	switch {
	case t == nil:
		return nil, l.unknown(key)
	case t.Status != qed.TodoComplete:
		return nil, fmt.Errorf("the result of task %s is needed, and that was not done", key)
	case t.Result.Handle == "":
		return t.Result.JSON, nil
	}
	return qed.Load[json.RawMessage](ctx, t.Result.Handle)
}

// inlineResult is how many bytes of a result stand in the state.
const inlineResult = 2 << 10

// keepResult keeps a tool's result beside the state, where it is large.
func keepResult(ctx context.Context, output json.RawMessage) (qed.TodoResult, error) {
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
