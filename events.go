package qed

import (
	"encoding/json"
	"time"

	"github.com/qedkit/qed/question"
)

// NodeStarted reports that a node of a graph, or a branch of a fan-out, begins.
// Its kind is "node_start".
type NodeStarted struct {
	Attempt int `json:"attempt"` // from 1
}

// NodeFinished reports the end of an attempt of a node or a branch.
// Its kind is "node_end".
type NodeFinished struct {
	Attempt     int    `json:"attempt"` // from 1
	Millis      int64  `json:"millis"`
	Error       string `json:"error,omitempty"`       // empty if it succeeded
	Interrupted bool   `json:"interrupted,omitempty"` // it waits for a reply
}

// EdgeTaken reports which node a [Graph.Route] chose. The path of the event is
// that of the node before it.
// Its kind is "edge".
type EdgeTaken struct {
	To string `json:"to"`
}

// RouteDecision reports the route that a router chose for a question.
// Its kind is "route_decision".
type RouteDecision struct {
	Route    string `json:"route"`              // empty if none could be chosen
	Reason   string `json:"reason,omitempty"`   // the model's
	Fallback bool   `json:"fallback,omitempty"` // the choice of the model could not be used

	// Confidence is the model's: high, medium or low. It is empty if the model was
	// not asked for it.
	Confidence string `json:"confidence,omitempty"`
}

// ToolStarted reports a call of a tool.
// Its kind is "tool_start".
type ToolStarted struct {
	Tool      string          `json:"tool"`
	ID        string          `json:"id,omitempty"` // of the call
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Unknown   bool            `json:"unknown,omitempty"` // there is no such tool: the model invented the name
}

// ToolFinished reports the end of a call of a tool.
// Its kind is "tool_end".
type ToolFinished struct {
	Tool        string `json:"tool"`
	ID          string `json:"id,omitempty"` // of the call
	Millis      int64  `json:"millis"`
	Result      string `json:"result,omitempty"`      // the JSON that it returned, cut after 1 KiB
	Error       string `json:"error,omitempty"`       // empty if it succeeded; the code of a Result {"success":false,"code":...}
	Interrupted bool   `json:"interrupted,omitempty"` // it waits for a reply
	Unknown     bool   `json:"unknown,omitempty"`     // there is no such tool
}

// TablesSelected reports the tables that a question is about.
// Its kind is "tables_selected".
type TablesSelected struct {
	Tables   []string `json:"tables"`
	Fallback bool     `json:"fallback,omitempty"` // chosen by name, without the model
	Reason   string   `json:"reason,omitempty"`
}

// JoinPlanned reports the plan of the joins that the model sees before it writes a
// query. The joins of the query that ran are in [Query.JoinPath].
// Its kind is "join_planned".
type JoinPlanned struct {
	Tables []string `json:"tables"`
	Joins  []string `json:"joins,omitempty"` // one join each
	Ties   []string `json:"ties,omitempty"`  // other plans that are as good

	// Unconnected are the groups of the chosen tables if no joins connect all of
	// them: tables of different groups must not be joined. Otherwise it is empty.
	Unconnected [][]string `json:"unconnected,omitempty"`
}

// QueryWritten reports a query that the model wrote, or wrote again.
// Its kind is "query_written".
type QueryWritten struct {
	Language string `json:"language"`
	Query    string `json:"query"`
	Attempt  int    `json:"attempt"`          // from 1
	Reason   string `json:"reason,omitempty"` // what was wrong with the query before; empty if it did not fail
}

// QueryRewritten reports what a query was changed to before it could run.
// Its kind is "query_rewritten".
type QueryRewritten struct {
	Query string   `json:"query"`
	Views []string `json:"views,omitempty"` // the secure views that replace tables
}

// QueryEstimated reports that the database expects to read more rows for a query than the
// agent may read without asking. Its kind is "query_estimated".
type QueryEstimated struct {
	Query string  `json:"query"`
	Rows  float64 `json:"rows"` // what the database expects to read or to join
}

