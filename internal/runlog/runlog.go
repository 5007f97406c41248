// Package runlog appends the records of one run to the log of its thread.
//
// A [Log] is in one of three conditions:
//
//   - While the store works, an append returns when its records are saved.
//   - When the store fails, the log is lost: appends return [ErrLost].
//   - When somebody else appended to the thread, appends return [ErrLost] as
//     well, after a first error that matches [store.ErrConflict].
//
// A failed append is retried. If it is not known whether an append was made,
// the log is read before the next one.
//
// [Log.Start] starts the heartbeat. It appends a [store.Heartbeat] record when a
// third of the lease passed without another record, and ends the wait for a
// store that does not answer.
package runlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
)

var (
	// ErrLost reports that an append was refused because an earlier one failed.
	ErrLost = errors.New("runlog: the run is not recorded any more")

	// ErrTimeout reports that the store did not answer in time.
	ErrTimeout = errors.New("qed: the store does not answer")
)

const (
	attempts  = 3
	firstWait = 100 * time.Millisecond // before the second attempt; then doubled
	patience  = 5 * time.Second        // for one append, and for each read
)

// Options are the options of a [Log].
type Options struct {
	Store  store.Store
	Thread string
	Clock  func() time.Time
	Lease  time.Duration // how long a run without records is taken to be alive

	// Failed is called when the log is lost, with the reason. The error matches
	// [store.ErrConflict] if somebody else appended to the thread. No method of
	// the log may be called in it. Nil does nothing.
	Failed func(error)
}

// A Log is the log of a thread, to which one run appends. It is safe for
// concurrent use.
type Log struct {
	opt     Options
	ctx     context.Context // of the run
	reading context.Context
	writing context.Context // not cancelled with ctx: an append is not left half-done
	cancels []context.CancelFunc
	beats   heartbeat

	mu       Mutex
	head     int64 // the number of the last record
	run      int64 // the number of the first record of the run
	appended time.Time
	lost     error
	finished bool
	unsure   []store.Record // an append of which it is not known whether it was made
}

// New returns the log of a thread for the run of ctx. It appends nothing before
// [Log.Position] is called.
func New(ctx context.Context, opt Options) *Log {
	if opt.Failed == nil {
		opt.Failed = func(error) {}
	}
	return &Log{
		opt: opt, ctx: ctx, reading: ctx, writing: context.WithoutCancel(ctx),
		mu: NewMutex(), beats: heartbeat{mu: NewMutex()},
	}
}

// Now returns the time of a record that is written now.
func (l *Log) Now() time.Time { return stored(l.opt.Clock()) }

// stored returns t in the precision that every store can save.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Position sets after which record the next append follows, and the run that
// the records belong to. The first record of a run has the run's number.
func (l *Log) Position(head, run int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head, l.run = head, run
}

// Head returns the number of the last record that is known to be saved, and the
// number of the last record that may be saved.
func (l *Log) Head() (known, possible int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head, l.head + int64(len(l.unsure))
}

// Err returns why nothing is appended any more, or nil.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Lose makes the log lost because of err.
func (l *Log) Lose(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose(err)
}

// Append appends records, all or none, and sets their Seq, Time and Run. Its
// error is ErrLost or matches [store.ErrConflict].
func (l *Log) Append(recs ...store.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(recs)
}

// Finish appends the last records of the run. It stops the heartbeat, and tries
// again to append if the log is lost: an earlier record is not needed after the
// run ended.
func (l *Log) Finish(recs ...store.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished = true
	if l.lost != nil && !errors.Is(l.lost, store.ErrConflict) {
		l.lost = nil
		again, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), patience)
		l.writing, l.cancels = again, append(l.cancels, cancel)
	}
	return l.append(recs)
}

// append is Append with l.mu held.
func (l *Log) append(recs []store.Record) error {
	if l.lost != nil {
		return ErrLost
	}
	now := l.opt.Clock()
	defer l.beats.wait()()
	if l.unsure != nil {
		if _, err := l.resolve(); err != nil {
			return l.fail(err)
		}
	}
	for i := range recs {
		recs[i].Seq, recs[i].Time, recs[i].Run = l.head+1+int64(i), stored(now), l.run
	}
	if err := l.write(recs); err != nil {
		return l.fail(err)
	}
	l.head, l.appended = recs[len(recs)-1].Seq, now
	return nil
}

