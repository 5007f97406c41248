package qed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/store"
)

var (
	// ErrNotFound says that a thread has nothing under a handle.
	ErrNotFound = errors.New("qed: nothing is kept under the handle")

	// ErrTooLarge says that something is larger than what may be kept, or sent, at a time.
	ErrTooLarge = errors.New("qed: too large")
)

// Keep puts v, such as rows or documents that a turn found, beside the run's records, and returns a handle under which [Load] has it for
// as long as the thread lives. So a state need not carry it from node to node: a handle and a sample do.
//
// v goes through JSON and must not lose anything there. What is larger than [DurableOptions] KeptBytes is an error that matches [ErrTooLarge].
// Outside a durable run, and where the store fails, nothing is kept and the handle is empty: hold on to v then.
func Save[T any](ctx context.Context, v T) (handle string, err error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return "", nil
	}
	if err := sc.place.ready(); err != nil {
		return "", err
	}
	if err := keepable[T](); err != nil {
		return "", fmt.Errorf("qed: what is to be kept %w", err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("qed: it cannot be kept: %w", err)
	}
	j := sc.place.log
	if limit := j.opt.keptBytes(); len(data) > limit {
		return "", fmt.Errorf("%w: it has %d bytes, and at most %d are allowed", ErrTooLarge, len(data), limit)
	}
	own := sc.place.child(":keep")
	handle = "kept/" + own.id("k")
	if j.has(handle, data) {
		return handle, nil
	}
	switch err := j.record(store.Record{Kind: store.Saved, Address: handle, Data: data}); {
	case err == errLost:
		return "", nil
	case err != nil:
		return "", err
	}
	return handle, nil
}

// Load returns what the thread of the run keeps under a handle. One under which there is nothing is an error that matches [ErrNotFound].
func Load[T any](ctx context.Context, handle string) (v T, err error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return v, fmt.Errorf("%w %q: the run has no store", ErrNotFound, prompt.Clip(handle, 100))
	}
	data, err := sc.place.log.kept(handle)
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("qed: what is kept under %s is something else: %w", handle, err)
	}
	return v, nil
}

func (o *DurableOptions) keptBytes() int {
	if o.MaxSavedBytes <= 0 {
		return 1 << 20
	}
	return o.MaxSavedBytes
}

// has reports whether the run keeps data under a handle already.
func (j *journal) has(handle string, data []byte) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	k := j.known[handle]
	return k != nil && bytes.Equal(k.kept, data)
}

// kept returns the JSON under a handle, from this run or an earlier one. A run that goes on may have kept it more than once: the last counts.
func (j *journal) kept(handle string) (json.RawMessage, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if k := j.known[handle]; k != nil && k.kept != nil {
		return k.kept, nil
	}
	notKept := fmt.Errorf("%w %q", ErrNotFound, prompt.Clip(handle, 100))
	if !strings.HasPrefix(handle, "kept/") || j.head == 0 {
		return nil, notKept
	}
	err := j.scan(store.Range{From: j.floor + 1, Under: handle, Kinds: []store.Kind{store.Saved}, NewestFirst: true, Limit: 1}, j.learn)
	if err != nil {
		return nil, err
	}
	if k := j.known[handle]; k != nil && k.kept != nil {
		return k.kept, nil
	}
	return nil, notKept
}

