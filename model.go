package qed

import (
	"context"
	"errors"
	"math"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/llm"
)

// DurableModel returns a model whose calls are part of the run: they are recorded as
// by [Step], so a resumed run does not pay for them again, and they are spent of the
// budget. The agents of this module use it for the models that they are given.
//
// A call is not made if it could cost more tokens than the budget has left. The cost
// is that of the request, as [llm.CountTokens] counts it, plus the request's
// MaxOutputTokens, or 4,096 if it has none.
//
// A recorded response is streamed in one piece, and its usage counts. A failed call
// of a durable run returns a [*CallError], which unwraps to the [*llm.Error].
func DurableModel(m llm.Model) llm.Model { return llm.Wrap(m, durableModel) }

func durableModel(m llm.Model) llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		sc := scopeOf(ctx)
		if sc.place == nil {
			return paid(ctx, m, req, stream)
		}
		key, err := req.Hash()
		if err != nil {
			return paid(ctx, m, req, stream) // the model returns a better error
		}
		name := req.Name
		if name == "" {
			name = "model"
		}
		made := false
		call := func(ctx context.Context) (*llm.Response, error) {
			made = true
			return paid(ctx, m, req, stream)
		}
		resp, err := recorded(ctx, sc, recording{name: name, in: key, cost: responseCost}, call)
		if err != nil {
			return nil, err
		}
		if made {
			sc.place.log.used(resp.Usage)
			return resp, nil
		}
		if stream != nil && resp.Message.Content != "" {
			stream(llm.Delta{Text: resp.Message.Content})
		}
		return resp, nil
	})
}

// responseCost is the cost of a recorded call, with its response or nil.
func responseCost(v any) budget.Limits {
	if resp, ok := v.(*llm.Response); ok && resp != nil {
		return costOf(resp.Usage)
	}
	return budget.Limits{ModelCalls: 1}
}

// usualReply is how many tokens a response may cost if its request has no limit.
const usualReply = 4096

// paid makes a call within the budget.
func paid(
	ctx context.Context, m llm.Model, req *llm.Request, stream func(llm.Delta),
) (*llm.Response, error) {
	if _, ok := budget.Remaining(ctx); !ok {
		resp, err := m.Generate(ctx, req, stream)
		budget.Charge(ctx, actualCost(resp, err, 0, 0))
		return resp, err
	}
	most := req.MaxOutputTokens
	if most <= 0 {
		most = usualReply
	}
	sent := llm.CountTokens(m, req)
	estimate := addCapped(sent, most)
	r, err := budget.Reserve(ctx, budget.Limits{Tokens: estimate, ModelCalls: 1})
	if err != nil {
		return nil, err
	}
	limited, cancel := budget.WithDeadline(ctx)
	defer cancel()
	resp, err := m.Generate(limited, req, stream)
	r.Settle(actualCost(resp, err, sent, estimate))
	if err != nil {
		return nil, withCause(limited, err)
	}
	return resp, nil
}

// actualCost returns what a call cost. sent and estimate are the tokens of its
// request, and those of the request and the expected response.
func actualCost(resp *llm.Response, err error, sent, estimate int) budget.Limits {
	if err != nil {
		cost := budget.Limits{Tokens: sent, ModelCalls: 1} // the provider may have processed it
		if e, ok := errors.AsType[*llm.Error](err); ok && e.Partial != nil {
			cost.Tokens = max(costOf(e.Partial.Usage).Tokens, sent)
		}
		return cost
	}
	cost := costOf(resp.Usage)
	if cost.Tokens == 0 {
		cost.Tokens = estimate // the provider does not report it
	}
	return cost
}

func costOf(u llm.Usage) budget.Limits {
	return budget.Limits{Tokens: addCapped(u.InputTokens, u.OutputTokens), ModelCalls: max(1, u.Calls)}
}

// addCapped adds two numbers without overflow.
func addCapped(a, b int) int {
	if a > math.MaxInt-max(b, 0) {
		return math.MaxInt
	}
	return a + b
}

// used adds to the usage of the run's models.
func (rs *runState) used(u llm.Usage) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.usage.Add(u)
}
