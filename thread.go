package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// A Thread is the state of a conversation. A program shows it after a restart,
// for example.
type Thread struct {
	Status     store.Status        `json:"status"`
	Turn       Turn                `json:"turn"`                 // with which the last run began
	Questions  []question.Question `json:"questions,omitempty"`  // the questions that wait for a reply
	Unresolved []UnresolvedCall    `json:"unresolved,omitempty"` // calls to resolve before the run can be resumed
	Error      string              `json:"error,omitempty"`      // of a failed run
	Updated    time.Time           `json:"updated"`              // when the last record was written
}

// An UnresolvedCall is an at-most-once call that was started and did not
// return. [Settle] settles it.
type UnresolvedCall struct {
	Address string          `json:"address"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input,omitempty"` // empty if it is larger than 16 KiB
}

// Inspect returns the state of a thread. If the thread does not exist, it returns
// the zero Thread, whose Status is empty. If a record cannot be read, the error
// matches [store.ErrCorrupt].
//
// What it reads does not grow with the number of turns. For the thread of a user,
// st is that of [store.ForUser].
func Inspect(ctx context.Context, st store.Store, thread string) (Thread, error) {
	rs, t, err := readThread(ctx, st, thread)
	if err != nil || t.status == "" {
		return Thread{}, err
	}
	found := Thread{Status: t.status, Turn: rs.turn, Error: t.err, Updated: t.last}
	if t.status != store.StatusAnswered {
		found.Questions, found.Unresolved = rs.questions(), rs.unresolvedCalls()
	}
	return found, nil
}

// threadKinds are the records of a run that readThread reads. Results of calls are
// read only if there are at-most-once calls.
var threadKinds = []store.Kind{
	store.Began, store.Resumed, store.Called, store.Question, store.Reply, store.Ended,
}

// readThread reads the state of a thread: the end of its log, the turn of its last
// run, and unless that was answered its questions and calls.
func readThread(ctx context.Context, st store.Store, thread string) (*runState, threadState, error) {
	if err := checkThread(st, thread); err != nil {
		return nil, threadState{}, err
	}
	rs := newRunState(ctx, st, thread, &DurableOptions{}, nil)
	t, err := rs.inspect()
	rs.calls, rs.gone = t.calls, t.gone
	switch {
	case err != nil || t.status == "":
		return rs, t, err
	case t.status == store.StatusAnswered:
		first, err := rs.newest(store.Range{From: t.run, To: t.run})
		if err == nil {
			err = rs.learn(first)
		}
		return rs, t, err
	}
	if err := rs.loadKinds(t.run, threadKinds); err != nil {
		return rs, t, err
	}
	if len(rs.unresolvedCalls()) > 0 {
		if err := rs.learnRun(t.run, []store.Kind{store.Returned}); err != nil {
			return rs, t, err
		}
	}
	return rs, t, rs.loadCalls(&t)
}

// usedOf returns which records of a thread are not used: those up to floor, after
// which the thread was started again, and those of replaced turns.
func usedOf(ctx context.Context, st store.Store, thread string) (floor int64, gone replaced, err error) {
	if err := checkThread(st, thread); err != nil {
		return 0, nil, err
	}
	t, err := newRunState(ctx, st, thread, &DurableOptions{}, nil).inspect()
	return t.floor, t.gone, err
}

// A threadState is what the last record of a thread says about the thread.
type threadState struct {
	status       store.Status
	last         time.Time
	err          string
	head         int64
	floor        int64
	gone         replaced
	run          int64
	user, tenant string
	title        string
	turns        int
	calls        []string  // see endedData; of the runs before, if the last one has no end
	free         time.Time // when a run that records no further heartbeat is treated as crashed
}

// inspect reads the state of the thread. If the error matches
// [store.ErrCorrupt], the head of the result is set.
func (rs *runState) inspect() (threadState, error) { return rs.inspectUpTo(0) }

