package store

import (
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
//   - Records are only removed by [InMemory.Trim] and [InMemory.Delete].
type InMemory struct {
	mu      sync.Mutex
	threads map[string]*thread
	latest  time.Time // when the last header was written
}

var (
	_ Store  = (*InMemory)(nil)
	_ Lister = (*InMemory)(nil)
)

type thread struct {
	id string

	// records are in ascending order. They are appended in place, and removed only
	// from a copy, so a reader needs the lock only to get the slice.
	records []Record

	header           *Header   // the last one, or nil
	created, updated time.Time // when the first and the last header were written
	written          time.Time // when the last record was written
}

func (t *thread) last() int64 {
	if len(t.records) == 0 {
		return 0
	}
	return t.records[len(t.records)-1].Seq
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
	if last := t.last(); last != after {
		return fmt.Errorf("%w: its last record is number %d, not %d", ErrConflict, last, after)
	}
	if len(recs) == 0 {
		return nil
	}
	if after == 0 {
		if m.threads == nil {
			m.threads = map[string]*thread{}
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
		t.records = append(t.records, rec)
	}
	return nil
}

func (m *InMemory) setHeader(t *thread, h Header) {
	t.header, t.updated = &h, t.written.UTC().Truncate(time.Microsecond)
	// No two threads have the same time, which is the position in the list.
	if least := m.latest.Add(time.Microsecond); t.updated.Before(least) {
		t.updated = least
	}
	m.latest = t.updated
	if t.created.IsZero() {
		t.created = t.updated
	}
}

// Records implements [Store]. Records that are appended while the sequence is
// read are not part of it. It looks at every record of the thread between the numbers
// of r, until it has found as many as r asks for.
func (m *InMemory) Records(ctx context.Context, id string, r Range) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := check(ctx, id); err != nil {
			yield(Record{}, err)
			return
		}
		recs := m.between(id, r)
		left := r.Limit
		for i := range recs {
			rec := &recs[i]
			if r.NewestFirst {
				rec = &recs[len(recs)-1-i]
			}
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

// between returns the records of a thread with the numbers of r.
func (m *InMemory) between(id string, r Range) []Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[id]
	if t == nil {
		return nil
	}
	from := sort.Search(len(t.records), func(i int) bool { return t.records[i].Seq >= r.From })
	recs := t.records[from:]
	if r.To > 0 {
		recs = recs[:sort.Search(len(recs), func(i int) bool { return recs[i].Seq > r.To })]
	}
	return recs
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
	before = min(before, t.last()) // the last record stays
	gone := func(rec Record) bool { return rec.Seq < before && slices.Contains(kinds, rec.Kind) }
	if slices.ContainsFunc(t.records, gone) {
		t.records = slices.DeleteFunc(slices.Clone(t.records), gone)
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
	delete(m.threads, id)
	return nil
}

// check returns an error if ctx is done or id cannot be the id of a thread.
func check(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return CheckThread(id)
}
