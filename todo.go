package qed

import (
	"encoding/json"
	"time"
)

// A Todo is a task of a [TodoList]: the call of a tool, its status and its result.
type Todo struct {
	Key         string `json:"key,omitempty"` // lower-case letters, digits and underscores
	Description string `json:"description"`
	Tool        string `json:"tool"`

	// Arguments are the arguments of the tool. In them, {"$result": "key"} stands
	// for the result of an earlier task, and {"$result": "key/a/b"} for the member of
	// that result at the JSON pointer /a/b (RFC 6901).
	Arguments json.RawMessage `json:"arguments,omitempty"`

	// After has the keys of the tasks that must run before it, such as those whose
	// results it needs.
	After []string `json:"after,omitempty"`

	// Parallel says that it may run at the same time as the Parallel tasks before and
	// after it.
	Parallel bool `json:"parallel,omitempty"`

	CanInterrupt bool       `json:"can_clarify"` // it may interrupt the run
	Status       TodoStatus `json:"status"`
	Problem      string     `json:"problem,omitempty"` // why it failed or was skipped, or its question

	Attempt int        `json:"attempt,omitempty"` // from 1; the same one after a reply
	Began   time.Time  `json:"began,omitzero"`    // of the attempt; the tool gets it from [Now]
	Result  TodoResult `json:"result,omitzero"`   // empty until it is complete
}

// A TodoStatus is the status of a [Todo].
type TodoStatus string

const (
	TodoPending     TodoStatus = "pending"
	TodoComplete    TodoStatus = "complete"
	TodoInterrupted TodoStatus = "clarification_needed"
	TodoFailed      TodoStatus = "error"
	TodoSkipped     TodoStatus = "skipped"
)

// A TodoResult is the result of a task's tool.
type TodoResult struct {
	JSON   json.RawMessage `json:"json,omitempty"`
	Handle string          `json:"handle,omitempty"` // of a large result, for [Load]; JSON is then empty
}

// A TodoList is a plan: tasks that run in their order. Its JSON has the tasks in an
// object, by their keys, in the same order:
//
//	{
//	  "tasks": {
//	    "resolve_entities": {
//	      "description": "..", "tool": "..", "arguments": {..}, "after": [..],
//	      "parallel": true, "can_clarify": true, "status": "pending", ..
//	    }, ..
//	  },
//	  "id": "..", "current_task_key": "resolve_entities",
//	  "original_request": "..", "rewritten_request": "..", "reason": "..",
//	  "data_retrieval_type": "..", "query_type": "..", "query_mode": "..",
//	  "needs_approval": true
//	}
type TodoList struct {
	ID        string // its name within the thread
	Tasks     []Todo
	Current   string // the key of the next task to run; empty if none is left
	Original  string // the request as the user wrote it
	Rewritten string // the request as it was understood
	Reason    string // why these tasks

	// Retrieval is "single_entity", "multi_entity", "aggregation" or "none". Its JSON
	// name is "data_retrieval_type".
	Retrieval string

	// DataSource is the language of the queries: "graphql", "elasticsearch", "sql",
	// "hybrid" or "none". Its JSON name is "query_type".
	DataSource string

	QueryMode string // "create_new", or "edit_existing" to change an earlier query
	Proposed  bool   // it waits for approval; "needs_approval" in JSON
}
