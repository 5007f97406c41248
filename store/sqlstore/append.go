package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"

	"github.com/qedkit/qed/store"
)

// Append does what [qed.Store] says. It refuses records whose Kind or Address is too
// long. After an error that is not [qed.ErrConflict] the records may have been
// added, where a server did not answer any more; all of them, or none.
func (s *Store) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if err := store.CheckThread(thread); err != nil {
		return err
	}
	for i := range recs {
		if kind, address := len(recs[i].Kind), len(recs[i].Address); kind > 32 || address > 1000 {
			return fmt.Errorf("sqlstore: a record has a kind of %d bytes and an address of %d: at most 32 and 1,000 are allowed",
				kind, address)
		}
	}
	const doing = "appending to a thread"
	if len(recs) == 0 {
		_, head, err := s.head(ctx, doing, thread)
		if err == nil && head != after {
			err = conflict(after)
		}
		return err
	}
	var done bool
	writer := rand.Int64()
	tried := false
	on := s.pool(recs)
	err := s.write(ctx, doing, func() (err error) {
		done, err = on.put(ctx, put{thread, after, recs, writer})
		if err == nil && !done && tried {
			// Perhaps an earlier try succeeded, and only its answer was lost.
			done, err = s.wrote(ctx, thread, after+int64(len(recs)), writer)
		}
		tried = true
		return err
	})
	if err == nil && !done {
		err = conflict(after)
	}
	return err
}

// pool returns the store through whose pool records go: states may be lost when the power
// fails, as everything that they were made of is recorded.
func (s *Store) pool(recs []store.Record) *Store {
	if s.lazy == nil {
		return s
	}
	for i := range recs {
		if recs[i].Kind != store.Checkpoint && recs[i].Kind != store.Heartbeat {
			return s
		}
	}
	return s.lazy
}

func conflict(after int64) error {
	return fmt.Errorf("%w: number %d is not its last record", store.ErrConflict, after)
}

// put appends records, or reports that there is another last record.
func (s *Store) put(ctx context.Context, p put) (bool, error) {
	if p.after < 0 || p.after > maxSeq-int64(len(p.records)) {
		return false, nil
	}
	if s.engine.alone(&p) {
		return s.engine.put(ctx, session{s, nil}, &p)
	}
	return s.transaction(ctx, func(on session) (bool, error) {
		rest := p.records
		for len(rest) > 0 {
			p.records = rest[:fitting(rest, s.engine.batch())]
			if ok, err := s.engine.put(ctx, on, &p); !ok || err != nil {
				return false, err
			}
			p.after += int64(len(p.records))
			rest = rest[len(p.records):]
		}
		return true, nil
	})
}

// fitting is how many of the records go into one statement: at least one, at most n, and
// not more than a megabyte if it can be, as servers limit that.
func fitting(recs []store.Record, n int) int {
	size := 0
	for i := range min(n, len(recs)) {
		if size += len(recs[i].Data); size > 1<<20 && i > 0 {
			return i
		}
	}
	return min(n, len(recs))
}

// wrote reports whether an append was made.
func (s *Store) wrote(ctx context.Context, thread string, head, writer int64) (bool, error) {
	text := s.engine.texts().wrote
	if text == "" {
		return false, nil
	}
	made := false
	err := s.query(ctx, text, []any{s.engine.name(thread), head, writer}, func(rows *sql.Rows) error {
		made = rows.Next()
		return rows.Err()
	})
	return made, err
}

// head returns the number of a thread, and that of its last record. Both are 0 where there
// is no such thread.
func (s *Store) head(ctx context.Context, doing, thread string) (id, head int64, err error) {
	err = s.try(ctx, doing, func() error {
		return s.query(ctx, s.engine.texts().head, []any{s.engine.name(thread)}, func(rows *sql.Rows) error {
			id, head = 0, 0
			if rows.Next() {
				if err := rows.Scan(&id, &head); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	})
	return id, head, err
}
