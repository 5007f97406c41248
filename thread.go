package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/store"
)

// A Thread is how a conversation is, for who shows it: after a restart, mostly.
type Thread struct {
	Status    RunStatus        `json:"status"`
	Turn      Turn             `json:"turn"`                // with which its last run began
	Questions []Question       `json:"questions,omitempty"` // those that wait for a reply
	Unknown   []UnresolvedCall `json:"unknown,omitempty"`   // those that keep the run from going on, until they are settled: see [Resolve]
	Error     string           `json:"error,omitempty"`     // of a run that failed
	Last      time.Time        `json:"last"`                // when something was last recorded
}

// An UnresolvedCall is one that must not be repeated, was begun, and did not return.
type UnresolvedCall struct {
	Address string          `json:"address"` // for [Resolve]
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input,omitempty"` // what it was called with; empty where that is larger than 16 KiB
}

// A RunStatus says how the last run of a [Thread] is.
type RunStatus string

const (
	StatusNone        RunStatus = ""            // there is no run
	StatusRunning     RunStatus = "running"     // somebody runs it
	StatusCrashed     RunStatus = "crashed"     // somebody did, and gives no sign of life any more: a turn without a text goes on with it
	StatusAnswered    RunStatus = "answered"    // it is over
	StatusInterrupted RunStatus = "interrupted" // it waits for replies
	StatusFailed      RunStatus = "failed"      // it ended with an error; a turn without a text tries again
	StatusStopped     RunStatus = "stopped"     // its reader left, or its context ended; a turn without a text goes on with it
)

// Inspect returns how a thread of store is. It asks for no user: its Turn says whose the thread is. A thread that does not exist has no Status.
// One that cannot be read is an error that matches [store.ErrCorrupt].
func Inspect(ctx context.Context, st store.Store, thread string) (Thread, error) {
	j, t, err := inspect(ctx, st, thread)
	if err != nil || t.status == StatusNone {
		return Thread{}, err
	}
	found := Thread{Status: t.status, Turn: j.turn, Error: t.err, Last: t.last}
	if t.status != StatusAnswered {
		found.Questions, found.Unknown = j.questions(), j.unknownCalls()
	}
	return found, nil
}

// inspect reads a thread and its last run.
func inspect(ctx context.Context, st store.Store, thread string) (*journal, threadState, error) {
	if err := checkThread(st, thread); err != nil {
		return nil, threadState{}, err
	}
	j := newJournal(ctx, st, thread, &DurableOptions{})
	j.writing = ctx
	t, err := j.look()
	if err == nil && t.status != StatusNone {
		err = j.load(t.run)
	}
	if err == nil && t.run > 1 {
		// A call in a Scope keeps later runs from going on as well.
		err = j.scan(store.Range{To: t.run - 1, Kinds: []store.Kind{store.Called, store.Returned}}, func(rec store.Record) error {
			if !strings.HasPrefix(rec.Address, "@") {
				return nil
			}
			return j.learn(rec)
		})
	}
	return j, t, err
}

// unknownCalls returns the calls of the run that were begun and did not return.
func (j *journal) unknownCalls() []UnresolvedCall {
	var found []UnresolvedCall
	for address, k := range j.known {
		if k.called > 0 && !slices.ContainsFunc(k.returns, func(r returned) bool { return r.seq > k.called }) {
			found = append(found, UnresolvedCall{address, k.call.Name, k.call.Input})
		}
	}
	slices.SortFunc(found, func(a, b UnresolvedCall) int { return strings.Compare(a.Address, b.Address) })
	return found
}