// QueryRefused reports a query that must not or cannot run.
// Its kind is "query_refused".
type QueryRefused struct {
	Query      string   `json:"query"`
	Code       string   `json:"code"`
	Name       string   `json:"name,omitempty"` // what is wrong in it, such as a column's name
	Message    string   `json:"message"`
	Candidates []string `json:"candidates,omitempty"` // similar names that exist
}

// QueryExecuted reports a query that ran.
// Its kind is "query_executed".
type QueryExecuted struct {
	Query     string `json:"query"`
	Rows      int    `json:"rows"`
	Truncated bool   `json:"truncated,omitempty"` // there were more rows
	Millis    int64  `json:"millis"`
}

// QueryEmpty reports that a query found nothing, and why.
// Its kind is "query_empty".
type QueryEmpty struct {
	Query string      `json:"query"`
	Empty EmptyResult `json:"empty"`
}

// IntentClassified reports what a message wants, given what was planned and asked
// before.
// Its kind is "intent_classified".
type IntentClassified struct {
	Intent question.Intent `json:"intent"`
	Tasks  []string        `json:"tasks,omitempty"` // the keys of the tasks that it changes
	Reason string          `json:"reason,omitempty"`
}

// QuestionRewritten reports a message as a question that can be understood without
// the conversation.
// Its kind is "question_rewritten".
type QuestionRewritten struct {
	Question string `json:"question"`
}

// Planned reports the tasks of a plan, before any of them runs.
// Its kind is "planned".
type Planned struct {
	Reason string     `json:"reason,omitempty"`
	Tasks  []PlanTask `json:"tasks"`
}

// A PlanTask is one task of a plan, in a [Planned] event or an [Answer]: what it
// does, not how.
type PlanTask struct {
	Key         string   `json:"key"` // its name within the plan
	Description string   `json:"description"`
	After       []string `json:"after,omitempty"` // the keys of the tasks whose results it needs
	Tool        string   `json:"tool,omitempty"`  // empty if it does not call a tool

	// Status is empty before the plan runs.
	Status TodoStatus `json:"status,omitempty"`
}

// TaskStarted reports that a task of a plan begins.
// Its kind is "task_start".
type TaskStarted struct {
	Key         string `json:"key"`
	Description string `json:"description"`
}

// TaskFinished reports the end of a task of a plan.
// Its kind is "task_end".
type TaskFinished struct {
	Key         string `json:"key"`
	Rows        int    `json:"rows"`             // how many it found
	Cached      bool   `json:"cached,omitempty"` // the rows were found before
	Millis      int64  `json:"millis"`
	Error       string `json:"error,omitempty"`       // empty if it succeeded
	Interrupted bool   `json:"interrupted,omitempty"` // it waits for a reply
}

// Page has some of the rows of an answer, as they are read.
// Its kind is "page".
type Page struct {
	Number int   `json:"number"` // from 1
	Table  Table `json:"table"`
}

// Retrieved reports the passages of documents that were found.
// Its kind is "retrieved".
type Retrieved struct {
	Query     string     `json:"query"`
	Citations []Citation `json:"citations,omitempty"` // the best first
	Millis    int64      `json:"millis"`
}

// A Channel says what the text of a [Token] is. There can be channels other than
// those of this package.
type Channel string

const (
	ChannelFinal     Channel = "final"     // the answer
	ChannelReasoning Channel = "reasoning" // the reasoning of the model
	ChannelTool      Channel = "tool"      // the answer of an agent that is a tool of this one

	// ChannelDraft has a text that is checked before it becomes the answer. What is
	// left of it follows on ChannelFinal.
	ChannelDraft Channel = "draft"
)

// Token is the next piece of a text that is being written.
// Its kind is "token".
type Token struct {
	Channel Channel `json:"channel"`
	Content string  `json:"content"`

	// Discard says that what was written on the channel so far is not part of the
	// text: it led to a call of a tool, could not be used, or was a thought of the
	// model. Content is empty then.
	Discard bool `json:"discard,omitempty"`
}

