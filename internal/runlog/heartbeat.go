package runlog

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/qedkit/qed/store"
)

// A heartbeat notices a store that does not answer. Calls of the store are
// counted when they start and when they end.
type heartbeat struct {
	started, ended atomic.Int64

	mu                   Mutex
	timer                *time.Timer
	seenStart, seenEnded int64 // at the last beat
	stopped              bool
	abort                context.CancelFunc // ends all calls of the store
}

// wait counts a call of the store, which ends when the returned function is
// called.
func (h *heartbeat) wait() (done func()) {
	h.started.Add(1)
	return func() { h.ended.Add(1) }
}

// Start starts the heartbeat of the run. It lasts until stop is called, which
// also ends all calls of the store.
func (l *Log) Start() (stop func()) {
	h := &l.beats
	h.mu.Lock()
	defer h.mu.Unlock()
	reading, stopReading := context.WithCancel(l.ctx)
	writing, stopWriting := context.WithCancel(l.writing)
	l.reading, l.writing = reading, writing
	h.abort = func() { stopWriting(); stopReading() }
	h.timer = time.AfterFunc(l.interval(), l.beat)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.stopped = true
		h.timer.Stop()
		h.abort()
		for _, cancel := range l.cancels {
			cancel()
		}
	}
}

// interval is the time between two beats. A call of the store is given up after
// one to two of them.
func (l *Log) interval() time.Duration { return min(l.opt.Lease/6, patience) }

// beat ends the calls of the store if none of them ended since the last beat.
// Otherwise it appends a heartbeat if one is due.
func (l *Log) beat() {
	h := &l.beats
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	started, ended := h.started.Load(), h.ended.Load()
	switch {
	case h.seenStart > ended && h.seenEnded == ended:
		h.abort()
	case started == ended && l.mu.TryLock():
		quiet := l.opt.Clock().Sub(l.appended)
		if l.lost == nil && !l.finished && !l.appended.IsZero() && quiet >= l.opt.Lease/3 {
			l.append([]store.Record{{Kind: store.Heartbeat}})
		}
		l.mu.Unlock()
	}
	h.seenStart, h.seenEnded = started, ended
	h.timer.Reset(l.interval())
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
