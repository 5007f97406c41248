package todoagent

import (
	"slices"
	"time"

	"github.com/qedkit/qed"
)

// done reports whether a task needs no more doing.
func done(t *qed.Todo) bool { return t.Status == qed.TodoComplete || t.Status == qed.TodoSkipped }

// task returns the task of a key, or nil.
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

// keys returns those of all tasks, in their order.
func (l *plan) keys() []string {
	keys := make([]string, len(l.Tasks))
	for i := range l.Tasks {
		keys[i] = l.Tasks[i].Key
	}
	return keys
}

// open reports whether anything is left to do.
func (l *plan) open() bool { return l != nil && l.Current != "" }

// runs reports whether a task can run: the current one has not failed.
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

// batch returns the keys of the tasks that run now: the current one, and those that may run beside it. beside says of which tools a call does
// no harm at the same time as others.
func (l *plan) batch(beside func(*qed.Todo) bool) []string {
	current := l.task(l.Current)
	keys := []string{current.Key}
	if !current.Parallel || !beside(current) {
		return keys
	}
	for i := slices.Index(l.keys(), l.Current) + 1; i < len(l.Tasks) && l.Tasks[i].Parallel; i++ {
		if t := &l.Tasks[i]; (t.Status == qed.TodoPending || t.Status == qed.TodoInterrupted) && l.ready(t) && beside(t) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// ready reports whether what comes before a task is done.
func (l *plan) ready(t *qed.Todo) bool {
	for _, key := range t.After {
		if before := l.task(key); before != nil && !done(before) {
			return false
		}
	}
	return true
}

// dependents returns the keys of the tasks that come after key by their After, at any distance, in the list's order.
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

// used reports whether another task is called with the result of a task: then what that says is not for the user.
func (l *plan) used(key string) bool {
	return slices.ContainsFunc(l.Tasks, func(t qed.Todo) bool {
		return t.Status != qed.TodoSkipped && slices.Contains(references(t.Arguments), key)
	})
}

// again has a task run anew, and what rests on it.
func (l *plan) again(key string) {
	for _, k := range append(l.dependents(key), key) {
		if t := l.task(k); t.Status != qed.TodoSkipped || t.Problem != unwanted || k == key {
			reset(t)
		}
	}
	l.dropUseless()
}

// reset makes a task one that is to be done, at another attempt where there was one.
func reset(t *qed.Todo) {
	if t.Attempt > 0 {
		t.Attempt++
	}
	t.Status, t.Problem, t.Result, t.Began = qed.TodoPending, "", qed.TodoResult{}, time.Time{}
}

// unwanted is why a task is skipped that the user does not want. The others are skipped as they need its result.
const unwanted = "the user wants it skipped"

// skip leaves out a task, and those that cannot do without its result.
func (l *plan) skip(key string) {
	drop(l.task(key), unwanted)
	l.dropUseless()
	l.advance()
}

// dropUseless leaves out the tasks that need the result of one that is skipped.
func (l *plan) dropUseless() {
	for i := range l.Tasks {
		t := &l.Tasks[i]
		for _, needs := range references(t.Arguments) {
			if before := l.task(needs); !done(t) && before != nil && before.Status == qed.TodoSkipped {
				drop(t, "it needs the result of "+needs+", which was skipped")
			}
		}
	}
}

func drop(t *qed.Todo, why string) {
	t.Status, t.Problem, t.Result = qed.TodoSkipped, why, qed.TodoResult{}
}

// steps returns the tasks as an event tells them.
func (l *plan) steps() []qed.PlanTask {
	steps := make([]qed.PlanTask, len(l.Tasks))
	for i, t := range l.Tasks {
		steps[i] = qed.PlanTask{Key: t.Key, Description: t.Description, After: t.After, Tool: t.Tool}
	}
	return steps
}

// snapshot returns the list as a memory entry has it: without what the tasks found.
func (l *plan) snapshot() qed.TodoList {
	s := *l
	s.Tasks = slices.Clone(l.Tasks)
	for i := range s.Tasks {
		s.Tasks[i].Result = qed.TodoResult{}
	}
	return qed.TodoList(s)
}
