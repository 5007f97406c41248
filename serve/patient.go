package serve

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/store"
)

const (
	// storeTimeout limits a call of the store. It is shorter than what package qed
	// waits for, so that the error is a [*storeError].
	storeTimeout = 4 * time.Second

	// storeRetry is when clients should come again after the store has failed.
	storeRetry = 5 * time.Second

	codeStore    = "store_unavailable"
	messageStore = "the server cannot read or save conversations now; try again in a moment"
)

// A patientStore is the host's store with a time limit for each call. A call ends in
// time even if the store hangs or ignores its context: see [runlog.Calls]. If the
// store fails, the error is a [*storeError].
type patientStore struct {
	store store.Store
	calls runlog.Calls
}

// A storeError is the error of a store that failed or did not answer. An error about
// the thread or an argument is not a storeError.
type storeError struct{ err error }

func (e *storeError) Error() string { return fmt.Sprintf("serve: the store failed: %v", e.err) }
func (e *storeError) Unwrap() error { return e.err }

func (e *storeError) http() *Error {
	return &Error{Status: http.StatusServiceUnavailable, Code: codeStore, Message: messageStore,
		Retry: storeRetry, Err: e}
}

// storeFailed returns the error of a call of the store. ctx has the time limit of the
// call, and outer has that of its caller.
func storeFailed(outer, ctx context.Context, err error) error {
	switch {
	case err == nil, outer.Err() != nil, errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrCorrupt),
		errors.Is(err, store.ErrInvalidThread), errors.Is(err, store.ErrInvalidPosition):
		return err
	case ctx.Err() != nil:
		err = runlog.ErrTimeout
	}
	return &storeError{err}
}

func (p *patientStore) call(outer context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(outer, storeTimeout)
	defer cancel()
	return storeFailed(outer, ctx, p.calls.Do(ctx, f))
}

// Append appends records. It does not keep recs.
func (p *patientStore) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	own := append([]store.Record(nil), recs...) // a call that was abandoned may read them later
	return p.call(ctx, func(ctx context.Context) error { return p.store.Append(ctx, thread, after, own...) })
}

// Trim removes old records.
func (p *patientStore) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	return p.call(ctx, func(ctx context.Context) error { return p.store.Trim(ctx, thread, before, kinds...) })
}

// Delete deletes a thread.
func (p *patientStore) Delete(ctx context.Context, thread string) error {
	return p.call(ctx, func(ctx context.Context) error { return p.store.Delete(ctx, thread) })
}

// Records returns the records of a thread.
func (p *patientStore) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return readAll(ctx, p, func(ctx context.Context) iter.Seq2[store.Record, error] { return p.store.Records(ctx, thread, r) })
}

func (p *patientStore) threads(ctx context.Context, from store.Lister, f store.ThreadFilter) iter.Seq2[store.ThreadInfo, error] {
	return readAll(ctx, p, func(ctx context.Context) iter.Seq2[store.ThreadInfo, error] { return from.Threads(ctx, f) })
}

// readAll yields what a call of the store yields. It calls read on another goroutine,
// which has ended or was abandoned when readAll returns.
func readAll[T any](
	outer context.Context, p *patientStore, read func(context.Context) iter.Seq2[T, error],
) iter.Seq2[T, error] {
	type item struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithTimeout(outer, storeTimeout)
		items, ended := make(chan item), make(chan error, 1)
		go func() {
			ended <- p.calls.Do(ctx, func(ctx context.Context) error {
				for value, err := range read(ctx) {
					select {
					case items <- item{value, err}:
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				return nil
			})
			close(ended)
		}()
		defer func() { cancel(); <-ended }()
		for {
			select {
			case it := <-items:
				if !yield(it.value, storeFailed(outer, ctx, it.err)) || it.err != nil {
					return
				}
			case err := <-ended:
				if err != nil {
					var none T
					yield(none, storeFailed(outer, ctx, err))
				}
				return
			}
		}
	}
}

// failedRead returns the event for a reader of a turn whose events cannot be read.
func failedRead(ctx context.Context, turn qed.Turn, err error) qed.Failed {
	if _, ok := errors.AsType[*storeError](err); ok {
		return qed.Failed{Code: codeStore, Message: messageStore, RetryAt: time.Now().Add(storeRetry)}
	}
	return failed(ctx, turn, err)
}
