package qed

import (
	"encoding/json"
	"slices"
	"time"
)

// A Todo is one task of a [TodoList]: a tool, and what it is called with.
type Todo struct {
	Key         string `json:"key,omitempty"` // names it within the list: lower-case letters, digits and underscores
	Description string `json:"description"`
	Tool        string `json:"tool"`

	// Arguments is what the tool is called with. {"$result": "key"} in it stands for the result of an earlier task, and
	// {"$result": "key/a/b"} for the member of that result at a JSON pointer (RFC 6901).
	Arguments json.RawMessage `json:"arguments,omitempty"`

	// After has the keys of the tasks that come before it. Those whose results it needs are among them.
	After []string `json:"after,omitempty"`

	// Parallel says that it may run beside the tasks around it that are Parallel too.
	Parallel bool `json:"parallel,omitempty"`

	CanInterrupt bool       `json:"can_clarify"` // it may ask the user
	Status       TodoStatus `json:"status"`
	Problem      string     `json:"problem,omitempty"` // why it failed or was skipped, or what it asks

	Attempt int        `json:"attempt,omitempty"` // from 1; a task that goes on after an answer is at the same one
	Began   time.Time  `json:"began,omitzero"`    // the attempt: what [Now] is for its tool
	Result  TodoResult `json:"result,omitzero"`   // once it is complete
}

// A TodoStatus is how a [Todo] is.
type TodoStatus string

const (
	TodoPending     TodoStatus = "pending"
	TodoComplete    TodoStatus = "complete"
	TodoInterrupted TodoStatus = "clarification_needed"
	TodoFailed      TodoStatus = "error"
	TodoSkipped     TodoStatus = "skipped"
)

// A TodoResult is what a task's tool returned.
type TodoResult struct {
	JSON   json.RawMessage `json:"json,omitempty"`
	Handle string          `json:"handle,omitempty"` // under which a larger one is kept ([Load]); JSON is then empty
}

// A TodoList is a plan: tasks that are done one after the other, in their order. Its JSON has them in one object, by their keys,
// and keeps the order:
//
//	{"tasks": {"resolve_entities": {"description": "..", "tool": "..", "arguments": {..}, "after": [..], "parallel": true,
//	"can_clarify": true, "status": "pending", ..}, ..}, "id": "..", "current_task_key": "resolve_entities", "original_request": "..",
//	"rewritten_request": "..", "reason": "..", "data_retrieval_type": "..", "query_type": "..", "query_mode": "..", "needs_approval": true}
type TodoList struct {
	ID        string // names it within the thread
	Tasks     []Todo
	Current   string // the key of the task that is to run, or to run again; empty when none is left
	Original  string // what the user said
	Rewritten string // what he meant
	Reason    string // why these tasks

	Retrieval  string // what is asked for: "single_entity", "multi_entity", "aggregation" or "none"; "data_retrieval_type" in JSON
	DataSource string // the language of its queries: "graphql", "elasticsearch", "sql", "hybrid" or "none"; "query_type" in JSON
	QueryMode  string // "create_new", or "edit_existing" where an earlier query is changed
	Proposed   bool   // it waits to be approved; "needs_approval" in JSON
}

// done reports whether a task needs no more doing.
func (t *Todo) done() bool { return t.Status == TodoComplete || t.Status == TodoSkipped }

// task returns the task of a key, or nil.
func (l *TodoList) task(key string) *Todo {
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
func (l *TodoList) keys() []string {
	keys := make([]string, len(l.Tasks))
	for i := range l.Tasks {
		keys[i] = l.Tasks[i].Key
	}
	return keys
}

// open reports whether anything is left to do.
func (l *TodoList) open() bool { return l != nil && l.Current != "" }

// runs reports whether a task can run: the current one has not failed.
func (l *TodoList) runs() bool { return l.open() && l.task(l.Current).Status != TodoFailed }

// advance moves the pointer to the first task that is not done.
func (l *TodoList) advance() {
	l.Current = ""
	for i := range l.Tasks {
		if !l.Tasks[i].done() {
			l.Current = l.Tasks[i].Key
			return
		}
	}
}

// batch returns the keys of the tasks that run now: the current one, and those that may run beside it. beside says of which tools a call does
// no harm at the same time as others.
func (l *TodoList) batch(beside func(*Todo) bool) []string {
	current := l.task(l.Current)
	keys := []string{current.Key}
	if !current.Parallel || !beside(current) {
		return keys
	}
	for i := slices.Index(l.keys(), l.Current) + 1; i < len(l.Tasks) && l.Tasks[i].Parallel; i++ {
		if t := &l.Tasks[i]; (t.Status == TodoPending || t.Status == TodoInterrupted) && l.ready(t) && beside(t) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// ready reports whether what comes before a task is done.
func (l *TodoList) ready(t *Todo) bool {
	for _, key := range t.After {
		if before := l.task(key); before != nil && !before.done() {
			return false
		}
	}
	return true
}

// dependents returns the keys of the tasks that come after key by their After, at any distance, in the list's order.
func (l *TodoList) dependents(key string) []string {
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
func (l *TodoList) used(key string) bool {
	return slices.ContainsFunc(l.Tasks, func(t Todo) bool { return t.Status != TodoSkipped && slices.Contains(references(t.Arguments), key) })
}

// again has a task run anew, and what rests on it.
func (l *TodoList) again(key string) {
	for _, k := range append(l.dependents(key), key) {
		if t := l.task(k); t.Status != TodoSkipped || t.Problem != unwanted || k == key {
			t.reset()
		}
	}
	l.dropUseless()
}

// reset makes a task one that is to be done, at another attempt where there was one.
func (t *Todo) reset() {
	if t.Attempt > 0 {
		t.Attempt++
	}
	t.Status, t.Problem, t.Result, t.Began = TodoPending, "", TodoResult{}, time.Time{}
}

// unwanted is why a task is skipped that the user does not want. The others are skipped as they need its result.
const unwanted = "the user wants it skipped"

// skip leaves out a task, and those that cannot do without its result.
func (l *TodoList) skip(key string) {
	l.task(key).drop(unwanted)
	l.dropUseless()
	l.advance()
}

// dropUseless leaves out the tasks that need the result of one that is skipped.
func (l *TodoList) dropUseless() {
	for i := range l.Tasks {
		t := &l.Tasks[i]
		for _, needs := range references(t.Arguments) {
			if before := l.task(needs); !t.done() && before != nil && before.Status == TodoSkipped {
				t.drop("it needs the result of " + needs + ", which was skipped")
			}
		}
	}
}

func (t *Todo) drop(why string) { t.Status, t.Problem, t.Result = TodoSkipped, why, TodoResult{} }

// steps returns the tasks as an event tells them.
func (l *TodoList) steps() []PlanTask {
	steps := make([]PlanTask, len(l.Tasks))
	for i, t := range l.Tasks {
		steps[i] = PlanTask{Key: t.Key, Description: t.Description, After: t.After, Tool: t.Tool}
	}
	return steps
}

// snapshot returns the list as a memory entry has it: without what the tasks found.
func (l *TodoList) snapshot() TodoList {
	s := *l
	s.Tasks = slices.Clone(l.Tasks)
	for i := range s.Tasks {
		s.Tasks[i].Result = TodoResult{}
	}
	return s
}
