package llm

import (
	"context"

	"github.com/qedkit/qed/internal/lru"
)

// Cache keeps the n most recently used replies in memory. A request with the
// same [Request.Hash] as an earlier one gets the earlier reply without a call of
// the model.
//
//   - A reply from the cache has no Usage and is streamed as one piece.
//   - Failures are not cached.
//   - Two equal requests at the same time both reach the model.
//   - Every model that is wrapped has its own cache.
//
// Cache panics if n is less than 1.
func Cache(n int) Middleware {
	if n < 1 {
		panic("llm: Cache: n must be at least 1")
	}
	return func(m Model) Model {
		replies := lru.New[string, *Response](n, 0)
		return ModelFunc(func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
			key, err := req.Hash()
			if err != nil {
				return m.Generate(ctx, req, stream) // the model's own error is more precise
			}
			if ctx.Err() != nil {
				return nil, contextError(ctx)
			}
			if kept, ok := replies.Get(key); ok {
				resp := kept.clone() // the caller may modify it
				resp.Usage = Usage{}
				if stream != nil && resp.Message.Content != "" {
					stream(Delta{Text: resp.Message.Content})
				}
				return resp, nil
			}
			resp, err := m.Generate(ctx, req, stream)
			if err == nil {
				replies.Add(key, resp.clone())
			}
			return resp, err
		})
	}
}
