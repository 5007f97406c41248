package sqlstore

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/qedkit/qed/store"
)

// Append implements [store.Store]. It refuses records that [store.CheckRecords]
// refuses. After an error that matches [store.ErrConflict] or [ErrTooLarge]
// nothing was appended. After an error of the database it may be unknown whether
// the append was made, for example if the server does not respond any more. It
// was made in full or not at all.
//
// Appends to different threads that are called at the same time may share a
// transaction. A conflict of one of them does not concern the others.
func (s *Store) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if err := store.CheckThread(thread); err != nil {
		return err
	}
	if err := store.CheckRecords(recs); err != nil {
		return err
	}
	const op = "appending to a thread"
	if len(recs) == 0 {
		_, head, err := s.head(ctx, op, thread)
		if err == nil && head != after {
			err = conflict(after)
		}
		return err
	}
	if err := s.checkSize(ctx, op, recs); err != nil {
		return err
	}
	if after < 0 || after > maxSeq-int64(len(recs)) {
		return conflict(after)
	}
	a := newAppending(thread, after, recs)
	alone := len(recs) > s.engine.batch() || a.size > maxBytes
	attempts := 0
	err := s.try(ctx, op, func() (err error) {
		if !alone {
			attempts++
			alone, err = s.queue.append(ctx, a)
		}
		if alone {
			attempts++
			err = s.commit(ctx, []*appending{a})
		}
		if err == nil && !a.made && attempts > 1 {
			// An earlier attempt may have succeeded although its reply was lost.
			a.made, err = s.wasMade(ctx, a)
		}
		return err
	})
	if err == nil && !a.made {
		err = conflict(after)
	}
	return err
}

func conflict(after int64) error {
	return fmt.Errorf("%w: number %d is not its last record", store.ErrConflict, after)
}

// An appending is an append that is to be made.
type appending struct {
	thread  string
	after   int64
	records []store.Record
	size    int   // bytes of the records' data
	id      int64 // random; it identifies the append if its reply is lost

	// made is set if the append was made. If an attempt did not fail and made is
	// false, the thread has another last record.
	made bool
}

func newAppending(thread string, after int64, recs []store.Record) *appending {
	a := &appending{thread: thread, after: after, records: recs, id: rand.Int64()}
	for i := range recs {
		a.size += len(recs[i].Data)
	}
	return a
}

// clone returns a copy that does not use memory of the caller.
func (a *appending) clone() *appending {
	own := *a
	own.records = slices.Clone(a.records)
	for i := range own.records {
		own.records[i].Data = bytes.Clone(own.records[i].Data)
	}
	return &own
}

// commit makes appends in one transaction and sets their made. The transaction
// is a single statement if the engine can do that.
func (s *Store) commit(ctx context.Context, group []*appending) error {
	return s.exclusive(ctx, func() error {
		w := s.writerOf(group)
		if first := group[0]; fitting(first.records, s.engine.batch()) < len(first.records) {
			return w.commitParts(ctx, first) // it is alone
		}
		// Processes that append to the same threads lock them in this order.
		slices.SortFunc(group, func(a, b *appending) int { return cmp.Compare(a.thread, b.thread) })
		if s.engine.atomic(group) {
			return s.engine.append(ctx, session{s: w}, group)
		}
		_, err := w.transaction(ctx, func(on session) (bool, error) {
			return true, s.engine.append(ctx, on, group)
		})
		return err
	})
}

// commitParts makes an append whose records do not fit into one statement.
func (s *Store) commitParts(ctx context.Context, a *appending) (err error) {
	a.made, err = s.transaction(ctx, func(on session) (bool, error) {
		part := *a
		for rest := a.records; len(rest) > 0; rest = rest[len(part.records):] {
			part.records = rest[:fitting(rest, s.engine.batch())]
			if err := s.engine.append(ctx, on, []*appending{&part}); err != nil || !part.made {
				return false, err
			}
			part.after = part.head()
		}
		return true, nil
	})
	return err
}

// writerOf returns the store that writes group: s.checkpoints if all its
// records may be lost in a power failure, as they can be computed again.
func (s *Store) writerOf(group []*appending) *Store {
	if s.checkpoints == nil {
		return s
	}
	for _, a := range group {
		for i := range a.records {
			if kind := a.records[i].Kind; kind != store.Checkpoint && kind != store.Heartbeat {
				return s
			}
		}
	}
	return s.checkpoints
}

// head returns the number that the thread's last record has after the append.
func (a *appending) head() int64 { return a.after + int64(len(a.records)) }

// row returns the parameters of the ith record, starting with its number.
func (a *appending) row(e engine, i int) []any {
	rec := &a.records[i]
	var data any
	if len(rec.Data) > 0 {
		data = []byte(rec.Data)
	}
	return []any{
		a.after + 1 + int64(i), rec.Time.UnixMicro(), e.text(string(rec.Kind)), rec.Run, e.text(rec.Address), data,
	}
}

// maxBytes is about how many bytes of data go into one statement, because
// servers limit the size of a statement.
const maxBytes = 1 << 20

// fitting returns how many of the records go into one statement: at least 1, at
// most n, and maxBytes of data.
func fitting(recs []store.Record, n int) int {
	size := 0
	for i := range min(n, len(recs)) {
		if size += len(recs[i].Data); size > maxBytes && i > 0 {
			return i
		}
	}
	return min(n, len(recs))
}

// wasMade reports whether the append was made by an earlier attempt.
func (s *Store) wasMade(ctx context.Context, a *appending) (bool, error) {
	text := s.engine.texts().wasMade
	if text == "" {
		return false, nil
	}
	made := false
	args := []any{s.engine.text(a.thread), a.head(), a.id}
	err := s.query(ctx, text, args, func(rows *sql.Rows) error {
		made = rows.Next()
		return rows.Err()
	})
	return made, err
}

// head returns the key of a thread and the number of its last record. Both are 0
// if the thread does not exist.
func (s *Store) head(ctx context.Context, op, thread string) (key, head int64, err error) {
	err = s.try(ctx, op, func() error {
		return s.query(ctx, s.engine.texts().head, []any{s.engine.text(thread)}, func(rows *sql.Rows) error {
			key, head = 0, 0
			if rows.Next() {
				if err := rows.Scan(&key, &head); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	})
	return key, head, err
}
