package runlog

import (
	"context"
	"errors"
	"time"

	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
)

// Read calls do with the records of r. If a record is corrupt, do is called
// with the record's number alone, and the error matches [store.ErrCorrupt]. The
// store may take the patience for each record: a long read is not limited.
//
// The records of [Log.Later] are appended before. A store that does not answer
// loses the log.
func (l *Log) Read(r store.Range, do func(store.Record) error) error {
	l.join()
	ctx, heard, leave := l.patiently()
	defer leave()
	in := intake{mu: NewMutex(), do: do}
	err := l.call(ctx, func(ctx context.Context) error {
		for rec, err := range l.opt.Store.Records(ctx, l.opt.Thread, r) {
			if err := in.take(rec, err); err != nil {
				return err
			}
			heard()
		}
		return nil
	})
	refused := in.close()
	switch {
	case refused != nil:
		err = refused
	case err != nil && ctx.Err() != nil && l.reading.Err() == nil:
		err = timeout(err)
	}
	if !errors.Is(err, ErrTimeout) {
		return err
	}
	l.opt.Calls.down.Store(true)
	l.Lose(err)
	return err
}

// patiently returns the context of a read, which ends when the store was not heard
// for as long as it may take.
func (l *Log) patiently() (ctx context.Context, heard, leave func()) {
	if l.opt.NeverWaits {
		return l.reading, func() {}, func() {}
	}
	limit := l.opt.Calls.patience() - grace
	ctx, cancel := context.WithCancel(l.reading)
	quiet := time.AfterFunc(limit, cancel)
	return ctx, func() { quiet.Reset(limit) }, func() { quiet.Stop(); cancel() }
}

// An intake passes the records of a read to a function, until it is closed. An
// abandoned read may return records after that.
type intake struct {
	mu      Mutex
	do      func(store.Record) error
	refused error // of do
	closed  bool
}

// take passes on what the store yielded.
func (in *intake) take(rec store.Record, err error) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.closed:
		return ErrTimeout
	case err == nil:
		in.refused = in.do(rec)
		return in.refused
	case rec.Seq != 0 && errors.Is(err, store.ErrCorrupt):
		in.do(store.Record{Seq: rec.Seq})
	}
	return err
}

// close waits for the record that is being taken. It returns the error with which
// do ended the read.
func (in *intake) close() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
	return in.refused
}

// Retry calls read in up to three attempts. It does not repeat a read of a
// corrupt record, or one that the store did not answer.
func (l *Log) Retry(read func() error) error {
	wait := firstWait
	for attempt := 1; ; attempt++ {
		err := read()
		if err == nil || errors.Is(err, store.ErrCorrupt) || errors.Is(err, ErrTimeout) ||
			attempt == maxAttempts || !retry.Sleep(l.reading, wait) {
			return err
		}
		wait *= 2
	}
}

// Trim removes the records of some kinds with a number below before.
func (l *Log) Trim(before int64, kinds ...store.Kind) error {
	ctx, cancel := l.limited(l.opt.Calls.patience())
	defer cancel()
	err := l.call(ctx, func(ctx context.Context) error {
		return l.opt.Store.Trim(ctx, l.opt.Thread, before, kinds...)
	})
	if err != nil && ctx.Err() != nil {
		err = timeout(err)
	}
	return err
}