// inspectUpTo is inspect as of a record. 0 means the last one.
func (rs *runState) inspectUpTo(to int64) (threadState, error) {
	var t threadState
	last, err := rs.newest(store.Range{To: to, NewestFirst: true, Limit: 1})
	t.head = last.Seq
	if err != nil || last.Seq == 0 {
		if last.Seq == 0 && errors.Is(err, store.ErrCorrupt) {
			// %v hides ErrCorrupt: without a head nothing can be appended.
			err = fmt.Errorf("qed: the end of the thread cannot be found: %v", err)
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
		case store.StatusAnswered, store.StatusInterrupted, store.StatusFailed, store.StatusStopped:
		default:
			return t, fmt.Errorf("%w: number %d, ended as %q", store.ErrCorrupt, last.Seq, end.Status)
		}
		t.status, t.err, t.floor, t.user, t.tenant = end.Status, end.Error, end.Floor, end.User, end.Tenant
		t.title, t.turns, t.calls, t.gone = end.Title, end.Turns, end.Calls, end.Replaced
		return t, nil
	}
	first, err := rs.newest(store.Range{From: last.Run, To: last.Run})
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
	t.status, t.floor, t.user, t.tenant = store.StatusCrashed, began.Floor, began.Turn.User, began.Turn.Tenant
	t.title, t.turns, t.calls, t.gone = began.Title, began.Turns, began.Calls, began.Replaced
	resumed, err := rs.newest(store.Range{
		From: last.Run, To: last.Seq, Kinds: []store.Kind{store.Resumed}, NewestFirst: true, Limit: 1,
	})
	if err != nil {
		return t, err
	}
	if resumed.Seq != 0 {
		var d resumedData
		if err := resumed.Decode(&d); err != nil {
			return t, err
		}
		t.gone = d.Replaced
	}
	if t.free = last.Time.Add(began.Lease); rs.log.Now().Before(t.free) {
		t.status = store.StatusRunning
	}
	return t, nil
}

// mayBelongTo reports whether a thread whose end cannot be read may belong to a
// turn's user, as far as its other records show.
func (rs *runState) mayBelongTo(turn Turn) bool {
	for last := int64(0); ; {
		first, err := rs.newest(store.Range{To: last, Kinds: []store.Kind{store.Began}, NewestFirst: true, Limit: 1})
		if first.Seq == 0 {
			return err == nil || errors.Is(err, store.ErrCorrupt) // there is no record to read
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

// belongsTo returns an error if the thread is that of another user.
func (t *threadState) belongsTo(turn Turn) error {
	if t.status != "" && (t.user != turn.User || t.tenant != turn.Tenant) {
		return fmt.Errorf("%w: %s", ErrWrongUser, turn.Thread)
	}
	return nil
}

// admit returns why a thread in this state does not accept a turn, or nil.
func (t *threadState) admit(turn Turn) error {
	switch {
	case t.status == store.StatusRunning:
		return &BusyError{Thread: turn.Thread, RetryAt: t.free}
	case t.status != "" && t.status != store.StatusAnswered:
		return nil
	case len(turn.Replies) > 0:
		return fmt.Errorf("%w: thread %s waits for no reply", ErrQuestionClosed, turn.Thread)
	case turn.Text == "":
		return fmt.Errorf("%w, and thread %s has no run to resume: %w", ErrEmptyTurn, turn.Thread, ErrQuestionClosed)
	}
	return nil
}

// maxTitle is how much of a thread's first message is its title, in bytes.
const maxTitle = 200

// header returns what a list of threads shows of the thread while its last run
// has a status.
func (rs *runState) header(s store.Status) *store.Header {
	return &store.Header{
		User: rs.turn.User, Tenant: rs.turn.Tenant, Title: rs.title, Status: s, Turns: rs.turns, Lease: rs.opt.lease(),
	}
}

// header returns what a list of threads shows of a thread that has ended.
func (end *endedData) header() *store.Header {
	return &store.Header{
		User: end.User, Tenant: end.Tenant, Title: end.Title, Status: end.Status, Turns: end.Turns,
	}
}

// countRun counts a run that begins with a message. The first message of a thread
// becomes its title.
func (rs *runState) countRun(message string) {
	if rs.turns++; rs.title == "" {
		rs.title = prompt.Clip(message, maxTitle)
	}
}

// An unendedRun is a run that ended without a record of it, if its log is as
// the run left it.
type unendedRun struct {
	run      int64
	head     int64               // the last record that is known to be saved
	possible map[int64]time.Time // the numbers and times of the records that may be the last one instead
}

// is reports whether t is the state in which u left its thread.
func (u unendedRun) is(t threadState) bool {
	last, possible := u.possible[t.head]
	return u.run == t.run && (u.head == t.head || possible && last.Equal(t.last))
}

// unended returns the run, whose end could not be recorded.
func (rs *runState) unended() unendedRun {
	head, possible := rs.log.Head()
	run := unendedRun{run: rs.run, head: head, possible: map[int64]time.Time{}}
	for _, rec := range possible {
		run.possible[rec.Seq] = rec.Time
	}
	return run
}

// maxUnended limits how many runs are remembered whose end could not be recorded.
const maxUnended = 10_000

// A threadName names a thread among those of all users.
type threadName struct{ tenant, user, thread string }
