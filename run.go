package qed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/qedkit/qed/budget"
)

// Run takes s through the graph, on the caller's goroutine, and returns the
// state after the last node.
//
// If a node fails, Run returns a [*NodeError] and the state after the last node
// that succeeded. The node that failed may have changed what that state points
// to, unless the node has more than one attempt. If ctx is done, Run waits for
// the node that runs and begins no other one; the error matches the error of ctx
// and its cause.
//
// Run fits [Graph.Node], so a graph can be a node of another graph with the same
// state.
func (r *Runner[S]) Run(ctx context.Context, s S) (S, error) {
	sc := scopeOf(ctx).inGraph(ctx, r.name)
	at, first := 0, 0
	if sc.place != nil {
		var err error
		if at, first, err = r.resume(sc.place, &s); err != nil {
			return s, sc.failed(r.steps[at].name, err)
		}
	}
	limited := ctx
	if r.wrapUp != 0 {
		var cancel context.CancelFunc
		limited, cancel = budget.WithDeadline(budget.BeforeFinalAnswer(ctx))
		defer cancel()
	}
	var trail [8]string // the last nodes, each at its number modulo 8
	for count := first; ; count++ {
		next, err := r.after(sc, at, &s)
		if err != nil || next == end {
			return s, err
		}
		n := r.steps[next].node
		if err := cancelled(ctx); err != nil {
			return s, sc.failed(n.name, err)
		}
		if count >= r.maxSteps {
			return s, sc.failed(n.name, tooManySteps(count, first, &trail))
		}
		trail[count%len(trail)] = n.name
		var after S
		err = r.visit(limited, sc, n, count+1, &s, &after)
		if err != nil && r.wrapsUp(ctx, sc, err) {
			next, limited = r.wrapUp, budget.ForFinalAnswer(ctx)
			sc.spent = err
			err = r.visit(limited, sc, r.steps[next].node, count+1, &s, &after)
		}
		if err != nil {
			return s, err
		}
		s = after
		if sc.place != nil {
			if err := r.commit(sc.place, next, count+1, &s); err != nil {
				return s, sc.failed(n.name, err)
			}
		}
		at = next
	}
}

// wrapsUp reports whether a run that failed with err continues in its WrapUp node.
func (r *Runner[S]) wrapsUp(ctx context.Context, sc *scope, err error) bool {
	return r.wrapUp != 0 && sc.spent == nil && errors.Is(err, budget.ErrExceeded) && ctx.Err() == nil
}

// BudgetExceeded returns why the [CompileOptions].WrapUp node of a graph runs: an
// error that matches [budget.ErrExceeded]. In other nodes it returns nil.
func BudgetExceeded(ctx context.Context) error {
	spent := scopeOf(ctx).spent
	if e, ok := errors.AsType[*budget.Error](spent); ok {
		return e
	}
	return spent
}

// tooManySteps returns the error of a run that began with the visit of the number
// first.
func tooManySteps(count, first int, trail *[8]string) error {
	var last []string
	for i := max(first, count-len(trail)); i < count; i++ {
		last = append(last, trail[i%len(trail)])
	}
	return fmt.Errorf("%w: %d nodes were visited, the last of them %s; "+
		"end the cycle, or set a higher CompileOptions.MaxSteps",
		ErrMaxSteps, count, strings.Join(last, ", "))
}

// after returns the step that comes after the one at index at. It emits an
// [EdgeTaken] if a route chose it.
func (r *Runner[S]) after(sc *scope, at int, s *S) (int, error) {
	next, route, err := r.next(at, s)
	if err != nil {
		return 0, sc.failed(r.steps[at].name, err)
	}
	if route != "" {
		sc.emit(r.steps[at].name, EdgeTaken{To: route})
	}
	return next, nil
}

// next returns the step that comes after the one at index at, and the name that
// a route chose; empty if there is no route.
func (r *Runner[S]) next(at int, s *S) (next int, route string, err error) {
	from := &r.steps[at]
	if from.pick == nil {
		return from.next, "", nil
	}
	defer recoverInto(&err)
	route = from.pick(*s)
	next, ok := from.routes[route]
	if !ok {
		return 0, "", fmt.Errorf("its route returned %q, which is not one of its targets: %s",
			route, strings.Join(from.targets, ", "))
	}
	return next, route, nil
}

// visit runs a node with the attempts that its options allow, and sets after to the
// state that it returns. The number of the visit is part of the node's address.
func (r *Runner[S]) visit(ctx context.Context, sc *scope, n *node[S], number int, s, after *S) error {
	if n.opt.Attempts <= 1 {
		return n.try(ctx, sc, number, 1, s, after)
	}
	for attempt := 1; ; attempt++ {
		own := new(S)
		if err := r.copy(own, s); err != nil {
			return sc.failed(n.name, err)
		}
		err := n.try(ctx, sc, number, attempt, own, after)
		if err == nil || attempt == n.opt.Attempts || ctx.Err() != nil || endsTurn(err) || isFinal(err) || isPanic(err) {
			return err
		}
	}
}

func (n *node[S]) try(ctx context.Context, sc *scope, number, attempt int, s, after *S) error {
	if n.opt.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, n.opt.Timeout, &timeoutError{n.opt.Timeout})
		defer cancel()
		ctx = limited
	}
	part := sc.enter(ctx, n.name, sc.place.visited(n.address, number, attempt))
	return part.work(attempt, func(ctx context.Context) (err error) {
		*after, err = n.fn(ctx, *s)
		return err
	})
}

// work calls the function of a node or a branch with its scope. It emits its events,
// and makes a panic or an error a [*NodeError].
func (s *scope) work(attempt int, do func(context.Context) error) error {
	began := s.emit("", NodeStarted{Attempt: attempt})
	err := s.invoke(do)
	if err != nil {
		err = s.failure(attempt, err)
	}
	if s.events != nil {
		s.emitFinished(attempt, began, err)
	}
	return err
}

func (s *scope) emitFinished(attempt int, began time.Time, err error) {
	now := s.events.now()
	finished := NodeFinished{Attempt: attempt, Millis: now.Sub(began).Milliseconds()}
	if err != nil {
		if finished.Interrupted = errors.Is(err, ErrInterrupted); !finished.Interrupted {
			finished.Error = err.Error()
		}
	}
	data := quick
	if finished != data {
		data = finished
	}
	s.send(&Event{Time: now, Data: data})
}

// quick is the end of most nodes. It is shared, so that they need no memory for it.
var quick EventData = NodeFinished{Attempt: 1}

// invoke calls a function with its scope. A panic becomes an error.
func (s *scope) invoke(do func(context.Context) error) (err error) {
	defer recoverInto(&err)
	err = do(s)
	if s.place != nil {
		err = s.place.settle(err)
	}
	return spoken(err)
}

// failure makes err the error of s, unless it is the error of a part of s already.
func (s *scope) failure(attempt int, err error) error {
	err = withCause(s, err)
	if inner, ok := err.(*NodeError); ok && strings.HasPrefix(inner.Path, s.path+"/") {
		return err
	}
	return &NodeError{Graph: s.graph, Path: s.path, Attempt: attempt, Err: err}
}

// failed is the error of a part of s that could not begin or continue.
func (s *scope) failed(name string, err error) error {
	return &NodeError{Graph: s.graph, Path: s.join(name), Err: err}
}

// A timeoutError is the cause of a context whose own time limit is over.
type timeoutError struct{ limit time.Duration }

func (e *timeoutError) Error() string        { return fmt.Sprintf("no result within %v", e.limit) }
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }
