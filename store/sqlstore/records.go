package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/qedkit/qed/store"
)

const (
	firstRows  = 32      // records in the first batch; many readers need only a few
	mostRows   = 4096    // records in later batches
	batchBytes = 1 << 20 // data after which a batch ends
)

// Records implements [store.Store]. It reads the records in batches and holds
// neither a connection nor a transaction while it yields them.
func (s *Store) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := store.CheckThread(thread); err != nil {
			yield(store.Record{}, err)
			return
		}
		c := s.newBatches(thread, r)
		if !c.more {
			if err := cancelled(ctx, reading); err != nil {
				yield(store.Record{}, err)
			}
		}
		for c.more {
			if err := c.next(ctx); err != nil {
				yield(store.Record{}, err)
				return
			}
			for _, rec := range c.records {
				if !yield(rec, nil) {
					return
				}
			}
			if c.corrupt != nil {
				yield(store.Record{Seq: c.bad}, c.corrupt)
				return
			}
		}
	}
}

// Batches read a sequence of records in batches.
type batches struct {
	s      *Store
	thread string
	sel    *selection
	newest bool // newest first

	low, high int64 // the numbers of the records that are still to be read
	left      int   // how many records may follow; negative means no limit
	rows      int   // size of the next batch
	key       int64 // of the thread, once it is known
	more      bool

	batch
}

// A batch is the result of one statement.
type batch struct {
	records []store.Record
	size    int   // bytes of their data
	full    bool  // there may be more records
	bad     int64 // the number of the next record if it cannot be read
	corrupt error // why it cannot be read
}

func (s *Store) newBatches(thread string, r store.Range) *batches {
	c := &batches{
		s: s, thread: thread, newest: r.NewestFirst,
		low: max(r.From, 1), high: maxSeq, left: -1, rows: firstRows,
	}
	if r.To > 0 {
		c.high = min(r.To, maxSeq)
	}
	if r.Limit > 0 {
		c.left = r.Limit
	}
	c.more = (r.Kinds == nil || len(r.Kinds) > 0) &&
		(r.Address == "" || r.Under == "" || store.IsUnder(r.Address, r.Under))
	if c.more {
		c.sel = newSelection(s.engine, r)
	}
	return c
}

const reading = "reading a thread"

func (c *batches) next(ctx context.Context) error {
	rows := c.rows
	if c.left >= 0 {
		rows = min(rows, c.left)
	}
	first := c.key == 0
	err := c.s.try(ctx, reading, func() error {
		args := c.sel.bind(c.s.engine.text(c.thread), c.low, c.high, rows)
		return c.s.query(ctx, c.sel.text, args, func(found *sql.Rows) error {
			return c.scan(found, rows)
		})
	})
	n := len(c.records)
	c.more = err == nil && n > 0 && c.full
	if !c.more {
		return err
	}
	last := c.records[n-1].Seq
	if c.newest {
		c.high = last - 1
	} else {
		c.low = last + 1
	}
	if c.left > 0 {
		c.left -= n
	}
	if c.left == 0 || c.low > c.high {
		c.more = false
		return nil
	}
	c.rows = min(rows*4, mostRows, batchBytes/(c.size/n+1)+1)
	if first && !c.newest {
		// A reader that appends a record for each one that it reads must end.
		_, head, err := c.s.head(ctx, reading, c.thread)
		if err != nil {
			return err
		}
		c.high = min(c.high, head)
	}
	return nil
}

func (c *batches) scan(found *sql.Rows, rows int) error {
	c.batch = batch{}
	low, high := c.low, c.high
	for found.Next() {
		var r row
		if err := found.Scan(&r.thread, &r.seq, &r.written, &r.kind, &r.run, &r.address, &r.data); err != nil {
			return err
		}
		c.key = cmp.Or(c.key, r.thread)
		if r.thread != c.key {
			return nil // the thread was deleted and created again
		}
		rec, err := r.record()
		if err == nil && (rec.Seq < low || rec.Seq > high) {
			err = errors.New("it is out of order")
		}
		if err != nil {
			c.bad, c.corrupt = r.seq, fmt.Errorf("%w: number %d: %w", store.ErrCorrupt, r.seq, err)
			return nil
		}
		if c.newest {
			high = rec.Seq - 1
		} else {
			low = rec.Seq + 1
		}
		c.records = append(c.records, rec)
		c.size += len(rec.Data)
		if c.size > batchBytes || len(c.records) == rows {
			c.full = true
			return nil
		}
	}
	return found.Err()
}

// A row is a record as the driver returns it.
type row struct {
	thread, seq        int64
	written, kind, run any
	address, data      any
}

// record converts a row. Its errors contain no values of the row.
func (r *row) record() (rec store.Record, err error) {
	written, ok1 := number(r.written)
	run, ok2 := number(r.run)
	kind, ok3 := text(r.kind)
	address, ok4 := text(r.address)
	switch {
	case !ok1 || !ok2:
		return rec, errors.New("its time or its run is not a number")
	case !ok3 || !ok4:
		return rec, errors.New("its kind or its address is not a text")
	}
	rec = store.Record{
		Seq: r.seq, Time: time.UnixMicro(written).UTC(),
		Kind: store.Kind(kind), Run: run, Address: string(address),
	}
	if r.data == nil {
		return rec, nil
	}
	data, ok := text(r.data)
	if !ok || !json.Valid(data) {
		return rec, errors.New("its data are not JSON")
	}
	rec.Data = data
	return rec, nil
}

func number(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case []byte: // the type that drivers for MySQL return for a statement that is not prepared
		n, err := strconv.ParseInt(string(v), 10, 64)
		return n, err == nil
	}
	return 0, false
}

func text(v any) ([]byte, bool) {
	switch v := v.(type) {
	case []byte:
		return v, true
	case string:
		return []byte(v), true
	}
	return nil, false
}
