package store

import (
	"container/list"
	"slices"
	"time"
)

// ended are the statuses of threads that are forgotten first.
var ended = []Status{StatusAnswered, StatusFailed, StatusStopped, StatusAttached}

// An order has the threads of an [InMemory] with MaxThreads in the order in
// which they are forgotten: first those whose last run ended, then the others.
type order struct {
	ended, others list.List // of *thread, the one with the oldest last record first
}

// touch moves a thread to the end of the list that its status belongs to.
func (o *order) touch(t *thread) {
	o.remove(t)
	t.list = &o.others
	if t.header != nil && slices.Contains(ended, t.header.Status) {
		t.list = &o.ended
	}
	t.turn = t.list.PushBack(t)
}

func (o *order) remove(t *thread) {
	if t.list != nil {
		t.list.Remove(t.turn)
	}
	t.list, t.turn = nil, nil
}

// first returns the thread to forget next, or nil if all of them are running.
func (o *order) first(now time.Time) *thread {
	for _, threads := range []*list.List{&o.ended, &o.others} {
		for e := threads.Front(); e != nil; e = e.Next() {
			t := e.Value.(*thread)
			if t.header == nil || t.header.StatusAt(now, t.written) != StatusRunning {
				return t
			}
		}
	}
	return nil
}

// forget removes threads until there is one less than MaxThreads, for a thread
// that is added.
func (m *InMemory) forget(now time.Time) {
	for len(m.threads) >= m.MaxThreads {
		t := m.order.first(now)
		if t == nil {
			return
		}
		m.remove(t)
	}
}

// remove removes a thread.
func (m *InMemory) remove(t *thread) {
	delete(m.threads, t.id)
	m.order.remove(t)
	if t.entry != nil {
		m.listed.Remove(t.entry)
	}
}
