package modelcall

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/llm"
)

// limited gives a request for a choice as many tokens as the longest valid reply can have:
// a small model that repeats itself is stopped after hundreds of tokens in place of
// thousands. Thoughts of a model count too, so one that thinks has no such limit: if
// thoughts reached the limit, the request is sent once more.
func limited(m llm.Model) llm.Model {
	var thinks atomic.Bool
	return llm.Wrap(m, func(m llm.Model) llm.Model {
		return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
			if req.Format == nil || stream != nil || thinks.Load() {
				return m.Generate(ctx, req, stream)
			}
			longest := schema.Longest(req.Format.Schema)
			if longest == 0 || longest >= req.MaxOutputTokens {
				return m.Generate(ctx, req, stream)
			}
			short := *req
			short.MaxOutputTokens = longest
			resp, err := m.Generate(ctx, &short, stream)
			part := resp
			if failed, ok := errors.AsType[*llm.Error](err); ok {
				part = failed.Partial
			}
			if !thought(part, longest) {
				return resp, err
			}
			thinks.Store(true)
			if !errors.Is(err, llm.ErrTruncated) || ctx.Err() != nil {
				return resp, err
			}
			resp, err = m.Generate(ctx, req, stream)
			if failed, ok := errors.AsType[*llm.Error](err); ok {
				e := *failed // others may have it
				e.Partial = added(failed.Partial, part.Usage)
				return nil, &e
			}
			return added(resp, part.Usage), err
		})
	})
}

// added returns a response, or an empty one if it is nil, with the usage of an earlier one.
func added(resp *llm.Response, earlier llm.Usage) *llm.Response {
	var sum llm.Response
	if resp != nil {
		sum = *resp
	}
	sum.Usage.Add(earlier)
	return &sum
}

// thought reports whether a model wrote something besides its reply: it has reasoning, or is
// far too short for the limit that cut it off. Not all servers count thoughts.
func thought(resp *llm.Response, limit int) bool {
	if resp == nil {
		return false
	}
	for i := range resp.Message.Parts {
		if resp.Message.Parts[i].Type == llm.PartReasoning {
			return true
		}
	}
	return resp.Usage.ReasoningTokens > 0 ||
		resp.FinishReason == llm.FinishLength && llm.EstimateTextTokens(resp.Message.Content) < limit/2
}
