package llm

import "context"

// LimitConcurrency runs at most n requests at the same time. Further requests
// wait until one of them ends or their own context is done. All models that the
// returned Middleware wraps share the limit.
//
// LimitConcurrency panics if n is less than 1.
func LimitConcurrency(n int) Middleware {
	slots := newSlots("LimitConcurrency", n)
	return func(m Model) Model {
		return ModelFunc(func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
			if err := slots.enter(ctx); err != nil {
				return nil, err
			}
			defer slots.leave()
			return m.Generate(ctx, req, stream)
		})
	}
}

// slots has one element for each call that runs.
type slots chan struct{}

func newSlots(name string, n int) slots {
	if n < 1 {
		panic("llm: " + name + ": n must be at least 1")
	}
	return make(slots, n)
}

// enter waits for a free slot, until ctx is done.
func (s slots) enter(ctx context.Context) error {
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return contextError(ctx)
	}
}

func (s slots) leave() { <-s }
