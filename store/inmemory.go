package store

import (
	"container/list"
	"context"
	"fmt"
	"iter"
	"slices"
	"sort"
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
	id string

	// records are appended in place, and removed only from a copy, so a reader
	// needs the lock only to get the slice.
	records []Record

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
	if last := lastSeq(t.records); last != after {
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
		t.records = make([]Record, 0, len(recs)+31) // most threads get more records soon
	}
	t.written = time.Now()
	t.records = append(t.records, recs...)
	for i := range recs {
		rec := &t.records[len(t.records)-len(recs)+i]
		rec.Seq = after + 1 + int64(i)
		rec.Time = rec.Time.UTC().Truncate(time.Microsecond)
		if rec.Header != nil {
			m.setHeader(t, *rec.Header)
			rec.Header = nil
		}
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
		log, lists, err := m.snapshot(ctx, id, r)
		if err != nil {
			yield(Record{}, err)
			return
		}
		left := r.Limit
		for rec := range selected(log, lists, r) {
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
func selected(log []Record, lists [][]int64, r Range) iter.Seq[*Record] {
	position := func(seq int64) int {
		return sort.Search(len(log), func(i int) bool { return log[i].Seq >= seq })
	}
	return func(yield func(*Record) bool) {
		if lists != nil {
			numbers := newMerge(lists, r)
			for seq := numbers.next(); seq > 0; seq = numbers.next() {
				if !yield(&log[position(seq)]) {
					return
				}
			}
			return
		}
		part := log
		if r.To > 0 {
			part = log[:sort.Search(len(log), func(i int) bool { return log[i].Seq > r.To })]
		}
		part = part[min(position(r.From), len(part)):]
		for i := range part {
			rec := &part[i]
			if r.NewestFirst {
				rec = &part[len(part)-1-i]
			}
			if !yield(rec) {
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
	last := lastSeq(t.records)
	trimmed := func(rec Record) bool {
		return rec.Seq < before && rec.Seq != last && slices.Contains(kinds, rec.Kind)
	}
	if slices.ContainsFunc(t.records, trimmed) {
		t.records = slices.DeleteFunc(slices.Clone(t.records), trimmed)
		t.index = index{}
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
func (m *InMemory) snapshot(ctx context.Context, id string, r Range) ([]Record, [][]int64, error) {
	if err := check(ctx, id); err != nil {
		return nil, nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[id]
	if t == nil {
		return nil, nil, nil
	}
	if len(t.records) < indexed || r.Address == "" && r.Under == "" && r.Kinds == nil {
		return t.records, nil, nil
	}
	t.index.add(t.records)
	return t.records, t.index.lists(r), nil
}

// lastSeq returns the number of the last record, or 0.
func lastSeq(log []Record) int64 {
	if len(log) == 0 {
		return 0
	}
	return log[len(log)-1].Seq
}
