package llm_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/qedkit/qed/llm"
)

func TestPrices(t *testing.T) {
	table := map[string]llm.Price{
		"gpt-5.4":              {Input: 10, Output: 20},
		"gpt-5.4-mini":         {Input: 1, Output: 4, CachedInput: 0.1},
		"gpt-5.4-mini-2025-01": {Input: 100, Output: 100},
		"claude-opus-4":        {Input: 15, Output: 75},
		"claude-sonnet":        {Input: 3, Output: 15, CachedInput: 0.3, CacheWrite: 3.75},
	}
	million := llm.Usage{InputTokens: 1e6, OutputTokens: 1e6, Calls: 1}
	cached := llm.Usage{InputTokens: 1e6, CachedTokens: 5e5, CacheWriteTokens: 2e5, OutputTokens: 1e6, ReasoningTokens: 9e5, Calls: 1}
	for name, test := range map[string]struct {
		model string
		usage llm.Usage
		other bool // the table has a price for other models
		want  float64
	}{
		"exact":            {"gpt-5.4", million, false, 30},
		"date":             {"gpt-5.4-mini-2026-03-17", million, false, 5},
		"exact date":       {"gpt-5.4-mini-2025-01", million, false, 200},
		"longest name":     {"gpt-5.4-mini-2025-01-0317", million, false, 200},
		"eight digits":     {"claude-opus-4-20250514", million, false, 90},
		"other family":     {"gpt-5.4-nano", million, false, 0},
		"other version":    {"claude-opus-4-8", million, false, 0},
		"no dash":          {"gpt-5.42026", million, false, 0},
		"no name":          {"", million, false, 0},
		"other":            {"gpt-5.4-nano", million, true, 3},
		"no name, other":   {"", million, true, 3},
		"cached":           {"claude-sonnet", cached, false, 0.9 + 0.15 + 0.75 + 15},
		"cached, as input": {"gpt-5.4", cached, false, 30},
		"cached, half":     {"gpt-5.4-mini", cached, false, 0.5 + 0.05 + 4},
		"wild":             {"claude-sonnet", llm.Usage{InputTokens: 10, CachedTokens: 99, CacheWriteTokens: 99}, false, 10 * 0.3 / 1e6},
	} {
		prices := map[string]llm.Price{}
		for k, v := range table {
			prices[k] = v
		}
		if test.other {
			prices[""] = llm.Price{Input: 1, Output: 2}
		}
		m := llm.Wrap(replies(test.model, test.usage, nil), llm.Prices(prices))
		clear(prices) // the table is not shared
		resp, err := m.Generate(t.Context(), ask("q"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(resp.Usage.Cost-test.want) > 1e-12 {
			t.Errorf("%s: the cost is %v, want %v", name, resp.Usage.Cost, test.want)
		}
		if resp.Usage.Cost = 0; resp.Usage != test.usage {
			t.Errorf("%s: the usage has changed: %+v", name, resp.Usage)
		}
	}
}

// replies returns a model whose reply, or the error's partial reply, is shared by
// all calls.
func replies(model string, usage llm.Usage, failed *llm.Error) llm.Model {
	resp := &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "x"}, Model: model, Usage: usage}
	return llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
		if failed != nil {
			failed.Partial = resp
			return nil, failed
		}
		return resp, nil
	})
}

// TestPricesOfFailures: what a failed call cost is counted, inside of Retry and
// outside of it.
func TestPricesOfFailures(t *testing.T) {
	prices := llm.Prices(map[string]llm.Price{"m": {Input: 1}})
	usage := llm.Usage{InputTokens: 1e6, Calls: 1}
	failed := &llm.Error{Kind: llm.ErrTruncated}
	_, err := llm.Wrap(replies("m", usage, failed), prices).Generate(t.Context(), ask("q"), nil)
	var e *llm.Error
	if !errors.As(err, &e) || e.Partial.Usage.Cost != 1 || failed.Partial.Usage.Cost != 0 {
		t.Errorf("got %+v; the model's own error has %+v", e.Partial, failed.Partial)
	}
	partial := &llm.Error{Kind: llm.ErrTruncated, Partial: &llm.Response{Model: "m", Usage: usage}}
	for _, mw := range [][]llm.Middleware{{prices, llm.Retry(policy(fast))}, {llm.Retry(policy(fast)), prices}} {
		n := 0
		m := llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
			if n++; n == 1 {
				return nil, partial
			}
			return &llm.Response{Model: "m", Usage: usage}, nil
		})
		resp, err := llm.Wrap(m, mw...).Generate(t.Context(), ask("q"), nil)
		if err != nil || resp.Usage.Cost != 2 || resp.Usage.Calls != 2 {
			t.Errorf("got %+v, %v, want the cost of two calls", resp, err)
		}
	}
}

func TestPricesRefuse(t *testing.T) {
	for _, p := range []llm.Price{{Input: -1}, {Output: math.NaN()}, {CachedInput: -1}, {CacheWrite: math.Inf(1)}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is accepted", p)
				}
			}()
			llm.Prices(map[string]llm.Price{"m": p})
		}()
	}
	llm.Prices(nil)
}

// TestUsage: Add has every field.
func TestUsage(t *testing.T) {
	a := llm.Usage{InputTokens: 1, OutputTokens: 2, Calls: 3, CachedTokens: 4, CacheWriteTokens: 5, ReasoningTokens: 6, Cost: 7}
	sum := a
	sum.Add(a)
	if want := (llm.Usage{InputTokens: 2, OutputTokens: 4, Calls: 6, CachedTokens: 8, CacheWriteTokens: 10, ReasoningTokens: 12, Cost: 14}); sum != want {
		t.Errorf("got %+v", sum)
	}
}
