package qed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// The data of the runtime's records. Fields are added and never changed: logs
// outlive programs.

// beganData is the data of a [store.Began] record.
type beganData struct {
	Turn   loggedTurn    `json:"turn"`
	Key    string        `json:"key"`              // random; ids and handles are made of it
	Lease  time.Duration `json:"lease"`            // see [DurableOptions], in nanoseconds
	Floor  int64         `json:"floor,omitempty"`  // records up to this number are not used
	Title  string        `json:"title,omitempty"`  // of the thread
	Turns  int           `json:"turns,omitempty"`  // how many runs were begun, with this one
	Closed *closed       `json:"closed,omitempty"` // the open questions that the turn closed

	// Calls are as in endedData, when the run began.
	Calls []string `json:"calls,omitzero"`
}

// A loggedTurn is a [Turn] as it is recorded: with the fields that the JSON form
// of a Turn does not have.
type loggedTurn struct {
	Thread       string           `json:"conversation_id,omitempty"`
	ID           string           `json:"turn_id,omitempty"`
	User         string           `json:"user_id,omitempty"`
	Tenant       string           `json:"company_id,omitempty"`
	Text         string           `json:"message"`
	Language     string           `json:"language,omitempty"`
	Calendar     *dates.Calendar  `json:"calendar,omitempty"`
	Intent       question.Intent  `json:"intent,omitempty"`
	IntentReason string           `json:"intent_reason,omitempty"`
	Replies      []question.Reply `json:"replies,omitempty"`
	History      []llm.Message    `json:"history,omitempty"`
}

// closed is why open questions were closed.
type closed struct {
	Questions []string        `json:"questions"`
	Intent    question.Intent `json:"intent"`
	Reason    string          `json:"reason,omitempty"`
}

// resumedData is the data of a [store.Resumed] record.
type resumedData struct {
	Key  string      `json:"key"`            // random; it tells two processes apart that resume the run
	Turn *loggedTurn `json:"turn,omitempty"` // the turn with the replies; nil if there are none
	ID   string      `json:"id,omitempty"`   // of a turn with a text or replies
	Said string      `json:"said,omitempty"` // the text of a turn without replies
}

// endedData is the data of a [store.Ended] record. It has all that the next
// turn needs to know.
type endedData struct {
	Status store.Status `json:"status"`
	User   string       `json:"user,omitempty"`
	Tenant string       `json:"tenant,omitempty"`
	Floor  int64        `json:"floor,omitempty"`
	Title  string       `json:"title,omitempty"` // of the thread
	Turns  int          `json:"turns,omitempty"` // how many runs were begun
	Answer *Answer      `json:"answer,omitempty"`
	Error  string       `json:"error,omitempty"`
	Call   string       `json:"call,omitempty"` // the address of the call that failed the run
	Spent  spentData    `json:"spent,omitzero"`

	// Calls are the addresses of the at-most-once calls in namespaces that had not
	// returned, of this run and those before. Some of them may have. Nil means that
	// they are not known: an older version wrote the record.
	Calls []string `json:"calls,omitzero"`
}

// stateData is the data of a [store.Checkpoint] record, whose state is an S.
type stateData[S any] struct {
	Fingerprint string `json:"fingerprint"`
	Version     string `json:"version,omitempty"`
	Node        string `json:"node"`
	Step        int    `json:"step"`
	State       S      `json:"state"`
}

// calledData is the data of a [store.Called] record.
type calledData struct {
	In    string          `json:"in"` // the hash of the input
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"` // see [UnresolvedCall]
}

// returnedData is the data of a [store.Returned] record: a value or an error.
type returnedData struct {
	In      string          `json:"in"` // the hash of the input
	Attempt int             `json:"attempt"`
	Value   json.RawMessage `json:"value,omitempty"`
	Error   *failure        `json:"error,omitempty"`
	Spent   spentData       `json:"spent,omitzero"`
	Stopped bool            `json:"stopped,omitempty"` // the call did nothing: it interrupted the run, or failed safely
}

// spentData is what the run has spent since it began, when a record was
// written.
type spentData struct {
	Tokens     int `json:"tokens,omitempty"`
	ModelCalls int `json:"model_calls,omitempty"`
	ToolCalls  int `json:"tool_calls,omitempty"`
	Rows       int `json:"rows,omitempty"`
}

func spentOf(m *budget.Meter) spentData {
	s := m.Spent()
	return spentData{Tokens: s.Tokens, ModelCalls: s.ModelCalls, ToolCalls: s.ToolCalls, Rows: s.Rows}
}

func (s spentData) limits() budget.Limits {
	return budget.Limits{Tokens: s.Tokens, ModelCalls: s.ModelCalls, ToolCalls: s.ToolCalls, Rows: s.Rows}
}

// raise makes each amount of s at least that of other. Records of parallel
// calls are not in the order in which the calls spent.
func (s *spentData) raise(other spentData) {
	s.Tokens, s.ModelCalls = max(s.Tokens, other.Tokens), max(s.ModelCalls, other.ModelCalls)
	s.ToolCalls, s.Rows = max(s.ToolCalls, other.ToolCalls), max(s.Rows, other.Rows)
}

// questionData is the data of a [store.Question] record.
type questionData struct {
	Question question.Question `json:"question"`
	Path     string            `json:"path,omitempty"` // of the event
}

// replyData is the data of a [store.Reply] record.
type replyData struct {
	Value json.RawMessage `json:"value"`
}

// summaryData is the data of a [store.Summary] record.
type summaryData struct {
	Text    string `json:"text"`
	Through int64  `json:"through"` // the number of the last message that is summarised
}

// maxDepth is how deep JSON may be nested that package json reads.
const maxDepth = 10_000

// encode returns the JSON of v, which is the data of a record or is to become a
// part of it. It returns an error if the JSON could not be read again, and for a
// panic of v's own encoding.
func encode(v any) (data json.RawMessage, err error) {
	defer recoverInto(&err)
	data, err = json.Marshal(v)
	if err != nil {
		return nil, err
	}
	opened := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("["))
	if opened > maxDepth && !json.Valid(data) {
		return nil, fmt.Errorf("its JSON is nested deeper than %d levels, and could not be read again", maxDepth)
	}
	return data, nil
}

// readBegan decodes a [store.Began] record, which every later record of the run
// depends on.
func readBegan(rec *store.Record, began *beganData) error {
	if err := rec.Decode(began); err != nil {
		return err
	}
	if began.Turn.Text == "" || began.Key == "" || began.Lease <= 0 {
		return fmt.Errorf("%w: number %d, the beginning of a run without a turn", store.ErrCorrupt, rec.Seq)
	}
	return nil
}

// checkThread returns an error unless st is a store and id can be the id of a
// conversation.
func checkThread(st store.Store, id string) error {
	if st == nil {
		return errors.New("qed: the Store is nil: pass the store that has the conversation")
	}
	return store.CheckConversation(id)
}

// aborts reports whether the questions were closed by the user's wish to stop.
func (c *closed) aborts() bool { return c != nil && c.Intent == question.IntentAbort }

func messageRecord(role llm.Role, text string) store.Record {
	data, _ := json.Marshal(llm.Message{Role: role, Content: text}) // strings have a JSON form
	return store.Record{Kind: store.Message, Data: data}
}

func replyRecord(address string, value json.RawMessage) store.Record {
	data, _ := json.Marshal(replyData{value}) // value was checked to be JSON
	return store.Record{Kind: store.Reply, Address: address, Data: data}
}
