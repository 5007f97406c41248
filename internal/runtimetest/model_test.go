package runtimetest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// talkative is a model that streams a reply in words.
func talkative(l *qedtest.Ledger) llm.Model {
	return llm.ModelFunc(func(_ context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		l.Do("model")
		for _, word := range []string{"one ", "two ", "three"} {
			if stream != nil {
				stream(llm.Delta{Text: word})
			}
		}
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "one two three", ToolCalls: []llm.ToolCall{{ID: "1", Name: "look", Arguments: []byte(`{"a":1}`)}}},
			FinishReason: llm.FinishStop, Usage: llm.Usage{InputTokens: 10, OutputTokens: 3, Calls: 1}, Model: "m"}, nil
	})
}

// A recorded reply is streamed in one piece. The answer of an interrupted turn
// has the usage of the turn.
func TestDurableModel(t *testing.T) {
	var l qedtest.Ledger
	var streamed []string
	var replies []*llm.Response
	model := qed.DurableModel(talkative(&l))
	c := converse(t, qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		var usage llm.Usage
		for range 2 {
			var text []string
			resp, err := model.Generate(ctx, &llm.Request{Name: "ask/it", Messages: []llm.Message{{Role: llm.RoleUser, Content: turn.Text}}}, func(d llm.Delta) { text = append(text, d.Text) })
			if err != nil {
				return qed.Answer{}, err
			}
			streamed = append(streamed, strings.Join(text, "|"))
			replies = append(replies, resp)
			usage.Add(resp.Usage)
		}
		if _, err := model.Generate(ctx, &llm.Request{Name: "quiet"}, nil); err != nil {
			return qed.Answer{}, err
		}
		v, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		return qed.Answer{Text: v, Usage: usage}, err
	}), new(store.InMemory), nil)
	asked := c.say("go")
	if asked.Usage.InputTokens != 30 || asked.Usage.Calls != 3 {
		t.Errorf("asking cost %+v", asked.Usage)
	}
	c.reply(asked, `"good"`)
	if diff := cmp.Diff([]string{"one |two |three", "one |two |three", "one two three", "one two three"}, streamed); diff != "" {
		t.Error(diff)
	}
	for _, r := range replies[1:] {
		if diff := cmp.Diff(replies[0], r); diff != "" {
			t.Error(diff)
		}
	}
	l.Want(t, map[string]int{"model": 3})
}

// A recorded call is not paid again. A call that the budget forbids is not
// made, and is not unresolved later.
func TestDurableModelWithinABudget(t *testing.T) {
	var l qedtest.Ledger
	model := qed.DurableModel(talkative(&l))
	send := qed.NewTool("send", "", func(context.Context, struct{}) (string, error) { l.Do("send"); return "sent", nil })
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		if _, err := model.Generate(ctx, &llm.Request{Name: "m"}, nil); err != nil {
			return "", err
		}
		if err := registryDo(ctx, t, send); err != nil {
			return "", err
		}
		return once(ctx, &l, "once")
	}), new(store.InMemory), nil)
	c.ctx = budget.With(t.Context(), budget.Limits{Tokens: 10})
	c.fails(qed.Turn{Text: "go"}, budget.ErrExceeded)
	l.Want(t, nil)
	c.ctx = budget.With(t.Context(), budget.Limits{ToolCalls: 1})
	if err := budget.Spend(c.ctx, budget.Limits{ToolCalls: 1}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c.fails(qed.Turn{}, budget.ErrExceeded)
	}
	l.Want(t, map[string]int{"model": 1})
	c.ctx = t.Context()
	if a := c.resume(); a.Text != "once" {
		t.Errorf("answer = %+v", a)
	}
	l.Want(t, map[string]int{"model": 1, "send": 1, "once": 1})
}

// A reply that was cut off costs tokens too, and the usage of a turn counts them.
func TestUsageOfFailedCalls(t *testing.T) {
	cut := llm.ModelFunc(func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
		resp := &llm.Response{
			Message: llm.Message{Role: llm.RoleAssistant, Content: "x"}, Usage: llm.Usage{InputTokens: 7, OutputTokens: 2, Calls: 1},
		}
		switch req.Name {
		case "cut":
			return nil, &llm.Error{Kind: llm.ErrTruncated, Message: "cut", Partial: resp}
		case "refused":
			return nil, &llm.Error{Kind: llm.ErrBadRequest, Message: "no"}
		}
		return resp, nil
	})
	model := qed.DurableModel(cut)
	c := converse(t, qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		for _, name := range []string{"cut", "refused", "good"} {
			_, err := model.Generate(ctx, &llm.Request{Name: name}, nil)
			if (err == nil) != (name == "good") {
				t.Errorf("%s: %v", name, err)
			}
		}
		return qed.Answer{Text: "done"}, nil
	}), new(store.InMemory), nil)
	if diff := cmp.Diff(llm.Usage{InputTokens: 14, OutputTokens: 4, Calls: 2}, c.say("go").Usage); diff != "" {
		t.Error(diff)
	}
}

// A reply that arrives when the time is over counts too.
func TestUsageOfLateReplies(t *testing.T) {
	late := qed.DurableModel(llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
		time.Sleep(50 * time.Millisecond)
		return &llm.Response{Usage: llm.Usage{InputTokens: 7, OutputTokens: 2, Calls: 1}}, nil
	}))
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		_, err := late.Generate(ctx, &llm.Request{Name: "late"}, nil)
		return qed.Answer{Text: "partial", Partial: true, PartialReason: fmt.Sprint(err)}, nil
	}), new(store.InMemory), nil)
	ctx := budget.With(t.Context(), budget.Limits{Time: 10 * time.Millisecond})
	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t", Text: "go"})
	if answer.Usage.Calls != 1 || answer.Usage.InputTokens != 7 {
		t.Errorf("%+v, %v", answer, err)
	}
}
