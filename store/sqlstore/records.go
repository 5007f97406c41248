package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/store"
)

const (
	firstRows  = 32      // how many records are read at first, as many readers need few
	mostRows   = 512     // at a time
	batchBytes = 1 << 20 // after which data no more records are read at a time
)

// Records does what [qed.Store] says. It reads some records at a time and holds neither a
// connection nor a transaction while it gives them. What is appended after the sequence
// began is mostly not among them.
func (s *Store) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := store.CheckThread(thread); err != nil {
			yield(store.Record{}, err)
			return
		}
		c := s.newCursor(thread, r)
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

// A cursor reads a sequence of records, some at a time.
type cursor struct {
	s      *Store
	thread string
	text   string // of the statement
	filter []any  // its parameters behind the first three
	newest bool

	low, high int64 // what is still to be read lies within
	left      int   // how many are at most; negative: no limit
	rows      int   // how many to read next
	log       int64 // the thread's number, once it is known
	more      bool

	batch
}

// A batch is what was read at once.
type batch struct {
	records []store.Record
	size    int   // of their data
	full    bool  // there may be more
	bad     int64 // the number of the record behind them, if it cannot be read
	corrupt error // why
}

func (s *Store) newCursor(thread string, r store.Range) *cursor {
	c := &cursor{
		s: s, thread: thread, newest: r.NewestFirst,
		low: max(r.From, 1), high: maxSeq, left: -1, rows: firstRows,
	}
	if r.To > 0 {
		c.high = min(r.To, maxSeq)
	}
	if r.Limit > 0 {
		c.left = r.Limit
	}
	c.more = r.Kinds == nil || len(r.Kinds) > 0
	t := s.engine.texts()
	c.text = t.read
	if len(r.Kinds) > 0 {
		kinds, params := s.kinds(r.Kinds)
		c.text += " AND " + kinds
		c.filter = append(c.filter, params...)
	}
	if r.Under != "" {
		// No LIKE: an address is no pattern. What lies below it is between "a/" and "a0".
		c.text += " AND (address = ? OR address >= ? AND address < ?)"
		for _, bound := range []string{r.Under, r.Under + "/", r.Under + "0"} {
			c.filter = append(c.filter, s.engine.name(bound))
		}
	}
	c.text += " ORDER BY " + t.order
	if r.NewestFirst {
		c.text += " DESC"
	}
	c.text += " LIMIT ?"
	return c
}

// kinds is the condition that a record is of one of these kinds, and its parameters. Their
// number is rounded up, so that there are few different statements.
func (s *Store) kinds(kinds []store.Kind) (string, []any) {
	kinds = slices.Compact(slices.Sorted(slices.Values(kinds)))
	n := 1
	for n < len(kinds) {
		n *= 2
	}
	params := make([]any, n)
	for i := range params {
		params[i] = s.engine.name(string(kinds[min(i, len(kinds)-1)]))
	}
	return "kind IN (?" + strings.Repeat(", ?", n-1) + ")", params
}

const reading = "reading a thread"

// next reads the next batch.
func (c *cursor) next(ctx context.Context) error {
	rows := c.rows
	if c.left >= 0 {
		rows = min(rows, c.left)
	}
	first := c.log == 0
	err := c.s.try(ctx, reading, func() error {
		args := append([]any{c.s.engine.name(c.thread), c.low, c.high}, c.filter...)
		return c.s.query(ctx, c.text, append(args, rows), func(found *sql.Rows) error {
			return c.take(found, rows)
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
		// Who appends for each record that he reads must come to an end.
		_, head, err := c.s.head(ctx, reading, c.thread)
		if err != nil {
			return err
		}
		c.high = min(c.high, head)
	}
	return nil
}

// take reads the rows of a batch.
func (c *cursor) take(found *sql.Rows, rows int) error {
	c.batch = batch{}
	low, high := c.low, c.high
	for found.Next() {
		var r row
		if err := found.Scan(&r.thread, &r.seq, &r.written, &r.kind, &r.run, &r.address, &r.data); err != nil {
			return err
		}
		if c.log == 0 {
			c.log = r.thread
		}
		if r.thread != c.log {
			return nil // the thread was deleted, and this is another
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

// A row is a record as a driver gives it.
type row struct {
	thread, seq        int64
	written, kind, run any
	address, data      any
}

// record reads a row. Nothing of it is in an error.
func (r *row) record() (rec store.Record, err error) {
	written, ok1 := number(r.written)
	run, ok2 := number(r.run)
	kind, ok3 := text(r.kind)
	address, ok4 := text(r.address)
	switch {
	case !ok1 || !ok2:
		return rec, errors.New("its time or its run is no number")
	case !ok3 || !ok4:
		return rec, errors.New("its kind or its address is no text")
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
		return rec, errors.New("its data are no JSON")
	}
	rec.Data = data
	return rec, nil
}

func number(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case []byte: // as MySQL's drivers give it where a statement is not prepared
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
