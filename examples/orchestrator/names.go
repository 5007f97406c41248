package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// names is the list of the conversations in a store, in the order in which they were
// last opened. The list is a thread of the store itself: each record holds the name
// of a conversation that was opened.
type names struct{ store store.Store }

const (
	namesThread = ".opened"
	namesKind   = "opened"
)

// checkThread returns an error for a name that a conversation cannot have. The empty
// name, for none, is valid.
func checkThread(name string) error {
	switch {
	case name == "":
		return nil
	case strings.HasPrefix(name, "."):
		return fmt.Errorf("%s is no name for a conversation: names that begin with a dot are reserved", name)
	}
	return store.CheckConversation(name)
}

// all returns the conversations, the last opened one at the end, and the number of the
// last record.
func (n names) all(ctx context.Context) (opened []string, last int64, err error) {
	for rec, err := range n.store.Records(ctx, namesThread, store.Range{}) {
		if err != nil {
			return nil, 0, fmt.Errorf("the list of conversations cannot be read: %w", err)
		}
		var name string
		if err := json.Unmarshal(rec.Data, &name); err != nil {
			return nil, 0, fmt.Errorf("the list of conversations cannot be read: record %d: %w", rec.Seq, err)
		}
		opened = append(slices.DeleteFunc(opened, func(other string) bool { return other == name }), name)
		last = rec.Seq
	}
	return opened, last, nil
}

// open puts a conversation at the end of the list. Without a name it begins a new one
// with an unused name.
func (n names) open(ctx context.Context, name string) (string, error) {
	for {
		opened, last, err := n.all(ctx)
		if err != nil {
			return "", err
		}
		chosen := name
		if chosen == "" {
			if chosen, err = n.unused(ctx, opened); err != nil {
				return "", err
			}
		}
		data, err := json.Marshal(chosen)
		if err != nil {
			return "", err
		}
		err = n.store.Append(ctx, namesThread, last, store.Record{Time: time.Now(), Kind: namesKind, Data: data})
		if !errors.Is(err, store.ErrConflict) { // on a conflict, another process has opened one
			return chosen, err
		}
	}
}

func (n names) unused(ctx context.Context, opened []string) (string, error) {
	for i := len(opened) + 1; ; i++ {
		name := fmt.Sprintf("chat-%d", i)
		if slices.Contains(opened, name) {
			continue
		}
		thread, err := qed.Inspect(ctx, n.store, name)
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			return "", err
		}
		if err == nil && thread.Status == "" {
			return name, nil
		}
	}
}
