package runlog

import (
	"context"
	"time"

	"github.com/qedkit/qed/store"
)

// A heartbeat appends a record when nothing else was recorded for a while.
type heartbeat struct {
	mu      Mutex
	timer   *time.Timer
	stopped bool
}

// Start starts the heartbeat of the run. It lasts until stop is called, which
// also ends all calls of the store.
func (l *Log) Start() (stop func()) {
	h := &l.beats
	h.mu.Lock()
	defer h.mu.Unlock()
	stopReading, stopWriting := func() {}, func() {}
	if !l.opt.NeverWaits {
		l.reading, stopReading = context.WithCancel(l.ctx)
		l.writing, stopWriting = context.WithCancel(l.writing)
	}
	h.timer = time.AfterFunc(l.interval(), l.beat)
	return func() {
		stopReading()
		stopWriting()
		l.mu.Lock() // not held for longer than it takes to give up a call
		l.finished = true
		l.queue.close()
		l.mu.Unlock()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.stopped = true
		h.timer.Stop()
	}
}

// interval is the time between two beats. Each of them looks whether a third of
// the lease has passed.
func (l *Log) interval() time.Duration { return max(l.opt.Lease/6, time.Millisecond) }

// beat appends a heartbeat if one is due and nothing else is being appended.
func (l *Log) beat() {
	if l.mu.TryLock() {
		quiet := l.opt.Clock().Sub(l.appended)
		if l.lost == nil && !l.finished && !l.appended.IsZero() && quiet >= l.opt.Lease/3 {
			l.append([]store.Record{{Kind: store.Heartbeat}})
		}
		l.mu.Unlock()
	}
	h := &l.beats
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.stopped {
		h.timer.Reset(l.interval())
	}
}

// A Mutex is a mutex that [testing/synctest] sees a goroutine wait for: who
// waits for it waits for the store.
type Mutex chan struct{}

// NewMutex returns an unlocked Mutex.
func NewMutex() Mutex { return make(Mutex, 1) }

// Lock locks m.
func (m Mutex) Lock() { m <- struct{}{} }

// Unlock unlocks m.
func (m Mutex) Unlock() { <-m }

// TryLock locks m if it is not locked, and reports whether it did.
func (m Mutex) TryLock() bool {
	select {
	case m <- struct{}{}:
		return true
	default:
		return false
	}
}
