package llm_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/retry"
)

func fails(kind llm.ErrorKind) llmtest.Reply { return llmtest.Reply{Err: &llm.Error{Kind: kind}} }

func policy(p retry.Policy) *retry.Policy { return &p }

func TestRetry(t *testing.T) {
	ok := llmtest.Reply{Text: "fine"}
	cut := llmtest.Reply{Err: &llm.Error{Kind: llm.ErrTruncated, Partial: &llm.Response{FinishReason: llm.FinishLength}}}
	later := func(d time.Duration) llmtest.Reply {
		return llmtest.Reply{Err: &llm.Error{Kind: llm.ErrRateLimit, RetryAfter: d}}
	}
	for name, test := range map[string]struct {
		opt      *retry.Policy
		replies  []llmtest.Reply
		attempts int
		err      error
		min, max time.Duration // of the waits
	}{
		"at once":           {nil, []llmtest.Reply{ok}, 1, nil, 0, 0},
		"rate limit":        {nil, []llmtest.Reply{fails(llm.ErrRateLimit), ok}, 2, nil, 250 * time.Millisecond, 501 * time.Millisecond},
		"growing":           {nil, []llmtest.Reply{fails(llm.ErrUnavailable), fails(llm.ErrTimeout), fails(llm.ErrTruncated), ok}, 4, nil, 1750 * time.Millisecond, 3502 * time.Millisecond},
		"gives up":          {nil, []llmtest.Reply{fails(llm.ErrTimeout), fails(llm.ErrTimeout), fails(llm.ErrTimeout), fails(llm.ErrUnavailable)}, 4, llm.ErrUnavailable, 0, time.Minute},
		"Retry-After":       {nil, []llmtest.Reply{later(20 * time.Second), ok}, 2, nil, 20 * time.Second, 20 * time.Second},
		"Retry-After, long": {nil, []llmtest.Reply{later(time.Hour), ok}, 1, llm.ErrRateLimit, 0, 0},
		"MaxWait":           {policy(retry.Policy{Attempts: 9, Wait: time.Second, MaxWait: time.Second}), []llmtest.Reply{fails(llm.ErrTimeout), fails(llm.ErrTimeout), fails(llm.ErrTimeout), ok}, 4, nil, 1500 * time.Millisecond, 3100 * time.Millisecond},
		"many attempts":     {policy(retry.Policy{Attempts: 200, Wait: time.Hour, MaxWait: time.Millisecond}), []llmtest.Reply{fails(llm.ErrTimeout), ok}, 2, nil, 0, 2 * time.Millisecond},
		"no wait":           {policy(retry.Policy{Wait: -time.Second}), []llmtest.Reply{fails(llm.ErrTimeout), ok}, 2, nil, 0, 0},
		"endless waits":     {policy(retry.Policy{Wait: 1<<63 - 1, MaxWait: time.Second}), []llmtest.Reply{fails(llm.ErrTimeout), fails(llm.ErrTimeout), ok}, 3, nil, time.Second, 2 * time.Second},
		"negative wish":     {nil, []llmtest.Reply{later(-time.Hour), ok}, 2, nil, 250 * time.Millisecond, 501 * time.Millisecond},
		"bad request":       {nil, []llmtest.Reply{fails(llm.ErrBadRequest)}, 1, llm.ErrBadRequest, 0, 0},
		"auth":              {nil, []llmtest.Reply{fails(llm.ErrAuth)}, 1, llm.ErrAuth, 0, 0},
		"quota":             {nil, []llmtest.Reply{fails(llm.ErrQuota)}, 1, llm.ErrQuota, 0, 0},
		"length":            {nil, []llmtest.Reply{cut}, 1, llm.ErrTruncated, 0, 0},
		"cancelled":         {nil, []llmtest.Reply{{Err: context.Canceled}}, 1, context.Canceled, 0, 0},
		"streamed already":  {nil, []llmtest.Reply{{Text: "half", Err: &llm.Error{Kind: llm.ErrTruncated}}}, 1, llm.ErrTruncated, 0, 0},
		"nothing streamed":  {nil, []llmtest.Reply{{Err: &llm.Error{Kind: llm.ErrTruncated}}, ok}, 2, nil, 0, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := llmtest.New(llmtest.Rule{Replies: test.replies})
				streamed := ""
				began := time.Now()
				resp, err := llm.Wrap(inner, llm.Retry(test.opt)).Generate(t.Context(), ask("q"), func(d llm.Delta) { streamed += d.Text })
				took := time.Since(began)
				if !errors.Is(err, test.err) || (err == nil) != (resp != nil) {
					t.Errorf("got %v, %v, want %v", resp, err, test.err)
				}
				if err == nil && streamed != "fine" {
					t.Errorf("streamed %q", streamed)
				}
				if n := len(inner.Requests()); n != test.attempts {
					t.Errorf("%d attempts, want %d", n, test.attempts)
				}
				if took < test.min || took > test.max {
					t.Errorf("waited %v, want %v to %v", took, test.min, test.max)
				}
			})
		})
	}
}

func TestRetryStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{fails(llm.ErrTimeout)}, Repeat: true})
		m := llm.Wrap(inner, llm.Retry(policy(retry.Policy{Wait: time.Hour, MaxWait: time.Hour})))
		reason := errors.New("closing time")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(reason) })
		began := time.Now()
		_, err := m.Generate(ctx, ask("q"), nil)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, reason) || time.Since(began) != time.Second {
			t.Errorf("got %v after %v, want a cancelled context after a second", err, time.Since(began))
		}

		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		began = time.Now()
		if _, err := m.Generate(ctx, ask("q"), nil); !errors.Is(err, llm.ErrTimeout) || time.Since(began) != 0 {
			t.Errorf("got %v after %v, want no wait that the deadline would end", err, time.Since(began))
		}
	})
}

func TestRetryCountsWhatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		partial := &llm.Response{Usage: llm.Usage{InputTokens: 5, Calls: 1}}
		inner := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{
			{Err: &llm.Error{Kind: llm.ErrTruncated, Partial: partial}},
			{Text: "x", Usage: llm.Usage{InputTokens: 7, Calls: 1}},
		}})
		resp, err := llm.Wrap(inner, llm.Retry(nil)).Generate(t.Context(), ask("q"), nil)
		if err != nil || resp.Usage != (llm.Usage{InputTokens: 12, Calls: 2}) {
			t.Errorf("got %+v, %v", resp, err)
		}
	})
}
