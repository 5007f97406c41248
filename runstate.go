package qed

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// A runState is what a durable run knows: its turn, what its log has under each
// address, and the questions that are open.
//
// It appends to the log what happens. If the store fails, the run continues
// without being recorded, and at-most-once calls are refused. If somebody else
// appended to the thread, the run ends: two runs would make the same calls.
type runState struct {
	thread string
	opt    *DurableOptions
	log    *runlog.Log
	events *scope // receives the events about the store

	ctx    context.Context // of the run
	cancel context.CancelCauseFunc

	// Set before the agent is called.
	key        string    // see beganData
	turn       Turn      // the turn with which the run began
	message    Turn      // the turn that is being answered: a later one if the run was resumed
	run        int64     // the number of the run's first record; 0 if the run is not recorded
	title      string    // of the thread
	turns      int       // how many runs of the thread were begun
	floor      int64     // records up to this number are not used: they could not be read
	gone       replaced  // nor are these
	began      time.Time // see [Now]
	turned     time.Time // when message came
	replied    int64     // the number of the last record that resumed the run with replies, or 0
	dropped    bool      // the message with which the run began is an abort, which the runtime answers
	spent      spentData // before the run was resumed
	meter      *budget.Meter
	spending   spending // also before the run was resumed
	shown      bool     // the turn brings nothing new to open questions that the user has seen
	unanswered bool     // the message does not answer the open approval
	repeated   *Answer  // of the turn, which was sent before and has ended
	calls      []string // see endedData.Calls; of the runs before this one

	begun      bool         // the turn has begun or resumed a run
	unrecorded bool         // the beginning of the run is recorded with its end, if it can be
	loaded     bool         // the run is resumed, and has records
	mu         runlog.Mutex // guards the following
	known      map[string]*known
	making     map[string]chan struct{} // calls in namespaces that are being made
	namespaces map[string]error         // the namespaces that were read, with the error
	open       []openQuestion           // in the order in which they were asked
	listed     map[string]bool          // the ids of the last answer's questions; nil: all
	asking     int                      // how many questions the run has asked
	asks       bool                     // a question was asked that was not open before
	unresolved []string                 // the names of calls whose outcome is unknown
}

// An openQuestion is a question without a reply.
type openQuestion struct {
	question.Question
	address string
	path    string
	asked   int64 // the number of its record
	hit     bool  // the run reached the question, and waits for the reply
	kept    bool  // it could not be recorded, and is kept for the end of the run
}

// known is what the log has under one address.
type known struct {
	called   int64 // the number of the last Called record
	call     calledData
	returns  []returned
	state    *store.Record // the last one
	before   *store.Record // the last one before the run was replied to, if state is later
	searched bool          // state is what the run has, nil if it has none: see runState.findState
	question *questionData
	asked    int64 // the number of question's record
	reply    json.RawMessage
	replied  int64 // the number of reply's record
	saved    json.RawMessage
	paid     bool // the budgets within the run have counted the call
}

type returned struct {
	seq int64
	returnedData
}

// newRunState returns the state of a run that is not begun. calls is what the
// runs on a store share; nil means that there are no others.
func newRunState(
	ctx context.Context, st store.Store, thread string, opt *DurableOptions, calls *runlog.Calls,
) *runState {
	rs := &runState{
		thread: thread, opt: opt, ctx: ctx, cancel: func(error) {},
		events: scopeOf(context.Background()), mu: runlog.NewMutex(),
	}
	base := st
	if of, ok := st.(interface{ Unwrap() store.Store }); ok {
		base = of.Unwrap()
	}
	_, inMemory := base.(*store.InMemory)
	rs.log = runlog.New(ctx, runlog.Options{
		Store: st, Thread: thread, Clock: clock(ctx), Lease: opt.lease(), Failed: rs.logFailed,
		Calls: calls, NeverWaits: inMemory,
	})
	return rs
}

// logFailed ends the run if somebody else appended to the thread, and otherwise
// emits that nothing is recorded any more.
func (rs *runState) logFailed(err error) {
	if errors.Is(err, store.ErrConflict) {
		rs.cancel(err)
		return
	}
	rs.saveFailed("what happens from here on may not be saved", err)
}

func (rs *runState) saveFailed(what string, err error) {
	rs.events.forward(Event{Data: Warning{Code: "not_saved", Message: what + ": " + err.Error()}})
}

// stateDiscarded emits that the thread's records are not used any more.
func (rs *runState) stateDiscarded(err error) {
	rs.events.forward(Event{Data: Warning{Code: "state_discarded", Message: err.Error()}})
}

// at returns what is known of an address, to be changed with rs.mu held.
func (rs *runState) at(address string) *known {
	k := rs.known[address]
	if k == nil {
		if rs.known == nil {
			rs.known = map[string]*known{}
		}
		k = &known{}
		rs.known[address] = k
	}
	return k
}

// record appends records, all or none, and adds them to what is known. The
// error is [runlog.ErrLost], matches [store.ErrConflict], or is that of a
// cancelled run.
func (rs *runState) record(recs ...store.Record) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := cancelled(rs.ctx); err != nil {
		return err
	}
	return rs.recordLocked(recs, (*runlog.Log).Append)
}

// recordLocked records with rs.mu held, and with a method of the log. It also
// records what happens in a cancelled run.
func (rs *runState) recordLocked(recs []store.Record, with func(*runlog.Log, ...store.Record) error) error {
	if err := with(rs.log, recs...); err != nil {
		return err
	}
	for _, rec := range recs {
		if rec.Kind == store.Checkpoint {
			continue // needed only when the run is resumed
		}
		if err := rs.learn(rec); err != nil {
			return err
		}
	}
	return nil
}

// recordOrKeep is record for what the run does without if the log is lost. It
// is then recorded with the end of the run, if that is possible.
func (rs *runState) recordOrKeep(recs ...store.Record) error {
	return rs.recordWith((*runlog.Log).AppendOrKeep, recs)
}

// recordLater is recordOrKeep for a record that is saved a little later: before
// anything else that is recorded or read, and before the run ends.
func (rs *runState) recordLater(rec store.Record) error {
	return rs.recordWith((*runlog.Log).Later, []store.Record{rec})
}

func (rs *runState) recordWith(with func(*runlog.Log, ...store.Record) error, recs []store.Record) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := cancelled(rs.ctx); err != nil {
		return err
	}
	if err := rs.recordLocked(recs, with); err != runlog.ErrLost {
		return err
	}
	return nil
}
