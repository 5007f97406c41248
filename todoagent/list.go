package todoagent

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// A plan is a [qed.TodoList] with the rules that move it. As a type of its own it
// is saved in the state with the plain JSON of its fields.
type plan qed.TodoList

// task returns the task with a key, or nil.
func (l *plan) task(key string) *qed.Todo {
	if l == nil {
		return nil
	}
	for i := range l.Tasks {
		if l.Tasks[i].Key == key {
			return &l.Tasks[i]
		}
	}
	return nil
}

func (l *plan) keys() []string {
	keys := make([]string, len(l.Tasks))
	for i := range l.Tasks {
		keys[i] = l.Tasks[i].Key
	}
	return keys
}

// unknown returns the error for a task that does not exist.
func (l *plan) unknown(key string) error {
	hint := ""
	if near := refusal.Nearest(key, l.keys(), 1); len(near) > 0 {
		hint = " Did you mean " + near[0] + "?"
	}
	return fmt.Errorf("the plan has no task %q.%s The tasks are %s",
		prompt.Clip(key, 100), hint, strings.Join(l.keys(), ", "))
}

// namespace returns the namespace of a task's attempt, in which a later turn finds
// what the attempt did and asked. See [qed.WithNamespace].
func (l *plan) namespace(t *qed.Todo) string {
	return "todo/" + l.ID + "/" + t.Key + "/" + strconv.Itoa(t.Attempt)
}

// done reports whether a task is complete or skipped.
func done(t *qed.Todo) bool { return t.Status == qed.TodoComplete || t.Status == qed.TodoSkipped }

// open reports whether tasks are left to do.
func (l *plan) open() bool { return l != nil && l.Current != "" }

// runs reports whether the current task can run: it has not failed.
func (l *plan) runs() bool { return l.open() && l.task(l.Current).Status != qed.TodoFailed }

// advance moves the pointer to the first task that is not done.
func (l *plan) advance() {
	l.Current = ""
	for i := range l.Tasks {
		if !done(&l.Tasks[i]) {
			l.Current = l.Tasks[i].Key
			return
		}
	}
}

// batch returns the keys of the tasks that run now: the current task and those
// that may run at the same time. concurrent reports whether the tool of a task
// may be called while others are.
func (l *plan) batch(concurrent func(*qed.Todo) bool) []string {
	current := l.task(l.Current)
	keys := []string{current.Key}
	if !current.Parallel || !concurrent(current) {
		return keys
	}
	for i := slices.Index(l.keys(), l.Current) + 1; i < len(l.Tasks) && l.Tasks[i].Parallel; i++ {
		t := &l.Tasks[i]
		if (t.Status == qed.TodoPending || t.Status == qed.TodoInterrupted) && l.ready(t) && concurrent(t) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// ready reports whether all tasks that a task comes after are done.
func (l *plan) ready(t *qed.Todo) bool {
	return !slices.ContainsFunc(t.After, func(key string) bool {
		before := l.task(key)
		return before != nil && !done(before)
	})
}

// settle moves the pointer after tasks ran: to one that interrupted the run, else
// to one that failed, else to the next task.
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

// dependents returns the keys of the tasks that come after a task, directly or
// not, in the list's order.
func (l *plan) dependents(key string) []string {
	reached := map[string]bool{key: true}
	var keys []string
	for i := range l.Tasks {
		t := &l.Tasks[i]
		if slices.ContainsFunc(t.After, func(before string) bool { return reached[before] }) && !reached[t.Key] {
			reached[t.Key] = true
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// used reports whether the arguments of another task refer to the result of a
// task. Its text is then not for the user.
func (l *plan) used(key string) bool {
	return slices.ContainsFunc(l.Tasks, func(t qed.Todo) bool {
		return t.Status != qed.TodoSkipped && bytes.Contains(t.Arguments, []byte(key)) &&
			slices.Contains(references(t.Arguments), key)
	})
}

// rerun resets a task and those that come after it, except tasks that the user
// skipped.
func (l *plan) rerun(key string) {
	for _, k := range append(l.dependents(key), key) {
		if t := l.task(k); k == key || !skippedByUser(t) {
			reset(t)
		}
	}
	l.skipDependents()
}

// reset makes a task pending. If it was attempted before, this is another attempt.
func reset(t *qed.Todo) {
	if t.Attempt > 0 {
		t.Attempt++
	}
	t.Status, t.Problem, t.Result, t.Began = qed.TodoPending, "", qed.TodoResult{}, time.Time{}
}

// unwanted is the problem of a task that the user skipped. Other tasks are
// skipped because they need its result.
const unwanted = "the user wants it skipped"

func skippedByUser(t *qed.Todo) bool { return t.Status == qed.TodoSkipped && t.Problem == unwanted }

// skip skips a task and those that need its result.
func (l *plan) skip(key string) {
	skipTask(l.task(key), unwanted)
	l.skipDependents()
	l.advance()
}

// skipDependents skips the tasks that need the result of a skipped task.
func (l *plan) skipDependents() {
	for i := range l.Tasks {
		t := &l.Tasks[i]
		for _, needs := range references(t.Arguments) {
			if before := l.task(needs); !done(t) && before != nil && before.Status == qed.TodoSkipped {
				skipTask(t, "it needs the result of "+needs+", which was skipped")
			}
		}
	}
}

func skipTask(t *qed.Todo, why string) {
	t.Status, t.Problem, t.Result = qed.TodoSkipped, why, qed.TodoResult{}
}

func (l *plan) planTasks() []qed.PlanTask {
	tasks := make([]qed.PlanTask, len(l.Tasks))
	for i, t := range l.Tasks {
		tasks[i] = qed.PlanTask{Key: t.Key, Description: t.Description, After: t.After, Tool: t.Tool}
	}
	return tasks
}

// snapshot returns the list for a memory entry: without the results of the tasks.
func (l *plan) snapshot() qed.TodoList {
	if l == nil {
		return qed.TodoList{}
	}
	s := *l
	s.Tasks = slices.Clone(l.Tasks)
	for i := range s.Tasks {
		s.Tasks[i].Result = qed.TodoResult{}
	}
	return qed.TodoList(s)
}
