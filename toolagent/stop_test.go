package toolagent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/toolagent"
)

// endless returns a mind that calls a tool for ever, and wraps up with what it is
// given.
func endless() *mind {
	n := 0
	return &mind{think: func(req *llm.Request) reply {
		if req.Name == "wrap_up" {
			return says("wrapped up")
		}
		n++
		r := calls(`temperature {"city":"` + strings.Repeat("x", n) + `"}`)
		r.usage = llm.Usage{InputTokens: 100, OutputTokens: 10}
		return r
	}}
}

// Each limit ends the loop, and the last request has what was found.
func TestStops(t *testing.T) {
	submit := tool("submit", finding.Finding{Text: "submitted"})
	for name, test := range map[string]struct {
		model  *mind
		opt    toolagent.Options
		text   string
		reason string
		steps  int
	}{
		"the default":               {endless(), toolagent.Options{}, "wrapped up", "after 20 steps", 20},
		"one step":                  {endless(), toolagent.Options{MaxSteps: 1}, "wrapped up", "after one step", 1},
		"three steps":               {endless(), toolagent.Options{MaxSteps: 3}, "wrapped up", "after 3 steps", 3},
		"more steps than needed":    {steps(calls(`submit {}`), says("done")), toolagent.Options{MaxSteps: 3}, "done", "", 2},
		"model calls":               {endless(), toolagent.Options{Limits: budget.Limits{ModelCalls: 4}}, "wrapped up", "limit", 3},
		"tool calls":                {endless(), toolagent.Options{Limits: budget.Limits{ToolCalls: 2}}, "wrapped up", "limit", 3},
		"a budget that is not used": {steps(calls(`submit {}`), says("done")), toolagent.Options{Limits: budget.Limits{ModelCalls: 4}}, "done", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			tools := registry(t, temperature(), submit)
			var final, all string
			var answer qed.Answer
			for event, err := range newAgent(t, test.model, tools, &test.opt).Run(t.Context(), qed.Turn{Text: "q"}) {
				if err != nil {
					t.Fatal(err)
				}
				switch d := event.Data.(type) {
				case qed.Token:
					if d.Channel == qed.ChannelFinal {
						final += d.Content
					}
				case qed.Completed:
					answer, all = d.Answer, d.Answer.Text
				}
			}
			if answer.Text != test.text || answer.Partial != (test.reason != "") || !strings.Contains(answer.PartialReason, test.reason) {
				t.Errorf("%+v", answer)
			}
			if final != all {
				t.Errorf("the text that was emitted is %q", final)
			}
			asked := test.model.names()
			if n := slices.Index(append(asked, "wrap_up"), "wrap_up"); n != test.steps {
				t.Errorf("%d steps, want %d: %v", n, test.steps, asked)
			}
			if answer.Usage.Calls != len(asked) {
				t.Errorf("usage %+v of %d requests", answer.Usage, len(asked))
			}
			if last := test.model.last(); last.Name == "wrap_up" && (len(last.Tools) > 0 || !strings.Contains(last.Messages[len(last.Messages)-1].Content, `{"`)) {
				t.Errorf("the last request is %+v", last)
			}
		})
	}
}

// A deadline ends a tool that runs, and leaves time for the answer.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := tool("slow", func(ctx context.Context) (any, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Minute):
				return "text", nil
			}
		})
		for limit, partial := range map[time.Duration]bool{10 * time.Second: true, 10 * time.Minute: false} {
			start := time.Now()
			model := steps(calls(`temperature {"city":"Rome"}`, `slow {}`), says("done"))
			answer := ask(t, t.Context(), newAgent(t, model, registry(t, temperature(), slow), &toolagent.Options{Limits: budget.Limits{Time: limit}}))
			if answer.Partial != partial || partial && !strings.Contains(answer.PartialReason, "time") {
				t.Errorf("%v: %+v", limit, answer)
			}
			if took := time.Since(start); partial && took != 9*time.Second {
				t.Errorf("it took %v", took)
			}
			// The call next to it is not lost.
			if last := model.last(); !strings.Contains(last.Messages[len(last.Messages)-1].Content+strings.Join(results(last), ""), `{"degrees":4}`) {
				t.Errorf("%v: the last request is %+v", limit, last)
			}
		}
	})
}

