package qed

import (
	"encoding/json"
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
