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

	head    int64 // the number of the last record
	located bool  // head is known
	began   int64 // the number of the first record of the turn, until trim was called; or 0
	fresh   bool  // the first record of a turn is to be appended, after any other records
	stopped bool  // an append found a request of the user to stop the turn
}

// journalOf returns the journal of a conversation. Callers have journals of their
// own, so nobody reads that of somebody else.
func journalOf(st store.Store, key threadKey) *journal {
	name, _ := json.Marshal([]string{key.tenant, key.user, key.thread}) // never fails
	return &journal{store: st, thread: fmt.Sprintf("%sstream/%x", store.Reserved, sha256.Sum256(name))}
}

// journalAt is journalOf with the last record that the journal must have.
func journalAt(st store.Store, key threadKey, head int64) *journal {
	j := journalOf(st, key)
	j.head, j.located = head, true
	return j
}

type journalBegan struct {
	Turn string `json:"turn"`          // the id of the turn
	Run  string `json:"run,omitempty"` // the name of the turn in its events, if the client sent one

	// Client is the client's id of the turn, if it sent one, and Said is a hash of
	// what it said.
	Client string `json:"client,omitempty"`
	Said   string `json:"said,omitempty"`
}

// saidBy returns a hash of what the user said in a turn.
func saidBy(turn qed.Turn) string {
	said, _ := json.Marshal([]any{turn.Text, turn.Replies}) // replies are JSON
	return fmt.Sprintf("%x", sha256.Sum256(said))
}

// current returns the first record of the last turn, or a zero one.
func (j *journal) current(ctx context.Context) (began journalBegan, err error) {
	r := store.Range{Kinds: []store.Kind{store.Began}, NewestFirst: true, Limit: 1}
	for rec, err := range j.store.Records(ctx, j.thread, r) {
		if err == nil {
			err = rec.Decode(&began)
		}
		if err != nil {
			return began, err
		}
	}
	return began, nil
}

type journalEvents struct {
	Events []qed.Event `json:"events"`
	Ended  bool        `json:"ended,omitempty"` // the last event is the last one of the turn
}

// A journalState is what a journal says about the last turn.
type journalState struct {
	id      string // of the turn; empty if there is none
	run     string // the name of the turn in its events; may be empty
	client  string // the client's id of the turn; may be empty
	events  []qed.Event
	head    int64
	ended   bool
	stopped bool      // the user wants it to end
	left    bool      // its process has shut down
	changed time.Time // when the last record was read, by the clock of the reader
	written time.Time // when it was written, by the clock of the writer
}

// runs reports whether the process of the turn seems to be alive.
func (s *journalState) runs() bool {
	return s.id != "" && !s.ended && !s.left && time.Since(s.written) < deadAfter
}

// name returns the id that the events of the turn have for clients.
func (s *journalState) name() string { return cmp.Or(s.run, s.id) }

