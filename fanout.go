package qed

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
)

// A Branch is one of the things that a [FanOut] does at the same time. What it finds out is its result, an R;
// the state that it gets is its own copy, and changing it changes nothing for anybody else.
type Branch[S, R any] struct {
	Name string
	Run  func(context.Context, S) (R, error)
}

// FanOut adds a node that runs branches at the same time, each on a copy of the state, and then merge, which gets the state
// and the branches' results in the order of the branches.
//
// When a branch fails, the others are cancelled and waited for, and that first error is the node's. When one asks the user
// something, the others run on.
func FanOut[S, R any](g *Graph[S], name string, merge func(S, []R) (S, error), branches ...Branch[S, R]) {
	if merge == nil {
		g.problem("fan-out %q has no merge", name)
	}
	if len(branches) == 0 {
		g.problem("fan-out %q has no branches", name)
	}
	names := make([]string, len(branches))
	paths := make([]string, len(branches)) // where the graph is no part of another
	addresses := make([]string, len(branches))
	taken := map[string]bool{}
	for i, b := range branches {
		if err := checkName(b.Name); err != nil {
			g.problem("fan-out %q: the name of branch %q %w", name, b.Name, err)
		}
		if taken[b.Name] {
			g.problem("fan-out %q has two branches called %q", name, b.Name)
		}
		if b.Run == nil {
			g.problem("fan-out %q: branch %q has no function", name, b.Name)
		}
		names[i], paths[i], taken[b.Name] = b.Name, name+"/"+b.Name, true
		addresses[i] = escape(b.Name)
	}
	branches = append([]Branch[S, R]{}, branches...)
	deepen := copier[S]()
	g.add(&node[S]{name: name, branches: names, fn: func(ctx context.Context, s S) (S, error) {
		sc := scopeOf(ctx)
		parts := make([]struct {
			scope scope
			state S
		}, len(branches))
		for i := range parts {
			p := &parts[i]
			p.scope = scope{ctx, paths[i], sc.frame, nil}
			if sc.place != nil {
				p.scope.place = sc.place.part(sc.place.below(addresses[i]))
				p.scope.place.branch = true
			}
			if sc.path != name {
				p.scope.path = sc.join(names[i])
			}
			p.state = s
			if err := deepen(&p.state); err != nil {
				return s, err
			}
		}
		results, err := together(ctx, len(branches), len(branches), func(ctx context.Context, i int, out *R) error {
			p := &parts[i]
			p.scope.Context = ctx
			return work(&p.scope, 1, branches[i].Run, &p.state, out)
		})
		if err != nil {
			return s, err
		}
		return merge(s, results)
	}})
}

// eachLimit is how many items Each does at the same time.
const eachLimit = 8

// Each does something for every item, up to eight at the same time, and returns the results in the order of the items.
// It is for a node that learns only when it runs how many things there are to do.
//
// key names an item among the others in paths and errors, so it must be unique, not depend on the item's position, and be
// nothing secret.
// Items are not copied: do must not change what they share. When one fails, the others are cancelled and waited for, and that
// first error, a [*NodeError], is returned.
func Each[I, R any](ctx context.Context, items []I, key func(I) string, do func(context.Context, I) (R, error)) ([]R, error) {
	keys, addresses := make([]string, len(items)), make([]string, len(items))
	taken := make(map[string]bool, len(items))
	for i, item := range items {
		k := key(item)
		if k == "" || taken[k] {
			return nil, fmt.Errorf("qed: each: the key %q of item %d is empty or taken", k, i)
		}
		keys[i], addresses[i], taken[k] = strings.ReplaceAll(k, "/", "%2F"), escape(k), true
	}
	sc := scopeOf(ctx)
	var address string
	if sc.place != nil {
		address = sc.place.next(":each") + "/"
	}
	return together(ctx, len(items), eachLimit, func(ctx context.Context, i int, out *R) error {
		return work(sc.beside(ctx, keys[i], address+addresses[i]), 1, do, &items[i], out)
	})
}

// together does the things from 0 to n-1, limit at the same time, one of them on the caller's goroutine, and waits for all.
// The first error cancels the others, and is returned.
func together[R any](ctx context.Context, n, limit int, do func(context.Context, int, *R) error) ([]R, error) {
	if n == 0 {
		return nil, cancelled(ctx)
	}
	inner, cancel := context.WithCancelCause(ctx)
	t := &team[R]{ctx: inner, cancel: cancel, do: do, results: make([]R, n), room: min(n, limit) - 1}
	defer cancel(nil)
	defer t.wait.Wait()
	t.wait.Add(1)
	t.work()
	t.wait.Wait()
	if t.err != nil {
		return nil, t.err
	}
	if asked := t.asked.Load(); asked != nil {
		scopeOf(ctx).place.ask()
		return nil, *asked
	}
	return t.results, nil
}

// A team is the goroutines of one together. Each takes the next thing that nobody does yet. There is always one more on its
// way while things are left and there is room, so nothing waits for a thing that takes long, and what is quick needs few.
type team[R any] struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	do      func(context.Context, int, *R) error // it writes its result
	results []R
	next    atomic.Int64
	wait    sync.WaitGroup
	failed  sync.Once
	err     error                 // the first
	asked   atomic.Pointer[error] // that the user is asked, somewhere

	coming atomic.Bool // somebody is on the way, or there is no room
	room   int         // for how many more; whoever sets coming may use it
}

// take returns the next thing to do.
func (t *team[R]) take() (int, bool) {
	i := int(t.next.Add(1)) - 1
	if i+1 < len(t.results) && !t.coming.Swap(true) && t.room > 0 {
		t.room--
		t.wait.Add(1)
		go t.join()
	}
	return i, i < len(t.results)
}

func (t *team[R]) join() {
	t.coming.Store(false)
	t.work()
}

func (t *team[R]) work() {
	gone := true
	defer func() {
		if v := recover(); v != nil {
			t.fail(&PanicError{v, debug.Stack()})
		} else if gone {
			t.fail(errGoexit)
		}
		t.wait.Done()
	}()
	for {
		i, ok := t.take()
		if !ok {
			break
		}
		// What is not begun when a sibling has failed needs no look: the error is known.
		if err := cancelled(t.ctx); err != nil {
			t.fail(err)
			break
		}
		if err := t.do(t.ctx, i, &t.results[i]); errors.Is(err, ErrInterrupted) {
			asked := err
			t.asked.Store(&asked)
		} else if err != nil {
			t.fail(err)
			break
		}
	}
	gone = false
}

func (t *team[R]) fail(err error) {
	t.failed.Do(func() {
		t.err = err
		t.cancel(err)
	})
}
