package qed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/qedkit/qed/retry"
)

// Run takes s through the graph, on the caller's goroutine, and returns what it became.
//
// When a node fails, Run returns a [*NodeError] and the state as the last node left it that succeeded. What a state points to
// may have been changed by the node that failed, unless that node has more than one attempt.
// When ctx is done, the node that runs is waited for, no other is begun, and the error matches ctx's error and its cause.
//
// Run fits [Graph.Node], so a graph can be a node of another one with the same state.
func (r *Runner[S]) Run(ctx context.Context, s S) (S, error) {
	sc := scopeOf(ctx).of(r.name)
	var trail [8]int // the last steps, round and round
	at, first := 0, 0
	if sc.place != nil {
		var err error
		if at, first, err = r.resume(ctx, sc.place, &s); err != nil {
			return s, sc.failed(r.steps[at].name, err)
		}
	}
	var kept *S
	limited, cancel := ctx, func() {}
	if r.wrapUp != 0 {
		limited, cancel = withinBudget(keepReserve(ctx))
	}
	defer cancel()
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
			return s, sc.failed(n.name, r.tooMany(trail[:], first, count))
		}
		trail[count%len(trail)] = next
		sc.count = count + 1
		if err = r.visit(limited, sc, n, &s); err != nil {
			if !r.wrapsUp(ctx, sc, err) {
				return s, err
			}
			next, limited = r.wrapUp, wrapUp(ctx)
			sc.own.spent = err
			if err := r.visit(limited, sc, r.steps[next].node, &s); err != nil {
				return s, err
			}
		}
		if sc.place != nil {
			if kept == nil {
				kept = new(S) // s itself is not to live on the heap of runs that are not recorded
			}
			*kept = s
			if err := r.commit(sc.place, next, count+1, kept); err != nil {
				return s, sc.failed(n.name, err)
			}
		}
		at = next
	}
}

// wrapsUp reports whether a run that failed with err still goes to its last node.
func (r *Runner[S]) wrapsUp(ctx context.Context, sc *graphScope, err error) bool {
	return r.wrapUp != 0 && sc.own.spent == nil && errors.Is(err, ErrBudget) && ctx.Err() == nil
}

// tooMany is the error after count steps. trail has the last of those from first on.
func (r *Runner[S]) tooMany(trail []int, first, count int) error {
	var names []string
	for i := max(first, count-len(trail)); i < count; i++ {
		names = append(names, r.steps[trail[i%len(trail)]].name)
	}
	return fmt.Errorf("%w: %d were made, the last through %s", ErrMaxSteps, count, strings.Join(names, ", "))
}

// after returns which step comes after the one at place at, and tells which way was chosen.
func (r *Runner[S]) after(sc *graphScope, at int, s *S) (int, error) {
	next, route, err := r.next(at, s)
	switch {
	case err != nil:
		return 0, sc.failed(r.steps[at].name, err)
	case route != nil && sc.events != nil:
		sc.events.add(Event{sc.join(r.steps[at].name), RouteDecision{Route: *route}})
	}
	return next, nil
}

// next returns which step comes after the one at place at, and by which route, if there is more than one.
func (r *Runner[S]) next(at int, s *S) (next int, route *string, err error) {
	from := &r.steps[at]
	if from.pick == nil {
		return from.next, nil, nil
	}
	chosen, err := pick(from.pick, s)
	if err != nil {
		return 0, nil, err
	}
	next, ok := from.routes[chosen]
	if !ok {
		return 0, nil, fmt.Errorf("its route chose %q, which is none of %s", chosen, strings.Join(from.targets, ", "))
	}
	return next, &chosen, nil
}

func pick[S any](f func(S) string, s *S) (route string, err error) {
	defer recoverInto(&err)
	return f(*s), nil
}

// visit does a node as its options say. It changes s when the node succeeds.
func (r *Runner[S]) visit(ctx context.Context, sc *graphScope, n *node[S], s *S) error {
	if n.opt.Attempts <= 1 {
		return r.try(ctx, sc, n, 1, s, s)
	}
	return r.retry(ctx, sc, n, s)
}