// A budget around the turn is a limit like one of its own. If nothing can be spent on
// the last request, the answer has what was found.
func TestOuterBudget(t *testing.T) {
	found := tool("find", finding.Finding{Text: "Rome has 4 degrees."})
	for name, test := range map[string]struct {
		limits budget.Limits
		steps  []reply
		text   string // of a partial answer; empty: the turn fails
		asked  int
	}{
		"a reserve":              {budget.Limits{ModelCalls: 2}, []reply{calls(`find {}`)}, "wrapped up", 2},
		"no reserve":             {budget.Limits{ModelCalls: 1}, []reply{calls(`find {}`)}, "This was found:\n\nRome has 4 degrees.", 1},
		"no reserve, no finding": {budget.Limits{ModelCalls: 1}, []reply{calls(`temperature {"city":"x"}`)}, "", 1},
		"nothing at all":         {budget.Limits{ModelCalls: -1}, nil, "", 0},
		"calls of one reply":     {budget.Limits{ToolCalls: 1}, []reply{calls(`find {}`, `temperature {"city":"x"}`, `temperature {"city":"y"}`)}, "wrapped up", 2},
	} {
		t.Run(name, func(t *testing.T) {
			model := steps(test.steps...)
			agent := newAgent(t, model, registry(t, temperature(), found), nil)
			answer, err := qed.Ask(budget.With(t.Context(), test.limits), agent, qed.Turn{Text: "q"})
			if test.text == "" {
				if !errors.Is(err, budget.ErrExceeded) {
					t.Errorf("%+v, %v", answer, err)
				}
			} else if err != nil || !answer.Partial || !strings.HasSuffix(answer.Text, test.text) || !strings.Contains(answer.PartialReason, "limit") {
				t.Errorf("%+v, %v", answer, err)
			}
			if n := len(model.names()); n != test.asked {
				t.Errorf("%d requests, want %d", n, test.asked)
			}
		})
	}
}

// A budget of tokens leaves a small reserve: the last request and its reply fit.
func TestTokensOfTheLastRequest(t *testing.T) {
	const limit = 30_000
	long := tool("long", strings.Repeat("many words ", 700))
	for name, test := range map[string]struct{ used, sent, reply int }{ // used by the step; at most sent and replied
		"enough":    {2000, 10_000, 4000},
		"little":    {26_500, 2334, 3000},
		"hardly":    {29_000, 750, 600}, // the calendar is a part of the request
		"too much":  {29_990, 0, 0},
		"every bit": {40_000, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			model := &mind{think: func(req *llm.Request) reply {
				if req.Name == "wrap_up" {
					return reply{text: "wrapped up", usage: llm.Usage{InputTokens: 1}}
				}
				r := calls(`long {}`)
				r.usage = llm.Usage{InputTokens: test.used}
				return r
			}}
			opt := &toolagent.Options{Limits: budget.Limits{Tokens: limit}, MaxSteps: 1}
			answer := ask(t, t.Context(), newAgent(t, model, registry(t, long), opt))
			if test.sent == 0 {
				if len(model.names()) != 1 || !answer.Partial || !strings.Contains(answer.Text, "many words") {
					t.Errorf("%+v after %v", answer, model.names())
				}
				return
			}
			last := model.last()
			sent := llm.EstimateTokens(&last)
			if answer.Text != "wrapped up" || sent > test.sent || last.MaxOutputTokens > test.reply || sent+last.MaxOutputTokens > limit-test.used {
				t.Errorf("%+v after a request of %d and %d tokens", answer, sent, last.MaxOutputTokens)
			}
			if !strings.Contains(last.Messages[0].Content, "many words") {
				t.Errorf("the last request has no finding: %.900s", last.Messages[0].Content)
			}
		})
	}
}

// What is reserved for the answer is not spent by an agent in a tool.
func TestToolsLeaveTheReserve(t *testing.T) {
	greedy := tool("greedy", func(ctx context.Context) (any, error) {
		left, _ := budget.Remaining(budget.ForFinalAnswer(ctx))
		return left.ModelCalls, nil
	})
	model := steps(calls(`greedy {}`), says("done"))
	ask(t, budget.With(t.Context(), budget.Limits{ModelCalls: 10}), newAgent(t, model, registry(t, greedy), nil))
	if got := results(model.last())[0]; !strings.Contains(got, "\n8\n") {
		t.Errorf("a tool may spend %s", got)
	}
}