// Resolve tells what became of an [UnresolvedCall] of a thread, by somebody who found out: the JSON of what it returned, or how it failed. A turn
// without a text then goes on with the run. When neither is given the call was not made at all, and the run makes it.
//
// The result must be the JSON of what the call returns, or the run cannot go on.
//
// A run that is running, and a call that is not unknown, are errors that match [ErrBusy] and [ErrQuestionClosed].
func Resolve(ctx context.Context, st store.Store, thread, address string, result json.RawMessage, failed error) error {
	j, t, err := inspect(ctx, st, thread)
	switch {
	case err != nil:
		return err
	case t.status == StatusRunning:
		return fmt.Errorf("%w: %s", ErrBusy, thread)
	case t.status == StatusAnswered:
		return fmt.Errorf("%w: the last run of thread %s is over", ErrQuestionClosed, thread)
	case !slices.ContainsFunc(j.unknownCalls(), func(c UnresolvedCall) bool { return c.Address == address }):
		return fmt.Errorf("%w: thread %s has no call at %q whose outcome is not known", ErrQuestionClosed, thread, prompt.Clip(address, 200))
	}
	r := returnedData{In: j.known[address].call.In, Attempt: 1, Value: result, Stopped: result == nil && failed == nil}
	if failed != nil {
		r.Value, r.Error = nil, failureOf(failed)
	}
	end := endedData{Status: t.status, User: t.user, Company: t.company, Floor: t.floor, Error: t.err}
	if t.status == StatusCrashed {
		end.Status = StatusStopped
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("qed: the result for %s is no JSON: %w", address, err)
	}
	ended, err := json.Marshal(end)
	if err != nil {
		return err
	}
	now := j.now()
	return st.Append(ctx, thread, t.head,
		store.Record{Time: now, Kind: store.Returned, Run: t.run, Address: address, Data: data},
		store.Record{Time: now, Kind: store.Ended, Run: t.run, Data: ended})
}

// An HistoryEntry is a turn of a conversation, as it is shown: what the user wanted, and what became of it.
type HistoryEntry struct {
	Seq    int64     `json:"seq"` // of the record that ended it, for [Fork]
	Time   time.Time `json:"time"`
	Turn   Turn      `json:"turn"`             // with which the run began
	Status RunStatus `json:"status"`           // of the run, then
	Answer *Answer   `json:"answer,omitempty"` // of a long table it has the first rows
	Error  string    `json:"error,omitempty"`
}

