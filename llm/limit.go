package llm

import "context"

// Limit lets at most n requests run at a time; the others wait their turn, or for their context to end.
// All models that the returned Middleware wraps share the n. It panics when n is less than 1.
func Limit(n int) Middleware {
	if n < 1 {
		panic("llm: Limit needs room for at least one request")
	}
	slots := make(chan struct{}, n)
	return func(m Model) Model {
		return ModelFunc(func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
			if err := ctx.Err(); err != nil {
				return nil, ended(ctx)
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return nil, ended(ctx)
			}
			defer func() { <-slots }()
			return m.Generate(ctx, req, stream)
		})
	}
}
