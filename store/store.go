package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Store keeps conversations: for each thread a log that only grows at its end. What a run did, what was said and what
// was asked is in it, so another process can go on where one stopped.
//
// A log is linear by construction. Two writers that believe to be at the same place cannot both append: the second gets
// an error that matches [ErrConflict]. That is all the locking there is, so a Store must make an append and its check one.
//
// A Store is safe for concurrent use. [InMemory] is one for tests and small programs, package sqlstore has one for databases; package storetest
// tests any other.
type Store interface {
	// Append adds recs, all or none, behind the record with the number after, which must be the thread's last; 0 means that the
	// thread has no records. They get the numbers from after+1; their Seq is not looked at.
	// When the thread's last record is another one, nothing is added and the error matches ErrConflict.
	Append(ctx context.Context, thread string, after int64, recs ...Record) error

	// Records gives the records of a thread that r asks for; a thread that does not exist has none. An error ends the sequence.
	// A record that cannot be read is an error that matches [ErrCorrupt], and has its Seq beside it, where that can be told. What is appended
	// meanwhile may be among them or not.
	Records(ctx context.Context, thread string, r Range) iter.Seq2[Record, error]

	// Trim removes the records of the given kinds with a number below before, but never the thread's last record.
	// Those that stay keep their numbers.
	Trim(ctx context.Context, thread string, before int64, kinds ...Kind) error

	// Delete removes a thread with everything of it. A thread that does not exist is no error. Numbers begin anew, so a run that is still
	// going on could append to another conversation of the same id: give each conversation an id of its own.
	Delete(ctx context.Context, thread string) error
}

// A Record is an entry of a thread's log.
type Record struct {
	Seq  int64     `json:"seq"`  // from 1; a trimmed log has gaps
	Time time.Time `json:"time"` // when it was written, by the clock of whoever wrote it
	Kind Kind      `json:"kind"`

	// Run is the Seq of the record with which its run began. It is the same for a run that stopped and was resumed.
	Run int64 `json:"run,omitempty"`

	// Address is what the record is about, such as a node or a call: names separated by slashes, from the outside in.
	// At most 1,000 bytes.
	Address string `json:"address,omitempty"`

	// EventData is one JSON value, or nil.
	Data json.RawMessage `json:"data,omitempty"`
}

// Decode decodes the Data of rec. Fields that v does not have are ignored, as a
// newer version may have written them. An error matches [ErrCorrupt].
func (rec *Record) Decode(v any) error {
	if err := json.Unmarshal(rec.Data, v); err != nil {
		return fmt.Errorf("%w: number %d, %s: %w", ErrCorrupt, rec.Seq, rec.Kind, err)
	}
	return nil
}

// A Kind says what a [Record] tells. Stores keep records of every kind alike. At most 32 bytes.
type Kind string

// The kinds of records that the runtime writes.
const (
	Began    Kind = "began"    // a run began, with its turn
	Resumed  Kind = "resumed"  // it goes on, in another turn or process
	Ended    Kind = "ended"    // it ended, or waits for a reply
	Alive    Kind = "alive"    // whoever runs it still does
	State    Kind = "state"    // the state of a graph, after a node
	Called   Kind = "called"   // a call that must not be repeated begins
	Returned Kind = "returned" // what became of a call
	Question Kind = "question" // a question to the user
	Reply    Kind = "reply"    // his reply
	Message  Kind = "message"  // what the user or the agent said
	Summary  Kind = "summary"  // what older messages come to
	Saved    Kind = "kept"     // rows or documents under a handle
	Memory   Kind = "memory"   // an entry of an agent's own memory
)

// A Range says which records of a thread are wanted. The zero Range means all of them, oldest first.
type Range struct {
	From, To int64  // the lowest and the highest number; 0 means no limit
	Kinds    []Kind // nil means every kind
	Under    string // an address: it and what lies below it, as "a" has "a" and "a/b" but not "ab"; empty means every one
	Newest   bool   // newest first
	Limit    int    // how many at most; 0 means no limit
}

// matches reports whether r asks for rec, the limit aside.
func (r Range) Matches(rec *Record) bool {
	if rec.Seq < r.From || r.To > 0 && rec.Seq > r.To {
		return false
	}
	if r.Under != "" && !IsUnder(rec.Address, r.Under) {
		return false
	}
	for _, kind := range r.Kinds {
		if kind == rec.Kind {
			return true
		}
	}
	return r.Kinds == nil
}

// isUnder reports whether an address is another one or lies below it.
func IsUnder(address, other string) bool {
	return strings.HasPrefix(address, other) && (len(address) == len(other) || address[len(other)] == '/')
}

var (
	// ErrConflict says that a thread is not as it was left: another process goes on with its run, or deleted it.
	ErrConflict = errors.New("store: the thread was changed by somebody else")

	// ErrCorrupt says that a record of a thread cannot be read.
	ErrCorrupt = errors.New("store: a record of the thread cannot be read")

	// ErrInvalidThread says that a thread's id cannot be one.
	ErrInvalidThread = errors.New("store: no id of a thread")
)

// CheckThread returns an error that matches [ErrInvalidThread] unless id can be that of a thread: 1 to 256 bytes of valid UTF-8
// that can be printed. Every [Store] refuses others.
func CheckThread(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: it is empty", ErrInvalidThread)
	case len(id) > 256:
		return fmt.Errorf("%w: it has %d bytes, and at most 256 are allowed", ErrInvalidThread, len(id))
	case !utf8.ValidString(id):
		return fmt.Errorf("%w: it is not valid UTF-8", ErrInvalidThread)
	case strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("%w: it has a character that cannot be printed", ErrInvalidThread)
	}
	return nil
}
