package qed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
)

// A journal is the log of one run: it finds what was recorded, and records what happens.
//
// It has three fates. While the store works, every record is kept before the run goes on. When the store fails the journal is
// lost: the run goes on without it, but does nothing that must not be done twice. When somebody else appended to the
// thread, the run ends, as two of them would act twice.
type journal struct {
	store  store.Store
	thread string
	opt    *DurableOptions
	clock  func() time.Time

	ctx     context.Context // of the run
	cancel  context.CancelCauseFunc
	writing context.Context // of appends: they go on when the run is cancelled, as a half-done one helps nobody
	reading context.Context
	abort   context.CancelFunc // ends both, where the store hangs
	tell    *scope             // whose events tell of the store

	key     string // see beganData
	turn    Turn   // the run's
	message Turn   // the one that is being answered: a later one where the run was resumed
	run     int64  // the number of the record with which it began
	dead    deadRun
	floor   int64     // what lies below is not looked at
	began   time.Time // see [Now]
	turned  time.Time // when the message came that is being answered; later than began where the run was resumed by replies
	replied int64     // the number of the last resumption by replies; 0: none
	asking  int       // how many questions the run has asked
	usage   llm.Usage // of the models that were really called
	read    llm.Usage // of the reading of a message as replies
	dropped bool      // it began with the wish for nothing more
	unknown []string  // the names of calls of which nobody knows what became

	waits   atomic.Int64 // for the store, counted at the beginning and at the end of each: it is odd while there is one
	patrols gate         // guards the next three
	watch   *time.Timer  // see patrol
	seen    int64        // waits, at the last patrol
	gone    bool         // the turn has ended

	mu     gate           // appends are made one by one
	head   int64          // the number of the last record
	last   time.Time      // its time
	pulse  time.Time      // the same by a clock that nobody puts back, where there is one
	lost   error          // why nothing is recorded any more
	unsure []store.Record // an append of which nobody knows whether it was made
	known  map[string]*known
	making map[string]chan struct{} // the calls in Scopes that are made now
	scopes map[string]error         // the Scopes whose records were read, and how that failed
	open   []openQuestion           // in the order in which they were asked
	one    [1]store.Record          // what most appends have
	listed map[string]bool          // the ids of the questions that the user was shown last; nil: all that are open
	over   bool                     // the run has ended
	shown  bool                     // what it waits for was told the user before, and he said nothing to it
	asks   bool                     // it put a question that was not open before
}

// An openQuestion is one that has no reply.
type openQuestion struct {
	Question
	address string
	path    string
	asked   int64 // the number of its record
	hit     bool  // the run came to it: it waits for this one
}

// known is what the log has under one address.
type known struct {
	called   int64 // the number of the last RecordCalled
	call     calledData
	returns  []returned
	state    *store.Record // the last one
	before   *store.Record // the last one before the run was replied to, where state is a later one
	question *questionData
	asked    int64 // the number of question's record
	reply    json.RawMessage
	replied  int64 // the number of reply's record
	kept     json.RawMessage
}

type returned struct {
	seq int64
	returnedData
}

func newJournal(ctx context.Context, st store.Store, thread string, opt *DurableOptions) *journal {
	return &journal{
		store: st, thread: thread, opt: opt, clock: Clock(ctx), ctx: ctx, reading: ctx, tell: nowhere,
		mu: make(gate, 1), patrols: make(gate, 1),
	}
}

const (
	storeAttempts = 3
	storeWait     = 100 * time.Millisecond // before the second attempt; then twice as long
	storePatience = 5 * time.Second        // for one append, and for each read
)

// at returns what is known of an address, to be changed under j.mu.
func (j *journal) at(address string) *known {
	k := j.known[address]
	if k == nil {
		if j.known == nil {
			j.known = map[string]*known{}
		}
		k = &known{}
		j.known[address] = k
	}
	return k
}

// record appends a record, and makes it known. Its error is errLost, [store.ErrConflict], or that the run is cancelled.
func (j *journal) record(rec store.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := cancelled(j.ctx); err != nil && rec.Kind != store.Returned {
		return err // what was done is recorded all the same
	}
	j.one[0] = rec
	return j.take(j.one[:])
}

// take appends records, all or none, and makes them known. j.mu is held.
func (j *journal) take(recs []store.Record) error {
	if err := j.append(recs...); err != nil {
		return err
	}
	for _, rec := range recs {
		if rec.Kind == store.Checkpoint {
			continue // states are looked for when a run goes on, and this one is at work
		}
		if err := j.learn(rec); err != nil {
			return err
		}
	}
	return nil
}

// errLost says that the journal is lost. Callers go on without it, or refuse to.
var errLost = errors.New("qed: the run is not recorded any more")

