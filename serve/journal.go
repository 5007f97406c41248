package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
)

// statusStream is the status of the threads of journals.
const statusStream store.Status = "stream"

// The kinds of records of a journal, besides [store.Began], [store.Resumed] and
// [store.Heartbeat].
const (
	recordEvents store.Kind = "events" // a batch of events
	recordStop   store.Kind = "stop"   // the user wants the turn to end
	recordLeft   store.Kind = "left"   // the process of the turn shuts down: another one can resume it
)

// A journal is a thread of the store with the events of the last turn of a
// conversation. One process appends to it: the one in which the turn runs.
type journal struct {
	store  store.Store
	thread string
	head   int64
}

// journalOf returns the journal of a conversation. Callers have journals of their
// own, so nobody reads that of somebody else.
func journalOf(st store.Store, key threadKey) *journal {
	name, _ := json.Marshal([]string{key.tenant, key.user, key.thread}) // never fails
	return &journal{store: st, thread: fmt.Sprintf("%sstream/%x", store.Reserved, sha256.Sum256(name))}
}

type journalBegan struct {
	Turn string `json:"turn"`          // the id of the turn
	Run  string `json:"run,omitempty"` // the client's id, if it sent one
}

type journalEvents struct {
	Events []qed.Event `json:"events"`
	Ended  bool        `json:"ended,omitempty"` // the last event is the last one of the turn
}

// A journalState is what a journal says about the last turn.
type journalState struct {
	id      string // of the turn; empty if there is none
	run     string // the client's id of the turn; may be empty
	events  []qed.Event
	head    int64
	ended   bool
	stopped bool      // the user wants it to end
	left    bool      // its process has shut down
	changed time.Time // when the last record was read, by the clock of the reader
}

// name returns the id that the events of the turn have for clients.
func (s *journalState) name() string { return cmp.Or(s.run, s.id) }

// read reads the records that were added since the last call. It returns after the
// beginning of another turn, whose events replace those of s.
func (j *journal) read(ctx context.Context, s *journalState) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	for rec, err := range j.store.Records(ctx, j.thread, store.Range{From: s.head + 1}) {
		if err != nil {
			return fmt.Errorf("serve: the events of a turn cannot be read: %w", err)
		}
		s.head, s.changed = rec.Seq, time.Now()
		switch rec.Kind {
		case store.Began:
			var began journalBegan
			if err := rec.Decode(&began); err != nil {
				return err
			}
			*s = journalState{id: began.Turn, run: began.Run, head: rec.Seq, changed: s.changed}
		case store.Resumed:
			s.left = false
		case recordEvents:
			var batch journalEvents
			if err := rec.Decode(&batch); err != nil {
				return err
			}
			s.events, s.ended = append(s.events, batch.Events...), batch.Ended
		case recordStop:
			s.stopped = true
		case recordLeft:
			s.left = true
		}
	}
	return nil
}

const (
	storeTimeout = 5 * time.Second
	appendTries  = 3
)

var (
	// errStopped is the cause of a turn that its user stopped.
	errStopped = errors.New("serve: the user has stopped the turn")

	// errTaken reports that another process continues the turn.
	errTaken = errors.New("serve: another process continues the turn")
)

// begin begins the events of a turn, and removes those of the turn before.
func (j *journal) begin(ctx context.Context, id, run string, turn qed.Turn, first store.Record) error {
	read, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	for rec, err := range j.store.Records(read, j.thread, store.Range{NewestFirst: true, Limit: 1}) {
		if err != nil {
			return err
		}
		j.head = rec.Seq
	}
	data, err := json.Marshal(journalBegan{Turn: id, Run: run})
	if err != nil {
		return err
	}
	began := store.Record{
		Kind: store.Began, Data: data,
		Header: &store.Header{User: turn.User, Tenant: turn.Tenant, Status: statusStream},
	}
	before := j.head + 1
	if err := j.append(ctx, began, first); err != nil || before == 1 {
		return err
	}
	trim, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return j.store.Trim(trim, j.thread, before,
		store.Began, store.Resumed, store.Heartbeat, recordEvents, recordStop, recordLeft)
}

// append appends records. The error matches [store.ErrConflict] if the journal has
// others.
func (j *journal) append(ctx context.Context, recs ...store.Record) error {
	now := time.Now().UTC()
	for i := range recs {
		recs[i].Time = now
	}
	for try := 1; ; try++ {
		limited, cancel := context.WithTimeout(ctx, storeTimeout)
		err := j.store.Append(limited, j.thread, j.head, recs...)
		if errors.Is(err, store.ErrConflict) && try > 1 && j.has(limited, recs) {
			err = nil // the try before has succeeded, but its outcome was not known
		}
		cancel()
		if err == nil {
			j.head += int64(len(recs))
			return nil
		}
		if errors.Is(err, store.ErrConflict) || try == appendTries || !retry.Sleep(ctx, time.Duration(try)*100*time.Millisecond) {
			return err
		}
	}
}

// has reports whether the records after the head are exactly recs.
func (j *journal) has(ctx context.Context, recs []store.Record) bool {
	n := 0
	for rec, err := range j.store.Records(ctx, j.thread, store.Range{From: j.head + 1}) {
		if err != nil || n == len(recs) || rec.Kind != recs[n].Kind || string(rec.Data) != string(recs[n].Data) {
			return false
		}
		n++
	}
	return n == len(recs)
}

// eventsRecord returns a batch of events as a record. An event that has no JSON is
// replaced in the batch by one that says so.
func eventsRecord(events []qed.Event) (store.Record, error) {
	batch := journalEvents{Events: events}
	if len(events) > 0 {
		batch.Ended = isLast(events[len(events)-1])
	}
	data, err := json.Marshal(batch)
	if err == nil {
		return store.Record{Kind: recordEvents, Data: data}, nil
	}
	for i, e := range events {
		if _, err := json.Marshal(e); err != nil {
			events[i].Data = withoutJSON(e)
		}
	}
	data, err = json.Marshal(batch)
	return store.Record{Kind: recordEvents, Data: data}, err
}

// withoutJSON returns what is saved instead of an event that has no JSON.
func withoutJSON(e qed.Event) qed.EventData {
	message := "an event of the kind " + strconv.Quote(e.Kind()) + " has no JSON and cannot be shown"
	if isLast(e) {
		return qed.Failed{Message: message}
	}
	return qed.Warning{Code: "no_json", Message: message}
}

func isLast(e qed.Event) bool {
	switch e.Data.(type) {
	case qed.Completed, qed.Failed:
		return true
	}
	return false
}
