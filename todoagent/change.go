package todoagent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/stockphrases"
)

// A taskChange is what the user wants of one task of the open plan.
type taskChange struct {
	Key         string `json:"key" jsonschema_description:"the task's key"`
	Action      string `json:"action" jsonschema:"enum=skip,enum=retry,enum=edit"`
	Description string `json:"description,omitempty" jsonschema_description:"with edit: the task's new description"`
	Arguments   string `json:"arguments,omitempty" jsonschema_description:"with edit: the JSON object of all of its new arguments"`
}

// parseChanges reads "skip", "retry", "skip KEY", "retry KEY and KEY" and
// "edit KEY: {...}", one or several lines. An empty key means the current task.
func parseChanges(text string) ([]taskChange, bool) {
	switch {
	case strings.Contains(text, "?") && !strings.Contains(text, "{"):
		return nil, false
	case stockphrases.Says(text, retryWords):
		return []taskChange{{Action: "retry"}}, true
	case stockphrases.Says(text, skipWords):
		return []taskChange{{Action: "skip"}}, true
	}
	var all []taskChange
	for line := range strings.Lines(strings.TrimSpace(text)) {
		changes, ok := parseChangeLine(line)
		if !ok {
			return nil, false
		}
		all = append(all, changes...)
	}
	return all, len(all) > 0
}

// parseChangeLine reads one line of changes, all with the same verb.
func parseChangeLine(line string) ([]taskChange, bool) {
	head, arguments, edits := strings.Cut(line, ":")
	verb, keys, _ := strings.Cut(stockphrases.Normal(head), " ")
	verb = cmp.Or(germanVerbs[verb], verb)
	if edits {
		arguments = strings.TrimSpace(arguments)
		isObject := strings.HasPrefix(arguments, "{") && json.Valid([]byte(arguments))
		ok := verb == "edit" && isObject && todoKey.MatchString(keys)
		return []taskChange{{Key: keys, Action: verb, Arguments: arguments}}, ok
	}
	var all []taskChange
	for key := range strings.SplitSeq(strings.ReplaceAll(keys, " and ", ","), ",") {
		if key = strings.TrimPrefix(strings.TrimSpace(key), verb+" "); !todoKey.MatchString(key) {
			return nil, false
		}
		all = append(all, taskChange{Key: key, Action: verb})
	}
	return all, verb == "skip" || verb == "retry"
}

var germanVerbs = map[string]string{"überspringe": "skip", "wiederhole": "retry", "ändere": "edit"}

