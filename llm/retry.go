package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/backoff"
)

// RetryOptions says how [Retry] works. Nil and the zero value mean the defaults.
type RetryOptions struct {
	// Attempts is how often a request is made at most, the first time included. 0 means 4.
	Attempts int

	// Kinds are the failures after which a request is made again. Nil means [ErrRateLimit], [ErrUnavailable],
	// [ErrTimeout], [ErrInvalidOutput], and an [ErrTruncated] that is not due to a limit on the reply's length.
	Kinds []Kind

	// Wait is the wait before the second attempt; it doubles with every further one. 0 means 500 ms, a negative one none.
	// Half of each wait is random, so that many callers do not return at the same time.
	Wait time.Duration

	// MaxWait is the longest wait. 0 means 30 s. When a provider wants to be left alone for longer than that
	// ([Error.RetryAfter]), its error is returned at once.
	MaxWait time.Duration
}

// Retry makes a request again when it failed in a way that may pass.
//
// It does not repeat what was already shown: once a piece of a reply has been streamed, the failure is returned.
// It stops at once when the context is cancelled, and does not begin a wait that the context's deadline would end.
// The error is that of the last attempt. A reply after failures counts the Usage of what failed as well, where known.
func Retry(opt *RetryOptions) Middleware {
	var o RetryOptions
	if opt != nil {
		o = *opt
	}
	if o.Attempts == 0 {
		o.Attempts = 4
	}
	if o.Wait == 0 {
		o.Wait = 500 * time.Millisecond
	}
	if o.MaxWait == 0 {
		o.MaxWait = 30 * time.Second
	}
	return func(m Model) Model { return &retrying{m, o} }
}

type retrying struct {
	model Model
	opt   RetryOptions
}

func (r *retrying) Generate(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
	shown := false
	watched := stream
	if stream != nil {
		watched = func(d Delta) {
			shown = true
			stream(d)
		}
	}
	var failed Usage
	for attempt := 1; ; attempt++ {
		resp, err := r.model.Generate(ctx, req, watched)
		if err == nil {
			if failed == (Usage{}) {
				return resp, nil
			}
			failed.Add(resp.Usage)
			return withUsage(resp, failed), nil
		}
		var e *Error
		if shown || attempt >= r.opt.Attempts || ctx.Err() != nil || !errors.As(err, &e) || !r.mayPass(e) {
			return nil, err
		}
		if e.Partial != nil {
			failed.Add(e.Partial.Usage)
		}
		wait, ok := r.wait(attempt, e.RetryAfter)
		switch {
		case !ok || !backoff.SleepWithin(ctx, wait) && ctx.Err() == nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ended(ctx)
		}
	}
}

func (r *retrying) mayPass(e *Error) bool {
	if r.opt.Kinds != nil {
		return slices.Contains(r.opt.Kinds, e.Kind)
	}
	switch e.Kind {
	case ErrRateLimit, ErrUnavailable, ErrTimeout, ErrInvalidOutput:
		return true
	case ErrTruncated:
		return e.Partial == nil || e.Partial.Finish != FinishLength
	}
	return false
}

// wait is how long to wait after an attempt; false when the provider wants more than MaxWait.
func (r *retrying) wait(attempt int, asked time.Duration) (time.Duration, bool) {
	asked = max(asked, 0)
	if asked > r.opt.MaxWait {
		return 0, false
	}
	w := min(max(r.opt.Wait, 0), r.opt.MaxWait)
	for range attempt - 1 {
		w += min(w, r.opt.MaxWait-w)
	}
	w = w/2 + rand.N(w/2+1)
	return max(w, asked), true
}
