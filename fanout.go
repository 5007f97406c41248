package qed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
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
			var err error
			if states[i], err = copyState(s); err != nil {
				return s, err
			}
		}
		sc := scopeOf(ctx)
		results, err := together(ctx, len(branches), len(branches), func(ctx context.Context, i int) (R, error) {
			own := sc.enter(ctx, names[i], nil)
			if sc.place != nil {
				own.place = sc.place.part(sc.place.below(escape(names[i])))
				own.place.branch = true
			}
			return work(own, 1, branches[i].Run, states[i])
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
	return together(ctx, len(items), eachLimit, func(ctx context.Context, i int) (R, error) {
		name := strings.ReplaceAll(keys[i], "/", "%2F")
		return work(sc.parallel(ctx, name, address+escape(keys[i])), 1, do, items[i])
	})
}

// together calls do for the numbers from 0 to n-1, at most limit at the same
// time, and waits for all calls. The first error cancels the other calls and is
// returned. A call that interrupts the run does not cancel the others.
func together[R any](
	ctx context.Context, n, limit int, do func(context.Context, int) (R, error),
) ([]R, error) {
	if n == 0 {
		return nil, cancelled(ctx)
	}
	if n == 1 {
		return alone(ctx, do)
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		mu                  sync.Mutex
		failed, interrupted error
	)
	report := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case errors.Is(err, ErrInterrupted):
			interrupted = err
		case err != nil && failed == nil:
			failed = err
			cancel(err)
		}
	}
	results := make([]R, n)
	var wait sync.WaitGroup
	slots := make(chan struct{}, limit)
	for i := range n {
		slots <- struct{}{}
		if err := cancelled(inner); err != nil {
			report(err)
			break
		}
		wait.Go(func() {
			err := errGoexit
			defer func() { report(err); <-slots }()
			defer recoverInto(&err)
			results[i], err = do(inner, i)
		})
	}
	wait.Wait()
	if failed != nil {
		return nil, failed
	}
	if interrupted != nil {
		scopeOf(ctx).place.ask()
		return nil, interrupted
	}
	return results, nil
}

// alone is together for one call, which needs no other goroutine.
func alone[R any](ctx context.Context, do func(context.Context, int) (R, error)) ([]R, error) {
	results := make([]R, 1)
	err := cancelled(ctx)
	if err == nil {
		err = func() (err error) {
			defer recoverInto(&err)
			results[0], err = do(ctx, 0)
			return err
		}()
	}
	if err != nil {
		if errors.Is(err, ErrInterrupted) {
			scopeOf(ctx).place.ask()
		}
		return nil, err
	}
	return results, nil
}