// A tool that does not return is an error, also after the time of a budget: the turn
// may not answer while the tool runs.
func TestAbandonedTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := tool("deaf", func(context.Context) (any, error) { time.Sleep(time.Hour); return nil, nil })
		opt := &toolagent.Options{Limits: budget.Limits{Time: time.Minute}}
		_, err := qed.Ask(t.Context(), newAgent(t, steps(calls(`temperature {"city":"x"}`, `deaf {}`)), registry(t, temperature(), deaf), opt), qed.Turn{Text: "q"})
		if !errors.Is(err, qed.ErrToolAbandoned) {
			t.Errorf("error = %v", err)
		}
		time.Sleep(2 * time.Hour)
	})
}

// A model that fails ends the turn with what was found or, if that is nothing, with
// the error.
func TestModelFails(t *testing.T) {
	found := tool("find", finding.Finding{Text: "Rome has 4 degrees.", Partial: "a shard failed"})
	unavailable := fails(llm.ErrUnavailable, "")
	for name, test := range map[string]struct {
		steps []reply
		text  string // of a partial answer; empty: the turn fails
	}{
		"at once":               {[]reply{unavailable}, ""},
		"after nothing":         {[]reply{calls(`temperature {"city":"x"}`), unavailable}, ""},
		"after a finding":       {[]reply{calls(`find {}`), unavailable}, "I could not finish the answer. This was found:\n\nRome has 4 degrees."},
		"after a text":          {[]reply{calls(`text {}`), unavailable}, "I could not finish the answer. This was found:\n\nsome text"},
		"after a failed call":   {[]reply{calls(`fail {}`), unavailable}, ""},
		"with an unknown error": {[]reply{calls(`find {}`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tools := registry(t, temperature(), found, tool("text", "some text"), tool("fail", errors.New("no")))
			answer, err := qed.Ask(t.Context(), newAgent(t, steps(test.steps...), tools, nil), qed.Turn{Text: "q"})
			switch {
			case test.text == "" && err == nil:
				t.Errorf("%+v", answer)
			case test.text != "" && (err != nil || answer.Text != test.text || !answer.Partial || !strings.Contains(answer.PartialReason, "broke off")):
				t.Errorf("%+v, %v", answer, err)
			}
			if name == "after a finding" && !strings.Contains(answer.PartialReason, "a shard failed") {
				t.Errorf("%+v", answer)
			}
		})
	}
	// The last request fails.
	for name, test := range map[string]struct {
		last   reply
		text   string
		reason string
	}{
		"unavailable": {unavailable, "Rome has 4 degrees.", "one step"},
		"declined":    {fails(llm.ErrRefusal, ""), "Rome has 4 degrees.", "one step"},
		"cut off":     {reply{text: "Rome has", err: &llm.Error{Kind: llm.ErrTruncated}}, "Rome has", "one step"},
		"empty":       {says(""), "Rome has 4 degrees.", "one step"},
	} {
		model := &mind{think: func(req *llm.Request) reply {
			if req.Name == "wrap_up" {
				return test.last
			}
			return calls(`find {}`)
		}}
		answer := ask(t, t.Context(), newAgent(t, model, registry(t, found), &toolagent.Options{MaxSteps: 1}))
		if !strings.HasSuffix(answer.Text, test.text) || !strings.Contains(answer.PartialReason, test.reason) {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}

// A context that is done ends the turn with its error, whatever was found.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	model := &mind{think: func(req *llm.Request) reply {
		if len(results(*req)) > 0 {
			cancel()
			return reply{err: &llm.Error{Kind: llm.ErrUnavailable}}
		}
		return calls(`find {}`)
	}}
	_, err := qed.Ask(ctx, newAgent(t, model, registry(t, tool("find", finding.Finding{Text: "text"})), nil), qed.Turn{Text: "q"})
	if err == nil {
		t.Error("a cancelled turn has an answer")
	}
}

// New refuses a registry whose tools cannot be used.
func TestNewRefusesBadTools(t *testing.T) {
	tools := qed.NewRegistry(nil, qed.Tool{Name: "no call"})
	if _, err := toolagent.New(steps(), tools, nil); !errors.Is(err, tools.Err()) || err == nil {
		t.Error(err)
	}
	if _, err := toolagent.New(steps(), qed.NewRegistry(nil, temperature()), nil); err != nil {
		t.Error(err)
	}
}
