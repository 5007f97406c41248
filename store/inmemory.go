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

// InMemory is a [Store] that keeps conversations in memory, for tests and for programs whose conversations may end with
// the process. The zero value is empty and ready to use. It is safe for concurrent use, and must not be copied once it was used.
//
// Like a database it keeps times in microseconds and UTC. It does not copy the Data of records: neither who appends a record nor
// who reads one may change them. Nothing is removed unless it is told so by [InMemory.Trim] or [InMemory.Delete].
type InMemory struct {
	mu      sync.Mutex
	threads map[string]*threadLog
}

// A threadLog is never changed where it has records: it grows at its end, or others take their place. So who reads needs no
// lock beyond the moment in which he takes them.
type threadLog struct{ records []Record }

var _ Store = (*InMemory)(nil)

// Append does what [Store] says. It refuses records whose Kind or Address is too long.
func (m *InMemory) Append(ctx context.Context, thread string, after int64, recs ...Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range recs {
		if rec := &recs[i]; len(rec.Kind) > 32 || len(rec.Address) > 1000 {
			return fmt.Errorf("store: a record has a kind of %d bytes and an address of %d: at most 32 and 1,000 are allowed", len(rec.Kind), len(rec.Address))
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.threads[thread]
	if log == nil {
		if err := CheckThread(thread); err != nil {
			return err
		}
		log = &threadLog{}
	}
	if last := log.last(); last != after {
		return fmt.Errorf("%w: its last record is number %d, not %d", ErrConflict, last, after)
	}
	if len(recs) == 0 {
		return nil
	}
	if len(log.records) == 0 {
		if m.threads == nil {
			m.threads = map[string]*threadLog{}
		}
		m.threads[thread] = log
		log.records = make([]Record, 0, len(recs)+31) // a run has more than a few
	}
	log.records = append(log.records, recs...)
	added := log.records[len(log.records)-len(recs):]
	for i := range added {
		rec := &added[i]
		rec.Seq = after + 1 + int64(i)
		rec.Time = rec.Time.UTC()
		if finer := rec.Time.Nanosecond() % 1000; finer != 0 {
			rec.Time = rec.Time.Add(-time.Duration(finer))
		}
	}
	return nil
}

// Records does what [Store] says. What is appended while the sequence is read is not among the records.
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
			if r.Newest {
				rec = &log[len(log)-1-i]
			}
			if !r.Matches(rec) {
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

// Trim does what [Store] says.
func (m *InMemory) Trim(ctx context.Context, thread string, before int64, kinds ...Kind) error {
	if _, err := m.snapshot(ctx, thread); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.threads[thread]
	if log == nil {
		return nil
	}
	last := log.last()
	trimmed := func(rec Record) bool {
		return rec.Seq < before && rec.Seq != last && slices.Contains(kinds, rec.Kind)
	}
	if slices.ContainsFunc(log.records, trimmed) {
		log.records = slices.DeleteFunc(slices.Clone(log.records), trimmed)
	}
	return nil
}

// Delete does what [Store] says.
func (m *InMemory) Delete(ctx context.Context, thread string) error {
	if _, err := m.snapshot(ctx, thread); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.threads, thread)
	return nil
}

// snapshot returns the records that a thread has now.
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
	return log.records, nil
}

// last returns the number of the last record.
func (l *threadLog) last() int64 {
	if len(l.records) == 0 {
		return 0
	}
	return l.records[len(l.records)-1].Seq
}
