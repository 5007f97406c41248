package qed

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/qedkit/qed/store"
)

// The data of the runtime's records. Fields are added, never changed: logs outlive programs.

// beganData is that of a RecordBegan.
type beganData struct {
	Turn   Turn          `json:"turn"`
	Key    string        `json:"key"`              // random: what the ids of its questions and handles are made of
	Lease  time.Duration `json:"lease"`            // after which time without a record it counts as crashed, in nanoseconds
	Floor  int64         `json:"floor,omitempty"`  // what lies below is not looked at: it could not be read
	Closed *closed       `json:"closed,omitempty"` // the questions of the run before
}

// closed says why open questions were.
type closed struct {
	Questions []string `json:"questions"`
	Intent    Intent   `json:"intent"`
	Reason    string   `json:"reason,omitempty"`
}

// resumedData is that of a RecordResumed.
type resumedData struct {
	Turn *Turn `json:"turn,omitempty"` // the message that has the replies; nil after a crash
}

// endedData is that of a RecordEnded. It has what the next turn needs to know, so that this one record is enough.
type endedData struct {
	Status  RunStatus `json:"status"`
	User    string    `json:"user,omitempty"`
	Company string    `json:"company,omitempty"`
	Floor   int64     `json:"floor,omitempty"`
	Answer  *Answer   `json:"answer,omitempty"`
	Error   string    `json:"error,omitempty"`
	Call    string    `json:"call,omitempty"` // the address of the call that failed the run
}

// stateData is that of a RecordState. [stateRecord] writes it.
type stateData struct {
	Fingerprint string          `json:"fingerprint"`
	Version     string          `json:"version,omitempty"`
	Node        string          `json:"node"`
	Step        int             `json:"step"`
	State       json.RawMessage `json:"state"`
}

// calledData is that of a RecordCalled.
type calledData struct {
	In    string          `json:"in"` // the hash of the input
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"` // for who finds out what became of it, where it is not too large
}

// returnedData is that of a RecordReturned: either a value or an error.
type returnedData struct {
	In      string          `json:"in"` // the hash of the input
	Attempt int             `json:"attempt"`
	Value   json.RawMessage `json:"value,omitempty"`
	Error   *failure        `json:"error,omitempty"`
	Stopped bool            `json:"stopped,omitempty"` // it was left before it did its work: it waits for the user, or was refused
}

// questionData is that of a RecordQuestion.
type questionData struct {
	Question Question `json:"question"`
	Path     string   `json:"path,omitempty"` // of the event
}

// replyData is that of a RecordReply.
type replyData struct {
	Value json.RawMessage `json:"value"`
}

// summaryData is that of a RecordSummary.
type summaryData struct {
	Text    string `json:"text"`
	Through int64  `json:"through"` // the number of the last message in it
}

// readBegan reads the data of a RecordBegan, which every later record of its run rests on.
func readBegan(rec *store.Record, began *beganData) error {
	if err := rec.Decode(began); err != nil {
		return err
	}
	if began.Turn.Text == "" || began.Key == "" || began.Lease <= 0 {
		return fmt.Errorf("%w: number %d, a run that began with nothing", store.ErrCorrupt, rec.Seq)
	}
	return nil
}

// checkThread returns an error unless st is a store and id can be the id of a
// thread.
func checkThread(st store.Store, id string) error {
	if st == nil {
		return errors.New("qed: the Store is nil: pass the one that holds the conversation")
	}
	return store.CheckThread(id)
}

// aborted reports whether rec began a run with a message that ended the
// questions before it with IntentAbort. A record that cannot be read did not.
func aborted(rec *store.Record) bool {
	var began beganData
	return readBegan(rec, &began) == nil && began.Closed != nil && began.Closed.Intent == IntentAbort
}
