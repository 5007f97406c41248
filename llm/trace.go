package llm

import (
	"context"
	"time"
)

// A Call is one finished request, as [Trace] reports it. The Request and the
// Response must not be modified.
type Call struct {
	Request  *Request
	Response *Response // nil if Err is not nil
	Err      error

	Start    time.Time
	Duration time.Duration

	// TimeToFirstToken is the time from Start until the first piece of the reply
	// was streamed. It is 0 if nothing was streamed.
	TimeToFirstToken time.Duration
}

// Trace calls done after every request, on the goroutine that made it. done must
// be safe for concurrent use. Inside [Retry], Trace reports every attempt;
// outside of it, all attempts together are one call.
//
// A Call holds the whole conversation. Take care what of it goes to a log.
func Trace(done func(context.Context, Call)) Middleware {
	return func(m Model) Model {
		return ModelFunc(func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
			call := Call{Request: req, Start: time.Now()}
			forward := stream
			if stream != nil {
				forward = func(d Delta) {
					if call.TimeToFirstToken == 0 {
						call.TimeToFirstToken = max(time.Since(call.Start), 1)
					}
					stream(d)
				}
			}
			call.Response, call.Err = m.Generate(ctx, req, forward)
			call.Duration = time.Since(call.Start)
			done(ctx, call)
			return call.Response, call.Err
		})
	}
}
