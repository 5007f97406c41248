package store

import (
	"context"
	"fmt"
	"io/fs"
)

// missing is the kind of the records that CopyThread writes for numbers whose
// records were trimmed, and removes at the end.
const missing Kind = "missing"

const (
	copyRecords = 100     // in one append
	copyBytes   = 1 << 20 // of data in one append
)

// CopyThread copies a thread to another store, where it has the same id and the
// same numbers. h becomes the header of the copy; it is the header of the
// thread's [ThreadInfo], or nil. If the copy is complete already, its header
// does not change. The original is not changed.
//
// It moves conversations to another database, to a store that seals them
// (package sealed), or to one with another key:
//
//	for info, err := range old.Threads(ctx, store.ThreadFilter{}) {
//		// check err
//		err = store.CopyThread(ctx, old, sealed, info.Thread, &info.Header)
//	}
//
// A [Lister] lists the threads that have a header. Others are copied by their
// ids, and the memory of a user by the method CopyTo of package usermemory.
//
//   - If the copy has records already, CopyThread appends those that follow. So
//     it can be called again after an error, and after the original has grown.
//   - If the last record of the copy differs from the record with the same
//     number in the original, or was trimmed there, the error matches
//     [fs.ErrExist]. If the copy has no records of its own, delete it and copy
//     the thread again.
//   - If the thread does not exist, CopyThread does nothing.
//   - Nothing else may write to the copy until it is complete. It is listed from
//     then on.
func CopyThread(ctx context.Context, from, to Store, thread string, h *Header) error {
	c := copying{from: from, to: to, thread: thread}
	if err := c.begin(ctx); err != nil {
		return fmt.Errorf("store: copying thread %s: %w", thread, err)
	}
	for rec, err := range from.Records(ctx, thread, Range{From: c.head + 1}) {
		if err == nil {
			err = c.add(ctx, rec)
		}
		if err != nil {
			return fmt.Errorf("store: copying thread %s: %w", thread, err)
		}
	}
	if n := len(c.recs); n > 0 {
		c.recs[n-1].Header = h
	}
	if err := c.append(ctx); err != nil {
		return fmt.Errorf("store: copying thread %s: %w", thread, err)
	}
	return to.Trim(ctx, thread, c.head, missing)
}

// copying is the copy of one thread.
type copying struct {
	from, to Store
	thread   string
	head     int64    // the number of the copy's last record
	recs     []Record // to be appended
	size     int      // of their data
}

// begin finds the end of the copy, and checks that it is a copy: that its last
// record is that of the original or, if that was trimmed there, the last one
// before it which the original has.
func (c *copying) begin(ctx context.Context) error {
	last := Range{NewestFirst: true, Limit: 1}
	copied, err := one(ctx, c.to, c.thread, last)
	if c.head = copied.Seq; err != nil || c.head == 0 {
		return err
	}
	newest, err := one(ctx, c.from, c.thread, last)
	if err != nil {
		return err
	}
	last.To = c.head
	rec, err := one(ctx, c.from, c.thread, last)
	switch {
	case err != nil:
		return err
	case newest.Seq >= c.head && rec.Seq == 0 && copied.Kind == missing:
		return nil // nothing is copied yet
	case newest.Seq >= c.head && rec.Seq != 0:
		if copied, err = one(ctx, c.to, c.thread, Range{From: rec.Seq, To: rec.Seq}); err != nil {
			return err
		}
	}
	if rec.Seq == 0 || rec.Seq != copied.Seq || rec.Kind != copied.Kind || rec.Run != copied.Run ||
		rec.Address != copied.Address || !rec.Time.Equal(copied.Time) || string(rec.Data) != string(copied.Data) {
		return fmt.Errorf("%w: number %d of the copy is not that of the original", fs.ErrExist, copied.Seq)
	}
	return nil
}

// one returns the one record that r selects, or a zero one.
func one(ctx context.Context, st Store, thread string, r Range) (found Record, err error) {
	for rec, err := range st.Records(ctx, thread, r) {
		if err != nil {
			return Record{}, err
		}
		found = rec
	}
	return found, nil
}

// add copies a record. Before it, it adds records for the numbers that are
// missing.
func (c *copying) add(ctx context.Context, rec Record) error {
	for c.head+int64(len(c.recs))+1 < rec.Seq {
		c.recs = append(c.recs, Record{Time: rec.Time, Kind: missing})
		if err := c.appendFull(ctx); err != nil {
			return err
		}
	}
	if err := c.appendFull(ctx); err != nil {
		return err
	}
	c.recs = append(c.recs, rec)
	c.size += len(rec.Data)
	return nil
}

// appendFull appends the records if they are enough for one append. The last
// record of a thread is never among them, because it gets the header.
func (c *copying) appendFull(ctx context.Context) error {
	if len(c.recs) < copyRecords && c.size < copyBytes {
		return nil
	}
	return c.append(ctx)
}

func (c *copying) append(ctx context.Context) error {
	if err := c.to.Append(ctx, c.thread, c.head, c.recs...); err != nil {
		return err
	}
	c.head += int64(len(c.recs))
	c.recs, c.size = nil, 0
	return nil
}
