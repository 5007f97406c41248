package qed

import "encoding/json"

// NodeStarted says that a node of a graph, or a branch of a fan-out, begins.
// Its kind is "node_start".
type NodeStarted struct {
	Attempt int `json:"attempt"` // from 1
}

// NodeFinished says that an attempt of a node or a branch ended.
// Its kind is "node_end".
type NodeFinished struct {
	Attempt     int    `json:"attempt"`               // from 1
	Error       string `json:"error,omitempty"`       // empty when it succeeded
	Interrupted bool   `json:"interrupted,omitempty"` // it waits for the user
}

// RouteDecision says which way was taken where there are several.
// Its kind is "route_decision".
type RouteDecision struct {
	Route    string `json:"route"`
	Reason   string `json:"reason,omitempty"`   // of a model that chose it
	Fallback bool   `json:"fallback,omitempty"` // the model's choice could not be used
}

// ToolStarted says that a tool is called. Arguments is what the model wrote, or what a plan's task came to.
// Its kind is "tool_start".
type ToolStarted struct {
	Tool      string          `json:"tool"`
	ID        string          `json:"id,omitempty"` // the call's
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// ToolFinished says that a tool's call ended.
// Its kind is "tool_end".
type ToolFinished struct {
	Tool        string `json:"tool"`
	ID          string `json:"id,omitempty"`          // the call's
	Error       string `json:"error,omitempty"`       // empty when it succeeded
	Interrupted bool   `json:"interrupted,omitempty"` // it waits for the user
	Millis      int64  `json:"millis"`
}

// TablesSelected says which tables a question is about.
// Its kind is "tables_selected".
type TablesSelected struct {
	Tables   []string `json:"tables"`
	Fallback bool     `json:"fallback,omitempty"` // chosen by their names, as the model's choice could not be used
	Reason   string   `json:"reason,omitempty"`
}

// JoinPlanned says how tables are joined.
// Its kind is "join_planned".
type JoinPlanned struct {
	Tables []string `json:"tables"`
	Joins  []string `json:"joins,omitempty"` // one a line
	Ties   []string `json:"ties,omitempty"`  // other plans that are as good
}

// QueryWritten says what the model wrote.
// Its kind is "query_written".
type QueryWritten struct {
	Language string `json:"language"`
	Query    string `json:"query"`
	Attempt  int    `json:"attempt"` // from 1
}

// QueryRewritten says what a query became before it could run.
// Its kind is "query_rewritten".
type QueryRewritten struct {
	Query string   `json:"query"`
	Views []string `json:"views,omitempty"` // the secure views that stand in for tables
}

// QueryRefused says that a query must not run, or cannot.
// Its kind is "query_refused".
type QueryRefused struct {
	Query      string   `json:"query"`
	Code       string   `json:"code"`
	Name       string   `json:"name,omitempty"` // what is wrong in it, such as a column's name
	Message    string   `json:"message"`
	Candidates []string `json:"candidates,omitempty"` // what may have been meant
}

// QueryCorrected says that the model wrote a query again.
// Its kind is "query_corrected".
type QueryCorrected struct {
	Attempt int    `json:"attempt"` // from 1
	Before  string `json:"before"`
	After   string `json:"after"`
	Reason  string `json:"reason"`
}

// QueryExecuted says that a query ran.
// Its kind is "query_executed".
type QueryExecuted struct {
	Query     string `json:"query"`
	Rows      int    `json:"rows"`
	Truncated bool   `json:"truncated,omitempty"` // there were more rows
	Millis    int64  `json:"millis"`
}

// IntentClassified says what a message is taken for, beside what was planned and asked before.
// Its kind is "intent_classified".
type IntentClassified struct {
	Intent Intent   `json:"intent"`
	Tasks  []string `json:"tasks,omitempty"` // the keys of the plan's steps that it changes
	Reason string   `json:"reason,omitempty"`
}

// QuestionRewritten says what a message means, as a question that is clear in itself.
// Its kind is "question_rewritten".
type QuestionRewritten struct {
	Question string `json:"question"`
}

// Planned says in which steps a question is to be answered, before any of them runs.
// Its kind is "planned".
type Planned struct {
	Reason string     `json:"reason,omitempty"`
	Tasks  []PlanTask `json:"tasks"`
}

// A PlanTask is one step of a plan: what is to be done, not how.
type PlanTask struct {
	Key         string   `json:"key"` // names it within the plan
	Description string   `json:"description"`
	After       []string `json:"after,omitempty"` // the keys of the steps whose results it needs
	Tool        string   `json:"tool,omitempty"`  // what does it, where that is a tool
}

// TaskStarted says that a step of a plan begins.
// Its kind is "task_start".
type TaskStarted struct {
	Key         string `json:"key"`
	Description string `json:"description"`
}

// TaskFinished says how a step of a plan ended.
// Its kind is "task_end".
type TaskFinished struct {
	Key         string `json:"key"`
	Rows        int    `json:"rows"`             // how many it found
	Cached      bool   `json:"cached,omitempty"` // found before, and not asked for again
	Millis      int64  `json:"millis"`
	Error       string `json:"error,omitempty"`       // why it failed
	Interrupted bool   `json:"interrupted,omitempty"` // it waits for the user
}

// Page holds some of the rows of an answer, as they are read.
// Its kind is "page".
type Page struct {
	Number int   `json:"number"` // from 1
	Table  Table `json:"table"`
}

// Retrieved says which passages of documents were found.
// Its kind is "retrieved".
type Retrieved struct {
	Query     string     `json:"query"`
	Citations []Citation `json:"citations,omitempty"` // the best first
}

// Channel says what the text of a [Token] is. A client may meet channels beside those of this package.
type Channel string

const (
	ChannelFinal     Channel = "final"     // the answer
	ChannelReasoning Channel = "reasoning" // what the model thinks on the way to it
	ChannelTool      Channel = "tool"      // the answer of an agent that is a tool of this one
)

// Token is the next piece of a text that is being written.
// Its kind is "token".
type Token struct {
	Channel Channel `json:"channel"`
	Content string  `json:"content"`
}

// Interrupted says that the turn ends with a question.
// Its kind is "interrupted".
type Interrupted struct {
	Question Question `json:"question"`
}

// QuestionClosed says that a question is open no more, though nobody answered it.
// Its kind is "question_closed".
type QuestionClosed struct {
	Question string `json:"question"` // its ID
	Intent   Intent `json:"intent"`   // what the user wanted instead
	Reason   string `json:"reason,omitempty"`
}

// MemoryIncomplete says that less of a conversation is told than a [Memory] should, as what is older could not be summarised.
// Its kind is "memory_incomplete".
type MemoryIncomplete struct {
	Message string `json:"message"`
}

// SaveFailed says that something of the turn is not kept, as the store fails.
// Its kind is "save_failed".
type SaveFailed struct {
	Message string `json:"message"`
}

// StateDiscarded says that what a thread had is not used, as it cannot be read.
// Its kind is "state_discarded".
type StateDiscarded struct {
	Reason string `json:"reason"`
}

// Completed is the last event of a turn that succeeded.
// Its kind is "complete".
type Completed struct {
	Answer Answer    `json:"answer"`
	Stats  TurnStats `json:"stats"`
}

// TurnStats is what a turn cost.
type TurnStats struct {
	Tokens int   `json:"tokens"` // in and out
	Millis int64 `json:"millis"`
}

// Failed is the last event of a turn that failed. It comes together with the error itself, whose text it has.
// Its kind is "error".
type Failed struct {
	Message string `json:"message"`

	// Code says what kind of error it is, where a client may want to tell: "busy", "wrong_user", "conflict", "question_closed", "invalid_reply", "unresolved", "graph_changed",
	// "nondeterministic", "budget", "invalid_thread", "corrupt", "empty_turn", "canceled" or "timeout". Empty means any other.
	Code string `json:"code,omitempty"`
}

// CustomEvent is an event of the host's own, or one of a newer version.
// Its Kind is none of this package's, and its JSON is one valid value.
type CustomEvent struct {
	Kind string
	JSON json.RawMessage
}

func (NodeStarted) kind() string       { return "node_start" }
func (NodeFinished) kind() string      { return "node_end" }
func (RouteDecision) kind() string     { return "route_decision" }
func (ToolStarted) kind() string       { return "tool_start" }
func (ToolFinished) kind() string      { return "tool_end" }
func (TablesSelected) kind() string    { return "tables_selected" }
func (JoinPlanned) kind() string       { return "join_planned" }
func (QueryWritten) kind() string      { return "query_written" }
func (QueryRewritten) kind() string    { return "query_rewritten" }
func (QueryRefused) kind() string      { return "query_refused" }
func (QueryCorrected) kind() string    { return "query_corrected" }
func (QueryExecuted) kind() string     { return "query_executed" }
func (IntentClassified) kind() string  { return "intent_classified" }
func (QuestionRewritten) kind() string { return "question_rewritten" }
func (Planned) kind() string           { return "planned" }
func (TaskStarted) kind() string       { return "task_start" }
func (TaskFinished) kind() string      { return "task_end" }
func (Page) kind() string              { return "page" }
func (Retrieved) kind() string         { return "retrieved" }
func (Token) kind() string             { return "token" }
func (Interrupted) kind() string       { return "interrupted" }
func (QuestionClosed) kind() string    { return "question_closed" }
func (MemoryIncomplete) kind() string  { return "memory_incomplete" }
func (SaveFailed) kind() string        { return "save_failed" }
func (StateDiscarded) kind() string    { return "state_discarded" }
func (Completed) kind() string         { return "complete" }
func (Failed) kind() string            { return "error" }
func (o CustomEvent) kind() string     { return o.Kind }