// append adds records, and fills in their numbers. j.mu is held.
func (j *journal) append(recs ...store.Record) error {
	if j.lost != nil {
		return errLost
	}
	pulse := j.clock()
	now := stored(pulse)
	j.waits.Add(1)
	defer j.waits.Add(1)
	if j.unsure != nil {
		if _, err := j.resolve(); err != nil {
			return j.fail(err)
		}
	}
	for i := range recs {
		recs[i].Seq, recs[i].Time, recs[i].Run = j.head+1+int64(i), now, j.run
	}
	if err := j.write(recs); err != nil {
		return j.fail(err)
	}
	j.head, j.last, j.pulse = recs[len(recs)-1].Seq, now, pulse
	return nil
}

// fail decides what becomes of the run when an append failed.
func (j *journal) fail(err error) error {
	if errors.Is(err, store.ErrConflict) {
		j.lost = err
		j.cancel(err)
		return err
	}
	j.lose(err)
	return errLost
}

// now is the time of a record.
func (j *journal) now() time.Time { return stored(j.clock()) }

// stored is t as every store can keep it.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// lose makes the journal a lost one, and tells.
func (j *journal) lose(err error) {
	if j.writing != nil && j.writing.Err() != nil {
		err = errStoreSlow
	}
	j.lost = err
	j.tell.forward(Event{Data: SaveFailed{"what happens from here on is not kept: " + err.Error()}})
}

// giveUp is lose for who does not hold j.mu.
func (j *journal) giveUp(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lose(err)
}

// write appends recs, several times where the store fails in a way that may pass.
func (j *journal) write(recs []store.Record) error {
	wait := storeWait
	for attempt := 1; ; attempt++ {
		err := j.hand(recs)
		if err == nil || attempt == 1 && errors.Is(err, store.ErrConflict) {
			return err
		}
		j.unsure = slices.Clone(recs)
		if attempt == storeAttempts || errors.Is(err, store.ErrInvalidThread) || !retry.Sleep(j.writing, wait) {
			return err
		}
		wait *= 2
		if made, failed := j.resolve(); made || errors.Is(failed, store.ErrConflict) {
			return failed
		}
	}
}

// hand gives recs to the store.
func (j *journal) hand(recs []store.Record) (err error) {
	defer recoverInto(&err)
	return j.store.Append(j.writing, j.thread, j.head, recs...)
}

// resolve finds out what became of an append of which nobody knows: whether it was made, nothing was, or somebody else appended instead.
func (j *journal) resolve() (made bool, err error) {
	defer recoverInto(&err)
	var found []store.Record
	for rec, err := range j.store.Records(j.writing, j.thread, store.Range{From: j.head + 1, Limit: len(j.unsure)}) {
		if err != nil {
			return false, err
		}
		found = append(found, rec)
	}
	switch {
	case slices.EqualFunc(found, j.unsure, sameRecord):
		j.head, j.unsure = found[len(found)-1].Seq, nil
		return true, nil
	case len(found) > 0:
		return false, fmt.Errorf("%w: %s", store.ErrConflict, j.thread)
	}
	j.unsure = nil
	return false, nil
}

func sameRecord(a, b store.Record) bool {
	return a.Kind == b.Kind && a.Run == b.Run && a.Address == b.Address && a.Time.Equal(b.Time) && bytes.Equal(a.Data, b.Data)
}

// A gate lets one through at a time, like a mutex. Who waits at one waits for the store, so [testing/synctest] is to see it.
type gate chan struct{}

func (g gate) Lock()   { g <- struct{}{} }
func (g gate) Unlock() { <-g }

func (g gate) TryLock() bool {
	select {
	case g <- struct{}{}:
		return true
	default:
		return false
	}
}

// patrol runs now and then while the run does. It tells the thread's other readers that the run is alive, and ends the wait for a
// store that hangs.
func (j *journal) patrol() {
	j.patrols.Lock()
	defer j.patrols.Unlock()
	if j.gone {
		return
	}
	waits := j.waits.Load()
	switch waiting := waits%2 == 1; {
	case waiting && waits == j.seen:
		j.abort()
	case !waiting && j.mu.TryLock():
		if j.lost == nil && !j.over && !j.last.IsZero() && j.clock().Sub(j.pulse) >= j.opt.lease()/3 {
			j.append(store.Record{Kind: store.Heartbeat})
		}
		j.mu.Unlock()
	}
	j.seen = waits
	j.watch.Reset(j.beat())
}

// guard has the run patrolled until the returned function is called.
func (j *journal) guard() (leave func()) {
	j.patrols.Lock()
	defer j.patrols.Unlock()
	j.watch = time.AfterFunc(j.beat(), j.patrol)
	return func() {
		j.patrols.Lock()
		defer j.patrols.Unlock()
		j.gone = true
		j.watch.Stop()
	}
}

// beat is how often patrol looks: the store is given up after one to two of them.
func (j *journal) beat() time.Duration { return min(j.opt.lease()/6, storePatience) }
