// Package store defines where conversations are saved, so that they survive the
// process. Give a [Store] to the option Store of an agent, or to qed.Durable for an
// agent of your own. Every turn of a thread is recorded then, and can be resumed by
// another process.
//
// Choose a store by which processes share the conversations:
//
//   - [InMemory] for tests, and for programs whose conversations may end with
//     the process.
//   - sqlitestore.Open for the processes of one machine. It needs no server.
//   - sqlstore.New for several machines, with PostgreSQL, MySQL or MariaDB.
//   - An implementation of the Store interface for anything else. Package
//     storetest tests it.
//
// The stores of this module keep threads for ever, unless an option says
// otherwise. They are Listers: a [Lister] lists the threads of a user, of a
// tenant or with a status, for an operator and for a process that resumes the
// runs of another one.
//
// Each user has ids of conversations of their own: [ForUser] returns the
// conversations of one user. sealed.New wraps any store in one that encrypts what
// is saved.
// [EraseUser] deletes the conversations of a user, and [CopyThread] copies a
// conversation to another store.
//
// This package and the stores do not import package qed.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Store keeps one append-only log of records for each thread. The log holds
// everything that happened in the conversation, so that another process can
// resume a run that stopped.
//
// Appends use optimistic locking: of two writers that append after the same
// record, one succeeds and the other gets an error that matches [ErrConflict].
// There is no other lock, so a Store must check the last record and append in
// one atomic operation.
//
// A Store is safe for concurrent use. Every method returns an error that matches
// [ErrInvalidThread] for an id that [CheckThread] refuses. Package storetest
// tests an implementation and lists what it must guarantee in addition.
type Store interface {
	// Append adds all of recs to the thread or none of them.
	//
	//   - after is the Seq of the thread's last record, or 0 if the thread has
	//     no records. If the last record is another one, the error matches
	//     ErrConflict.
	//   - The records get the numbers from after+1 on. Their Seq fields are
	//     ignored.
	//   - Without recs, Append only checks after.
	Append(ctx context.Context, thread string, after int64, recs ...Record) error

	// Records returns the records of a thread that r selects. A thread that does
	// not exist has none.
	//
	//   - An error ends the sequence.
	//   - If a record cannot be read, the error matches ErrCorrupt, and the Seq
	//     of the record that is yielded with it is the number of the unreadable
	//     record, if that number is known.
	//   - Records that are appended while the sequence is read may or may not be
	//     part of it.
	Records(ctx context.Context, thread string, r Range) iter.Seq2[Record, error]

	// Trim removes the records of the given kinds whose numbers are below
	// before. It never removes the thread's last record. The other records keep
	// their numbers.
	Trim(ctx context.Context, thread string, before int64, kinds ...Kind) error

	// Delete removes a thread with all its records. Deleting a thread that does
	// not exist is not an error.
	//
	// A deleted thread starts again at number 1, so a run that is still active
	// could append to a new conversation with the same id. Do not use an id
	// twice.
	Delete(ctx context.Context, thread string) error
}

// The lengths in bytes that every [Store] keeps in full.
const (
	maxThread       = 256
	maxConversation = 200 // the rest is for the owner: see ForUser
	maxKind         = 32
	maxAddress      = 1000
)

// A Record is an entry in the log of a thread.
type Record struct {
	// Seq is the number of the record, counted from 1. A trimmed log has gaps.
	Seq int64 `json:"seq"`

	// Time is when the record was written, by the clock of its writer. Stores
	// keep it in UTC and to the microsecond.
	Time time.Time `json:"time"`

	Kind Kind `json:"kind"`

	// Run is the Seq of the record that began the run. A resumed run keeps it.
	Run int64 `json:"run,omitempty"`

	// Address names what the record is about, such as a node or a call: names
	// from the outermost to the innermost, separated by slashes. It has at most
	// 1,000 bytes.
	Address string `json:"address,omitempty"`

	// Data is one JSON value, or nil. A store keeps its bytes unchanged.
	Data json.RawMessage `json:"data,omitempty"`

	// Header replaces the header of the thread, if it is not nil. It is for a
	// [Lister]: another store ignores it, and Records does not return it.
	Header *Header `json:"-"`
}

// Decode decodes the Data of rec into v. It ignores fields that v does not have,
// because a newer version may have written them. Its errors match [ErrCorrupt].
func (rec *Record) Decode(v any) error {
	if err := json.Unmarshal(rec.Data, v); err != nil {
		return fmt.Errorf("%w: number %d, %s: %w", ErrCorrupt, rec.Seq, rec.Kind, err)
	}
	return nil
}

// CheckRecords returns an error if the Kind, the Address or the Header of a
// record is longer than a [Store] has to support. A store with columns of
// limited length calls it in Append.
func CheckRecords(recs []Record) error {
	for i := range recs {
		if kind := recs[i].Kind; len(kind) > maxKind {
			return fmt.Errorf("store: a record has a kind of %d bytes; the limit is %d", len(kind), maxKind)
		}
		if address := recs[i].Address; len(address) > maxAddress {
			return fmt.Errorf("store: a record has an address of %d bytes; the limit is %d", len(address), maxAddress)
		}
		if recs[i].Header != nil {
			if err := CheckHeader(recs[i].Header); err != nil {
				return err
			}
		}
	}
	return nil
}

