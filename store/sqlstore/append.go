package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"

	"github.com/qedkit/qed/store"
)

// Append implements [store.Store]. It refuses records that [store.CheckRecords]
// refuses. After an error other than [store.ErrConflict] it is not known
// whether the append was made, for example if the server does not respond any
// more. It was made in full or not at all.
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
	writer := s.writerOf(recs)
	a := appending{thread: thread, after: after, records: recs, id: rand.Int64()}
	var done, tried bool
	err := s.write(ctx, op, func() (err error) {
		done, err = writer.append(ctx, a)
		if err == nil && !done && tried {
			// An earlier attempt may have succeeded although its reply was lost.
			done, err = s.wasMade(ctx, &a)
		}
		tried = true
		return err
	})
	if err == nil && !done {
		err = conflict(after)
	}
	return err
}

// writerOf returns the store that writes recs: s.checkpoints if all of them may
// be lost in a power failure, as they can be computed again.
func (s *Store) writerOf(recs []store.Record) *Store {
	if s.checkpoints == nil {
		return s
	}
	for i := range recs {
		if recs[i].Kind != store.Checkpoint && recs[i].Kind != store.Heartbeat {
			return s
		}
	}
	return s.checkpoints
}

func conflict(after int64) error {
	return fmt.Errorf("%w: number %d is not its last record", store.ErrConflict, after)
}

// An appending is an append that is to be made.
type appending struct {
	thread  string
	after   int64
	records []store.Record
	id      int64 // random; it identifies the append if its reply is lost
}

// append makes a, or reports false if the thread has another last record.
func (s *Store) append(ctx context.Context, a appending) (bool, error) {
	if a.after < 0 || a.after > maxSeq-int64(len(a.records)) {
		return false, nil
	}
	if s.engine.atomic(&a) {
		return s.engine.append(ctx, session{s: s}, &a)
	}
	return s.transaction(ctx, func(on session) (bool, error) {
		rest := a.records
		for len(rest) > 0 {
			a.records = rest[:fitting(rest, s.engine.batch())]
			if ok, err := s.engine.append(ctx, on, &a); !ok || err != nil {
				return false, err
			}
			a.after += int64(len(a.records))
			rest = rest[len(a.records):]
		}
		return true, nil
	})
}

// last returns the last record.
func (a *appending) last() *store.Record { return &a.records[len(a.records)-1] }

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

// fitting returns how many of the records go into one statement: at least 1, at
// most n, and about a megabyte of data, because servers limit the size of a
// statement.
func fitting(recs []store.Record, n int) int {
	size := 0
	for i := range min(n, len(recs)) {
		if size += len(recs[i].Data); size > 1<<20 && i > 0 {
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
