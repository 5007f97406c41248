package qed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/strictjson"
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

// A todoListJSON has the members of a [TodoList] in JSON, except the tasks.
type todoListJSON struct {
	ID         string  `json:"id,omitempty"`
	Current    *string `json:"current_task_key"`
	Original   string  `json:"original_request"`
	Rewritten  string  `json:"rewritten_request"`
	Reason     string  `json:"reason,omitempty"`
	Retrieval  string  `json:"data_retrieval_type,omitempty"`
	DataSource string  `json:"query_type,omitempty"`
	QueryMode  string  `json:"query_mode,omitempty"`
	Proposed   bool    `json:"needs_approval,omitempty"`
}

// MarshalJSON returns the JSON that is shown at [TodoList].
func (l TodoList) MarshalJSON() ([]byte, error) {
	rest := todoListJSON{
		ID: l.ID, Original: l.Original, Rewritten: l.Rewritten, Reason: l.Reason,
		Retrieval: l.Retrieval, DataSource: l.DataSource, QueryMode: l.QueryMode, Proposed: l.Proposed,
	}
	if l.Current != "" {
		rest.Current = &l.Current
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	b.WriteString(`{"tasks":{`)
	var t Todo // a copy without the key
	for i := range l.Tasks {
		if i > 0 {
			b.WriteByte(',')
		}
		t = l.Tasks[i]
		if err := e.Encode(t.Key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		t.Key = ""
		if err := e.Encode(&t); err != nil {
			return nil, fmt.Errorf("qed: task %q: %w", l.Tasks[i].Key, err)
		}
	}
	b.WriteString(`},`)
	text, err := json.Marshal(rest)
	if err != nil {
		return nil, err
	}
	b.Write(text[1:])
	return b.Bytes(), nil
}

// UnmarshalJSON decodes the JSON of [TodoList.MarshalJSON]. Two tasks with one key are
// an error. Unknown members are ignored, because a newer version may have them.
func (l *TodoList) UnmarshalJSON(raw []byte) error {
	return l.read(raw, json.Unmarshal)
}

// DecodeStrict is like UnmarshalJSON, but unknown members are an error. It is for a
// list that a person edited.
func (l *TodoList) DecodeStrict(raw []byte) error { return l.read(raw, strictjson.Decode) }

func (l *TodoList) read(raw []byte, decode func([]byte, any) error) error {
	if string(bytes.TrimSpace(raw)) == "null" {
		return nil
	}
	var in struct {
		todoListJSON
		Tasks json.RawMessage `json:"tasks"`
	}
	if err := decode(raw, &in); err != nil {
		return err
	}
	tasks, err := readTasks(in.Tasks, decode)
	if err != nil {
		return err
	}
	*l = TodoList{
		ID: in.ID, Tasks: tasks, Original: in.Original, Rewritten: in.Rewritten, Reason: in.Reason,
		Retrieval: in.Retrieval, DataSource: in.DataSource, QueryMode: in.QueryMode, Proposed: in.Proposed,
	}
	if in.Current != nil {
		l.Current = *in.Current
	}
	if l.Current != "" && !slices.ContainsFunc(l.Tasks, func(t Todo) bool { return t.Key == l.Current }) {
		return fmt.Errorf("qed: a list of tasks: current_task_key is %q, which is not the key of a task", l.Current)
	}
	return nil
}

// readTasks decodes an object of tasks and keeps its order.
func readTasks(raw json.RawMessage, decode func([]byte, any) error) ([]Todo, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("qed: a list of tasks: its member tasks must be a JSON object")
	}
	var tasks []Todo
	seen := map[string]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		key := name.(string) // the decoder accepts only a string here
		if seen[key] {
			return nil, fmt.Errorf("qed: a list of tasks: two tasks have the key %q", key)
		}
		seen[key] = true
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return nil, err
		}
		t := Todo{}
		if text[0] != '{' {
			return nil, fmt.Errorf("qed: task %q must be a JSON object", key)
		}
		if err := decode(text, &t); err != nil {
			return nil, fmt.Errorf("qed: task %q: %w", key, err)
		}
		t.Key = key
		tasks = append(tasks, t)
	}
	if _, err := d.Token(); err != nil && err != io.EOF {
		return nil, err
	}
	return tasks, nil
}
