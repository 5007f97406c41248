package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/qedkit/qed/store"
)

// A Branch is one of the functions that a [FanOut] runs at the same time. Run
// gets its own copy of the state, so a change of it is not seen by anybody else.
// What it finds out is its result, an R.
type Branch[S, R any] struct {
	Name string
	Run  func(context.Context, S) (R, error)
}

// FanOut adds a node that runs branches at the same time, each on a copy of the
// state, and then calls merge with the state and the results, in the order of
// the branches.
//
// If a branch fails, the others are cancelled and waited for, and the node
// returns that first error. If a branch interrupts the run, the others finish.
func FanOut[S, R any](
	g *Graph[S], name string, merge func(S, []R) (S, error), branches ...Branch[S, R],
) {
	if merge == nil {
		g.problem("fan-out %q has no merge function", name)
	}
	if len(branches) == 0 {
		g.problem("fan-out %q has no branches", name)
	}
	names := make([]string, len(branches))
	taken := map[string]bool{}
	for i, b := range branches {
		if err := checkName(b.Name); err != nil {
			g.problem("fan-out %q: the name of branch %q %w", name, b.Name, err)
		}
		if taken[b.Name] {
			g.problem("fan-out %q has two branches named %q", name, b.Name)
		}
		if b.Run == nil {
			g.problem("fan-out %q: branch %q has no function", name, b.Name)
		}
		names[i], taken[b.Name] = b.Name, true
	}
	branches = append([]Branch[S, R]{}, branches...)
	g.add(&node[S]{name: name, branches: names, fn: func(ctx context.Context, s S) (S, error) {
		states := make([]S, len(branches))
		for i := range states {
			if err := g.copy(&states[i], &s); err != nil {
				return s, err
			}
		}
		sc := scopeOf(ctx)
		results := make([]R, len(branches))
		err := together(ctx, len(branches), len(branches), func(ctx context.Context, i int) error {
			own := sc.enter(ctx, names[i], nil)
			if sc.place != nil {
				own.place = sc.place.part(sc.place.below(escape(names[i])))
				own.place.branch = true
			}
			return own.work(1, func(ctx context.Context) (err error) {
				results[i], err = branches[i].Run(ctx, states[i])
				return err
			})
		})
		if err != nil {
			return s, err
		}
		return merge(s, results)
	}})
}

// eachLimit is how many items Each processes at the same time.
const eachLimit = 8