// read reads the records that were added since the last call. It returns after the
// beginning of another turn, whose events replace those of s.
func (j *journal) read(ctx context.Context, s *journalState) error {
	for rec, err := range j.store.Records(ctx, j.thread, store.Range{From: s.head + 1}) {
		if err != nil {
			return fmt.Errorf("serve: the events of a turn cannot be read: %w", err)
		}
		s.head, s.changed, s.written = rec.Seq, time.Now(), rec.Time
		switch rec.Kind {
		case store.Began:
			var began journalBegan
			if err := rec.Decode(&began); err != nil {
				return err
			}
			*s = journalState{
				id: began.Turn, run: began.Run, client: began.Client, head: rec.Seq, changed: s.changed, written: s.written,
			}
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

const appendTries = 3

var (
	// errStopped is the cause of a turn that its user stopped.
	errStopped = errors.New("serve: the user has stopped the turn")

	// errTaken reports that a journal has other records than its writer expects:
	// another process continues the turn, or the journal was deleted.
	errTaken = errors.New("serve: another process continues the turn")
)

// beganRecord returns the first record of a turn.
func beganRecord(id, run string, turn qed.Turn) (store.Record, error) {
	data, err := json.Marshal(journalBegan{Turn: id, Run: run, Client: turn.ID, Said: saidBy(turn)})
	return store.Record{
		Kind: store.Began, Data: data,
		Header: &store.Header{User: turn.User, Tenant: turn.Tenant, Status: store.StatusAttached},
	}, err
}

// append appends records, after requests to stop that are new in the journal. If it
// fails, saved is how many records are known to be saved. Call it again with the others:
// those that the failed call has saved after all are not appended twice. The error
// matches [errTaken] if another process has appended records.
func (j *journal) append(ctx context.Context, recs ...store.Record) (saved int, err error) {
	for i := range recs {
		if recs[i].Time.IsZero() {
			recs[i].Time = time.Now().UTC().Truncate(time.Microsecond) // as stores keep it
		}
	}
	for try := 1; ; try++ {
		if err = j.locate(ctx); err == nil {
			err = j.store.Append(ctx, j.thread, j.head, recs[saved:]...)
		}
		if err == nil {
			if j.fresh {
				j.began, j.fresh = j.head+1, false
			}
			j.head += int64(len(recs) - saved)
			return len(recs), nil
		}
		if errors.Is(err, store.ErrConflict) {
			var more int
			more, err = j.advance(ctx, recs[saved:])
			saved += more
			switch {
			case saved == len(recs):
				return saved, nil
			case err == nil:
				continue
			case errors.Is(err, errTaken) && j.fresh:
				j.located = false
			case errors.Is(err, errTaken):
				return saved, err
			}
		}
		if try == appendTries || !retry.Sleep(ctx, time.Duration(try)*100*time.Millisecond) {
			return saved, err
		}
	}
}

// locate finds the last record, unless it is known.
func (j *journal) locate(ctx context.Context) error {
	if j.located {
		return nil
	}
	j.head = 0
	for rec, err := range j.store.Records(ctx, j.thread, store.Range{NewestFirst: true, Limit: 1}) {
		if err != nil {
			return err
		}
		j.head = rec.Seq
	}
	j.located = true
	return nil
}

// advance moves the head over the records that follow it. They may be requests to stop,
// and the first of recs, if an append of recs has only seemed to fail. It returns how
// many of recs it found. Any other record is [errTaken].
func (j *journal) advance(ctx context.Context, recs []store.Record) (saved int, err error) {
	before := j.head
	for rec, err := range j.store.Records(ctx, j.thread, store.Range{From: j.head + 1}) {
		switch {
		case err != nil:
			return saved, err
		case saved < len(recs) && same(&rec, &recs[saved]):
			saved++
			if j.fresh {
				j.began, j.fresh = rec.Seq, false
			}
		case rec.Kind == recordStop:
			j.stopped = true
		default:
			return saved, errTaken
		}
		j.head = rec.Seq
	}
	if j.head == before {
		return 0, errTaken
	}
	return saved, nil
}

func same(a, b *store.Record) bool {
	return a.Kind == b.Kind && a.Time.Equal(b.Time) && string(a.Data) == string(b.Data)
}

// trim removes the records of earlier turns, the first time that it is called after the
// turn has begun.
func (j *journal) trim(ctx context.Context) error {
	before := j.began
	if before <= 1 {
		return nil
	}
	j.began = 0
	return j.store.Trim(ctx, j.thread, before,
		store.Began, store.Resumed, store.Heartbeat, recordEvents, recordStop, recordLeft)
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

// isRepeat reports whether an event has the answer of a turn that had ended before.
func isRepeat(e qed.Event) bool {
	done, ok := e.Data.(qed.Completed)
	return ok && done.Answer.Repeated
}

func isLast(e qed.Event) bool {
	switch e.Data.(type) {
	case qed.Completed, qed.Failed:
		return true
	}
	return false
}
