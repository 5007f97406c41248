package qed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/store"
)

var (
	// ErrNotFound reports that nothing is saved under a handle.
	ErrNotFound = errors.New("qed: nothing is saved under the handle")

	// ErrTooLarge reports that a value is larger than what may be saved.
	ErrTooLarge = errors.New("qed: too large")
)

// Save saves v, such as rows or documents that a turn found, in the thread of
// the run. [Load] returns it for the handle as long as the thread exists. So a
// graph's state need not carry v from node to node: a handle and a sample
// suffice.
//
// v goes through JSON and must not lose anything there. If its JSON is larger
// than [DurableOptions].MaxSavedBytes, the error matches [ErrTooLarge]. Outside
// a durable run, and if the store fails, nothing is saved and the handle is
// empty: the caller must keep v itself.
func Save[T any](ctx context.Context, v T) (handle string, err error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return "", nil
	}
	if err := sc.place.ready(); err != nil {
		return "", err
	}
	if err := checkJSON[T](); err != nil {
		return "", fmt.Errorf("qed: a value that is to be saved %w", err)
	}
	data, err := encode(v)
	if err != nil {
		return "", fmt.Errorf("qed: the value cannot be saved: %w", err)
	}
	rs := sc.place.log
	if limit := rs.opt.maxSavedBytes(); len(data) > limit {
		return "", fmt.Errorf("%w: the value has %d bytes, and at most %d are allowed", ErrTooLarge, len(data), limit)
	}
	own := sc.place.child(":save")
	handle = savedPrefix + own.id("s")
	if rs.hasSaved(handle, data) {
		return handle, nil
	}
	err = rs.record(store.Record{Kind: store.Saved, Address: handle, Data: data})
	switch {
	case err == runlog.ErrLost:
		return "", nil
	case err != nil:
		return "", err
	}
	return handle, nil
}

const savedPrefix = "saved/"

// Load returns the value that the thread of the run has under a handle. If
// there is none, the error matches [ErrNotFound].
func Load[T any](ctx context.Context, handle string) (v T, err error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return v, fmt.Errorf("%w %q: the run has no store", ErrNotFound, prompt.Clip(handle, 100))
	}
	data, err := sc.place.log.saved(handle)
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("qed: the value saved under %s is of another type: %w", handle, err)
	}
	return v, nil
}

// hasSaved reports whether data is saved under a handle already.
func (rs *runState) hasSaved(handle string, data []byte) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	k := rs.known[handle]
	return k != nil && bytes.Equal(k.saved, data)
}

// saved returns the JSON under a handle, from this run or an earlier one. If a
// resumed run saved another value, it is the last one.
func (rs *runState) saved(handle string) (json.RawMessage, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if k := rs.known[handle]; k != nil && k.saved != nil {
		return k.saved, nil
	}
	notFound := fmt.Errorf("%w %q", ErrNotFound, prompt.Clip(handle, 100))
	if head, _ := rs.log.Head(); head == 0 || !strings.HasPrefix(handle, savedPrefix) {
		return nil, notFound
	}
	r := store.Range{From: rs.floor + 1, Address: handle, Kinds: []store.Kind{store.Saved}, NewestFirst: true, Limit: 1}
	if err := rs.scan(r, rs.learn); err != nil {
		return nil, err
	}
	if k := rs.known[handle]; k != nil && k.saved != nil {
		return k.saved, nil
	}
	return nil, notFound
}
