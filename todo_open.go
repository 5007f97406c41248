package qed

import (
	"context"
	"strings"

	"github.com/qedkit/qed/store"
)

// todoGraph is the name of a TODO agent's graph, and so what the addresses of its states end with.
const todoGraph = "todo"

// OpenTodos returns the plan that is open in a thread, as the last turn of its TODO agent left it: it waits for the user's approval or answer, or
// a task of it failed. Nil means that none is open: the last one is done, or was dropped. Of several agents it is that of the last run in which one
// of them answered; plans of agents that are tasks of others are not meant. It asks for no user: see [Inspect].
func OpenTodos(ctx context.Context, st store.Store, thread string) (*TodoList, error) {
	if err := store.CheckThread(thread); err != nil {
		return nil, err
	}
	floor, err := floorOf(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	var open *TodoList
	last := store.Record{}
	seen := map[string]bool{}
	for rec, err := range st.Records(ctx, thread, store.Range{From: floor + 1, Kinds: []store.Kind{store.State}, Newest: true}) {
		if err != nil {
			return nil, err
		}
		name, _, _ := strings.Cut(rec.Address[strings.LastIndex(rec.Address, "/")+1:], "#")
		if name != todoGraph || strings.Contains(rec.Address, "@") || seen[rec.Address] {
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
			State todoState `json:"state"`
		}
		if readRecord(&rec, &data) != nil {
			continue // it is another graph's of that name
		}
		if l := data.State.plan(); l.open() {
			open = l
			break
		}
	}
	if open == nil {
		return nil, nil
	}
	// Where the user, asked something of it, wanted nothing more, its agent has not run since.
	for rec, err := range st.Records(ctx, thread, store.Range{From: last.Seq + 1, Kinds: []store.Kind{store.Began}}) {
		if err != nil {
			return nil, err
		}
		var began beganData
		if err := readBegan(&rec, &began); err != nil {
			return nil, err
		}
		if began.Closed != nil && began.Closed.Intent == IntentAbort {
			return nil, nil
		}
	}
	return open, nil
}
