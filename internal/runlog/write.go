package runlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
)

const (
	maxAttempts = 3
	firstWait   = 100 * time.Millisecond // before the second attempt; then doubled
)

// writeInTime is write within the patience for the store.
func (l *Log) writeInTime(recs []store.Record) error {
	if l.opt.NeverWaits {
		return l.write(l.writing, recs)
	}
	limit, leave, err := l.opt.Calls.enter(l.finished)
	if err != nil {
		return err
	}
	ctx, cancel := l.limited(limit)
	defer cancel()
	err = l.write(ctx, recs)
	if err != nil && ctx.Err() != nil && !errors.Is(err, store.ErrConflict) {
		err = timeout(err)
	}
	leave(err)
	return err
}

// write appends recs in up to three attempts.
func (l *Log) write(ctx context.Context, recs []store.Record) error {
	wait := firstWait
	for left := maxAttempts; ; wait *= 2 {
		left--
		err := l.try(ctx, recs)
		if err == nil {
			return nil
		}
		conflict := errors.Is(err, store.ErrConflict)
		if errors.Is(err, store.ErrInvalidThread) || !conflict && (left == 0 || !retry.Sleep(ctx, wait)) {
			return err
		}
		made, failed := l.lookUp(ctx)
		switch {
		case errors.Is(failed, store.ErrConflict):
			return failed
		case failed != nil && (left == 0 || conflict && !retry.Sleep(ctx, wait)):
			return failed // whose records caused the conflict is not known
		case failed == nil && made == nil && conflict:
			return err // there is no record after head: the thread was deleted
		case made != nil && startsWith(recs, made):
			if recs = recs[len(made):]; len(recs) == 0 {
				return nil
			}
			left = maxAttempts
		case made != nil: // an earlier append was made late, with some of recs
			if recs = without(recs, made); len(recs) == 0 {
				return nil
			}
			left = maxAttempts
		}
	}
}

// try appends recs after head.
func (l *Log) try(ctx context.Context, recs []store.Record) error {
	for i := range recs {
		recs[i].Seq, recs[i].Run = l.head+1+int64(i), l.run
	}
	own, after := slices.Clone(recs), l.head // an abandoned call may read them later
	err := l.call(ctx, func(ctx context.Context) error { return l.opt.Store.Append(ctx, l.opt.Thread, after, own...) })
	if err == nil {
		l.moveTo(own)
		return nil
	}
	again := func(tried []store.Record) bool { return slices.EqualFunc(tried, own, same) }
	if !slices.ContainsFunc(l.unsure, again) {
		l.unsure = append(l.unsure, slices.Clone(own))
	}
	return err
}

// moveTo sets the head after recs, which were appended. No other append after
// the old head can be made any more.
func (l *Log) moveTo(recs []store.Record) {
	l.head, l.unsure = recs[len(recs)-1].Seq, nil
}

// lookUp finds out which of the unsure appends was made; nil means none. If
// somebody else appended instead, the error matches [store.ErrConflict].
func (l *Log) lookUp(ctx context.Context) (made []store.Record, err error) {
	var found []store.Record
	r := store.Range{From: l.head + 1, Limit: l.longest()}
	err = l.call(ctx, func(ctx context.Context) error {
		for rec, err := range l.opt.Store.Records(ctx, l.opt.Thread, r) {
			if err != nil {
				return err
			}
			found = append(found, rec)
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	for _, tried := range l.unsure {
		if len(tried) > len(made) && startsWith(found, tried) {
			made = tried
		}
	}
	if made == nil {
		return nil, fmt.Errorf("%w: %s", store.ErrConflict, l.opt.Thread)
	}
	l.moveTo(made)
	return made, nil
}

// without returns the records of recs that are not among those that were made.
func without(recs, made []store.Record) []store.Record {
	recs = slices.Clone(recs)
	for _, m := range made {
		if i := slices.IndexFunc(recs, func(rec store.Record) bool { return same(rec, m) }); i >= 0 {
			recs = slices.Delete(recs, i, i+1)
		}
	}
	return recs
}

// longest returns how many records the longest of the unsure appends has.
func (l *Log) longest() int {
	n := 0
	for _, tried := range l.unsure {
		n = max(n, len(tried))
	}
	return n
}

// startsWith reports whether recs begin with first.
func startsWith(recs, first []store.Record) bool {
	return len(recs) >= len(first) && slices.EqualFunc(recs[:len(first)], first, same)
}