// retry is a function of its own, as its copy of the state lives on the heap.
func (r *Runner[S]) retry(ctx context.Context, sc *graphScope, n *node[S], s *S) error {
	for attempt := 1; ; attempt++ {
		fork := *s
		if err := r.deepen(&fork); err != nil {
			return sc.failed(n.name, err)
		}
		err := r.try(ctx, sc, n, attempt, &fork, s)
		if err == nil || attempt == n.opt.Attempts || ctx.Err() != nil || endsTurn(err) || isFinal(err) {
			return err
		}
		again, panicked := n.opt.retries(err)
		if panicked != nil {
			return sc.failed(n.name, errors.Join(err, panicked))
		}
		if !again {
			return err
		}
		if !pause(ctx, n.opt.Backoff, attempt) {
			return withCause(ctx, err)
		}
	}
}

func (r *Runner[S]) try(ctx context.Context, sc *graphScope, n *node[S], attempt int, in, out *S) error {
	if n.opt.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, n.opt.Timeout, &timeoutError{n.opt.Timeout})
		defer cancel()
		ctx = limited
	}
	part := sc.part(ctx, n.name, len(r.steps)-1)
	if sc.place != nil {
		part.place = sc.visited(n.address, attempt)
	}
	return work(part, attempt, n.fn, in, out)
}

// work does a part of a run in its scope: it tells of it, and makes a panic and a failure a NodeError.
// It changes out when the part succeeds. States go by pointer, as goroutines begin with small stacks.
func work[In, Out any](sc *scope, attempt int, fn func(context.Context, In) (Out, error), in *In, out *Out) error {
	if sc.events != nil {
		sc.events.add(Event{sc.path, NodeStarted{attempt}})
	}
	err := do(sc, fn, in, out)
	if err != nil {
		err = sc.failure(attempt, err)
	}
	if sc.events != nil {
		sc.events.add(Event{sc.path, finished(attempt, err)})
	}
	return err
}

func do[In, Out any](sc *scope, fn func(context.Context, In) (Out, error), in *In, out *Out) (err error) {
	defer recoverInto(&err)
	result, err := fn(sc, *in)
	if sc.place != nil {
		err = sc.place.settle(err)
	}
	if err != nil {
		return spoken(err)
	}
	*out = result
	return nil
}

// failure makes err the error of s, unless it is the error of a part of s already.
func (s *scope) failure(attempt int, err error) error {
	err = withCause(s, err)
	if inner, ok := err.(*NodeError); ok && strings.HasPrefix(inner.Path, s.path+"/") {
		return err
	}
	return &NodeError{s.graph, s.path, attempt, err}
}

// failed is the error of a part of s that could not begin, or not go on.
func (s *scope) failed(name string, err error) error {
	return &NodeError{s.graph, s.join(name), 0, err}
}

// succeeded is what nearly every part of a run ends with.
var succeeded EventData = NodeFinished{Attempt: 1}

func finished(attempt int, err error) EventData {
	switch {
	case errors.Is(err, ErrInterrupted):
		return NodeFinished{Attempt: attempt, Interrupted: true}
	case err != nil:
		return NodeFinished{Attempt: attempt, Error: err.Error()}
	case attempt == 1:
		return succeeded
	}
	return NodeFinished{Attempt: attempt}
}

// A timeoutError is why the context of a node is done when its own time is over.
type timeoutError struct{ limit time.Duration }

func (e *timeoutError) Error() string        { return fmt.Sprintf("no result within %v", e.limit) }
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// retries reports whether err is worth another attempt. Its error is a panic of RetryIf.
func (o *NodeOptions) retries(err error) (again bool, panicked error) {
	if o.RetryIf == nil {
		return !isPanic(err), nil
	}
	defer recoverInto(&panicked)
	return o.RetryIf(err), nil
}

// pause waits before the attempt after the given one. It reports whether ctx is still good.
func pause(ctx context.Context, first time.Duration, attempt int) bool {
	if first == 0 {
		return ctx.Err() == nil
	}
	wait := min(first, time.Minute)
	for range attempt - 1 {
		wait = min(2*wait, time.Minute)
	}
	return retry.Sleep(ctx, wait)
}
