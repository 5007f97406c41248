package llm

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/qedkit/qed/retry"
)

// defaultRetry is used for the fields of a policy that are zero.
var defaultRetry = retry.Policy{Attempts: 4, Wait: 500 * time.Millisecond, MaxWait: 30 * time.Second}

// Retry sends a request again after a transient failure: [ErrRateLimit],
// [ErrUnavailable], [ErrTimeout], [ErrInvalidOutput], and [ErrTruncated] unless the
// reply reached a length limit. Nil and zero fields mean 4 attempts, a first wait of
// 500 ms and a longest wait of 30 s.
//
//   - Once a piece of a reply has been streamed, the request is not sent again:
//     the user would see the beginning twice.
//   - A wait follows [Error.RetryAfter]. Retry does not start a wait that the
//     context's deadline would end, and returns as soon as the context is done.
//   - The error is that of the last attempt.
//   - The Usage of a reply includes the failed attempts, as far as it is known.
//
// Retry panics if Attempts or MaxWait is negative.
func Retry(policy *retry.Policy) Middleware {
	r := newRetrying(policy)
	return func(m Model) Model {
		return ModelFunc(func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
			return r.generate(ctx, m, req, stream)
		})
	}
}

// retrying has the policy of [Retry] with its defaults.
type retrying struct{ policy retry.Policy }

func newRetrying(policy *retry.Policy) *retrying {
	policy = cmp.Or(policy, &retry.Policy{})
	own, err := policy.WithDefaults("the policy of Retry", defaultRetry)
	if err != nil {
		panic("llm: " + err.Error())
	}
	return &retrying{own}
}

func (r *retrying) generate(
	ctx context.Context, m Model, req *Request, stream func(Delta),
) (resp *Response, err error) {
	streamed := false
	forward := stream
	if stream != nil {
		forward = func(d Delta) {
			streamed = true
			stream(d)
		}
	}
	var failed Usage
	err = r.do(ctx, func() (again bool, err error) {
		resp, err = m.Generate(ctx, req, forward)
		var e *Error
		if !streamed && errors.As(err, &e) && e.Partial != nil && mayPass(e) {
			failed.Add(e.Partial.Usage)
		}
		return !streamed, err
	})
	if err != nil {
		return nil, err
	}
	if failed != (Usage{}) {
		failed.Add(resp.Usage)
		resp = resp.withUsage(failed)
	}
	return resp, nil
}

// do calls attempt until it returns no error, an error that does not pass, or
// false, or until there is no attempt left.
func (r *retrying) do(ctx context.Context, attempt func() (again bool, err error)) error {
	for n := 1; ; n++ {
		again, err := attempt()
		var e *Error
		if err == nil || !again || ctx.Err() != nil || !errors.As(err, &e) || !mayPass(e) {
			return err
		}
		if !r.policy.Next(ctx, n, e.RetryAfter) {
			if ctx.Err() != nil {
				return contextError(ctx)
			}
			return err
		}
	}
}

// mayPass reports whether a request that failed with e may succeed when it is
// sent again.
func mayPass(e *Error) bool {
	switch e.Kind {
	case ErrRateLimit, ErrUnavailable, ErrTimeout, ErrInvalidOutput:
		return true
	case ErrTruncated:
		return e.Partial == nil || e.Partial.FinishReason != FinishLength
	}
	return false
}
