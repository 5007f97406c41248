package qed

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/qedkit/qed/store"
)

// Remember adds an entry to those that the thread remembers under a name, such
// as the tasks that were done. A resumed run does not add it again. Names are
// the host's; slashes separate their parts. Outside a durable run, and if the
// store fails, nothing is remembered.
func Remember[T any](ctx context.Context, name string, entry T) error {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return nil
	}
	if err := sc.place.ready(); err != nil {
		return err
	}
	if err := checkJSON[T](); err != nil {
		return fmt.Errorf("qed: an entry of %s %w", name, err)
	}
	data, err := encode(entry)
	if err != nil {
		return fmt.Errorf("qed: an entry of %s cannot be saved: %w", name, err)
	}
	in, err := hashOf(string(data))
	if err != nil {
		return err
	}
	// The hash tells entries apart that are added at the same position.
	own := sc.place.child(":remember." + in)
	leave, err := own.exclusive(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if found, err := own.result(&recording{name: "an entry of " + name}, ""); found != nil || err != nil {
		return err
	}
	returned, err := json.Marshal(returnedData{Attempt: 1, Value: json.RawMessage("null")})
	if err != nil {
		return err
	}
	return sc.place.log.recordOrKeep(
		store.Record{Kind: store.Memory, Address: memoryAddress(name), Data: data},
		store.Record{Kind: store.Returned, Address: own.address, Data: returned})
}

// Remembered returns the last n entries that the thread remembers under a name,
// oldest first; n of 0 means all. An entry that is not a T is an error. Outside
// a durable run there are no entries.
func Remembered[T any](ctx context.Context, name string, n int) ([]T, error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return nil, nil
	}
	rs := sc.place.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if head, _ := rs.log.Head(); head == 0 {
		return nil, nil
	}
	var entries []T
	err := rs.scan(entryRange(rs.floor, name, n), func(rec store.Record) error {
		return appendEntry(&entries, &rec)
	})
	if err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	return entries, nil
}

// Entries returns the last n entries that a thread remembers under a name,
// oldest first, as [Remembered] does within a run; n of 0 means all. It does
// not check whose thread it is: see [Inspect].
func Entries[T any](ctx context.Context, st store.Store, thread, name string, n int) ([]T, error) {
	floor, err := floorOf(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	return decodeNewest[T](st.Records(ctx, thread, entryRange(floor, name, n)))
}

// decodeNewest decodes records that come newest first, and returns them oldest
// first.
func decodeNewest[T any](recs iter.Seq2[store.Record, error]) ([]T, error) {
	var entries []T
	for rec, err := range recs {
		if err != nil {
			return nil, err
		}
		if err := appendEntry(&entries, &rec); err != nil {
			return nil, err
		}
	}
	slices.Reverse(entries)
	return entries, nil
}

func appendEntry[T any](entries *[]T, rec *store.Record) error {
	var entry T
	if err := rec.Decode(&entry); err != nil {
		return err
	}
	*entries = append(*entries, entry)
	return nil
}

func entryRange(floor int64, name string, n int) store.Range {
	return store.Range{
		From: floor + 1, Address: memoryAddress(name), Kinds: []store.Kind{store.Memory}, NewestFirst: true, Limit: n,
	}
}

func memoryAddress(name string) string { return shorten("memory/" + escapePath(name)) }
