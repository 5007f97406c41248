package qed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/store"
)

// Settle records the outcome of an [UnresolvedCall] of a thread: the JSON of
// what the call returned, or the error with which it failed. If result and
// failed are nil, the call was not made, and a resumed run makes it. If both are
// set, result is ignored. After Settle, a turn without a text resumes the run.
//
// If result is not the JSON of what the call returns, the run cannot be
// resumed. If the thread is running, the error matches [ErrBusy] and is a
// [*BusyError]. If the call
// is not unresolved, it matches [ErrQuestionClosed].
func Settle(ctx context.Context, st store.Store, thread, address string, result json.RawMessage, failed error) error {
	rs, t, err := readThread(ctx, st, thread)
	switch {
	case err != nil:
		return err
	case t.status == store.StatusRunning:
		return &BusyError{Thread: thread, RetryAt: t.free}
	case t.status == store.StatusAnswered:
		return fmt.Errorf("%w: the last run of thread %s is complete", ErrQuestionClosed, thread)
	case !slices.ContainsFunc(rs.unresolvedCalls(), func(c UnresolvedCall) bool { return c.Address == address }):
		return fmt.Errorf("%w: thread %s has no unresolved call at %q",
			ErrQuestionClosed, thread, prompt.Clip(address, 200))
	}
	r := returnedData{
		In: rs.known[address].call.In, Attempt: 1, Value: result, Stopped: result == nil && failed == nil,
	}
	if failed != nil {
		r.Value, r.Error = nil, failureOf(failed)
	}
	end := endedData{
		Status: t.status, User: t.user, Tenant: t.tenant, Floor: t.floor, Title: t.title, Turns: t.turns, Error: t.err,
		Replaced: t.gone, Calls: rs.openCalls(),
	}
	if t.status == store.StatusCrashed {
		end.Status = store.StatusStopped
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("qed: the result for %s is not JSON: %w", address, err)
	}
	ended, err := json.Marshal(end)
	if err != nil {
		return err
	}
	now := rs.log.Now()
	return st.Append(ctx, thread, t.head,
		store.Record{Time: now, Kind: store.Returned, Run: t.run, Address: address, Data: data},
		store.Record{Time: now, Kind: store.Ended, Run: t.run, Data: ended, Header: end.header()})
}

// carry sets rs.calls to what the last end of the thread says. If the last run has
// no end, the calls that it has made are added.
func (rs *runState) carry(t *threadState) {
	switch {
	case t.head == 0:
		rs.calls = []string{}
		return
	case t.status != store.StatusCrashed || t.calls == nil:
		rs.calls = t.calls
		return
	}
	open := map[string]bool{}
	for _, address := range t.calls {
		open[address] = true
	}
	r := store.Range{From: t.run, Kinds: []store.Kind{store.Called, store.Returned}}
	err := rs.scan(r, func(rec store.Record) error {
		if rec.Run == t.run && isNamespaced(rec.Address) {
			open[rec.Address] = rec.Kind == store.Called
		}
		return nil
	})
	if err != nil {
		return // they are not known: Inspect reads all calls of the thread
	}
	rs.calls = []string{}
	for address, is := range open {
		if is {
			rs.calls = append(rs.calls, address)
		}
	}
	slices.Sort(rs.calls)
}

// isNamespaced reports whether an address is in a namespace, which the runs of a
// thread share.
func isNamespaced(address string) bool { return strings.HasPrefix(address, "@") }

// openCalls returns what endedData.Calls records. rs.mu is held.
func (rs *runState) openCalls() []string {
	if rs.calls == nil {
		return nil
	}
	open := []string{}
	for _, address := range rs.calls {
		if rs.known[address] == nil {
			open = append(open, address)
		}
	}
	for address, k := range rs.known {
		if isNamespaced(address) && k.isOpen() {
			open = append(open, address)
		}
	}
	slices.Sort(open)
	return open
}

// isOpen reports whether a call was started and did not return.
func (k *known) isOpen() bool {
	return k.called > 0 && !slices.ContainsFunc(k.returns, func(r returned) bool { return r.seq > k.called })
}

// loadCalls reads the calls in namespaces that were made before the last run and
// may not have returned: one that is unresolved prevents later runs from being
// resumed as well.
func (rs *runState) loadCalls(t *threadState) error {
	if t.run <= 1 {
		return nil
	}
	if t.calls == nil {
		return rs.loadNamespaces(t.run)
	}
	for _, address := range t.calls {
		r := store.Range{Address: address, Kinds: []store.Kind{store.Called, store.Returned}} // Settle adds the last one
		if err := rs.scanAll(r, rs.learn); err != nil {
			return err
		}
	}
	return nil
}

// loadNamespaces is loadCalls for a thread that an older version wrote. It reads
// all calls; steps only if there are at-most-once calls.
func (rs *runState) loadNamespaces(run int64) error {
	first := int64(0)
	r := store.Range{To: run - 1, Kinds: []store.Kind{store.Called}}
	read := func(rec store.Record) error {
		if !isNamespaced(rec.Address) {
			return nil
		}
		first = cmp.Or(first, rec.Seq)
		return rs.learn(rec)
	}
	if err := rs.scanAll(r, read); err != nil || first == 0 {
		return err
	}
	r.From, r.Kinds = first, []store.Kind{store.Returned}
	return rs.scanAll(r, read)
}

// unresolvedCalls returns the calls that were started and did not return.
func (rs *runState) unresolvedCalls() []UnresolvedCall {
	var found []UnresolvedCall
	for address, k := range rs.known {
		if k.isOpen() {
			found = append(found, UnresolvedCall{Address: address, Name: k.call.Name, Input: k.call.Input})
		}
	}
	slices.SortFunc(found, func(a, b UnresolvedCall) int { return strings.Compare(a.Address, b.Address) })
	return found
}
