package store

import (
	"container/list"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
)

// InMemory is a [Store] that keeps conversations in memory, for tests and for
// programs whose conversations may end with the process.
//
//   - The zero value is empty and ready to use. It must not be copied after its
//     first use.
//   - It is safe for concurrent use.
//   - The Data of records is not copied. Neither the caller of Append nor a
//     reader may change it.
//   - Records are only removed by [InMemory.Trim] and [InMemory.Delete], and
//     threads also by MaxThreads.
type InMemory struct {
	// MaxThreads is how many threads are kept; 0 means all. It must be set before
	// the first use. When another thread is added, the store forgets the one
	// with the oldest last record: first among the threads whose last run was
	// answered, failed or stopped, and if there is none, among those that wait
	// for a reply, have crashed or have no [Header]. A running thread is never
	// forgotten, so there are more threads than MaxThreads while more of them
	// are running.
	//
	// A forgotten thread is like a deleted one: a reply to its question is
	// refused, and a message begins a new conversation.
	MaxThreads int

	mu      sync.Mutex
	threads map[string]*thread
	listed  list.List // of *thread; those that have a header, latest update first
	order   order     // with MaxThreads
}

var (
	_ Store  = (*InMemory)(nil)
	_ Lister = (*InMemory)(nil)
)

// A thread is a thread of an [InMemory].
type thread struct {
	id    string
	log   log
	index index

	header           *Header       // the last one, or nil
	created, updated time.Time     // when the first and the last header were written
	written          time.Time     // when the last record was written
	entry            *list.Element // in InMemory.listed, if there is a header

	list *list.List    // of order; nil without MaxThreads
	turn *list.Element // in list
}

// Append implements [Store]. It refuses records that [CheckRecords] refuses.
func (m *InMemory) Append(ctx context.Context, id string, after int64, recs ...Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckRecords(recs); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[id]
	if t == nil {
		if err := CheckThread(id); err != nil {
			return err
		}
		t = &thread{id: id}
	}
	if last := t.log.last(); last != after {
		return fmt.Errorf("%w: its last record is number %d, not %d", ErrConflict, last, after)
	}
	if len(recs) == 0 {
		return nil
	}
	if after == 0 {
		if m.threads == nil {
			m.threads = map[string]*thread{}
		}
		if m.MaxThreads > 0 {
			m.forget(time.Now())
		}
		m.threads[id] = t
	}
	t.written = time.Now()
	for i, rec := range recs {
		if rec.Header != nil {
			m.setHeader(t, *rec.Header)
			rec.Header = nil
		}
		rec.Seq = after + 1 + int64(i)
		rec.Time = rec.Time.UTC().Truncate(time.Microsecond)
		t.log.append(rec)
	}
	if m.MaxThreads > 0 {
		m.order.touch(t)
	}
	return nil
}

// setHeader replaces the header of a thread and makes the thread the first of
// the list.
func (m *InMemory) setHeader(t *thread, h Header) {
	t.header, t.updated = &h, t.written.UTC().Truncate(time.Microsecond)
	if first := m.listed.Front(); first != nil {
		// No two threads have the same time, which is the position in the list.
		if least := first.Value.(*thread).updated.Add(time.Microsecond); t.updated.Before(least) {
			t.updated = least
		}
	}
	if t.entry != nil {
		m.listed.MoveToFront(t.entry)
		return
	}
	t.entry, t.created = m.listed.PushFront(t), t.updated
}

// Records implements [Store]. Records that are appended while the sequence is
// read are not part of it. A range with kinds or an address costs as much as
// there are records of those kinds or below that address.
func (m *InMemory) Records(ctx context.Context, id string, r Range) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		l, lists, err := m.snapshot(ctx, id, r)
		if err != nil {
			yield(Record{}, err)
			return
		}
		left := r.Limit
		for rec := range selected(&l, lists, r) {
			if !r.matches(rec) {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(Record{}, err)
				return
			}
			if !yield(*rec, nil) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// selected returns the records of a log that may match r, in the order of r:
// those with the numbers of the lists, or all of them if lists is nil.
func selected(l *log, lists [][]int64, r Range) iter.Seq[*Record] {
	if lists == nil {
		return l.between(r)
	}
	return func(yield func(*Record) bool) {
		numbers := newMerge(lists, r)
		for seq := numbers.next(); seq > 0; seq = numbers.next() {
			if !yield(l.get(seq)) {
				return
			}
		}
	}
}

// Trim implements [Store].
func (m *InMemory) Trim(ctx context.Context, id string, before int64, kinds ...Kind) error {
	if err := check(ctx, id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[id]
	if t == nil {
		return nil
	}
	if before = min(before, t.log.last()); before <= 1 { // the last record stays
		return nil
	}
	t.index.add(&t.log)
	if lowest := t.index.trim(&t.log, before, kinds); lowest > 0 {
		t.log.remove(lowest, before-1, func(rec *Record) bool { return slices.Contains(kinds, rec.Kind) })
	}
	return nil
}

// Delete implements [Store].
func (m *InMemory) Delete(ctx context.Context, id string) error {
	if err := check(ctx, id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.threads[id]; t != nil {
		m.remove(t)
	}
	return nil
}

// check returns an error if ctx is done or id cannot be the id of a thread.
func check(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return CheckThread(id)
}

// snapshot returns the present records of a thread. If an index finds those that
// r selects, it returns the lists with their numbers.
func (m *InMemory) snapshot(ctx context.Context, id string, r Range) (log, [][]int64, error) {
	if err := check(ctx, id); err != nil {
		return log{}, nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[id]
	if t == nil {
		return log{}, nil, nil
	}
	if t.log.short() || r.Address == "" && r.Under == "" && r.Kinds == nil {
		return t.log, nil, nil
	}
	t.index.add(&t.log)
	return t.log, t.index.lists(r), nil
}