// A Kind is the type of a [Record]. It has at most 32 bytes.
//
// A store treats every kind alike and accepts unknown ones. The only choice that
// it may base on the kind is durability: after a power failure the most recent
// records of kind [Checkpoint] and [Heartbeat] may be missing, but only if no
// record that follows them survived.
type Kind string

// The kinds of records that the runtime writes.
//
// Checkpoint, Called, Returned, Question, Reply and Heartbeat are only needed to
// resume, inspect and fork a run. The runtime trims them if the KeepRuns of
// qed.DurableOptions is set and the run is older than these runs. It never trims
// the other kinds of a conversation.
const (
	// Began is the first record of a run, with its turn.
	Began Kind = "began"

	// Resumed records that a run continues, in a later turn or another process.
	Resumed Kind = "resumed"

	// Ended is the last record of a run that has ended or waits for a reply. It
	// holds the answer or the error.
	Ended Kind = "ended"

	// Heartbeat shows that the process of a run is alive. It is written when
	// nothing else was recorded for a while, and has no data.
	Heartbeat Kind = "heartbeat"

	// Checkpoint is the state of a graph after a node. It is written most often
	// and has the most data. Address is the graph.
	Checkpoint Kind = "checkpoint"

	// Called records that an at-most-once call begins. Address is the call.
	Called Kind = "called"

	// Returned is the result of a step or a call. Address is the call.
	Returned Kind = "returned"

	// Question is a question that interrupts a run until the user replies.
	Question Kind = "question"

	// Reply is the user's reply to the question with the same address.
	Reply Kind = "reply"

	// Message is a message of the user or the agent.
	Message Kind = "message"

	// Summary replaces older messages in what a model is sent. The messages stay
	// in the log.
	Summary Kind = "summary"

	// Saved holds rows or another artifact. Address is its handle.
	Saved Kind = "saved"

	// Memory is an entry of an agent's memory, with the memory's name in its
	// address, or of the memory of a user.
	Memory Kind = "memory"
)

// A Range selects records of a thread. The zero Range selects all of them, oldest
// first. A record is selected if it meets every condition.
//
// The runtime reads long threads by Address, Under and Kinds. A store should
// find these records with an index.
type Range struct {
	// From and To are the lowest and the highest number; 0 means no limit.
	From, To int64

	// Kinds are the kinds to select. Nil means every kind, and an empty slice
	// that is not nil means none.
	Kinds []Kind

	// Address selects the records with exactly this address. Empty means every
	// address.
	Address string

	// Under is an address. It selects the records with this address and those
	// below it, see [IsUnder]. Empty means every address.
	Under string

	// NewestFirst reverses the order of the records. Limit then selects the
	// newest ones.
	NewestFirst bool

	// Limit is the highest number of records; 0 means no limit.
	Limit int
}

// matches reports whether r selects rec if Limit is ignored.
func (r Range) matches(rec *Record) bool {
	return rec.Seq >= r.From && (r.To <= 0 || rec.Seq <= r.To) &&
		(r.Address == "" || rec.Address == r.Address) &&
		(r.Under == "" || IsUnder(rec.Address, r.Under)) &&
		(r.Kinds == nil || slices.Contains(r.Kinds, rec.Kind))
}

// IsUnder reports whether address is parent or lies below it: "a" and "a/b" are
// under "a", but "ab" is not.
func IsUnder(address, parent string) bool {
	rest, ok := strings.CutPrefix(address, parent)
	return ok && (rest == "" || rest[0] == '/')
}

var (
	// ErrConflict means that the thread has another last record than the writer
	// expected: another process appended to the thread, or deleted it.
	ErrConflict = errors.New("store: another writer has changed the thread")

	// ErrBusy means that an operation waited for other users of the database until
	// its context ended or the store gave up: for a connection of the pool, or for
	// the lock of another writer, such as a process that is paused.
	ErrBusy = errors.New("store: the database is busy")

	// ErrCorrupt means that a record of a thread cannot be read.
	ErrCorrupt = errors.New("store: a record of the thread cannot be read")

	// ErrInvalidThread means that a text cannot be the id of a thread.
	ErrInvalidThread = errors.New("store: invalid thread id")
)

// Reserved begins the ids of threads that are no conversations, such as those of
// package usermemory.
const Reserved = "qed/"

// CheckConversation returns an error that matches [ErrInvalidThread] unless id can be
// the id of a conversation: [CheckThread] accepts it, it has at most 200 bytes, and it
// does not begin with [Reserved].
func CheckConversation(id string) error {
	switch {
	case strings.HasPrefix(id, Reserved):
		return fmt.Errorf("%w: ids that begin with %s are reserved", ErrInvalidThread, Reserved)
	case len(id) > maxConversation:
		return fmt.Errorf("%w: it has %d bytes; the limit of a conversation is %d",
			ErrInvalidThread, len(id), maxConversation)
	}
	return CheckThread(id)
}

// CheckThread returns an error that matches [ErrInvalidThread] unless id has 1 to
// 256 bytes of valid UTF-8 and only printable characters.
func CheckThread(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: it is empty", ErrInvalidThread)
	case len(id) > maxThread:
		return fmt.Errorf("%w: it has %d bytes; the limit is %d", ErrInvalidThread, len(id), maxThread)
	case !utf8.ValidString(id):
		return fmt.Errorf("%w: it is not valid UTF-8", ErrInvalidThread)
	case strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("%w: it has a character that cannot be printed", ErrInvalidThread)
	}
	return nil
}
