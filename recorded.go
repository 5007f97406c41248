package qed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qedkit/qed/llm"
)

// DurableModel makes a model whose calls are part of the run: each is recorded, as by [Step], so that a run that goes on does not pay for it
// again, and spends of the budget. Agents of this module do that for the models they are given.
//
// A call that could cost more tokens than the budget has left is not made. What a reply may cost at most is the request's MaxTokens, or
// 4,096 where it says nothing; what it sends is what m counts, where m is an [llm.TokenCounter], or else estimated. A reply that is found and not made again is streamed as one piece. Its usage counts.
//
// A failed call of a durable run is a [*CallError], which unwraps to the [*llm.Error].
func DurableModel(m llm.Model) llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		sc := scopeOf(ctx)
		if sc.place == nil {
			return paid(ctx, m, req, stream)
		}
		key, err := req.Key()
		if err != nil {
			return paid(ctx, m, req, stream) // the model says better what is wrong with it
		}
		name := req.Name
		if name == "" {
			name = "model"
		}
		made := false
		resp, err := recorded(ctx, sc, recording{name: name, in: key}, func(ctx context.Context) (*llm.Response, error) {
			made = true
			return paid(ctx, m, req, stream)
		})
		if err != nil {
			return nil, err
		}
		if made {
			sc.place.log.used(resp.Usage)
			return resp, nil
		}
		charge(ctx, costOf(resp.Usage))
		if stream != nil && resp.Message.Content != "" {
			stream(llm.Delta{Text: resp.Message.Content})
		}
		return resp, nil
	})
}

// usualReply is what a reply may cost where its request does not say.
const usualReply = 4096

// paid makes a call within the budget.
func paid(ctx context.Context, m llm.Model, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
	if !hasBudget(ctx) {
		return m.Generate(ctx, req, stream)
	}
	most := req.MaxOutputTokens
	if most <= 0 {
		most = usualReply
	}
	count := llm.EstimateTokens
	if own, ok := m.(llm.TokenCounter); ok {
		count = own.CountTokens
	}
	sent := count(req)
	estimate := addCapped(sent, most)
	r, err := reserve(ctx, Limits{Tokens: estimate, ModelCalls: 1})
	if err != nil {
		return nil, err
	}
	limited, cancel := withinBudget(ctx)
	defer cancel()
	resp, err := m.Generate(limited, req, stream)
	if err != nil {
		if e, ok := errors.AsType[*llm.Error](err); ok && e.Partial != nil {
			r.settle(Limits{Tokens: max(costOf(e.Partial.Usage).Tokens, sent), ModelCalls: 1})
		} else {
			r.settle(Limits{Tokens: sent, ModelCalls: 1}) // it may have been read
		}
		return nil, overBudget(limited, err)
	}
	cost := costOf(resp.Usage)
	if cost.Tokens == 0 {
		cost.Tokens = estimate // the provider does not say
	}
	r.settle(cost)
	return resp, nil
}

func costOf(u llm.Usage) Limits {
	return Limits{Tokens: addCapped(u.InputTokens, u.OutputTokens), ModelCalls: max(1, u.Calls)}
}

// addCapped adds what may be as large as an int can be.
func addCapped(a, b int) int {
	if a > math.MaxInt-max(b, 0) {
		return math.MaxInt
	}
	return a + b
}

// used counts what the models of a run cost, for a turn that ends with a question.
func (j *runState) used(u llm.Usage) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.usage.Add(u)
}

// withinBudget returns ctx until the time of its budget is over, but for what is kept back.
func withinBudget(ctx context.Context) (context.Context, context.CancelFunc) {
	until, ok := softDeadline(ctx)
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, until, errTimeSpent)
}

var errTimeSpent = fmt.Errorf("%w: its time is over", ErrBudget)

// overBudget makes err tell that the budget's time is over, where that is why ctx is done.
func overBudget(ctx context.Context, err error) error {
	if context.Cause(ctx) == errTimeSpent && !errors.Is(err, ErrBudget) {
		return fmt.Errorf("%w: %w", errTimeSpent, err)
	}
	return err
}

// BudgetExceeded returns why a graph's [CompileOptions.WrapUp] node runs: an error that matches [ErrBudget]. It is nil everywhere else.
func BudgetExceeded(ctx context.Context) error {
	spent := scopeOf(ctx).spent
	if budget, ok := errors.AsType[*BudgetError](spent); ok {
		return budget
	}
	return spent
}
