package llm

import "context"

// LimitConcurrency runs at most n requests at the same time. Further requests
// wait until one of them ends or their own context is done. All models that the
// returned Middleware wraps share the limit.
//
// LimitConcurrency panics if n is less than 1.
func LimitConcurrency(n int) Middleware {
	if n < 1 {
		panic("llm: LimitConcurrency: n must be at least 1")
	}
	slots := make(chan struct{}, n) // has one element for each call that runs
	return func(m Model) Model {
		return ModelFunc(func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
			if ctx.Err() != nil {
				return nil, contextError(ctx)
			}
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
				return m.Generate(ctx, req, stream)
			case <-ctx.Done():
				return nil, contextError(ctx)
			}
		})
	}
}