// fail makes the log lost because an append failed with err, and returns the
// append's error.
func (l *Log) fail(err error) error {
	if errors.Is(err, store.ErrConflict) {
		l.lost = err
		l.opt.Failed(err)
		return err
	}
	l.lose(err)
	return ErrLost
}

func (l *Log) lose(err error) {
	if l.writing.Err() != nil {
		err = ErrTimeout
	}
	l.lost = err
	l.opt.Failed(err)
}

// write appends recs in up to three attempts.
func (l *Log) write(recs []store.Record) error {
	wait := firstWait
	for attempt := 1; ; attempt++ {
		err := l.try(recs)
		if err == nil || attempt == 1 && errors.Is(err, store.ErrConflict) {
			return err
		}
		l.unsure = slices.Clone(recs)
		if attempt == attempts || errors.Is(err, store.ErrInvalidThread) || !retry.Sleep(l.writing, wait) {
			return err
		}
		wait *= 2
		if made, err := l.resolve(); made || errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

func (l *Log) try(recs []store.Record) (err error) {
	defer recoverInto(&err)
	return l.opt.Store.Append(l.writing, l.opt.Thread, l.head, recs...)
}

// resolve finds out whether the unsure append was made. If somebody else
// appended instead, the error matches [store.ErrConflict].
func (l *Log) resolve() (made bool, err error) {
	defer recoverInto(&err)
	var found []store.Record
	r := store.Range{From: l.head + 1, Limit: len(l.unsure)}
	for rec, err := range l.opt.Store.Records(l.writing, l.opt.Thread, r) {
		if err != nil {
			return false, err
		}
		found = append(found, rec)
	}
	switch {
	case slices.EqualFunc(found, l.unsure, same):
		l.head, l.unsure = found[len(found)-1].Seq, nil
		return true, nil
	case len(found) > 0:
		return false, fmt.Errorf("%w: %s", store.ErrConflict, l.opt.Thread)
	}
	l.unsure = nil
	return false, nil
}

func same(a, b store.Record) bool {
	return a.Kind == b.Kind && a.Run == b.Run && a.Address == b.Address && a.Time.Equal(b.Time) &&
		bytes.Equal(a.Data, b.Data)
}

// Read calls do with the records of r. If a record is corrupt, do is called
// with the record's number alone, and the error matches [store.ErrCorrupt].
func (l *Log) Read(r store.Range, do func(store.Record) error) (err error) {
	defer recoverInto(&err)
	defer l.beats.wait()()
	for rec, err := range l.opt.Store.Records(l.reading, l.opt.Thread, r) {
		if err != nil {
			if rec.Seq != 0 && errors.Is(err, store.ErrCorrupt) {
				do(store.Record{Seq: rec.Seq})
			}
			if l.reading.Err() != nil && l.ctx.Err() == nil {
				err = ErrTimeout
			}
			return err
		}
		if err := do(rec); err != nil {
			return err
		}
	}
	return nil
}

// Retry calls read in up to three attempts. A corrupt record is not read again.
func (l *Log) Retry(read func() error) error {
	wait := firstWait
	for attempt := 1; ; attempt++ {
		err := read()
		if err == nil || errors.Is(err, store.ErrCorrupt) || attempt == attempts || !retry.Sleep(l.reading, wait) {
			return err
		}
		wait *= 2
	}
}

// Trim removes the records of some kinds with a number below before.
func (l *Log) Trim(before int64, kinds ...store.Kind) (err error) {
	defer recoverInto(&err)
	defer l.beats.wait()()
	return l.opt.Store.Trim(l.writing, l.opt.Thread, before, kinds...)
}

// recoverInto turns a panic of the store into an error.
func recoverInto(err *error) {
	switch v := recover().(type) {
	case nil:
	case error:
		*err = fmt.Errorf("the store panicked: %w", v)
	default:
		*err = fmt.Errorf("the store panicked: %v", v)
	}
}
