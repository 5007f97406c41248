package qed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/qedkit/qed/store"
)

// replaced are the numbers of the records that belong to replaced turns (see
// [Turn].Shown): the first and the last of each range, in ascending order. The
// records stay in the log, and are not read as a part of the conversation.
type replaced [][2]int64

// has reports whether a record was replaced.
func (r replaced) has(seq int64) bool {
	return slices.ContainsFunc(r, func(of [2]int64) bool { return of[0] <= seq && seq <= of[1] })
}

// with returns r with the records from one number up to the last one of the thread.
func (r replaced) with(from, head int64) replaced {
	var all replaced
	for _, of := range r {
		if of[1] < from-1 {
			all = append(all, of)
		} else {
			from = min(from, of[0])
		}
	}
	return append(all, [2]int64{from, head})
}

// records returns the records of a thread that were not replaced.
func (r replaced) records(ctx context.Context, st store.Store, thread string, of store.Range) iter.Seq2[store.Record, error] {
	if len(r) == 0 {
		return st.Records(ctx, thread, of)
	}
	return func(yield func(store.Record, error) bool) {
		left := of.Limit
		of.Limit = 0 // the replaced records would be counted
		for rec, err := range st.Records(ctx, thread, of) {
			if err == nil && r.has(rec.Seq) {
				continue
			}
			if left--; !yield(rec, err) || left == 0 {
				return
			}
		}
	}
}

// rewind makes t the state of the thread before the turns that a turn replaces, if
// there are any. t.head stays: nothing is removed from the log.
func (rs *runState) rewind(t *threadState, turn *Turn) error {
	n := len(turn.Shown)
	if n == 0 || t.head == 0 || n == 1 && turn.Shown[0] == turn.ID { // it would have been found by its ID
		return nil
	}
	from, before, err := rs.replacedBy(turn, t.floor)
	if err != nil || from == 0 {
		return err
	}
	rs.gone = before.with(from, t.head)
	now := threadState{floor: t.floor, user: t.user, tenant: t.tenant}
	if from > 1 {
		if now, err = rs.inspectUpTo(from - 1); err != nil {
			return err
		}
	}
	now.head, now.last, now.gone = t.head, t.last, rs.gone
	if now.status == store.StatusRunning {
		now.status = store.StatusCrashed
	}
	*t = now
	if now.status == "" || now.status == store.StatusAnswered {
		return nil
	}
	// The turn may resume the run before it, which knows nothing of later calls.
	call, err := rs.first(rs.scanAll, store.Range{From: from, Kinds: []store.Kind{store.Called}, Limit: 1})
	if err == nil && call.Seq != 0 {
		err = fmt.Errorf("%w: calls that must not be made twice followed the message", ErrTurnReused)
	}
	return err
}

// replacedBy returns the number of the first record that a turn replaces, or 0, and
// the records that had been replaced before it was written. Records up to floor are
// not used.
func (rs *runState) replacedBy(turn *Turn, floor int64) (from int64, before replaced, err error) {
	own := turn.Shown[len(turn.Shown)-1]
	following := int64(0) // where the turn begins that follows
	r := store.Range{From: floor + 1, Kinds: []store.Kind{store.Began, store.Resumed}, NewestFirst: true}
	err = rs.search(rs.scanAll, r, func(rec store.Record) (found bool, err error) {
		var d struct {
			Turn     struct{ Shown []string } `json:"turn"` // of a record that begins a run
			Message  string                   `json:"message_id"`
			Replaced replaced                 `json:"replaced"`
		}
		if err := rec.Decode(&d); err != nil {
			return false, err
		}
		id := d.Message
		if len(d.Turn.Shown) > 0 {
			id = d.Turn.Shown[0]
		}
		switch {
		case id != "" && id == own:
			from, before = rec.Seq, d.Replaced
			return true, nil
		case id != "" && slices.Contains(turn.Shown, id):
			from, before = following, d.Replaced
			return true, nil
		case id != "" || rec.Kind == store.Began:
			following = rec.Seq
		}
		return false, nil
	})
	if errors.Is(err, store.ErrCorrupt) {
		return 0, nil, nil // what cannot be read is not replaced
	}
	return from, before, err
}
