package llm

import (
	"context"
	"time"
)

// Call is one request as [Trace] saw it. Response and Err are as they were returned, and must not be changed.
type Call struct {
	Request  *Request
	Response *Response
	Err      error
	Began    time.Time
	Took     time.Duration
	// FirstDelta is how long the first piece of the reply took. 0 when nothing was streamed.
	FirstDelta time.Duration
}

// Trace calls done after every request, on the goroutine that made it. done is safe for concurrent use.
// Inside of [Retry] it sees each attempt, outside of it the whole.
//
// A Call holds all that was said, so it may hold what a log must not.
func Trace(done func(context.Context, Call)) Middleware {
	return func(m Model) Model {
		return ModelFunc(func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
			call := Call{Request: req, Began: time.Now()}
			watched := stream
			if stream != nil {
				watched = func(d Delta) {
					if call.FirstDelta == 0 {
						call.FirstDelta = max(time.Since(call.Began), 1)
					}
					stream(d)
				}
			}
			call.Response, call.Err = m.Generate(ctx, req, watched)
			call.Took = time.Since(call.Began)
			done(ctx, call)
			return call.Response, call.Err
		})
	}
}