// Remember adds an entry to what the thread remembers under a name, such as the tasks that were done. A run that goes on does not add it again.
// Names are the host's; slashes separate their parts. Outside a durable run, and where the store fails, nothing is remembered.
func Remember[T any](ctx context.Context, name string, entry T) error {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return nil
	}
	if err := sc.place.ready(); err != nil {
		return err
	}
	if err := keepable[T](); err != nil {
		return fmt.Errorf("qed: an entry of %s %w", name, err)
	}
	data, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("qed: an entry of %s cannot be kept: %w", name, err)
	}
	in, err := hashOf(string(data))
	if err != nil {
		return err
	}
	own := sc.place.child(":remember." + in) // another entry in the same place is another one
	leave, err := own.alone(ctx)
	if err != nil {
		return err
	}
	defer leave()
	done := recording{name: "an entry of " + name}
	if found, err := own.lookUp(&done, ""); found != nil || err != nil {
		return err
	}
	err = sc.place.log.together(
		store.Record{Kind: store.Memory, Address: memoryAddress(name), Data: data},
		store.Record{Kind: store.Returned, Address: own.address, Data: returnedNothing})
	if err == errLost {
		return nil
	}
	return err
}

// together is record for several, all or none.
func (j *journal) together(recs ...store.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := cancelled(j.ctx); err != nil {
		return err
	}
	return j.take(recs)
}

var returnedNothing = json.RawMessage(`{"in":"","attempt":1,"value":null}`)

// Remembered returns the last n entries that the thread remembers under a name, oldest first; n of 0 means all.
// One that is no T any more is an error. Outside a durable run there are none.
func Remembered[T any](ctx context.Context, name string, n int) ([]T, error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return nil, nil
	}
	j := sc.place.log
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.head == 0 {
		return nil, nil
	}
	var entries []T
	err := j.scan(store.Range{From: j.floor + 1, Under: memoryAddress(name), Kinds: []store.Kind{store.Memory}, NewestFirst: true, Limit: n}, func(rec store.Record) error {
		var entry T
		if err := rec.Decode(&entry); err != nil {
			return err
		}
		entries = append(entries, entry)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	return entries, nil
}

func memoryAddress(name string) string { return shorten("memory/" + escapePath(name)) }

// ReadEntries returns the last n entries that a thread remembers under a name,
// oldest first, as [Remembered] does within a run; n of 0 means all. It does not
// check whose thread it is: see [Inspect].
func ReadEntries[T any](ctx context.Context, st store.Store, thread, name string, n int) ([]T, error) {
	floor, err := floorOf(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	var entries []T
	r := store.Range{From: floor + 1, Under: memoryAddress(name), Kinds: []store.Kind{store.Memory}, NewestFirst: true, Limit: n}
	for rec, err := range st.Records(ctx, thread, r) {
		if err != nil {
			return nil, err
		}
		var entry T
		if err := rec.Decode(&entry); err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	slices.Reverse(entries)
	return entries, nil
}

// States returns the states that the graphs of a name were left in by the last
// run of the thread that reached one, the newest first. It returns none if the
// user ended the run's questions with [IntentAbort] since. A state that is no S
// is left out, and so are the states of graphs in a namespace. It does not check
// whose thread it is: see [Inspect].
func States[S any](ctx context.Context, st store.Store, thread, graph string) ([]S, error) {
	floor, err := floorOf(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	var states []S
	var last store.Record
	seen := map[string]bool{}
	for rec, err := range st.Records(ctx, thread, store.Range{From: floor + 1, Kinds: []store.Kind{store.Checkpoint}, NewestFirst: true}) {
		if err != nil {
			return nil, err
		}
		name, _, _ := strings.Cut(rec.Address[strings.LastIndex(rec.Address, "/")+1:], "#")
		if name != escape(graph) || strings.Contains(rec.Address, "@") || seen[rec.Address] {
			continue
		}
		if last.Seq == 0 {
			last = rec
		}
		if rec.Run != last.Run {
			break
		}
		seen[rec.Address] = true
		var data struct {
			State S `json:"state"`
		}
		if rec.Decode(&data) == nil {
			states = append(states, data.State)
		}
	}
	if len(states) == 0 {
		return nil, nil
	}
	for rec, err := range st.Records(ctx, thread, store.Range{From: last.Seq + 1, Kinds: []store.Kind{store.Began}}) {
		if err != nil {
			return nil, err
		}
		if aborted(&rec) {
			return nil, nil
		}
	}
	return states, nil
}
