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
	mu sync.Mutex

	// threads holds the records of each thread. Records are appended in place,
	// and removed only from a copy, so a reader needs the lock only to get the
	// slice.
	threads map[string][]Record
}

var _ Store = (*InMemory)(nil)

// Append implements [Store]. It refuses records that [CheckRecords] refuses.
func (m *InMemory) Append(ctx context.Context, thread string, after int64, recs ...Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckRecords(recs); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.threads[thread]
	if log == nil {
		if err := CheckThread(thread); err != nil {
			return err
		}
	}
	if last := lastSeq(log); last != after {
		return fmt.Errorf("%w: its last record is number %d, not %d", ErrConflict, last, after)
	}
	if len(recs) == 0 {
		return nil
	}
	if log == nil {
		if m.threads == nil {
			m.threads = map[string][]Record{}
		}
		log = make([]Record, 0, len(recs)+31) // most threads get more records soon
	}
	log = append(log, recs...)
	for i := range recs {
		rec := &log[len(log)-len(recs)+i]
		rec.Seq = after + 1 + int64(i)
		rec.Time = rec.Time.UTC().Truncate(time.Microsecond)
	}
	m.threads[thread] = log
	return nil
}

// Records implements [Store]. Records that are appended while the sequence is
// read are not part of it.
func (m *InMemory) Records(ctx context.Context, thread string, r Range) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		log, err := m.snapshot(ctx, thread)
		if err != nil {
			yield(Record{}, err)
			return
		}
		if r.To > 0 {
			log = log[:sort.Search(len(log), func(i int) bool { return log[i].Seq > r.To })]
		}
		log = log[sort.Search(len(log), func(i int) bool { return log[i].Seq >= r.From }):]
		left := r.Limit
		for i := range log {
			rec := &log[i]
			if r.NewestFirst {
				rec = &log[len(log)-1-i]
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

// Trim implements [Store].
func (m *InMemory) Trim(ctx context.Context, thread string, before int64, kinds ...Kind) error {
	if _, err := m.snapshot(ctx, thread); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.threads[thread]
	last := lastSeq(log)
	trimmed := func(rec Record) bool {
		return rec.Seq < before && rec.Seq != last && slices.Contains(kinds, rec.Kind)
	}
	if slices.ContainsFunc(log, trimmed) {
		m.threads[thread] = slices.DeleteFunc(slices.Clone(log), trimmed)
	}
	return nil
}

// Delete implements [Store].
func (m *InMemory) Delete(ctx context.Context, thread string) error {
	if _, err := m.snapshot(ctx, thread); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.threads, thread)
	return nil
}

// snapshot returns the present records of a thread.
func (m *InMemory) snapshot(ctx context.Context, thread string) ([]Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.threads[thread]
	if log == nil {
		return nil, CheckThread(thread)
	}
	return log, nil
}

// lastSeq returns the number of the last record, or 0.
func lastSeq(log []Record) int64 {
	if len(log) == 0 {
		return 0
	}
	return log[len(log)-1].Seq
}
