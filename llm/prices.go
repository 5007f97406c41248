package llm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"strings"
)

// A Price is what a model costs, per million tokens. The currency is the host's
// choice. The zero Price is that of a model that costs nothing.
type Price struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`

	// CachedInput is for input that is read from the provider's cache, and
	// CacheWrite for input that is written to it. 0 means Input.
	CachedInput float64 `json:"cached_input,omitempty"`
	CacheWrite  float64 `json:"cache_write,omitempty"`
}

// Prices sets [Usage.Cost] of every reply, and of the part of a reply that came
// with an [*Error], by the price of the model that replied ([Response.Model]).
//
//   - The keys of table are names of models. A name that is followed by a dash
//     and a date is that model: "gpt-5.4-mini-2026-03-17" has the price of
//     "gpt-5.4-mini", unless it has one of its own. Nothing but a date may
//     follow: "gpt-5.4-mini" does not have the price of "gpt-5.4".
//   - The key "" is the price of every other model. Without it, a model that is
//     not in table adds nothing to the cost.
//   - Surcharges, such as those for long prompts, are not known here.
//
// Prices panics if a price is negative or not a number.
func Prices(table map[string]Price) Middleware {
	table = maps.Clone(table)
	for name, p := range table {
		for _, amount := range []float64{p.Input, p.Output, p.CachedInput, p.CacheWrite} {
			if amount < 0 || math.IsNaN(amount) || math.IsInf(amount, 0) {
				panic(fmt.Sprintf("llm: Prices: the price of %q is negative or not a number", name))
			}
		}
	}
	return func(m Model) Model {
		return ModelFunc(func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
			resp, err := m.Generate(ctx, req, stream)
			if e, ok := err.(*Error); ok && e.Partial != nil {
				failed := *e // others may have e
				failed.Partial = priced(table, e.Partial)
				err = &failed
			}
			return priced(table, resp), err
		})
	}
}

// priced returns resp with the cost of its usage. resp may be nil.
func priced(table map[string]Price, resp *Response) *Response {
	if resp == nil {
		return nil
	}
	usage := resp.Usage
	usage.Cost = priceOf(table, resp.Model).cost(usage)
	return resp.withUsage(usage)
}

func priceOf(table map[string]Price, model string) Price {
	if p, ok := table[model]; ok {
		return p
	}
	for i := len(model) - 1; i > 0; i-- {
		if model[i] != '-' || !isDate(model[i+1:]) {
			continue
		}
		if p, ok := table[model[:i]]; ok {
			return p
		}
	}
	return table[""]
}

// isDate reports whether a suffix of a model's name is a date, such as
// "2026-03-17", "20260317" or "0317".
func isDate(suffix string) bool {
	digits, rest, _ := strings.Cut(suffix, "-")
	return len(digits) >= 4 && strings.Trim(digits+rest, "0123456789-") == ""
}

func (p Price) cost(u Usage) float64 {
	cached := min(max(u.CachedTokens, 0), u.InputTokens)
	written := min(max(u.CacheWriteTokens, 0), u.InputTokens-cached)
	sum := float64(u.InputTokens-cached-written)*p.Input +
		float64(cached)*cmp.Or(p.CachedInput, p.Input) +
		float64(written)*cmp.Or(p.CacheWrite, p.Input) +
		float64(u.OutputTokens)*p.Output
	return sum / 1e6
}