// Each calls do for every item, up to eight at the same time, and returns the
// results in the order of the items. It is for a node that finds out at run time
// how many things there are to do.
//
// key names an item in paths and errors. A key must be unique, must not depend
// on the item's position, and must not be secret. Items are not copied: do must
// not change what they share.
//
// If one call fails, the others are cancelled and waited for, and Each returns
// that first error, a [*NodeError].
func Each[I, R any](
	ctx context.Context, items []I, key func(I) string, do func(context.Context, I) (R, error),
) ([]R, error) {
	keys := make([]string, len(items))
	taken := make(map[string]bool, len(items))
	for i, item := range items {
		k := key(item)
		if k == "" || taken[k] {
			return nil, fmt.Errorf("qed: Each: the key %q of item %d is empty or used twice; "+
				"return a key that only this item has", k, i)
		}
		keys[i], taken[k] = k, true
	}
	sc := scopeOf(ctx)
	var address string
	if sc.place != nil {
		address = sc.place.next(":each") + "/"
	}
	results := make([]R, len(items))
	err := together(ctx, len(items), eachLimit, func(ctx context.Context, i int) error {
		name := strings.ReplaceAll(keys[i], "/", "%2F")
		return sc.parallel(ctx, name, address+escape(keys[i])).work(1, func(ctx context.Context) (err error) {
			results[i], err = do(ctx, items[i])
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// together calls do for the numbers from 0 to n-1, at most limit at the same time,
// and waits for all calls. One of the goroutines is that of the caller. The first
// error cancels the other calls and is returned. A call that interrupts the run
// does not cancel the others.
func together(ctx context.Context, n, limit int, do func(context.Context, int) error) error {
	if n == 0 {
		return cancelled(ctx)
	}
	t := &team{do: do, left: n, more: min(n, limit) - 1}
	if t.more == 0 {
		t.ctx, t.cancel = ctx, func(error) {}
	} else {
		t.ctx, t.cancel = context.WithCancelCause(ctx)
	}
	t.share()
	if t.failed != nil {
		return t.failed
	}
	if t.interrupted != nil {
		scopeOf(ctx).place.ask()
	}
	return t.interrupted
}

// A team is the goroutines of a [together]. Each of them starts the next one before
// it makes its first call, so that calls which return at once need few goroutines.
type team struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	do     func(context.Context, int) error
	others sync.WaitGroup

	mu                  sync.Mutex
	begun, left         int  // calls
	more                int  // how many goroutines may still be started
	coming              bool // one is started, and has not made a call
	failed, interrupted error
}

// share makes the calls, and waits for those of other goroutines.
func (t *team) share() {
	defer t.cancel(nil)
	defer t.others.Wait()
	t.work(t.next(false))
}

// work makes a call and then others, until none is left.
func (t *team) work(i int, ok bool) {
	for ok && t.call(i) {
		i, ok = t.next(false)
	}
}

// next returns the number of the next call, if there is one. If more calls are left,
// and no goroutine was started that has not made a call, it starts one. came says
// that the caller is that goroutine.
func (t *team) next(came bool) (i int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if came {
		t.coming = false
	}
	if t.left == 0 {
		return 0, false
	}
	i = t.begun
	t.begun, t.left = t.begun+1, t.left-1
	if t.left > 0 && t.more > 0 && !t.coming {
		t.coming = true
		t.more--
		t.others.Go(func() { t.work(t.next(true)) })
	}
	return i, true
}

// call makes a call. It reports whether a further one may be made.
func (t *team) call(i int) (more bool) {
	err := errGoexit
	defer func() { more = t.report(err) }()
	defer recoverInto(&err)
	if done := cancelled(t.ctx); done != nil {
		err = done
	} else {
		err = t.do(t.ctx, i)
	}
	return more
}

func (t *team) report(err error) (more bool) {
	if err == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case errors.Is(err, ErrInterrupted):
		t.interrupted = err
		return true
	case t.failed == nil:
		t.failed = err
		t.cancel(err)
	}
	return false
}

// Fork copies a thread to a new one, up to and including the record with the
// number at, so that something else can be tried from there. at of 0 copies all
// records. The original is not changed. The copy belongs to the same user. If
// the record is within a run, an empty [Turn] resumes that run from there, and
// a Turn with a Text begins a new one. Records that were appended together with
// the record are copied too.
//
// If the thread to exists, the error matches [fs.ErrExist]. If the original or
// the record does not exist, it matches [fs.ErrNotExist]. Fork does not check
// whose thread it is: see [Inspect].
func Fork(ctx context.Context, st store.Store, thread string, at int64, to string) error {
	if err := checkThread(st, to); err != nil {
		return err
	}
	f := forker{numbers: map[int64]int64{}}
	var last store.Record
	found := at == 0
	for rec, err := range st.Records(ctx, thread, store.Range{}) {
		if err != nil {
			return fmt.Errorf("qed: fork of thread %s: %w", thread, err)
		}
		if at != 0 && rec.Seq > at && !sameAppend(last, rec) {
			break
		}
		found = found || rec.Seq == at
		last = rec
		if err := f.add(rec); err != nil {
			return fmt.Errorf("qed: fork of thread %s: %w", thread, err)
		}
	}
	switch {
	case len(f.recs) == 0:
		return fmt.Errorf("qed: fork of thread %s: %w", thread, fs.ErrNotExist)
	case !found:
		return fmt.Errorf("qed: fork of thread %s at number %d: %w", thread, at, fs.ErrNotExist)
	case f.recs[len(f.recs)-1].Kind != store.Ended:
		f.end.Status = store.StatusStopped
		data, err := json.Marshal(f.end)
		if err != nil {
			return err
		}
		run := f.recs[len(f.recs)-1].Run
		f.recs = append(f.recs, store.Record{Time: last.Time, Kind: store.Ended, Run: run, Data: data})
	}
	f.recs[len(f.recs)-1].Header = f.end.header()
	err := st.Append(ctx, to, 0, f.recs...)
	if errors.Is(err, store.ErrConflict) {
		return fmt.Errorf("qed: fork of thread %s to %s: %w", thread, to, fs.ErrExist)
	}
	return err
}

// sameAppend reports whether a record was appended together with the one before
// it.
func sameAppend(before, rec store.Record) bool {
	switch before.Kind {
	case store.Began:
		return rec.Kind == store.Message
	case store.Resumed, store.Reply:
		return rec.Kind == store.Reply || rec.Kind == store.Message
	case store.Message:
		return rec.Kind == store.Ended
	case store.Memory:
		return rec.Kind == store.Returned && rec.Time.Equal(before.Time)
	}
	return false
}

// A forker copies records. They get new numbers if the log was trimmed.
type forker struct {
	recs    []store.Record
	numbers map[int64]int64 // from the old to the new
	end     endedData       // of the last run, without its outcome
}

func (f *forker) add(rec store.Record) error {
	f.numbers[rec.Seq] = int64(len(f.recs)) + 1
	run, known := f.numbers[rec.Run]
	if !known {
		return nil // the beginning of its run was trimmed
	}
	rec.Run = run
	var err error
	switch rec.Kind {
	case store.Began:
		err = rewrite(&rec, func(d *beganData) {
			d.Floor, d.Replaced = f.floor(d.Floor), f.replaced(d.Replaced)
			f.end = endedData{
				User: d.Turn.User, Tenant: d.Turn.Tenant, Floor: d.Floor, Title: d.Title, Turns: d.Turns, Replaced: d.Replaced,
			}
		})
	case store.Resumed:
		err = rewrite(&rec, func(d *resumedData) {
			d.Replaced = f.replaced(d.Replaced)
			f.end.Replaced = d.Replaced
		})
	case store.Ended:
		err = rewrite(&rec, func(d *endedData) {
			d.Floor, d.Replaced = f.floor(d.Floor), f.replaced(d.Replaced)
			f.end.Status = d.Status
		})
	case store.Summary:
		err = rewrite(&rec, func(d *summaryData) { d.Through = f.floor(d.Through) })
	}
	f.recs = append(f.recs, rec)
	return err
}

// floor returns the new number of the last copied record whose old number is at
// most old.
func (f *forker) floor(old int64) int64 {
	for ; old > 0; old-- {
		if n, ok := f.numbers[old]; ok {
			return n
		}
	}
	return 0
}

// replaced returns the new numbers of replaced records.
func (f *forker) replaced(old replaced) replaced {
	var kept replaced
	for _, of := range old {
		if from, to := f.floor(of[0]-1)+1, f.floor(of[1]); from <= to {
			kept = append(kept, [2]int64{from, to})
		}
	}
	return kept
}

// rewrite changes the data of a record.
func rewrite[D any](rec *store.Record, change func(*D)) error {
	var d D
	if err := rec.Decode(&d); err != nil {
		return err
	}
	change(&d)
	data, err := json.Marshal(d)
	rec.Data = data
	return err
}