// History returns the last n entries of a thread, oldest first; n of 0 means all. A run that is not over is none. It asks for no user: see [Inspect].
func History(ctx context.Context, st store.Store, thread string, n int) ([]HistoryEntry, error) {
	if err := store.CheckThread(thread); err != nil {
		return nil, err
	}
	floor, err := floorOf(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	turns := map[int64]Turn{}
	var entries []HistoryEntry
	for rec, err := range st.Records(ctx, thread, store.Range{From: floor + 1, Kinds: []store.Kind{store.Began, store.Ended}}) {
		if err != nil {
			return nil, err
		}
		if rec.Kind == store.Began {
			var began beganData
			if err := rec.Decode(&began); err != nil {
				return nil, err
			}
			began.Turn.Thread = thread
			turns[rec.Seq] = began.Turn
			continue
		}
		var end endedData
		if err := rec.Decode(&end); err != nil {
			return nil, err
		}
		entries = append(entries, HistoryEntry{rec.Seq, rec.Time, turns[rec.Run], end.Status, end.Answer, end.Error})
	}
	if n > 0 && len(entries) > n {
		entries = entries[len(entries)-n:]
	}
	return entries, nil
}

// floorOf returns the number of the last record of a thread that is not looked at any more: it was begun afresh behind it.
func floorOf(ctx context.Context, st store.Store, thread string) (int64, error) {
	if err := checkThread(st, thread); err != nil {
		return 0, err
	}
	t, err := newJournal(ctx, st, thread, &DurableOptions{}).look()
	return t.floor, err
}

// A threadState is what the last record of a thread tells of it.
type threadState struct {
	status        RunStatus
	last          time.Time
	err           string
	head          int64
	floor         int64
	run           int64
	user, company string
	free          time.Time // when a run that gives no sign of life counts as crashed
}

// look reads how the thread is. With an error that matches ErrCorrupt it says where the thread ends, at least.
func (j *journal) look() (threadState, error) {
	var t threadState
	last, err := j.newest(store.Range{NewestFirst: true, Limit: 1})
	t.head = last.Seq
	if err != nil || last.Seq == 0 {
		if last.Seq == 0 && errors.Is(err, store.ErrCorrupt) {
			err = fmt.Errorf("qed: the end of the thread cannot be found: %v", err) // it is no use to append
		}
		return t, err
	}
	t.run, t.last = last.Run, last.Time
	if last.Kind == store.Ended {
		var end endedData
		if err := last.Decode(&end); err != nil {
			return t, err
		}
		switch end.Status {
		case StatusAnswered, StatusInterrupted, StatusFailed, StatusStopped:
		default:
			return t, fmt.Errorf("%w: number %d, ended as %q", store.ErrCorrupt, last.Seq, end.Status)
		}
		t.status, t.err, t.floor, t.user, t.company = end.Status, end.Error, end.Floor, end.User, end.Company
		return t, nil
	}
	first, err := j.newest(store.Range{From: last.Run, To: last.Run})
	if err != nil {
		return t, err
	}
	var began beganData
	if first.Kind != store.Began {
		return t, fmt.Errorf("%w: number %d, with which run %d should begin", store.ErrCorrupt, first.Seq, last.Run)
	}
	if err := readBegan(&first, &began); err != nil {
		return t, err
	}
	t.status, t.floor, t.user, t.company = StatusCrashed, began.Floor, began.Turn.User, began.Turn.Tenant
	if t.free = last.Time.Add(began.Lease); j.now().Before(t.free) && !j.dead.is(t) {
		t.status = StatusRunning
	}
	return t, nil
}

// mayBe reports whether a thread whose end cannot be read may be that of a turn's user, as far as it can be told.
func (j *journal) mayBe(turn Turn) bool {
	for last := int64(0); ; {
		first, err := j.newest(store.Range{To: last, Kinds: []store.Kind{store.Began}, NewestFirst: true, Limit: 1})
		if first.Seq == 0 {
			return err == nil || errors.Is(err, store.ErrCorrupt) // there is none that can be read
		}
		var began beganData
		if err == nil && readBegan(&first, &began) == nil {
			return began.Turn.User == turn.User && began.Turn.Tenant == turn.Tenant
		}
		if last = first.Seq - 1; last == 0 {
			return true
		}
	}
}

// is reports whether t's run is d.
func (d deadRun) is(t threadState) bool {
	return d.run == t.run && (d.head == t.head || d.most == t.head)
}

// newest reads the one record that r asks for. There may be none.
func (j *journal) newest(r store.Range) (found store.Record, err error) {
	err = j.patiently(func() error {
		found = store.Record{}
		return j.scan(r, func(rec store.Record) error { found = rec; return nil })
	})
	return found, err
}

// admit says why a turn cannot be taken by a thread in this state.
func (t *threadState) admit(turn Turn) error {
	switch {
	case t.head > 0 && t.status != StatusNone && (t.user != turn.User || t.company != turn.Tenant):
		return fmt.Errorf("%w: %s", ErrWrongUser, turn.Thread)
	case t.status == StatusRunning:
		return fmt.Errorf("%w: %s; where its process died, another one can go on at %s", ErrBusy, turn.Thread, t.free.Format(time.RFC3339))
	case t.status != StatusNone && t.status != StatusAnswered:
		return nil
	case len(turn.Replies) > 0:
		return fmt.Errorf("%w: thread %s waits for no reply", ErrQuestionClosed, turn.Thread)
	case turn.Text == "":
		return fmt.Errorf("%w: the turn has no text, and thread %s has no run to go on with", ErrQuestionClosed, turn.Thread)
	}
	return nil
}