// Interrupted reports a question to the user, with which the turn ends.
// Its kind is "interrupted".
type Interrupted struct {
	Question question.Question `json:"question"`
}

// QuestionClosed reports that a question was closed without a reply.
// Its kind is "question_closed".
type QuestionClosed struct {
	Question string          `json:"question"` // its ID
	Intent   question.Intent `json:"intent"`   // what the user wanted instead
	Reason   string          `json:"reason,omitempty"`
}

// Warning reports a problem that does not fail the turn.
// Its kind is "warning".
type Warning struct {
	// Code is
	//
	//   - "not_saved": the store failed, and something of the turn is not saved;
	//   - "state_discarded": what the thread has saved cannot be read, and is not used;
	//   - "memory_incomplete": the agent got less of the conversation, or of what
	//     is remembered of the user, than it should;
	//   - "result_lost": a result of the plan cannot be loaded;
	//   - "rows_incomplete": statistics rest on the saved rows of a query, because
	//     all of them could not be read again;
	//   - "joins_too_long": chosen tables are further apart than an option allows;
	//   - "example_refused": a verified question is not shown, as its statement is
	//     refused today;
	//   - "not_in_words": the model could not put the rows into words, and the answer
	//     has them only as a table;
	//   - "prompt_cut": the model's server read much less than it was sent.
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Completed is the last event of a turn that succeeded.
// Its kind is "complete".
type Completed struct {
	Answer Answer `json:"answer"`
	Millis int64  `json:"millis"` // how long the turn took
}

// Failed is the last event of a turn that failed. The error itself comes with it:
// log it.
// Its kind is "error".
type Failed struct {
	// Message is for the user, in the user's language: see [WithTexts]. An error without
	// a code can have a method UserText() string that returns it.
	Message string `json:"message"`

	// Code is the kind of the error: "busy", "turn_running", "turn_reused",
	// "turn_given_up", "invalid_turn_id", "wrong_user", "conflict", "question_closed",
	// "question_answered", "invalid_reply", "unresolved", "graph_changed",
	// "nondeterministic", "budget", "invalid_thread", "corrupt", "empty_turn",
	// "message_too_long", "canceled" or "timeout". If a call of a model failed it is "model_" and the
	// name of the [llm.ErrorKind] with underscores, such as "model_rate_limit" or
	// "model_context_length". It is empty for any other error.
	Code string `json:"code,omitempty"`

	// RetryAt is when the turn can be tried again: when the turn before it ends at
	// the latest (see [BusyError]), or when the provider of the model accepts a
	// request again. Zero means unknown.
	RetryAt time.Time `json:"retry_at,omitzero"`
}

// CustomEvent is an event of a host, or of a newer version of this package. Its
// Kind is not one of this package, and its JSON is one valid value.
type CustomEvent struct {
	Kind string
	JSON json.RawMessage
}

func (NodeStarted) kind() string       { return "node_start" }
func (NodeFinished) kind() string      { return "node_end" }
func (EdgeTaken) kind() string         { return "edge" }
func (RouteDecision) kind() string     { return "route_decision" }
func (ToolStarted) kind() string       { return "tool_start" }
func (ToolFinished) kind() string      { return "tool_end" }
func (TablesSelected) kind() string    { return "tables_selected" }
func (JoinPlanned) kind() string       { return "join_planned" }
func (QueryWritten) kind() string      { return "query_written" }
func (QueryRewritten) kind() string    { return "query_rewritten" }
func (QueryEstimated) kind() string    { return "query_estimated" }
func (QueryRefused) kind() string      { return "query_refused" }
func (QueryExecuted) kind() string     { return "query_executed" }
func (QueryEmpty) kind() string        { return "query_empty" }
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
func (Warning) kind() string           { return "warning" }
func (Completed) kind() string         { return "complete" }
func (Failed) kind() string            { return "error" }
func (e CustomEvent) kind() string     { return e.Kind }