// change makes changes to a plan: all of them or, if one cannot be made, none. own
// reports that they are the user's own words, not the model's reading of them.
func (a *agent) change(ctx context.Context, l *plan, changes []taskChange, own bool) error {
	if len(changes) == 0 {
		return nil
	}
	edited := map[string]json.RawMessage{}
	var problems []error
	for _, c := range changes {
		arguments, err := a.checkChange(ctx, l, c, changes, own)
		if err != nil {
			problems = append(problems, err)
		}
		if arguments != nil {
			edited[c.Key] = arguments
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	for _, c := range changes {
		if c.Action == "skip" {
			l.skip(c.Key)
			continue
		}
		t := l.task(c.Key)
		if arguments, ok := edited[c.Key]; ok {
			// Another attempt: this one may have begun in a turn that was stopped.
			t.Attempt = max(t.Attempt, 1)
			t.Arguments = arguments
			t.After = after(t.After, arguments)
		}
		if c.Action == "edit" && strings.TrimSpace(c.Description) != "" {
			t.Description = prompt.Clip(strings.TrimSpace(c.Description), maxDescription)
		}
		l.rerun(c.Key)
		t.CanInterrupt = a.tool(t.Tool).Interrupts // the user is there to reply
	}
	l.advance()
	a.retryFailed(ctx, l)
	return nil
}

// checkChange returns why a change cannot be made, and the arguments of an edit.
func (a *agent) checkChange(
	ctx context.Context, l *plan, c taskChange, all []taskChange, own bool,
) (json.RawMessage, error) {
	t := l.task(c.Key)
	if t == nil {
		return nil, l.unknown(c.Key)
	}
	var problems []error
	if c.Action != "skip" {
		problems = a.rerunDependents(ctx, l, c.Key, all)
		if !own && !a.mayRunAgain(ctx, l, t) {
			problems = append(problems, fmt.Errorf(
				`task %s has run, and its tool must not be called again unless the user asks for it: "retry %s", or "edit %s: {..}" with other arguments`,
				c.Key, c.Key, c.Key))
		}
	}
	if c.Action != "edit" || c.Arguments == "" {
		return nil, errors.Join(problems...)
	}
	arguments, err := a.tool(t.Tool).check(json.RawMessage(c.Arguments))
	if err != nil {
		err = fmt.Errorf("task %s: the arguments do not fit the schema of %s: %w", t.Key, t.Tool, err)
	} else {
		err = a.checkReferences(l, t.Key, arguments)
	}
	return arguments, errors.Join(append(problems, err)...)
}

// rerunDependents returns an error for each task that would run again, because it
// needs the result of the task with the key, although it may not and no change
// names it.
func (a *agent) rerunDependents(ctx context.Context, l *plan, key string, changes []taskChange) (problems []error) {
	for _, k := range l.dependents(key) {
		t := l.task(k)
		named := slices.ContainsFunc(changes, func(c taskChange) bool { return c.Key == k })
		if !named && !skippedByUser(t) && !a.mayRunAgain(ctx, l, t) {
			problems = append(problems, fmt.Errorf(
				`task %s needs the result of %s, has run, and must not run again unless the user asks for it: add a line "skip %s" or "retry %s"`,
				k, key, k, k))
		}
	}
	return problems
}

// retryFailed resets the current task if it failed, so that it runs again. It
// returns false if the task may not run again.
func (a *agent) retryFailed(ctx context.Context, l *plan) bool {
	t := l.task(l.Current)
	if t == nil || t.Status != qed.TodoFailed {
		return true
	}
	if !a.mayRunAgain(ctx, l, t) {
		return false
	}
	reset(t)
	t.CanInterrupt = a.tool(t.Tool).Interrupts // the user is there to reply
	return true
}

// failForgotten fails the tasks that an earlier turn began, and this one did not
// run, if the thread may forget the at-most-once calls that they made: they must
// not run again by themselves.
func (a *agent) failForgotten(ctx context.Context, s *state) error {
	if !s.Plan.open() {
		return nil
	}
	for i := range s.Plan.Tasks {
		t := &s.Plan.Tasks[i]
		if done(t) || t.Status == qed.TodoFailed || slices.Contains(s.Tried, t.Key) {
			continue
		}
		if a.tool(t.Tool).Idempotent && t.Tool != retrieveTool {
			continue
		}
		begun, complete, err := begunCalls(ctx, s.Plan, t)
		switch {
		case err != nil:
			return err
		case begun && !complete:
			t.Attempt, t.Status = max(t.Attempt, 1), qed.TodoFailed
			t.Problem = t.Tool + " was called in an earlier turn, " + outcomeUnknown
		}
	}
	return nil
}

// begunCalls reports whether a task has begun an at-most-once call: see
// [qed.RunInfo.AtMostOnceBegun].
func begunCalls(ctx context.Context, l *plan, t *qed.Todo) (begun, complete bool, err error) {
	attempt := *t
	attempt.Attempt = max(t.Attempt, 1)
	return qed.Info(qed.WithNamespace(ctx, l.namespace(&attempt))).AtMostOnceBegun()
}

// mayRunAgain reports whether a task may run again without the user asking for
// it: its tool is idempotent, or no at-most-once call was made. This holds also
// if a turn was stopped before its state was saved.
func (a *agent) mayRunAgain(ctx context.Context, l *plan, t *qed.Todo) bool {
	tool := a.tool(t.Tool)
	ended := done(t) || t.Status == qed.TodoFailed
	switch {
	case t.Tool == retrieveTool: // it may call an agent
		begun, _, err := begunCalls(ctx, l, t)
		return err == nil && !begun
	case tool.Idempotent:
		return true
	case !tool.Nested && t.Status == qed.TodoInterrupted: // a tool asks before it does its work
		return true
	case !tool.Nested && ended && (t.Status != qed.TodoSkipped || t.Attempt > 0):
		return false
	}
	begun, complete, err := begunCalls(ctx, l, t)
	return err == nil && !begun && (complete || !ended)
}
