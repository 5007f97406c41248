// Package runlog appends the records of one run to the log of its thread.
//
// A [Log] is in one of three conditions:
//
//   - While the store works, an append returns when its records are saved.
//   - When the store fails, the log is lost: appends return [ErrLost]. The end
//     of the run is still tried, with the records that were kept for it.
//   - When somebody else appended to the thread, appends return [ErrLost] as
//     well, after a first error that matches [store.ErrConflict].
//
// A failed append is retried. If the store reports a conflict, the log is read,
// and the conflict is believed only if the records are not those of an append
// of this log whose outcome is unknown.
//
// Records that nothing waits for are queued, and appended in the background:
// see [Log.Later]. The order of the log is that of the calls of all methods.
//
// Every operation has a time limit of its own, whatever the store does: see
// [Calls]. [Log.Start] starts the heartbeat, which appends a [store.Heartbeat]
// record when a third of the lease passed without another record.
package runlog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/qedkit/qed/store"
)

// ErrLost reports that an append was refused because an earlier one failed, or
// because the run has ended.
var ErrLost = errors.New("runlog: the run is not recorded any more")

// maxKept limits the data that is kept in memory for the end of a run, in bytes.
const maxKept = 8 << 20

// Options are the options of a [Log].
type Options struct {
	Store  store.Store
	Thread string
	Clock  func() time.Time
	Lease  time.Duration // how long a run without records is taken to be alive

	// Calls makes the calls of Store. Nil means that the log has its own.
	Calls *Calls

	// NeverWaits says that Store never waits for anything, so that its calls
	// need no time limit, nor a goroutine.
	NeverWaits bool

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
	beats   heartbeat
	queue   queue // of Later

	mu       Mutex
	head     int64 // the number of the last record
	run      int64 // the number of the first record of the run
	appended time.Time
	lost     error
	finished bool
	unsure   [][]store.Record // appends after head of which it is not known whether they were made
	kept     []store.Record   // for the end of the run
	keptSize int
	dropped  bool // more was to be kept than maxKept
}

// New returns the log of a thread for the run of ctx. It appends nothing before
// [Log.Position] is called.
func New(ctx context.Context, opt Options) *Log {
	if opt.Failed == nil {
		opt.Failed = func(error) {}
	}
	opt.Calls = cmp.Or(opt.Calls, new(Calls))
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
	l.queue.position(head, run)
}

// Head returns the number of the last record that is known to be saved, and
// the records that may be the last one instead: those of appends of which it is
// not known whether they were made.
func (l *Log) Head() (known int64, possible []store.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, tried := range l.unsure {
		possible = append(possible, tried[len(tried)-1])
	}
	return l.head, possible
}

// Err returns why nothing is appended any more, or nil.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Lose makes the log lost because of err, unless it is lost or has ended.
func (l *Log) Lose(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil && !l.finished {
		l.lose(err)
	}
}

// Abandon makes the log lost because of err, and keeps nothing for the end of
// the run.
func (l *Log) Abandon(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept, l.dropped = nil, true
	if l.lost == nil && !l.finished {
		l.lose(err)
	}
}

// Append appends records, all or none, and sets their Seq, Time and Run. Its
// error is ErrLost or matches [store.ErrConflict].
func (l *Log) Append(recs ...store.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(recs)
}

// AppendOrKeep is Append for records that a resumed run needs. If the log is
// lost, they are kept, and [Log.Finish] appends them. The error is ErrLost as
// well.
func (l *Log) AppendOrKeep(recs ...store.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.append(nil) // alone, as the store may refuse recs
	if err == nil {
		err = l.append(recs)
	}
	if err == ErrLost {
		l.keep(recs)
	}
	return err
}

// Kept reports whether all records are kept that AppendOrKeep could not append.
func (l *Log) Kept() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.dropped
}

// Discard discards the records that are kept, and reports whether there are any.
func (l *Log) Discard() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	some := len(l.kept) > 0
	l.kept, l.dropped = nil, l.dropped || some
	return some
}

// Finish appends the last records of the run, after those that were kept. It
// tries that also if the log is lost. Afterwards nothing more is appended.
func (l *Log) Finish(recs ...store.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished = true
	if errors.Is(l.lost, store.ErrConflict) {
		return l.lost
	}
	l.lost = nil
	l.kept = append(l.kept, l.queue.close()...)
	return l.save(append(slices.Clone(l.kept), recs...), 0)
}

// append is Append with l.mu held. It appends the records of the queue first.
func (l *Log) append(recs []store.Record) error {
	if l.lost != nil || l.finished {
		return ErrLost
	}
	var queued []store.Record
	if !l.opt.NeverWaits {
		queued = l.queue.take(l.head, len(recs))
	}
	if len(queued)+len(recs) == 0 {
		return nil
	}
	if len(queued) == 0 {
		return l.save(recs, 0)
	}
	defer l.queue.done()
	all := append(queued, recs...)
	err := l.save(all, len(queued))
	copy(recs, all[len(queued):])
	return err
}

// keep keeps records for the end of the run.
func (l *Log) keep(recs []store.Record) {
	if l.finished || l.dropped || l.run == 0 {
		return
	}
	for _, rec := range recs {
		if rec.Time.IsZero() {
			rec.Time = l.Now()
		}
		if rec.Kind == store.Checkpoint { // only the last state of a graph is needed
			l.kept = slices.DeleteFunc(l.kept, func(old store.Record) bool {
				replaced := old.Kind == rec.Kind && old.Address == rec.Address
				if replaced {
					l.keptSize -= len(old.Data)
				}
				return replaced
			})
		}
		l.kept = append(l.kept, rec)
		l.keptSize += len(rec.Data)
	}
	if l.keptSize > maxKept {
		l.kept, l.dropped = nil, true
	}
}

// save appends records. If that fails, the first ones of them are kept, as many
// as came from the queue.
func (l *Log) save(recs []store.Record, queued int) error {
	now := l.opt.Clock()
	for i := range recs {
		if recs[i].Time.IsZero() { // a record that was kept has one
			recs[i].Time = stored(now)
		}
	}
	err := l.writeInTime(recs)
	if err == nil {
		l.appended = now
		return nil
	}
	l.keep(recs[:queued])
	l.lose(err)
	if errors.Is(err, store.ErrConflict) {
		return err
	}
	return ErrLost
}

func (l *Log) lose(err error) {
	l.lost = err
	l.keep(l.queue.close())
	l.opt.Failed(err)
}

func same(a, b store.Record) bool {
	return a.Kind == b.Kind && a.Run == b.Run && a.Address == b.Address && a.Time.Equal(b.Time) &&
		bytes.Equal(a.Data, b.Data)
}
